"""What follows for Relationships when evidence stops counting: retracted, superseded, or of an old revision."""

from collections.abc import Mapping
from typing import LiteralString

from app.kernel.database import Writing
from app.ledger.conflicts.withdrawal import settle_withdrawn
from app.ledger.evidence.supports import weigh_supports
from app.ledger.relationships.neighbours import lock_with_neighbours
from app.ledger.relationships.rows import Change, StoredRelationship, change_relationship
from app.ledger.vocabulary import Status, TransitionEffect


async def reweigh_relationships(
    w: Writing, team_id: str, reasons: Mapping[str, str], *, actor_profile_id: str, note: str | None = None
) -> list[StoredRelationship]:
    """Leave every living Relationship that cites the evidence at the tier that its other supports carry.

    Run it after the evidence stopped counting, in the same transaction; `reasons` says why, by evidence id. One
    without any effective support falls back to `candidate`, and an active one to `pending_evidence`; dependents
    become stale or are marked for reassessment, and cases that lost a side close. Returns what was changed, those
    that cite the evidence first.
    """
    locked: dict[str, StoredRelationship] = {}
    while True:
        # Whatever its status: another transaction may bring it back to life, or make a successor, while we wait.
        rows = await w.fetch_all(_CITING, {"team_id": team_id, "evidence_ids": sorted(reasons)})
        citing = {row["relationship_id"]: reasons[row["evidence_id"]] for row in rows}
        if citing.keys() <= locked.keys():
            break
        locked |= await lock_with_neighbours(w, team_id, citing.keys() - locked.keys())
    living = [locked[one] for one in sorted(citing) if locked[one].status in _WEIGHED]
    changed = [
        await reweigh(
            w,
            team_id,
            one,
            reason=citing[one.relationship_id],
            actor_profile_id=actor_profile_id,
            note=note,
        )
        for one in living
    ]
    settled = await settle_withdrawn(w, team_id, changed, locked, actor_profile_id=actor_profile_id)
    # What changed twice is told once, as it stands.
    return list({one.relationship_id: one for one in (*changed, *settled)}.values())


async def reweigh(
    w: Writing,
    team_id: str,
    stored: StoredRelationship,
    *,
    reason: str,
    actor_profile_id: str,
    note: str | None = None,
) -> StoredRelationship:
    """Leave one locked Relationship at the tier of its effective supports, one version higher."""
    tier = await weigh_supports(w, team_id, stored.relationship_id)
    has_lost_all = tier == "candidate"
    status: Status = "pending_evidence" if has_lost_all and stored.status == "active" else stored.status
    effect: TransitionEffect = "source_lost" if has_lost_all else "reassess"
    change = Change(
        reason=reason,
        effect=effect,
        actor_profile_id=actor_profile_id,
        tier=tier,
        status=status,
        note=note,
        is_assessed=await _is_assessed(w, team_id, stored.relationship_id) if has_lost_all else None,
    )
    return await change_relationship(w, team_id, stored, change)


async def _is_assessed(w: Writing, team_id: str, relationship_id: str) -> bool:
    """Whether the latest verdict is insufficient and on evidence that still counts."""
    row = await w.fetch_one(_ASSESSED, {"team_id": team_id, "id": relationship_id})
    return row is not None


_WEIGHED: frozenset[Status] = frozenset({"pending_evidence", "active", "needs_review", "disputed"})
_ASSESSED: LiteralString = """
    SELECT FROM relationship_eligibility
    WHERE team_id = %(team_id)s AND relationship_id = %(id)s AND is_assessed_candidate AND has_current_evidence
"""
_CITING: LiteralString = """
    SELECT DISTINCT cited.relationship_id, citations.evidence_id
    FROM citations
    JOIN (SELECT team_id, relationship_id, citation_id FROM supports WHERE is_granted
          UNION ALL
          SELECT team_id, relationship_id, citation_id FROM verification_events) AS cited
      ON cited.team_id = citations.team_id AND cited.citation_id = citations.id
    WHERE citations.team_id = %(team_id)s AND citations.evidence_id = ANY (%(evidence_ids)s)
    ORDER BY cited.relationship_id, citations.evidence_id
"""
