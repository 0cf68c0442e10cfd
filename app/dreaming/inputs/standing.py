"""What the database says about possible targets: known edges, taken slots, live and ended Hypotheses."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import LiteralString

from app.dreaming.model import LiveHypothesis, Standing
from app.hypotheses.standing import read_ended_targets, read_held_targets
from app.kernel.database import Reading, Row
from app.ledger.vocabulary import Predicate


async def read_standing(
    reading: Reading,
    team_id: str,
    *,
    node_ids: Sequence[str],
    predicates: Mapping[str, Predicate],
    now: datetime,
) -> Standing:
    """Return the standing of every target between these nodes.

    A target is known, and a slot taken, by what settles it now: an active unscoped event, or state within its
    window. That something once held, or will, leaves open whether it holds.
    """
    rows = await reading.fetch_all(_SETTLED, {"team_id": team_id, "node_ids": list(node_ids), "now": now})
    held = await read_held_targets(reading, team_id, subject_ids=node_ids)
    ended = await read_ended_targets(reading, team_id, subject_ids=node_ids)
    return Standing(
        active=frozenset(row["target_identity"] for row in rows if row["polarity"] == "+"),
        opposite=frozenset(row["target_identity"] for row in rows if row["polarity"] == "-"),
        taken_slots=_find_taken_slots(rows, predicates),
        suppressed={
            identity: target.suppressed_since
            for identity, target in ended.items()
            if target.suppressed_since is not None
        },
        predecessors={identity: target.hypothesis_id for identity, target in ended.items()},
        live={
            identity: LiveHypothesis(
                hypothesis_id=target.hypothesis_id,
                target_identity=identity,
                status=target.status,
                source_group_keys=target.source_group_keys,
                source_versions=target.source_versions,
            )
            for identity, target in held.items()
        },
    )


def _find_taken_slots(
    rows: Sequence[Row], predicates: Mapping[str, Predicate]
) -> dict[tuple[str, str], frozenset[str]]:
    """Return who holds each slot of a cardinality-one predicate, in each direction in which it can be read."""
    slots: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for row in rows:
        predicate = predicates.get(row["predicate_key"])
        if predicate is None or row["polarity"] != "+":
            continue
        subject_id, object_id = row["subject_entity_id"], row["object_id"]
        if predicate.current_cardinality == "one":
            slots[subject_id, predicate.key].add(object_id)
        other_key = predicate.key if predicate.symmetric else predicate.inverse_key
        other = None if other_key is None else predicates.get(other_key)
        if other is not None and other.current_cardinality == "one":
            slots[object_id, other.key].add(subject_id)
    return {slot: frozenset(object_ids) for slot, object_ids in slots.items()}


_SETTLED: LiteralString = """
    SELECT target_identity, polarity, subject_entity_id, predicate_key,
           coalesce(object_entity_id, object_value_id) AS object_id
    FROM settled_positions(%(team_id)s, %(now)s)
    WHERE subject_entity_id = ANY (%(node_ids)s) OR object_entity_id = ANY (%(node_ids)s)
"""
