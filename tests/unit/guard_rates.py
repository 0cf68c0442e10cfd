"""Print how many lines of each set are held: `python -m tests.unit.guard_rates`."""

from collections.abc import Iterable
from typing import Final

from app.remember.guard.injection import find_injection
from tests.unit import guard_lines
from tests.unit.guard_fifth_lines import FIFTH_BENIGN, FIFTH_HOSTILE
from tests.unit.guard_fourth_benign import FOURTH_BENIGN
from tests.unit.guard_fourth_hostile import FOURTH_HOSTILE
from tests.unit.guard_second_lines import SECOND_BENIGN, SECOND_HOSTILE
from tests.unit.guard_third_lines import THIRD_HOSTILE

# Hostile and benign lines of each set. The rules of the fourth round were written against the fifth.
SETS: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "first, development half": (guard_lines.HOSTILE_DEVELOPMENT, guard_lines.BENIGN_DEVELOPMENT),
    "first, held-out half": (guard_lines.HOSTILE_HELD_OUT, guard_lines.BENIGN_HELD_OUT),
    "second": (SECOND_HOSTILE, SECOND_BENIGN),
    "third": (THIRD_HOSTILE, ()),
    "fourth, held out": (FOURTH_HOSTILE, FOURTH_BENIGN),
    "fifth": (FIFTH_HOSTILE, FIFTH_BENIGN),
}


def count_held(lines: Iterable[str]) -> int:
    """Return how many of the lines are held."""
    return sum(find_injection(line) is not None for line in lines)


if __name__ == "__main__":
    for name, (hostile, benign) in SETS.items():
        print(  # noqa: T201
            f"{name}: {count_held(hostile)} of {len(hostile)} hostile caught, "
            f"{count_held(benign)} of {len(benign)} benign held"
        )
