"""How answers are written, and how a route describes itself in the published contract."""

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, Final, TypeVar

from fastapi import Response
from pydantic import SerializeAsAny, TypeAdapter
from pydantic_core import to_json

from app.api.problems import TITLES
from app.api.replay import Given
from app.api.wire.shapes import Answer, Closed, Listed
from app.kernel.pages import Page

D = TypeVar("D")
# Made once: pydantic builds a class, with its schema, each time that a generic one is named.
_Page: Final = Listed[SerializeAsAny[Answer]]
_JSON: Final = "application/json"
# Every route can meet these: no key, no scope, a wrong parameter, too many requests, a database that does not
# answer.
_ALWAYS: Final = (401, 403, 422, 429, 503)
_WITH_BODY: Final = (400, 413, 415)
_SECONDS: Final = {"type": "integer", "minimum": 1}
# What a client needs to go on after a refusal.
_HEADERS: Final[Mapping[int, tuple[str, Mapping[str, Any]]]] = {
    401: ("WWW-Authenticate", {"const": "Bearer", "type": "string"}),
    429: ("Retry-After", _SECONDS),
    503: ("Retry-After", _SECONDS),
}


def answer(body: Answer | bytes, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return the body as JSON with every field, or as it was written; nothing is validated a second time."""
    content = body if isinstance(body, bytes) else body.model_dump_json()
    return Response(content, status, headers, media_type=_JSON)


def answer_given(given: Given, headers: Mapping[str, str] | None = None) -> Response:
    """Return a new or a stored answer; a header tells which."""
    headers = {**(headers or {}), **tell_replayed(given)}
    content = json.dumps(given.body, ensure_ascii=False, separators=(",", ":"))
    return Response(content, given.status, headers, media_type=_JSON)


def tell_replayed(given: Given) -> dict[str, str]:
    """Return the header that tells a repeated request from a first one."""
    return {"Idempotency-Replayed": "true"} if given.is_replayed else {}


def answer_page(page: Page[D], write: Callable[[D], Answer]) -> Response:
    """Return the page with each of its items as `write` gives it."""
    items = [write(item) for item in page.items]
    return answer(_Page(items=items, next_cursor=page.next_cursor))


def page_writer(record: type[D], shown: type[Answer]) -> Callable[[Page[D]], Response]:
    """Return what answers pages of a record that has exactly the fields of the contract's model.

    Each item is written as it is, without the model between, which costs twice as much as everything else of it.
    """
    assert [one.name for one in fields(record)] == list(shown.model_fields)  # type: ignore[arg-type]  # A dataclass.
    items = TypeAdapter(list[record])  # type: ignore[valid-type]  # The class at hand.

    def write(page: Page[D]) -> Response:
        written = items.dump_json(list(page.items)), to_json(page.next_cursor)
        return Response(b'{"items":%b,"next_cursor":%b}' % written, media_type=_JSON)

    return write


def refusals(*statuses: int, has_body: bool = False) -> dict[int | str, dict[str, Any]]:  # FastAPI's type.
    """Return the documentation of a route's refusals: the given ones and those that any route can meet."""
    expected = {*statuses, *_ALWAYS, *(_WITH_BODY if has_body else ())}
    return {status: describe_refusal(status) for status in sorted(expected)}


def describe_refusal(status: int) -> dict[str, Any]:  # A part of an OpenAPI document.
    """Return the documentation of one refusal."""
    described: dict[str, Any] = {
        "description": TITLES[status],
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    if status in _HEADERS:
        name, schema = _HEADERS[status]
        described["headers"] = {name: {"required": True, "schema": schema}}
    return described


def takes(model: type[Closed], *, required: bool = True) -> dict[str, Any]:  # A part of an OpenAPI document.
    """Return the documentation of a route's body, which our own dependency reads."""
    schema = {"$ref": f"#/components/schemas/{model.__name__}"}
    return {"requestBody": {"required": required, "content": {_JSON: {"schema": schema}}}}
