"""Which names a query may hold. Pure.

Names are looked up whole, so this cuts the query into every run of words that could be one: "What needs C++, the
language?" yields "c++,", "c++" and "c" among others. In scripts without spaces every run of characters may be a
name. All is folded as names are, so that the look-up is plain equality.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable
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
# A folded name that the query may hold, and where.
Run = tuple[str, Span]
_WORD: Final = re.compile(r"\S+")
_UNSPACED: Final = re.compile(f"[{UNSPACED}]+")
_POSSESSIVE: Final = re.compile("[^'’]['’]s$")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the query, half-open in code points of its NFC form."""

    start: int
    end: int

    def holds(self, other: "Piece") -> bool:
        """Return whether all of the other lies in this one."""
        return self.start <= other.start and other.end <= self.end


def candidate_names(query: str) -> list[Run]:
    """Return every run that the query may hold a name in, as names are folded; at most about 6 000
    different ones, shorter first.

    A word counts with and without the punctuation around it, because "C++", ".NET" and "(a/b)" can be names or
    names in a sentence, and so it does with and without a possessive "'s".
    """
    text = unicodedata.normalize("NFC", query)
    runs: list[Run] = []
    # White space parts words, and is one space between them, however they are folded.
    line = fold_name(text)
    words = line.split()
    spans = [match.span() for match in _WORD.finditer(text)]
    # For each word whose edges may be left out, where a name may start in it with what that holds, and end.
    heads: dict[int, list[tuple[int, str]]] = {}
    tails: dict[int, list[tuple[int, str]]] = {}
    for place, ((first, last), word) in enumerate(zip(spans, words, strict=True)):
        runs.append((word, (first, last)))
        owner = last - len("'s") if _POSSESSIVE.search(word) else last
        if text[first].isalnum() and text[last - 1].isalnum() and owner == last:
            continue
        starts, ends = _edges(text, first, owner)
        if owner != last:
            ends.insert(0, last)
        names = {
            (start, end): word if end - start == last - first else fold_name(text[start:end])
            for start in starts
            for end in ends
            if start < end
        }
        runs += [(name, span) for span, name in names.items() if span != (first, last)]
        heads[place] = [(start, names[start, last]) for start in starts]
        tails[place] = [(end, names[first, end]) for end in ends]
    # Where each word stands in the folded line.
    stops = [*accumulate(words, lambda stop, word: stop + 1 + len(word), initial=-1)]
    for length in range(2, MAX_NAME_WORDS + 1):
        # A text that repeats itself has many runs of few names.
        if len(runs) >= MAX_CANDIDATES and len(dict(runs)) >= MAX_CANDIDATES:
            break
        for first, last in enumerate(range(length - 1, len(words))):
            if first not in heads and last not in tails:
                runs.append((line[stops[first] + 1 : stops[last + 1]], (spans[first][0], spans[last][1])))
                continue
            between = line[stops[first + 1] : stops[last] + 1]
            runs += [
                (head + between + tail, (start, end))
                for start, head in heads.get(first) or [(spans[first][0], words[first])]
                for end, tail in tails.get(last) or [(spans[last][1], words[last])]
            ]
    return runs + _cut_unspaced(text, {span for _, span in runs}) if _UNSPACED.search(text) else runs


def _cut_unspaced(text: str, known: Collection[Span]) -> list[Run]:
    return [
        (fold_name(text[start:end]), (start, end))
        for run in _UNSPACED.finditer(text)
        for start in range(run.start(), run.end())
        for end in range(start + 1, min(run.end(), start + MAX_RUN_CHARACTERS) + 1)
        if (start, end) not in known
    ]


def keep_longest(runs: Iterable[Run], matched: Collection[str]) -> dict[str, tuple[Piece, ...]]:
    """Return the matched names with the pieces that do not lie inside a longer match.

    "C" in "C++" and "York" in "New York" are dropped; a name that also stands by itself stays.
    """
    pieces = {(Piece(*span), name) for name, span in runs if name in matched}
    kept: dict[str, list[Piece]] = {}
    for piece, name in sorted(pieces, key=lambda one: (one[0].start, one[0].end, one[1])):
        if not any(piece != other and other.holds(piece) for other, _ in pieces):
            kept.setdefault(name, []).append(piece)
    return {name: tuple(spots) for name, spots in kept.items()}


def stripped_words(text: str) -> list[Run]:
    """Return the words of the text, as names are folded, and where, without the punctuation around them."""
    found = []
    for match, word in zip(_WORD.finditer(text), fold_name(text).split(), strict=True):
        first, last = match.span()
        if not (text[first].isalnum() and text[last - 1].isalnum()):
            starts, ends = _edges(text, first, last)
            # A word of signs only is one as it stands.
            if starts[-1] < ends[-1]:
                first, last = starts[-1], ends[-1]
                word = fold_name(text[first:last])
        found.append((word, (first, last)))
    return found


def _edges(text: str, start: int, end: int) -> tuple[list[int], list[int]]:
    starts, ends = [start], [end]
    while starts[-1] < end - 1 and not text[starts[-1]].isalnum() and len(starts) < 4:
        starts.append(starts[-1] + 1)
    while ends[-1] > start + 1 and not text[ends[-1] - 1].isalnum() and len(ends) < 4:
        ends.append(ends[-1] - 1)
    return starts, ends
