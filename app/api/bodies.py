"""Reading a request's body: bytes within the limit, then JSON, then a closed model. Each step has its refusal."""

import json
from collections import Counter
from email.message import Message
from typing import Annotated, Final, TypeVar

from fastapi import Depends, Request
from pydantic import ValidationError
from pydantic_core import from_json
from starlette.exceptions import HTTPException

from app.api.problems import field_errors, invalid_request
from app.api.wire.shapes import Closed
from app.kernel.errors import FieldError

M = TypeVar("M", bound=Closed)
MAX_BODY_BYTES: Final = 1024 * 1024


async def read_body(request: Request) -> bytes:
    """Return the body, one JSON document; what its fields must be is for `parse` to say.

    Raises:
        HTTPException: 413 over the limit, 415 for another content type or encoding, 400 for bad JSON.
        InvalidInput: a text in it holds a lone surrogate, or an object the same name twice.
    """
    raw = await _read_within_limit(request)
    _check_content_type(request)
    _check_json(raw)
    return raw


async def read_optional_body(request: Request) -> bytes:
    """Return the body as `read_body` does; an empty one is an empty object."""
    raw = await _read_within_limit(request)
    if not raw:
        return b"{}"
    _check_content_type(request)
    _check_json(raw)
    return raw


Body = Annotated[bytes, Depends(read_body)]
OptionalBody = Annotated[bytes, Depends(read_optional_body)]


def parse(model: type[M], raw: bytes) -> M:
    """Return the body as the model, or raise InvalidInput with every wrong field."""
    try:
        return model.model_validate_json(raw, strict=True)
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=False, include_input=False)
        raise invalid_request(*field_errors(details, skip=0)) from None


async def _read_within_limit(request: Request) -> bytes:
    declared = request.headers.get("Content-Length", "0")
    if declared.isascii() and declared.isdigit() and int(declared[:20]) > MAX_BODY_BYTES:
        raise _too_large()
    chunks = bytearray()
    async for chunk in request.stream():
        chunks += chunk
        if len(chunks) > MAX_BODY_BYTES:
            raise _too_large()
    return bytes(chunks)


def _too_large() -> HTTPException:
    return HTTPException(413, "The body is larger than 1 MiB.")


def _check_content_type(request: Request) -> None:
    headers = request.headers
    if headers.get("Content-Type") == "application/json" and "Content-Encoding" not in headers:
        # As nearly everybody says it; what else it may mean takes a parser.
        return
    header = Message()
    header["Content-Type"] = headers.get("Content-Type", "application/octet-stream")
    is_json = header.get_content_type() == "application/json" or header.get_content_subtype().endswith(
        "+json"
    )
    charset = str(header.get_param("charset", "utf-8")).lower()
    encoding = request.headers.get("Content-Encoding", "identity").lower()
    if not is_json or charset not in ("utf-8", "utf8", "us-ascii") or encoding != "identity":
        raise HTTPException(415, "The body must be uncompressed JSON in UTF-8.")


def _check_json(raw: bytes) -> None:
    try:
        from_json(raw, allow_inf_nan=False)
    except ValueError as error:
        # The parser says "lone surrogate" or "unexpected end of hex escape", depending on what follows.
        if "surrogate" in str(error) or "hex escape" in str(error):
            wrong = FieldError("", "text_invalid", "A text holds a lone surrogate.")
            raise invalid_request(wrong) from None
        raise HTTPException(400, "The body is not one JSON document.") from None
    # The parser above has refused what the standard library's would choke on, such as a deep nesting.
    _TWINLESS.decode(raw.decode())


def _refuse_twins(members: list[tuple[str, object]]) -> None:
    # Parsers disagree about which of two counts: whoever checked the body before us may have seen the other.
    if len(members) == len(dict(members)):
        return
    twin = next(name for name, count in Counter(name for name, _ in members).items() if count > 1)
    wrong = FieldError(twin, "duplicate_key", "The name stands twice in one object.")
    raise invalid_request(wrong)


_TWINLESS: Final = json.JSONDecoder(object_pairs_hook=_refuse_twins, parse_int=str, parse_float=str)
