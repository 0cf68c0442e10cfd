"""A text as it is read, with the place of each of its characters in the text as it is written. Pure.

Secrets are looked for in what a reader, or a program that folds what it reads, would see: characters that nobody
sees are out, compatibility forms such as fullwidth letters are plain, and a foreign letter within a Latin word is
the Latin one that it looks like. What is found is masked where it is written.
"""

import re
import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from app.kernel.compatibility import is_read_apart, normalize
from app.kernel.unseen import UNSEEN
from app.remember.guard.folding import LOOKALIKES

_FOLDABLE: Final = re.compile(
    rf"[{UNSEEN}]+|[^\x00-\x7f][\u0300-\u036f]{{0,30}}|[A-Za-z][\u0300-\u036f]{{1,30}}"
)
_UNSEEN: Final = re.compile(rf"[{UNSEEN}]+")
_WORD: Final = re.compile(r"\w+")
_LATIN: Final = re.compile(r"[A-Za-z]")
# Capitals too, where one that looks alike is one letter.
_LOOKALIKES: Final = LOOKALIKES | {
    ord(chr(letter).upper()): ord(chr(plain).upper())
    for letter, plain in LOOKALIKES.items()
    if len(chr(letter).upper()) == 1 and not chr(letter).upper().isascii()
}


@dataclass(frozen=True, slots=True)
class TextAsRead:
    """What is read. Its character `n` is written from `starts[n]` to `ends[n]`; empty if nothing moved."""

    text: str
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def written(self, start: int, end: int) -> tuple[int, int]:
        """Return where the characters from `start` to `end`, at least one, of what is read are written."""
        return (self.starts[start], self.ends[end - 1]) if self.starts else (start, end)


def read(text: str) -> TextAsRead:
    """Return the text as it is read: without characters that nobody sees, and in compatibility form."""
    if text.isascii():
        return TextAsRead(text)
    if _is_plain(text):
        return TextAsRead(_WORD.sub(_replace_lookalikes, text))
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    place = 0
    for found in _FOLDABLE.finditer(text):
        start, end = found.span()
        plain = _fold_few(found[0]) if end - start < 16 else _fold(found[0])
        parts += [text[place:start], plain]
        starts += [*range(place, start), *([start] * len(plain))]
        ends += [*range(place + 1, start + 1), *([end] * len(plain))]
        place = end
    parts.append(text[place:])
    starts += range(place, len(text))
    ends += range(place + 1, len(text) + 1)
    return TextAsRead(_WORD.sub(_replace_lookalikes, "".join(parts)), starts, ends)


def _is_plain(text: str) -> bool:
    if _UNSEEN.search(text) is not None or is_read_apart(text):
        return False
    return unicodedata.is_normalized("NFKC", text)


def _fold(written: str) -> str:
    return normalize("NFKC", _UNSEEN.sub("", written))


# Few different ones stand in most texts.
_fold_few: Final = lru_cache(4096)(_fold)


def _replace_lookalikes(word: re.Match[str]) -> str:
    if word[0].isascii() or _LATIN.search(word[0]) is None:
        return word[0]
    return word[0].translate(_LOOKALIKES)
