"""What the finishing transaction reads under lock: the same things as the snapshot, as they are now."""

from collections.abc import Sequence
from datetime import datetime
from typing import LiteralString

from app.dreaming.inputs.standing import read_standing
from app.dreaming.model import Inputs, Proposal
from app.dreaming.validation.shape import find_shape_fault
from app.dreaming.validation.validated import Current
from app.hypotheses.standing import lock_open_hypotheses
from app.kernel.database import Writing
from app.ledger.identity import Edge, target_identity
from app.ledger.predicates.registry import list_predicates


async def lock_and_read_current(
    writing: Writing, inputs: Inputs, proposals: Sequence[Proposal], *, now: datetime
) -> Current:
    """Lock sources, then targets, then Hypotheses, each in order, and return what holds now.

    From here to the end of the transaction no source can change, no listed target can become active, and no
    listed Hypothesis can move: whoever wants to waits, and then finds what was persisted.
    """
    team_id = inputs.team_id
    # Items without the shape of a proposal are refused anyway; nothing in them can be asked about.
    readable = [proposal for proposal in proposals if find_shape_fault(proposal) is None]
    source_versions = await _lock_sources(writing, inputs, readable)
    await writing.fetch_all(_LOCK_TARGETS, {"team_id": team_id, "targets": _find_targets(inputs, readable)})
    node_ids = sorted(
        {node_id for proposal in readable for node_id in _endpoints(proposal) if node_id in inputs.nodes}
    )
    await lock_open_hypotheses(writing, team_id, subject_ids=node_ids)
    predicates = await list_predicates(writing, team_id)
    merged = await writing.fetch_all(_MERGED, {"team_id": team_id, "node_ids": node_ids})
    return Current(
        source_versions=source_versions,
        standing=await read_standing(writing, team_id, node_ids=node_ids, predicates=predicates, now=now),
        missing_nodes=frozenset(row["id"] for row in merged),
        missing_predicates=frozenset(
            key
            for key in inputs.predicates
            if key not in predicates or predicates[key].lifecycle_state == "retired"
        ),
        predicates=predicates,
    )


async def _lock_sources(
    writing: Writing, inputs: Inputs, proposals: Sequence[Proposal]
) -> dict[str, tuple[int, bool]]:
    known = {source.relationship_id for premise in inputs.premises for source in premise.sources}
    listed = {source_id for proposal in proposals for source_id in proposal.source_relationship_ids}
    rows = await writing.fetch_all(_LOCK_SOURCES, {"relationship_ids": sorted(listed & known)})
    return {row["relationship_id"]: (row["version"], row["eligible"]) for row in rows}


def _find_targets(inputs: Inputs, proposals: Sequence[Proposal]) -> list[str]:
    """Return the identities of all targets that could become rows, in the order in which they are locked."""
    identities = set()
    for proposal in proposals:
        predicate = inputs.predicates.get(proposal.predicate_key)
        object_id = proposal.object_entity_id or proposal.object_value_id
        if predicate is not None and object_id is not None:
            edge = Edge(proposal.subject_entity_id, predicate.key, object_id)
            identities.add(target_identity(edge, predicate))
    return sorted(identities)


def _endpoints(proposal: Proposal) -> list[str]:
    ends = (proposal.subject_entity_id, proposal.object_entity_id, proposal.object_value_id)
    return [end for end in ends if end is not None]


_LOCK_SOURCES: LiteralString = (
    "SELECT relationship_id, version, eligible FROM lock_sources(%(relationship_ids)s::text[])"
)

_LOCK_TARGETS: LiteralString = """
    SELECT lock_target(%(team_id)s, target) FROM unnest(%(targets)s::text[]) AS target
"""

_MERGED: LiteralString = """
    SELECT id FROM entities WHERE team_id = %(team_id)s AND id = ANY (%(node_ids)s) AND is_merged
"""
