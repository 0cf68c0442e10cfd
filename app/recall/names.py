"""Which names a query may hold. Pure.

Names are looked up whole, so this cuts the query into every run of words that could be one: "What needs C++, the
language?" yields "c++,", "c++" and "c" among others. In scripts without spaces every run of characters may be a
name. All is folded as names are, so that the look-up is plain equality.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from app.kernel.unspaced import UNSPACED
from app.ledger.nodes.names import fold_name

MAX_NAME_WORDS: Final = 8
MAX_RUN_CHARACTERS: Final = 12
MAX_CANDIDATES: Final = 6_000

# Half-open as a piece; of many that could be names, hardly one is looked at again.
Span = tuple[int, int]
_WORD: Final = re.compile(r"\S+")
_UNSPACED: Final = re.compile(f"[{UNSPACED}]+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the query, half-open in code points of its NFC form."""

    start: int
    end: int


def candidate_names(query: str) -> dict[str, list[Span]]:
    """Return every folded name that the query may hold, with where; at most about 6 000, shorter runs first.

    A word counts with and without the punctuation around it, because "C++", ".NET" and "(a/b)" can be names or
    names in a sentence.
    """
    text = unicodedata.normalize("NFC", query)
    found: dict[str, list[Span]] = {}
    alone: set[Span] = set()
    # For each word where a name may start, with what that holds of it, and where one may end.
    heads: list[list[tuple[int, str]]] = []
    tails: list[list[tuple[int, str]]] = []
    # White space parts words, and is one space between them, however they are folded.
    line = fold_name(text)
    words = line.split()
    for match, word in zip(_WORD.finditer(text), words, strict=True):
        first, last = match.span()
        starts, ends = _edges(text, first, last)
        names = {
            (start, end): word if end - start == last - first else fold_name(text[start:end])
            for start in starts
            for end in ends
            if start < end
        }
        for span, name in names.items():
            found.setdefault(name, []).append(span)
        alone.update(names)
        heads.append([(start, names[start, last]) for start in starts])
        tails.append([(end, names[first, end]) for end in ends])
    # Where each word ends in the folded line.
    stops = [*accumulate(words, lambda stop, word: stop + 1 + len(word), initial=-1)]
    for length in range(2, MAX_NAME_WORDS + 1):
        if len(found) >= MAX_CANDIDATES:
            break
        for first in range(len(words) - length + 1):
            last = first + length - 1
            between = line[stops[first + 1] : stops[last] + 1]
            for start, head in heads[first]:
                for end, tail in tails[last]:
                    found.setdefault(head + between + tail, []).append((start, end))
    for run in _UNSPACED.finditer(text):
        for start in range(run.start(), run.end()):
            for end in range(start + 1, min(run.end(), start + MAX_RUN_CHARACTERS) + 1):
                if (start, end) not in alone:
                    found.setdefault(fold_name(text[start:end]), []).append((start, end))
    return found


def keep_longest(
    candidates: Mapping[str, Sequence[Span]], matched: Iterable[str]
) -> dict[str, tuple[Piece, ...]]:
    """Return the matched names with the pieces that do not lie inside a longer match.

    "C" in "C++" and "York" in "New York" are dropped; a name that also stands by itself stays.
    """
    pieces = {(Piece(*span), name) for name in matched for span in candidates.get(name, ())}
    kept: dict[str, list[Piece]] = {}
    for piece, name in sorted(pieces, key=lambda one: (one[0].start, one[0].end, one[1])):
        if not any(_lies_inside(piece, other) for other, _ in pieces):
            kept.setdefault(name, []).append(piece)
    return {name: tuple(spots) for name, spots in kept.items()}


def stripped_words(text: str) -> list[Piece]:
    """Return where the words of the text stand, without the punctuation around them."""
    found = []
    for match in _WORD.finditer(text):
        starts, ends = _edges(text, *match.span())
        start, end = starts[-1], ends[-1]
        # A word of signs only is one as it stands.
        found.append(Piece(start, end) if start < end else Piece(match.start(), match.end()))
    return found


def _edges(text: str, start: int, end: int) -> tuple[list[int], list[int]]:
    starts, ends = [start], [end]
    while starts[-1] < end - 1 and not text[starts[-1]].isalnum() and len(starts) < 4:
        starts.append(starts[-1] + 1)
    while ends[-1] > start + 1 and not text[ends[-1] - 1].isalnum() and len(ends) < 4:
        ends.append(ends[-1] - 1)
    return starts, ends


def _lies_inside(piece: Piece, other: Piece) -> bool:
    return piece != other and other.start <= piece.start and piece.end <= other.end
