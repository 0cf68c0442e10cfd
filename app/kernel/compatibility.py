"""Unicode's compatibility forms of texts that strangers wrote, at a cost that their length bounds. Pure."""

import re
import unicodedata
from typing import Final, Literal

# What is not read whole, or a text would be longer than it was written, or read for longer: letters that stand for
# more than four others (Arabic formulas, Japanese units), which spell nothing that is looked for, and marks in a
# row, which are sorted by all that stand beside them. No letter has thirty of its own.
_APART: Final = re.compile(
    "([\u321d\u321e\u327c\u3300-\u3357\u33ae\u33af\ufdfa\ufdfb]+)|([^\\w\\s\\x00-\\x7f]{30})"
)


def is_read_apart(text: str) -> bool:
    """Say whether `normalize` has to read the text in pieces."""
    return _APART.search(text) is not None


def normalize(form: Literal["NFKC", "NFKD"], text: str) -> str:
    """Return the text in the compatibility form, four times as long at most, in time linear in its length."""
    if not is_read_apart(text):
        return unicodedata.normalize(form, text)
    parts, place = [], 0
    for found in _APART.finditer(text):
        here = found[1] or unicodedata.normalize(form, found[2])
        parts += [unicodedata.normalize(form, text[place : found.start()]), here]
        place = found.end()
    return "".join([*parts, unicodedata.normalize(form, text[place:])])
