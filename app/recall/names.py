"""Which names a query may hold. Pure.

Names are looked up whole, so this cuts the query into every run of words that could be one: "What needs C++, the
language?" yields "c++,", "c++" and "c" among others. In scripts without spaces every run of characters may be a
name. All is folded as names are, so that the look-up is plain equality.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from app.kernel.unspaced import UNSPACED
from app.ledger.nodes.names import fold_name

MAX_NAME_WORDS: Final = 8
MAX_RUN_CHARACTERS: Final = 12
MAX_CANDIDATES: Final = 6_000

_WORD: Final = re.compile(r"\S+")
_UNSPACED: Final = re.compile(f"[{UNSPACED}]+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the query, half-open in code points of its NFC form."""

    start: int
    end: int


def candidate_names(query: str) -> dict[str, tuple[Piece, ...]]:
    """Return every folded name that the query may hold, with where; at most about 6 000, shorter runs first.

    A word counts with and without the punctuation around it, because "C++", ".NET" and "(a/b)" can be names or
    names in a sentence.
    """
    text = unicodedata.normalize("NFC", query)
    words = [_edges(text, match.start(), match.end()) for match in _WORD.finditer(text)]
    found: dict[str, dict[Piece, None]] = {}
    for length in range(1, MAX_NAME_WORDS + 1):
        for first in range(len(words) - length + 1):
            for start in words[first].starts:
                for end in words[first + length - 1].ends:
                    _add(found, text, start, end)
        if len(found) >= MAX_CANDIDATES:
            break
    for run in _UNSPACED.finditer(text):
        for start in range(run.start(), run.end()):
            for end in range(start + 1, min(run.end(), start + MAX_RUN_CHARACTERS) + 1):
                _add(found, text, start, end)
    return {name: tuple(pieces) for name, pieces in found.items()}


def keep_longest(
    candidates: Mapping[str, tuple[Piece, ...]], matched: Iterable[str]
) -> dict[str, tuple[Piece, ...]]:
    """Return the matched names with the pieces that do not lie inside a longer match.

    "C" in "C++" and "York" in "New York" are dropped; a name that also stands by itself stays.
    """
    pieces = {(piece, name) for name in matched for piece in candidates.get(name, ())}
    kept: dict[str, list[Piece]] = {}
    for piece, name in sorted(pieces, key=lambda one: (one[0].start, one[0].end, one[1])):
        if not any(_lies_inside(piece, other) for other, _ in pieces):
            kept.setdefault(name, []).append(piece)
    return {name: tuple(spots) for name, spots in kept.items()}


def stripped_words(text: str) -> list[Piece]:
    """Return where the words of the text stand, without the punctuation around them."""
    found = []
    for match in _WORD.finditer(text):
        edges = _edges(text, match.start(), match.end())
        start, end = edges.starts[-1], edges.ends[-1]
        # A word of signs only is one as it stands.
        found.append(Piece(start, end) if start < end else Piece(match.start(), match.end()))
    return found


@dataclass(frozen=True, slots=True)
class _Edges:
    """Where a name may start and end in a word: as it stands first, fully stripped last."""

    starts: tuple[int, ...]
    ends: tuple[int, ...]


def _edges(text: str, start: int, end: int) -> _Edges:
    starts, ends = [start], [end]
    while starts[-1] < end - 1 and not text[starts[-1]].isalnum() and len(starts) < 4:
        starts.append(starts[-1] + 1)
    while ends[-1] > start + 1 and not text[ends[-1] - 1].isalnum() and len(ends) < 4:
        ends.append(ends[-1] - 1)
    return _Edges(tuple(starts), tuple(ends))


def _add(found: dict[str, dict[Piece, None]], text: str, start: int, end: int) -> None:
    if start < end and (name := fold_name(text[start:end])):
        found.setdefault(name, {})[Piece(start, end)] = None


def _lies_inside(piece: Piece, other: Piece) -> bool:
    return piece != other and other.start <= piece.start and piece.end <= other.end
