"""Which texts PostgreSQL and UTF-8 can hold unchanged. Pure."""

import re
from typing import Final

_UNSTORABLE: Final = re.compile("[\0\ud800-\udfff]")


def is_storable(text: str) -> bool:
    """Say whether the text holds neither NUL nor a lone surrogate."""
    return _UNSTORABLE.search(text) is None
