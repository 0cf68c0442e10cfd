"""The lines that the guard is measured on, in two halves by a fixed rule.

A line belongs to the half that the last bit of its SHA-256 names, so that a new line moves no other one. The guard
is written against the development half alone; the error rates that count are those of the held-out half.
"""

import hashlib
from typing import Final

from tests.unit.guard_benign_lines import BENIGN
from tests.unit.guard_hostile_lines import HOSTILE

__all__ = [
    "BENIGN",
    "BENIGN_DEVELOPMENT",
    "BENIGN_HELD_OUT",
    "HOSTILE",
    "HOSTILE_DEVELOPMENT",
    "HOSTILE_HELD_OUT",
]


def is_held_out(line: str) -> bool:
    """Say whether the line is kept for measuring."""
    return hashlib.sha256(line.encode()).digest()[-1] % 2 == 1


BENIGN_DEVELOPMENT: Final = tuple(line for line in BENIGN if not is_held_out(line))
BENIGN_HELD_OUT: Final = tuple(line for line in BENIGN if is_held_out(line))
HOSTILE_DEVELOPMENT: Final = tuple(line for line in HOSTILE if not is_held_out(line))
HOSTILE_HELD_OUT: Final = tuple(line for line in HOSTILE if is_held_out(line))
