"""Reviews of positions that have ended: nobody is asked any more, and who waited is told how it stands."""

from collections.abc import Collection
from typing import LiteralString

from app.kernel.database import Writing
from app.ledger.relationships.rows import StoredRelationship, find_relationships
from app.ledger.retraction import Changed, retract_relationship, withdraw_reviews
from app.remember.placement import categorize
from app.remember.placement_state import settle_ingests
from app.tenancy.callers import Caller


async def take_position_back(
    w: Writing, caller: Caller, relationship_id: str, *, note: str | None
) -> tuple[Changed, ...]:
    """Leave the caller's own position `retracted` and what waited for its review ended; see the ledger's own."""
    changed = await retract_relationship(w, caller, relationship_id, note=note)
    if changed:
        await retell(w, caller.team_id, await find_relationships(w, caller.team_id, [relationship_id]))
    return changed


async def end_reviews(
    w: Writing, team_id: str, ended: Collection[StoredRelationship], *, reason: str, profile_id: str
) -> None:
    """Leave no open review of the positions, which this transaction has ended, and their outcomes told."""
    if await withdraw_reviews(
        w, team_id, [one.relationship_id for one in ended], reason=reason, profile_id=profile_id
    ):
        await retell(w, team_id, ended)


async def retell(w: Writing, team_id: str, told: Collection[StoredRelationship]) -> None:
    """Leave each outcome whose review this transaction has closed with where its Relationship landed."""
    ingests: set[str] = set()
    for one in told:
        params = {
            "team_id": team_id,
            "relationship_id": one.relationship_id,
            "category": categorize(one.tier, one.status),
            "tier": one.tier,
            "status": one.status,
        }
        ingests |= {row["ingest_id"] for row in await w.fetch_all(_RETELL, params)}
    await settle_ingests(w, team_id, ingests)


_RETELL: LiteralString = """
    UPDATE placement_outcomes AS outcome
    SET category = %(category)s, tier = %(tier)s, status = %(status)s,
        reason = CASE task.choice->>'choice' WHEN 'withdrawn' THEN 'review_withdrawn' ELSE 'review_resolved' END,
        placed_at = clock_timestamp()
    FROM review_tasks AS task
    WHERE task.team_id = %(team_id)s AND task.relationship_id = %(relationship_id)s
      AND task.status = 'resolved' AND task.closed_at >= transaction_timestamp()
      AND outcome.team_id = task.team_id AND outcome.review_id = task.id
    RETURNING outcome.ingest_id
"""
