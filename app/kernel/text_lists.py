"""Lists of text on their way to PostgreSQL: what most statements are asked with, written in one go.

psycopg writes a list element by element and looks into each for what needs quotes; here each has quotes.
Inherits because psycopg tells apart by their dumper what lists hold.
"""

from typing import Any, Final

from psycopg.abc import Buffer
from psycopg.types.array import ListDumper

_TEXT: Final = {str}
# Between elements until they are quoted: what no text of PostgreSQL's holds.
_NOWHERE: Final = "\0"


class TextLists(ListDumper):
    """Writes lists of text at once, and leaves others as they are written."""

    def dump(self, obj: list[Any]) -> Buffer | None:
        """Return the list as an array; raise DataError for what PostgreSQL holds none of."""
        if set(map(type, obj)) != _TEXT:
            return super().dump(obj)
        text = _NOWHERE.join(obj)
        if text.count(_NOWHERE) >= len(obj):
            # Raises for the element that holds one.
            return super().dump(obj)
        if "\\" in text or '"' in text:
            text = text.replace("\\", "\\\\").replace('"', '\\"')
        return ('{"' + text.replace(_NOWHERE, '","') + '"}').encode()
