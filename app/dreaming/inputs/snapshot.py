"""Reading the eligible inputs: one moment, bounded, in a repeatable order.

Which Relationships are eligible is decided by the view `eligible_relationships` alone; nothing here judges it
again. Equivalent positions become one premise with all their source ids. Spec: Eligible Inputs.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import LiteralString

from app.dreaming.inputs.selection import Surveyed, select_premises
from app.dreaming.inputs.standing import read_standing
from app.dreaming.model import Inputs, Node, Premise, Source
from app.kernel.database import Reading, Row
from app.ledger.identity import Edge, canonical_edge
from app.ledger.predicates.registry import list_predicates
from app.ledger.vocabulary import Predicate


async def read_inputs(reading: Reading, team_id: str, *, max_premises: int, now: datetime) -> Inputs:
    """Return at most `max_premises` premises with their endpoints, the predicates, and the standing of targets.

    Of more than that, `selection.py` says which; what is left is counted as `over_input_budget`, in Relationships.
    The transaction is a snapshot.

    Args:
        now: decides which states are valid.
    """
    predicates = await list_predicates(reading, team_id)
    # A team that is younger than the statistics looks empty to the planner, which then loops over all pairs of
    # its rows: 2 000 Relationships took longer than 10 s, hash joins 0.4 s. This reads whole teams anyway.
    await reading.fetch_one("SELECT set_config('enable_nestloop', 'off', true)")
    rows = await reading.fetch_all(_PREMISES, {"team_id": team_id, "max_premises": max_premises, "now": now})
    eligible_count = rows[0]["eligible_count"] if rows else 0
    chosen = [row for row in rows if row["place"] <= max_premises]
    if rows and 0 < max_premises < rows[0]["group_count"]:
        survey = await reading.fetch_all(_SURVEY, {"team_id": team_id})
        keys = await asyncio.to_thread(
            select_premises, [Surveyed(**row) for row in survey], limit=max_premises
        )
        chosen = await reading.fetch_all(
            _CHOSEN, {"team_id": team_id, "group_keys": sorted(keys), "now": now}
        )
    # A large team is seconds of work, which must not keep others waiting.
    premises = await asyncio.to_thread(_fold_premises, chosen, predicates)
    node_ids = sorted({node for premise in premises for node in (premise.subject_id, premise.object_id)})
    return Inputs(
        team_id=team_id,
        premises=premises,
        nodes=await read_nodes(reading, team_id, node_ids),
        predicates=predicates,
        standing=await read_standing(reading, team_id, node_ids=node_ids, predicates=predicates, now=now),
        eligible_count=eligible_count,
        over_input_budget=eligible_count - len(chosen),
    )


async def read_nodes(reading: Reading, team_id: str, node_ids: Sequence[str]) -> dict[str, Node]:
    """Return the nodes by id, in id order; a Value is named by its canonical form and its unit."""
    rows = await reading.fetch_all(_NODES, {"team_id": team_id, "node_ids": node_ids})
    return {row["id"]: Node(row["id"], row["name"], row["kind"], row["value_type"]) for row in rows}


def _fold_premises(rows: Sequence[Row], predicates: Mapping[str, Predicate]) -> tuple[Premise, ...]:
    return tuple(
        _premise(list(sources), predicates)
        for _, sources in groupby(rows, key=lambda row: row["semantic_group_key"])
    )


def _premise(rows: Sequence[Row], predicates: Mapping[str, Predicate]) -> Premise:
    """Return the premise of one equivalence group; its sources differ in owner and window at most."""
    first = rows[0]
    predicate = predicates[first["predicate_key"]]
    edge = canonical_edge(
        Edge(
            first["subject_entity_id"], predicate.key, first["object_entity_id"] or first["object_value_id"]
        ),
        predicate,
    )
    is_statement = any(row["modality"] == "statement" for row in rows)
    return Premise(
        group_key=first["semantic_group_key"],
        subject_id=edge.subject_id,
        predicate_key=edge.predicate_key,
        object_id=edge.object_id,
        polarity=first["polarity"],
        scope=first["scope"],
        modality="statement" if is_statement else first["modality"],
        is_valid_now=predicate.relationship_kind == "event" or any(row["is_in_window"] for row in rows),
        sources=tuple(
            Source(
                relationship_id=row["id"],
                version=row["version"],
                owner_profile_id=row["owner_profile_id"],
                is_candidate=row["tier"] == "candidate",
            )
            for row in rows
        ),
        eligible_since=min(row["eligible_since"] or row["changed_at"] for row in rows),
        changed_at=max(row["changed_at"] for row in rows),
    )


_ELIGIBLE: LiteralString = """
    SELECT r.id, r.semantic_group_key, r.subject_entity_id, r.predicate_key, r.object_entity_id,
           r.object_value_id, r.polarity, r.scope, r.modality, r.tier, r.version, r.owner_profile_id,
           r.eligible_since, r.changed_at,
           coalesce(r.valid_from <= %(now)s, true) AND coalesce(r.valid_to > %(now)s, true) AS is_in_window
    FROM eligible_relationships AS e
    JOIN relationships AS r ON r.team_id = e.team_id AND r.id = e.relationship_id
    WHERE e.team_id = %(team_id)s
"""

# One pass with windows: joining a ranking back to its rows takes minutes while there are no statistics yet. The
# first premise is always returned, because it carries the counts.
_PREMISES: LiteralString = f"""
    WITH placed AS (
        SELECT eligible.*, count(*) OVER () AS eligible_count,
               dense_rank() OVER (ORDER BY semantic_group_key) AS place
        FROM ({_ELIGIBLE}) AS eligible
    ), counted AS (
        SELECT placed.*, max(place) OVER () AS group_count FROM placed
    )
    SELECT * FROM counted WHERE place <= greatest(%(max_premises)s, 1)
    ORDER BY semantic_group_key, id
"""

# An assessment of an earlier version of a premise does not count as a reading of this one.
_SURVEY: LiteralString = """
    WITH premise AS (
        SELECT r.semantic_group_key AS group_key, (array_agg(r.subject_entity_id ORDER BY r.id))[1] AS subject_id,
               (array_agg(coalesce(r.object_entity_id, r.object_value_id) ORDER BY r.id))[1] AS object_id,
               max(r.changed_at) AS changed_at
        FROM eligible_relationships AS e
        JOIN relationships AS r ON r.team_id = e.team_id AND r.id = e.relationship_id
        WHERE e.team_id = %(team_id)s
        GROUP BY r.semantic_group_key
    )
    SELECT premise.*, read.last_assessed_at AS read_at,
           CASE WHEN read.last_assessed_at >= premise.changed_at THEN read.cycles ELSE 0 END AS cycles
    FROM premise
    LEFT JOIN premise_assessments AS read
           ON read.team_id = %(team_id)s AND read.semantic_group_key = premise.group_key
"""

_CHOSEN: LiteralString = f"""
    SELECT * FROM ({_ELIGIBLE}) AS eligible
    WHERE semantic_group_key = ANY (%(group_keys)s) ORDER BY semantic_group_key, id
"""

_NODES: LiteralString = """
    SELECT id, name, kind, NULL AS value_type FROM entities
    WHERE team_id = %(team_id)s AND id = ANY (%(node_ids)s)
    UNION ALL
    SELECT id, concat_ws(' ', canonical, nullif(unit, '')), NULL, value_type FROM typed_values
    WHERE team_id = %(team_id)s AND id = ANY (%(node_ids)s)
    ORDER BY 1
"""
