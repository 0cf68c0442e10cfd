"""Lists on their way to PostgreSQL: those of text and of fractions, which most statements take, written in one go.

psycopg looks for the type of a list in each element and writes one by one, with quotes where they are needed; here
each text has quotes. Inherits because psycopg tells apart by their dumper what lists hold.
"""

from typing import Any, Final

from psycopg.abc import Buffer, DumperKey
from psycopg.adapt import PyFormat
from psycopg.types.array import ListDumper

_BETWEEN: Final = '","'


class PlainLists(ListDumper):
    """Writes lists of nothing, but text, or but fractions at once, and leaves others as they are written."""

    def get_key(self, obj: list[Any], format: PyFormat) -> DumperKey:  # noqa: A002  # psycopg's name.
        """Return what the list's dumper is remembered by."""
        kind = _kind_of(obj)
        if kind is str or kind is float:
            # As psycopg calls them.
            return (list, kind)
        return super().get_key(obj, format) if obj else list

    def dump(self, obj: list[Any]) -> Buffer | None:
        """Return the list as an array; raise DataError for what PostgreSQL holds none of."""
        kind = _kind_of(obj)
        if kind is float:
            return ("{" + ",".join(map(repr, obj)) + "}").encode()
        if kind is not str:
            return super().dump(obj) if obj else b"{}"
        text = _BETWEEN.join(obj)
        if "\0" in text:
            # Raises for the element that holds one.
            return super().dump(obj)
        if "\\" in text or text.count('"') > 2 * (len(obj) - 1):
            text = _BETWEEN.join(one.replace("\\", "\\\\").replace('"', '\\"') for one in obj)
        return ('{"' + text + '"}').encode()


def _kind_of(items: list[Any]) -> type | None:
    """Return the type that all of them are of, None where there is no such."""
    kinds = set(map(type, items))
    return kinds.pop() if len(kinds) == 1 else None
