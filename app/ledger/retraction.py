"""Taking back: a Relationship by its owner, evidence by its submitter. Nothing is deleted.

A withdrawn position loses its supports by an event each, so that only new evidence, or the same submitted anew,
brings it back.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, LiteralString

from app.kernel.database import Writing
from app.kernel.errors import Forbidden, NotFound
from app.kernel.ids import is_id
from app.ledger.conflicts.withdrawal import settle_withdrawn
from app.ledger.evidence.supports import revoke_supports
from app.ledger.relationships.neighbours import lock_with_neighbours
from app.ledger.relationships.rows import Change, StoredRelationship, change_relationship, find_relationships
from app.ledger.reweigh import reweigh_relationships
from app.ledger.vocabulary import LIVING, Status
from app.tenancy.callers import Caller


@dataclass(frozen=True, slots=True)
class Changed:
    """One row that a retraction changed; evidence has no version."""

    id: str
    status: Status | Literal["retracted"]
    version: int | None


async def retract_relationship(
    w: Writing, caller: Caller, relationship_id: str, *, note: str | None
) -> tuple[Changed, ...]:
    """Leave the caller's own position `retracted`; return it and what changed with it. Again changes nothing.

    Its supports are revoked, its open reviews closed, cases that it was a side of may close with it.

    Raises:
        NotFound: malformed, missing or another team's.
        Forbidden: `not_owner`.
    """
    team_id = caller.team_id
    found = await find_relationships(w, team_id, [relationship_id])
    if not found:
        raise NotFound("No such Relationship.")
    if found[0].owner_profile_id != caller.profile_id:
        raise Forbidden("Only its owner takes a Relationship back.", code="not_owner")
    locked = await lock_with_neighbours(w, team_id, [relationship_id])
    stored = locked[relationship_id]
    if stored.status == "retracted":
        return ()
    await revoke_supports(
        w, team_id, relationship_id, reason="relationship_retracted", profile_id=caller.profile_id
    )
    await withdraw_reviews(
        w, team_id, [relationship_id], reason="relationship_retracted", profile_id=caller.profile_id
    )
    change = Change(
        reason="retracted",
        effect="source_lost" if stored.status in LIVING else "harmless",
        actor_profile_id=caller.profile_id,
        status="retracted",
        note=note,
    )
    changed = [await change_relationship(w, team_id, stored, change)]
    changed += await settle_withdrawn(w, team_id, changed, locked, actor_profile_id=caller.profile_id)
    return tuple(map(_read_changed, changed))


async def retract_evidence(
    w: Writing, caller: Caller, evidence_id: str, *, note: str | None
) -> tuple[Changed, ...]:
    """Leave the caller's own evidence `retracted`; return it and each Relationship that changed.

    Relationships that cite it keep the tier that their other supports carry. Again changes nothing.

    Raises:
        NotFound: malformed, missing or another team's.
        Forbidden: `not_owner`.
    """
    params: dict[str, object] = {"team_id": caller.team_id, "id": evidence_id}
    row = await w.fetch_one(_LOCK_EVIDENCE, params) if is_id(evidence_id, "evd") else None
    if row is None:
        raise NotFound("No such evidence.")
    if row["profile_id"] != caller.profile_id:
        raise Forbidden("Only its submitter takes evidence back.", code="not_owner")
    if row["state"] == "retracted":
        return ()
    await w.execute(_RETRACT_EVIDENCE, params)
    changed = await reweigh_relationships(
        w,
        caller.team_id,
        {evidence_id: "evidence_retracted"},
        actor_profile_id=caller.profile_id,
        note=note,
    )
    return (Changed(evidence_id, "retracted", None), *map(_read_changed, changed))


async def withdraw_reviews(
    w: Writing, team_id: str, ids: Collection[str], *, reason: str, profile_id: str
) -> int:
    """Leave no open review of positions that nobody holds any more; return how many there were."""
    params = {"team_id": team_id, "ids": sorted(ids), "reason": reason, "profile_id": profile_id}
    return await w.execute(_WITHDRAW_REVIEWS, params) if ids else 0


def _read_changed(stored: StoredRelationship) -> Changed:
    return Changed(stored.relationship_id, stored.status, stored.version)


_WITHDRAW_REVIEWS: LiteralString = """
    UPDATE review_tasks
    SET status = 'resolved', choice = '{"choice": "withdrawn"}', close_reason = %(reason)s,
        closed_at = clock_timestamp(), closed_by_profile_id = %(profile_id)s
    WHERE team_id = %(team_id)s AND relationship_id = ANY (%(ids)s) AND status = 'open'
"""
_LOCK_EVIDENCE: LiteralString = """
    SELECT profile_id, state FROM evidence
    WHERE team_id = %(team_id)s AND id = %(id)s FOR NO KEY UPDATE
"""
_RETRACT_EVIDENCE: LiteralString = """
    UPDATE evidence SET state = 'retracted', retracted_at = clock_timestamp()
    WHERE team_id = %(team_id)s AND id = %(id)s
"""
