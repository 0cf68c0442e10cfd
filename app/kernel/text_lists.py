"""Lists of text on their way to PostgreSQL: what most statements are asked with, written in one go.

psycopg looks for the type of a list in each element and writes one by one, with quotes where they are needed; here
each has quotes. Inherits because psycopg tells apart by their dumper what lists hold.
"""

from typing import Any, Final

from psycopg.abc import Buffer, DumperKey
from psycopg.adapt import PyFormat
from psycopg.types.array import ListDumper

_TEXT: Final = {str}
# As psycopg calls lists of them.
_TEXTS: Final[DumperKey] = (list, str)
_BETWEEN: Final = '","'


class TextLists(ListDumper):
    """Writes lists of text at once, and leaves others as they are written."""

    def get_key(self, obj: list[Any], format: PyFormat) -> DumperKey:  # noqa: A002  # psycopg's name.
        """Return what the list's dumper is remembered by."""
        return _TEXTS if set(map(type, obj)) == _TEXT else super().get_key(obj, format)

    def dump(self, obj: list[Any]) -> Buffer | None:
        """Return the list as an array; raise DataError for what PostgreSQL holds none of."""
        if set(map(type, obj)) != _TEXT:
            return super().dump(obj)
        text = _BETWEEN.join(obj)
        if "\0" in text:
            # Raises for the element that holds one.
            return super().dump(obj)
        if "\\" in text or text.count('"') > 2 * (len(obj) - 1):
            text = _BETWEEN.join(one.replace("\\", "\\\\").replace('"', '\\"') for one in obj)
        return ('{"' + text + '"}').encode()
