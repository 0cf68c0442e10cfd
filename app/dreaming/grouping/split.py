"""The split of the output budget between predicates, and how far outcomes may move it. Pure.

Ideas of a predicate that turned out right more often than the team's other ones get more of the places, the
others fewer: never below half of what a predicate would get anyway, never above double, never more than half of
all while others have candidates. Outcomes move nothing else: no likelihood, no floor, no Relationship.

The weight of a predicate is the share of its decided ideas that were confirmed, over the same share of all the
team's, with the weight of five ideas of the team's average added; 1 where nothing is decided. Ideas that nobody
looked at say nothing.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from app.hypotheses.outcomes import OutcomeCounts

PRIOR_IDEAS = 5
LEAST_WEIGHT, MOST_WEIGHT = 0.5, 2.0


@dataclass(frozen=True, slots=True)
class PredicateShare:
    """How many of the first places one predicate has: without outcomes, and with them."""

    predicate_key: str
    weight: float
    untuned: int
    tuned: int


def weigh_predicates(outcomes: Iterable[OutcomeCounts], *, generator_version: str) -> dict[str, float]:
    """Return the weight of each predicate that this version has decided ideas of; bounded to 0.5..2."""
    confirmed: Counter[str] = Counter()
    decided: defaultdict[str, int] = defaultdict(int)
    for one in outcomes:
        if one.generator_version == generator_version and one.decided:
            confirmed[one.predicate_key] += one.confirmed
            decided[one.predicate_key] += one.decided
    overall = (sum(confirmed.values()) + 1) / (sum(decided.values()) + 2)
    return {
        key: _bound((confirmed[key] + PRIOR_IDEAS * overall) / (decided[key] + PRIOR_IDEAS) / overall)
        for key in sorted(decided)
    }


def tune_split(
    untuned: Mapping[str, int], weights: Mapping[str, float], supply: Mapping[str, int]
) -> dict[str, int]:
    """Return the places of each predicate, as many in all as before; equal arguments give equal splits.

    Args:
        untuned: the places that each predicate has without outcomes, from 1.
        weights: by predicate key; one that is missing weighs 1.
        supply: how many ideas each predicate has at all, at least its places.
    """
    total = sum(untuned.values())
    wanted = {key: places * weights.get(key, 1.0) for key, places in untuned.items()}
    scale = total / sum(wanted.values()) if wanted else 1.0
    # What has more than half already has it because nobody else had candidates.
    most = {
        key: max(places, min(2 * places, max(1, total // 2), supply[key])) for key, places in untuned.items()
    }
    split = {key: -(-places // 2) for key, places in untuned.items()}
    for _ in range(total - sum(split.values())):
        room = [key for key in split if split[key] < most[key]]
        split[min(room, key=lambda key: (split[key] - wanted[key] * scale, key))] += 1
    return split


def keeps_bounds(untuned: Mapping[str, int], tuned: Mapping[str, int]) -> bool:
    """Whether no predicate has fewer than half or more than double of its untuned places."""
    return all(
        2 * tuned.get(key, 0) >= untuned.get(key, 0) and tuned.get(key, 0) <= 2 * untuned.get(key, 0)
        for key in {*untuned, *tuned}
    )


def _bound(weight: float) -> float:
    return min(MOST_WEIGHT, max(LEAST_WEIGHT, round(weight, 6)))
