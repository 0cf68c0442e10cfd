"""Mentions: where a text names a thing, with another of its own names that is introduced right after.

Pure. "Kubernetes (K8s)" and "Kubernetes, also known as K8s," are one mention of what both are names of. Brackets
that hold anything else are none: they could call the name an invention.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from app.remember.introductions import INTRODUCTIONS
from app.remember.lexical.tokens import Token, tokenize

Range = tuple[int, int]
Names = Sequence[tuple[str, ...]]


def _folded(text: str) -> tuple[str, ...]:
    return tuple(token.folded for token in tokenize(text))


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
                yield start, last
                if not close and last < len(folded) and folded[last] == ",":
                    yield start, last + 1
