"""What Schemathesis is told about valid requests that no schema can say. Loaded by its process, not by a test."""

from typing import Any

import schemathesis
from schemathesis import Case, HookContext

from app.kernel.ids import new_id


@schemathesis.hook
def before_call(
    context: HookContext, case: Case[Any], kwargs: dict[str, Any]
) -> None:  # Schemathesis' own types.
    """Leave a request that means to be valid without what only the server can make, or what contradicts itself."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    # A cursor is the server's own text.
    case.query.pop("cursor", None)
    # A key stands for one body, and generated ones repeat themselves.
    key_header = case.headers.pop("Idempotency-Key", None)
    body = _write_as_a_client(case.body)
    if isinstance(body, dict) and body.get("idempotency_key") is not None:
        # The header is an alias of the field: both are refused unless they are equal.
        body["idempotency_key"], key_header = _make_unique(body["idempotency_key"]), None
    if body is not case.body:
        # A body that is set, if only to none again, is looked at as one that had to be there.
        case.body = body
    if key_header is not None:
        case.headers["Idempotency-Key"] = _make_unique(key_header)


def _make_unique(key: str) -> str:
    return new_id("rec").ljust(len(key), "0")


def _write_as_a_client(value: Any) -> Any:  # JSON.
    """Return the value with 4.0 as 4, and no NUL in a text: what a schema takes and the door does not."""
    match value:
        case float() if value.is_integer():
            return int(value)
        case str():
            return value.replace("\0", "0")
        case list():
            return [_write_as_a_client(one) for one in value]
        case dict():
            return {_write_as_a_client(name): _write_as_a_client(one) for name, one in value.items()}
    return value
