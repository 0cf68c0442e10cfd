"""Diversity: which of many candidates a cycle takes, so that no subject and no predicate takes it all. Pure.

Candidates come best first. Each pick is the best one that every share still allows, for the number of picks that
there are then; so the shares hold for every beginning of the choice, and whatever a later budget cuts off keeps
them. Where no candidate is left that a share allows, those go on whose holders have least so far. Where two shares
cannot hold together, the one that is named first goes first. Source: Design, section 6, "Groups".
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
# Of so many picks, how many one holder may have: a number for all of them, or one a holder.
Allowance = Callable[[int], int | Ints]


@dataclass(frozen=True, slots=True, eq=False)
class Share:
    """`holders` numbers for each candidate whose share it would count for, from 0."""

    holders: Ints
    allow: Allowance


def choose_diverse(shares: Sequence[Share], *, limit: int) -> list[int]:
    """Return the places of at most `limit` candidates in the order in which they were picked."""
    count = len(shares[0].holders)
    taken = [np.zeros(int(share.holders.max(initial=-1)) + 1, dtype=np.int64) for share in shares]
    is_left = np.ones(count, dtype=np.bool_)
    chosen: list[int] = []
    while len(chosen) < min(limit, count):
        fits = is_left
        for share, counts in zip(shares, taken, strict=True):
            allowed = counts < share.allow(len(chosen) + 1)
            within = fits & allowed[share.holders]
            if not within.any():
                held = counts[share.holders]
                within = fits & (held == held[fits].min())
            fits = within
        place = int(np.argmax(fits))
        is_left[place] = False
        for share, counts in zip(shares, taken, strict=True):
            counts[share.holders[place]] += 1
        chosen.append(place)
    return chosen


def quarter(picks: int) -> int:
    """Return how many of so many picks one subject may have: a quarter, but one of the first few."""
    return max(1, picks // 4)


def half(picks: int) -> int:
    """Return how many of so many picks one predicate may have: half, but one of the first."""
    return max(1, picks // 2)


def number_distinct(names: Sequence[Hashable]) -> Ints:
    """Return the names as numbers from 0, in the order in which they first appear."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)
