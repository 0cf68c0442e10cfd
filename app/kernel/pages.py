"""Keyset pages: a cursor names the last row seen, so rows that arrive meanwhile neither repeat nor hide any.

A cursor is bound to its operation and filters by a checksum. That finds mistakes; it is no secret, and none
is needed: whatever a cursor says, the query behind it still runs under the caller's own team.
"""

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Generic, TypeVar

from app.kernel.errors import InvalidInput

T = TypeVar("T")
_CHECKSUM_BYTES: Final = 9
_MAX_CURSOR_LENGTH: Final = 1000
_COMPACT: Final = json.JSONEncoder(separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """A page of a list; `next_cursor` is None at the end."""

    items: tuple[T, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class NewestFirst:
    """Paging of one operation by (time, id), newest first; its query fetches one row more than the page."""

    operation: str
    filters: Mapping[str, object]

    def position(self, cursor: str | None) -> tuple[datetime | None, str | None]:
        """Return time and id of the last row seen, None for the first page; `invalid_cursor` otherwise."""
        if cursor is None:
            return None, None
        match decode_cursor(cursor, self.operation, self.filters):
            # The checksum is no secret, so a forged cursor may hold anything.
            case [str(moment), str(last_id)]:
                with suppress(ValueError):
                    return datetime.fromisoformat(moment), last_id
        raise refuse_cursor()

    def page(self, items: Sequence[T], limit: int, place: Callable[[T], tuple[datetime, str]]) -> Page[T]:
        """Return the first `limit` of the items; `place` tells time and id of one."""
        if len(items) <= limit:
            return Page(tuple(items), None)
        moment, last_id = place(items[limit - 1])
        position = [moment.isoformat(), last_id]
        return Page(tuple(items[:limit]), encode_cursor(self.operation, self.filters, position))


def encode_cursor(operation: str, filters: Mapping[str, object], position: Sequence[object]) -> str:
    """Return the opaque cursor for the row at `position` (strings, numbers, None)."""
    body = _COMPACT.encode(list(position)).encode()
    return base64.urlsafe_b64encode(_checksum(operation, filters, body) + body).decode().rstrip("=")


def decode_cursor(
    cursor: str, operation: str, filters: Mapping[str, object]
) -> list[str | int | float | None]:
    """Return the position that `encode_cursor` was given for the same operation and filters.

    Raises:
        InvalidInput: `invalid_cursor` for one that is truncated, forged or of another list.
    """
    try:
        if len(cursor) > _MAX_CURSOR_LENGTH:
            raise ValueError("too long")
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        checksum, body = raw[:_CHECKSUM_BYTES], raw[_CHECKSUM_BYTES:]
        if checksum != _checksum(operation, filters, body):
            raise ValueError("of another list")
        position = json.loads(body)
        if not isinstance(position, list):
            raise ValueError("no position")
    except (ValueError, RecursionError, binascii.Error) as error:
        raise refuse_cursor() from error
    return position


def refuse_cursor() -> InvalidInput:
    """Return the one error for every wrong cursor."""
    return InvalidInput("The cursor does not belong to this list.", code="invalid_cursor")


def _checksum(operation: str, filters: Mapping[str, object], body: bytes) -> bytes:
    # Of a walk, one page may be asked of an older process than the next: this is written alike in all of them.
    named = json.dumps([operation, sorted((key, str(value)) for key, value in filters.items())])
    return hashlib.sha256(named.encode() + b"\0" + body).digest()[:_CHECKSUM_BYTES]
