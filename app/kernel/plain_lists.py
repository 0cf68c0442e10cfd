"""Lists on their way to PostgreSQL: those of text and of fractions, which most statements take, written in one go.

psycopg looks for the type of a list in each element and writes one by one, with quotes where they are needed; here
each text has quotes. Inherits because psycopg tells apart by their dumper what lists hold.
"""

from typing import Any, Final

from psycopg.abc import Buffer, DumperKey
from psycopg.adapt import PyFormat
from psycopg.types.array import BaseListDumper, ListDumper

_BETWEEN: Final = '","'
_PLAIN: Final = ({str}, {float})


class PlainLists(ListDumper):
    """Writes lists of nothing, but text, or but fractions at once, and leaves others as they are written."""

    # The type of all that the lists with its key hold, where they are written at once.
    _kind: type | None = None

    def get_key(self, obj: list[Any], format: PyFormat) -> DumperKey:  # noqa: A002  # psycopg's name.
        """Return what the list's dumper is remembered by."""
        kind = _plain_kind_of(obj)
        if kind is not None:
            # By psycopg's key of lists of text go those with None in them as well.
            return (PlainLists, kind)
        return super().get_key(obj, format) if obj else list

    def upgrade(self, obj: list[Any], format: PyFormat) -> BaseListDumper:  # noqa: A002  # psycopg's name.
        """Return the dumper of all lists that have the list's key."""
        dumper = super().upgrade(obj, format)
        if isinstance(dumper, PlainLists):
            dumper._kind = _plain_kind_of(obj)
        return dumper

    def dump(self, obj: list[Any]) -> Buffer | None:
        """Return the list as an array; raise DataError for what PostgreSQL holds none of."""
        if self._kind is float:
            return ("{" + ",".join(map(repr, obj)) + "}").encode()
        if self._kind is None:
            return super().dump(obj) if obj else b"{}"
        text = _BETWEEN.join(obj)
        if "\0" in text:
            # Raises for the element that holds one.
            return super().dump(obj)
        if "\\" in text or text.count('"') > 2 * (len(obj) - 1):
            text = _BETWEEN.join(one.replace("\\", "\\\\").replace('"', '\\"') for one in obj)
        return ('{"' + text + '"}').encode()


def _plain_kind_of(items: list[Any]) -> type | None:
    """Return the type of all of them where that is text or a fraction."""
    kinds = set(map(type, items))
    return kinds.pop() if kinds in _PLAIN else None
