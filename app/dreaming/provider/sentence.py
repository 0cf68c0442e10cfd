"""Whether a model's statement is one sentence that names both ends of its idea. Pure."""

import re
from collections.abc import Sequence
from typing import Final

from app.kernel.unspaced import UNSPACED

# No text that was read and no name holds it.
_NAME: Final = "\0"
_STARTS_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_ENDS_UNSPACED: Final = re.compile(f"[{UNSPACED}]\\Z")
# A stop after three letters or fewer is an abbreviation's: Dr., Inc., e.g., U.S.
_STOP: Final = re.compile(
    rf"(?:(?:{_NAME}|(?<![^\W\d_])[^\W\d_]{{4,}}+)\.|[!?！？])['\")\]”’»]*\s+(?=['\"(\[“‘«„]*(\w))|。\s*(?=(\w))"
)


def find_sentence_fault(statement: str, names: Sequence[str]) -> str | None:
    """Return why the statement is none for the ends of these names, or None."""
    rest = " ".join(statement.split())
    patterns = [_match_name(name) for name in sorted(names, key=len, reverse=True)]
    for pattern in patterns:
        # One place for each, for both ends may have the same name.
        rest, count = pattern.subn(_NAME, rest, count=1)
        if not count:
            return "the statement does not name both ends of the idea"
    for pattern in patterns:
        rest = pattern.sub(_NAME, rest)
    if len(statement.splitlines()) > 1 or any(_begins(stop[1] or stop[2]) for stop in _STOP.finditer(rest)):
        return "the statement is more than one sentence"
    return None


def _match_name(name: str) -> re.Pattern[str]:
    """Return what finds the name, whole and in any case; within a longer word it is another word."""
    before = "" if _STARTS_UNSPACED.match(name) else rf"(?<![^\W{UNSPACED}])"
    after = "" if _ENDS_UNSPACED.search(name) else rf"(?![^\W{UNSPACED}])"
    return re.compile(before + re.escape(" ".join(name.split())) + after, re.IGNORECASE)


def _begins(letter: str) -> bool:
    """Say whether a sentence may begin with it; letters of many scripts have no case."""
    return letter.isalpha() and not letter.islower()
