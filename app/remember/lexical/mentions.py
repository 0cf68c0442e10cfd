"""Mentions: where a text names a thing, with its short form that is introduced right after, or the long one.

Pure. "Kubernetes (K8s)" and "Cloud Native Computing Foundation, also known as CNCF," are one mention of what both
are names of. Brackets that hold anything else are none, though it be a name of the thing: the client chooses the
names, and "(disputed)" or "(Texas)" could be one. What a short form is, the letters of the long one say.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from app.remember.introductions import INTRODUCTIONS
from app.remember.lexical.tokens import Token, tokenize
from app.remember.lexical.words import FUNCTION_WORDS, NAME_LINKS

Range = tuple[int, int]
Names = Sequence[tuple[str, ...]]


def _folded(text: str) -> tuple[str, ...]:
    return tuple(token.folded for token in tokenize(text))


_NUMERONYM: Final = re.compile(r"([a-z])([1-9][0-9]?)([a-z])")
# Of the initials of some names a denial could be made.
_DENIALS: Final = frozenset(("no", "nor", "not", "non", "nil", "nay", "ex"))
_FORMS: Final = tuple((_folded(one.joint), _folded(one.close)) for one in INTRODUCTIONS)


def find_names(folded: Sequence[str], names: Names) -> tuple[Range, ...]:
    """Return where one of the names stands, as token ranges in order."""
    found = {
        (start, start + len(name))
        for name in names
        for start, word in enumerate(folded)
        if word == name[0] and tuple(folded[start : start + len(name)]) == name
    }
    return tuple(sorted(found))


def find_mentions(folded: Sequence[str], names: Names) -> tuple[Range, ...]:
    """Return where one of the names stands, alone and with another that it introduces, as ranges in order."""
    found = find_names(folded, names)
    return tuple(sorted({*found, *_introductions(folded, found)}))


def cut_introductions(tokens: Sequence[Token], names: Names) -> list[Token]:
    """Return the tokens with the first name only of each mention that introduces another."""
    folded = [token.folded for token in tokens]
    found = find_names(folded, names)
    cut = {
        place
        for start, end in _introductions(folded, found)
        for place in range(next(stop for first, stop in found if first == start), end)
    }
    return [token for place, token in enumerate(tokens) if place not in cut]


def _introductions(folded: Sequence[str], found: Sequence[Range]) -> Iterator[Range]:
    """Yield the ranges of two names; one that begins after a comma also with the comma that may close it."""
    for start, end in found:
        for joint, close in _FORMS:
            second = end + len(joint)
            if tuple(folded[end:second]) != joint:
                continue
            second += second < len(folded) and folded[second] == "the"
            for first, stop in found:
                last = stop + len(close)
                if first != second or tuple(folded[stop:last]) != close:
                    continue
                if not (
                    is_short_for(folded[first:stop], folded[start:end])
                    or is_short_for(folded[start:end], folded[first:stop])
                ):
                    continue
                yield start, last
                if not close and last < len(folded) and folded[last] == ",":
                    yield start, last + 1


def is_short_for(short: Sequence[str], long: Sequence[str]) -> bool:
    """Say whether the folded name is made of the other's letters: its initials, or K8s of Kubernetes."""
    if len(short) != 1 or short[0] in FUNCTION_WORDS | _DENIALS:
        return False
    counted = _NUMERONYM.fullmatch(short[0])
    if counted is not None:
        ends = counted[1] == long[0][0] and counted[3] == long[0][-1]
        return len(long) == 1 and ends and len(long[0]) == int(counted[2]) + 2
    initials = "".join(word[0] for word in long)
    without_links = "".join(word[0] for word in long if word not in NAME_LINKS)
    return len(short[0]) > 1 and short[0] in (initials, without_links)
