"""Reading a request's query into a closed model, and refusing one where there is none to take.

A parameter that a route does not know is refused, and so is one that is there twice: otherwise a misspelt one
would be silently without effect, and of two values one. FastAPI reads a model's fields one by one, and their
annotations again with every request; here pydantic reads them at once.
"""

from collections.abc import Iterable
from typing import Annotated, Any, Generic, TypeVar, get_origin

from fastapi import Depends, Request
from pydantic import ValidationError

from app.api.problems import field_errors
from app.api.wire.shapes import Closed
from app.kernel.errors import FieldError, InvalidInput

M = TypeVar("M", bound=Closed)


class QueryOf(Generic[M]):
    """A dependency that reads the query as the model; only parameters that are lists may be there twice."""

    def __init__(self, model: type[M]) -> None:
        self._model = model
        fields = model.model_fields.items()
        self._repeatable = {name for name, field in fields if get_origin(field.annotation) is list}

    async def __call__(self, request: Request) -> M:
        """Return the query, or raise InvalidInput with every wrong parameter."""
        given: dict[str, Any] = {}  # As a client wrote them: text, and lists of it.
        twins = set()
        for name, value in request.query_params.multi_items():
            if name in self._repeatable:
                given.setdefault(name, []).append(value)
            elif name in given:
                twins.add(name)
            else:
                given[name] = value
        if twins:
            told = "The parameter takes one value."
            raise _refusal(FieldError(name, "repeated", told) for name in sorted(twins))
        try:
            return self._model.model_validate(given)
        except ValidationError as error:
            raise _refusal(field_errors(error.errors(include_url=False), skip=0)) from None

    def describe(self) -> list[dict[str, Any]]:  # Parts of an OpenAPI document.
        """Return the parameters as the contract has them."""
        schema = self._model.model_json_schema()
        required = schema.get("required", ())
        return [
            {"name": name, "in": "query", "required": name in required, "schema": _without_null(described)}
            for name, described in schema["properties"].items()
        ]


def _without_null(described: dict[str, Any]) -> dict[str, Any]:
    # What is not there in a query cannot be written into it.
    return {name: value for name, value in described.items() if name != "default" or value is not None}


async def refuse_query(request: Request) -> None:
    """Raise InvalidInput if the request has a query parameter."""
    names = sorted(set(request.query_params))
    if names:
        raise _refusal(
            FieldError(name, "extra_forbidden", "This route takes no such parameter.") for name in names
        )


def _refusal(errors: Iterable[FieldError]) -> InvalidInput:
    return InvalidInput("The request is not valid.", errors=tuple(errors))


NoQuery = Annotated[None, Depends(refuse_query)]
