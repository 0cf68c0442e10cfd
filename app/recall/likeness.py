"""Names that are nearly what a query says. Pure.

The database finds candidates by trigrams; here they are weighed by the letters that it would take to change one
into the other. A swap of neighbours is one change, as it is one slip.
"""

import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from app.ledger.nodes.names import fold_name
from app.recall.names import Piece, stripped_words
from app.recall.relations import EMPTY_WORDS, PARTING_WORDS

MAX_WINDOWS: Final = 16
MAX_COMPARED: Final = 48
LEAST_LIKE: Final = 0.74
_FEWEST_CHARACTERS: Final = 3


@dataclass(frozen=True, slots=True)
class Alike:
    """A name that the query seems to mean, how like it is (0..1), and where it says so."""

    folded_name: str
    score: float
    piece: Piece


def misspelt_windows(query: str, covered: Iterable[Piece], understood: Collection[str]) -> dict[str, Piece]:
    """Return the folded runs of up to four words that may be a misspelt name, at most 16.

    A run holds a word that neither a found name covers nor the vocabulary explains, no empty word at its ends, and
    none that parts a sentence between them. Of a found name it holds all words or none: what begins or ends in the
    middle of one is no name.
    """
    text = unicodedata.normalize("NFC", query)
    cut = stripped_words(text)
    taken = list(covered)
    is_open = [
        name not in understood
        and len(name) >= _FEWEST_CHARACTERS
        and not name.isdigit()
        and not any(piece.start < end and start < piece.end for piece in taken)
        for name, (start, end) in cut
    ]
    if not any(is_open):
        return {}
    words = [Piece(*span) for _, span in cut]
    inside = [
        any(_overlap(one, left) and _overlap(one, right) for one in taken) for left, right in pairwise(words)
    ]
    # Where a run may begin, and end: before each word and after the last, unless a name goes on there.
    may_part = [True, *(not one for one in inside), True]
    is_empty = [name in EMPTY_WORDS for name, _ in cut]
    parts = [name in PARTING_WORDS for name, _ in cut]
    windows: dict[str, Piece] = {}
    for length in (3, 2, 1, 4):
        for first in range(len(words) - length + 1):
            last = first + length - 1
            is_whole = may_part[first] and may_part[last + 1] and not any(parts[first:last])
            says_something = not (is_empty[first] or is_empty[last])
            if is_whole and says_something and any(is_open[first : last + 1]) and len(windows) < MAX_WINDOWS:
                piece = Piece(words[first].start, words[last].end)
                windows.setdefault(fold_name(text[piece.start : piece.end]), piece)
    return windows


def weigh_alike(
    windows: Mapping[str, Piece],
    candidates: Iterable[tuple[str, str]],
    written: Mapping[str, Sequence[Piece]] | None = None,
) -> tuple[Alike, ...]:
    """Return the likely names among (window, folded name) pairs, best first; of overlapping ones the best only.

    As good ones of the very same window all stay. Of a window that holds a name as written, by folded name in
    `written`, only the other words are weighed: the name alone would make whatever is said beside it alike.
    """
    weighed = [
        Alike(name, score, windows[window])
        for window, name in list(dict.fromkeys(candidates))[:MAX_COMPARED]
        if _may_be_alike(window, name)
        and (score := likeness(window, name)) >= LEAST_LIKE
        and _are_others_alike(window, name, _held(windows[window], written or {}))
    ]
    # A run of more characters says more than one of fewer that is as like.
    weighed.sort(key=lambda one: (-one.score * _length(one.piece) ** 0.25, one.piece.start, one.folded_name))
    kept: list[Alike] = []
    for one in weighed:
        rivals = [other for other in kept if _overlap(one.piece, other.piece)]
        if all(other.piece == one.piece and other.score - one.score < 0.05 for other in rivals):
            kept.append(one)
    return tuple(kept)


def likeness(one: str, other: str) -> float:
    """Return 1 less the share of characters that must change, 0 where that is more than half of them."""
    longest = max(len(one), len(other))
    if longest == 0 or abs(len(one) - len(other)) > longest // 2:
        return 0.0
    # What both begin and end with stays as it is.
    begin = _count_shared(one, other)
    one, other = one[begin:], other[begin:]
    end = _count_shared(one[::-1], other[::-1])
    one, other = one[: len(one) - end], other[: len(other) - end]
    before: list[int] = []
    above = list(range(len(other) + 1))
    for row, letter in enumerate(one, start=1):
        here = [row]
        for column, against in enumerate(other, start=1):
            cost = min(above[column] + 1, here[column - 1] + 1, above[column - 1] + (letter != against))
            if row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == against:
                cost = min(cost, before[column - 2] + 1)
            here.append(cost)
        before, above = above, here
    return 1 - above[-1] / longest


def _count_shared(one: str, other: str) -> int:
    """Return with how many letters both begin."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (left, right) in pairs if left != right), min(len(one), len(other)))


def _may_be_alike(one: str, other: str) -> bool:
    """Return False where too few letters are shared, in whatever order; that is told sooner than a likeness."""
    longest = max(len(one), len(other))
    shared = sum(min(one.count(letter), other.count(letter)) for letter in set(one))
    return longest > 0 and 1 - (longest - shared) / longest >= LEAST_LIKE


def _held(piece: Piece, written: Mapping[str, Sequence[Piece]]) -> list[str]:
    return [name for name, spots in written.items() if any(map(piece.holds, spots))]


def _are_others_alike(window: str, name: str, held: Iterable[str]) -> bool:
    """Return whether the window without each name that it holds is like the longer name without that."""
    said, meant = f" {window} ", f" {name} "
    words = [f" {one} " for one in held]
    rests = [(said.replace(one, " ", 1), meant.replace(one, " ", 1)) for one in words if one in meant]
    return all(likeness(left.strip(), right.strip()) >= LEAST_LIKE for left, right in rests)


def _length(piece: Piece) -> int:
    return piece.end - piece.start


def _overlap(one: Piece, other: Piece) -> bool:
    return one.start < other.end and other.start < one.end
