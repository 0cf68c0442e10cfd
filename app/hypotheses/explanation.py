"""A guess's reasons in names, and whether they still stand. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from app.hypotheses.lifecycle import HypothesisStatus
from app.hypotheses.record import ExplainedPath, Explanation, Obstacle, Premise, TargetFault

# The named conditions of `relationship_eligibility`, in its order, as a reader meets them when one fails.
CONDITION_FAULTS: Final[Mapping[str, str]] = {
    "is_established_or_assessed": "it is neither active nor an assessed candidate",
    "endpoints_exist": "one of its ends was merged away",
    "predicate_fits": "its predicate is retired or no longer fits its ends",
    "has_no_open_review": "it waits for a review",
    "has_no_open_conflict": "it is part of an open conflict",
    "is_preferred_position": "a conflict was resolved in favour of another position",
    "has_current_evidence": "no current evidence supports it",
}
# What `hypothesis_targets` says against a target, as a reader meets it.
TARGET_FAULTS: Final[Mapping[TargetFault, str]] = {
    "predicate_retired": "Its predicate is retired.",
    "predicate_narrowed": "Its predicate no longer fits its ends.",
}
OPEN_STATUSES: Final[frozenset[HypothesisStatus]] = frozenset({"proposed", "reinforced"})


# `paths` is stored JSON: `CarryingPath` as a dict, whose field types its writer vouches for.
def explain(paths: Sequence[Mapping[str, Any]], premises: Sequence[Premise]) -> Explanation:
    """Return the paths with the ids of their premises, and every premise once, in path order.

    Args:
        paths: carrying paths as stored; their `premise_keys` are semantic group keys.
        premises: all sources of the Hypothesis, ordered by relationship id.
    """
    by_group: dict[str, list[Premise]] = {}
    for premise in premises:
        by_group.setdefault(premise.semantic_group_key, []).append(premise)
    ordered: dict[str, Premise] = {}
    explained: list[ExplainedPath] = []
    for path in paths:
        keys = dict.fromkeys(path["premise_keys"])
        members = [premise for key in keys for premise in by_group.get(key, [])]
        ordered |= {premise.relationship_id: premise for premise in members}
        explained.append(
            ExplainedPath(
                rule=path["rule"],
                relationship_ids=tuple(premise.relationship_id for premise in members),
                instances=path["instances"],
                support=path["support"],
                body=path["body"],
                confidence=path["confidence"],
                share=path["share"],
            )
        )
    ordered |= {premise.relationship_id: premise for premise in premises}
    return Explanation(tuple(explained), tuple(ordered.values()))


def find_obstacles(
    status: HypothesisStatus, premises: Sequence[Premise], *, target_fault: TargetFault | None = None
) -> tuple[Obstacle, ...]:
    """Return why a Hypothesis is not current: status first, then target, then its sources in the given order."""
    found: list[Obstacle] = []
    if status not in OPEN_STATUSES:
        found.append(Obstacle("not_open", f"It is {status}."))
    if target_fault is not None:
        found.append(Obstacle(target_fault, TARGET_FAULTS[target_fault]))
    for premise in premises:
        if not premise.is_eligible:
            reasons = "; ".join(CONDITION_FAULTS[name] for name in premise.obstacles)
            message = f"“{premise.statement}” cannot be built on: {reasons}."
            found.append(Obstacle("source_not_eligible", message, premise.relationship_id))
    return tuple(found)
