"""Reading a request's query into a closed model, and refusing one where there is none to take.

A parameter that a route does not know is refused, and so is one that is there twice: otherwise a misspelt one
would be silently without effect, and of two values one. Texts are UTF-8, as in a body, and numbers are spelt as
in JSON: what another reader of the same query would take for something else is refused. FastAPI reads a model's
fields one by one, and their annotations again with every request; here pydantic reads them at once.
"""

import re
from typing import Annotated, Any, Final, Generic, TypeVar, get_args, get_origin
from urllib.parse import parse_qsl

from fastapi import Depends, Request
from pydantic import ValidationError

from app.api.problems import field_errors, invalid_request
from app.api.wire.shapes import Closed
from app.kernel.errors import FieldError

M = TypeVar("M", bound=Closed)
# Pydantic reads whatever Python does, such as `+1` and `1_0`.
_SPELLINGS: Final = {
    int: re.compile(r"-?(?:0|[1-9][0-9]*)"),
    float: re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"),
    bool: re.compile("true|false"),
}
# No number in any spelling: pydantic refuses it by the name of what it should have been.
_MISSPELT: Final = "misspelt"


class QueryOf(Generic[M]):
    """A dependency that reads the query as the model; only parameters that are lists may be there twice."""

    def __init__(self, model: type[M]) -> None:
        self._model = model
        fields = model.model_fields.items()
        self._repeatable = {name for name, field in fields if get_origin(field.annotation) is list}
        spellings = {name: _find_spelling(field.annotation) for name, field in fields}
        self._spellings = {name: one for name, one in spellings.items() if one is not None}

    async def __call__(self, request: Request) -> M:
        """Return the query, or raise InvalidInput with every wrong parameter."""
        given: dict[str, Any] = {}  # As a client wrote them: text, and lists of it.
        twins = set()
        for name, written in read_pairs(request):
            spelling = self._spellings.get(name)
            value = _MISSPELT if spelling and not spelling.fullmatch(written) else written
            if name in self._repeatable:
                given.setdefault(name, []).append(value)
            elif name in given:
                twins.add(name)
            else:
                given[name] = value
        if twins:
            told = "The parameter takes one value."
            raise invalid_request(*(FieldError(name, "repeated", told) for name in sorted(twins)))
        try:
            return self._model.model_validate(given)
        except ValidationError as error:
            raise invalid_request(*field_errors(error.errors(include_url=False), skip=0)) from None

    def describe(self) -> list[dict[str, Any]]:  # Parts of an OpenAPI document.
        """Return the parameters as the contract has them."""
        schema = self._model.model_json_schema()
        required = schema.get("required", ())
        return [
            {"name": name, "in": "query", "required": name in required, "schema": _without_null(described)}
            for name, described in schema["properties"].items()
        ]


def read_pairs(request: Request) -> list[tuple[str, str]]:
    """Return the parameters in their order, or raise InvalidInput with each that is no UTF-8."""
    query: str = request.scope["query_string"].decode(errors="surrogateescape")
    if not query:
        return []
    pairs = parse_qsl(query, keep_blank_values=True, errors="surrogateescape")
    wrong = {name.encode(errors="replace").decode() for name, value in pairs if not _is_unicode(name + value)}
    if wrong:
        raise invalid_request(
            *(FieldError(name, "text_invalid", "The text is not UTF-8.") for name in sorted(wrong))
        )
    return pairs


def _is_unicode(text: str) -> bool:
    # Each byte that is no UTF-8 has become half of a surrogate pair.
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _find_spelling(annotation: object) -> re.Pattern[str] | None:
    """Return how a field's numbers are spelt, None if it has none; what wraps the annotation doesn't count."""
    if isinstance(annotation, type) and annotation in _SPELLINGS:
        return _SPELLINGS[annotation]
    inner = map(_find_spelling, get_args(annotation))
    return next((spelling for spelling in inner if spelling is not None), None)


def _without_null(described: dict[str, Any]) -> dict[str, Any]:
    # What is not there in a query cannot be written into it.
    return {name: value for name, value in described.items() if name != "default" or value is not None}


async def refuse_query(request: Request) -> None:
    """Raise InvalidInput if the request has a query parameter."""
    names = sorted({name for name, _ in read_pairs(request)})
    if names:
        raise invalid_request(
            *(FieldError(name, "extra_forbidden", "This route takes no such parameter.") for name in names)
        )


NoQuery = Annotated[None, Depends(refuse_query)]
