"""Holdout: premises taken out of the inputs as if memory had never held them. Pure.

What the database says of a hidden target (active, slot) is hidden with it, so that the hidden edge is an open
target like any other. Folds go by a digest of the group key: equal inputs, in whatever order, give equal folds.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from app.dreaming.grouping.paths import edge_of
from app.dreaming.model import Inputs, Premise, Standing, Target
from app.ledger.identity import Edge, digest, target_identity

PARTS = 5


@dataclass(frozen=True, slots=True)
class HeldBack:
    """Inputs without the hidden edges, and the hidden edges."""

    inputs: Inputs
    targets: frozenset[Target]


def hide_premises(inputs: Inputs, premises: Collection[Premise]) -> HeldBack:
    """Return the inputs without these premises; one whose predicate is not in the inputs is no target."""
    keys = {premise.group_key for premise in premises}
    targets = set()
    for premise in premises:
        edge = edge_of(premise, inputs)
        if edge is not None:
            targets.add(Target(edge.subject_id, edge.predicate_key, edge.object_id))
    left = tuple(premise for premise in inputs.premises if premise.group_key not in keys)
    return HeldBack(replace(inputs, premises=left, standing=_forget(inputs, targets)), frozenset(targets))


def hide_folds(inputs: Inputs, *, folds: int, of: int = PARTS) -> Iterator[HeldBack]:
    """Yield `folds` holdouts, each without another one of `of` parts of the known edges.

    Names decide which part an edge is in, not ids: the same knowledge entered anew teaches the same.
    """
    parts: list[list[Premise]] = [[] for _ in range(of)]
    for premise in inputs.premises:
        if premise.carries_paths and not premise.is_candidate:
            names = (inputs.nodes[node].name for node in (premise.subject_id, premise.object_id))
            parts[int(digest("fold", premise.predicate_key, *names)[:12], 16) % of].append(premise)
    for part in parts[:folds]:
        yield hide_premises(inputs, part)


def _forget(inputs: Inputs, hidden: Collection[Target]) -> Standing:
    standing = inputs.standing
    slots = {slot: set(objects) for slot, objects in standing.taken_slots.items()}
    identities = set()
    for target in hidden:
        predicate = inputs.predicates[target.predicate_key]
        edge = Edge(target.subject_id, target.predicate_key, target.object_id)
        identities.add(target_identity(edge, predicate))
        for subject, key, object_ in (
            (target.subject_id, target.predicate_key, target.object_id),
            (target.object_id, target.predicate_key, target.subject_id),
            (target.object_id, predicate.inverse_key, target.subject_id),
        ):
            if key is not None:
                slots.get((subject, key), set()).discard(object_)
    return replace(
        standing,
        active=standing.active - identities,
        taken_slots={slot: frozenset(objects) for slot, objects in slots.items() if objects},
    )
