"""How good a list of answers is. Pure."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final, TypeVar

T = TypeVar("T")
DEPTH: Final = 10


@dataclass(frozen=True, slots=True)
class Quality:
    """Means over questions, each 0..1: of the answers found among ten, of one over the rank of the first, of
    discounted gain, and the part of the ten places that hard negatives take."""

    recall: float
    mrr: float
    ndcg: float
    bad: float


def judge(shown: Sequence[T], answers: Collection[T], bad: Collection[T]) -> Quality:
    """Return the quality of one list, best first, of which ten count; there is at least one answer."""
    top = shown[:DEPTH]
    hits = [rank for rank, one in enumerate(top, start=1) if one in answers]
    best = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(answers), DEPTH) + 1))
    return Quality(
        recall=len(hits) / min(len(answers), DEPTH),
        mrr=1 / hits[0] if hits else 0.0,
        ndcg=sum(1 / math.log2(rank + 1) for rank in hits) / best,
        bad=sum(one in bad for one in top) / DEPTH,
    )


def average(qualities: Sequence[Quality]) -> Quality:
    """Return the means; there is at least one."""
    return Quality(
        recall=fmean(one.recall for one in qualities),
        mrr=fmean(one.mrr for one in qualities),
        ndcg=fmean(one.ndcg for one in qualities),
        bad=fmean(one.bad for one in qualities),
    )


def quantile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that so large a share does not exceed; there is at least one."""
    ordered = sorted(values)
    return ordered[max(math.ceil(share * len(ordered)) - 1, 0)]
