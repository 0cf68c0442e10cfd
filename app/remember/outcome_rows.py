"""Writing where one proposal landed: once, when it is placed; again, when what held it is gone."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import LiteralString

from app.kernel.database import Writing
from app.ledger.vocabulary import Status, Tier, Verdict
from app.remember.outcomes import Category


@dataclass(frozen=True, slots=True)
class Outcome:
    """Where a proposal landed."""

    category: Category
    reason: str | None = None
    relationship_id: str | None = None
    tier: Tier | None = None
    status: Status | None = None
    verdict: Verdict | None = None
    confidence: float | None = None
    review_id: str | None = None
    predicate_options: tuple[str, ...] = ()


async def record_outcome(w: Writing, team_id: str, ingest_id: str, position: int, outcome: Outcome) -> None:
    """Leave the proposal placed. The caller holds the ingest's lease, so nobody else places it."""
    updated = await w.execute(
        _RECORD,
        {
            "team_id": team_id,
            "ingest_id": ingest_id,
            "position": position,
            "relationship_id": outcome.relationship_id,
            "category": outcome.category,
            "tier": outcome.tier,
            "status": outcome.status,
            "verdict": outcome.verdict,
            "confidence": outcome.confidence,
            "reason": outcome.reason,
            "review_id": outcome.review_id,
            "predicate_options": list(outcome.predicate_options),
        },
    )
    assert updated == 1, "a proposal is placed once"


async def end_held_proposals(w: Writing, team_id: str, evidence_ids: Collection[str], *, reason: str) -> None:
    """Leave every proposal that one of these items held rejected, in the transaction that ends the item."""
    await w.execute(_END_HELD, {"team_id": team_id, "evidence_ids": sorted(evidence_ids), "reason": reason})


_RECORD: LiteralString = """
    UPDATE placement_outcomes
    SET relationship_id = %(relationship_id)s, category = %(category)s, tier = %(tier)s, status = %(status)s,
        verdict = %(verdict)s, confidence = %(confidence)s, reason = %(reason)s, review_id = %(review_id)s,
        predicate_options = %(predicate_options)s, placed_at = clock_timestamp()
    WHERE team_id = %(team_id)s AND ingest_id = %(ingest_id)s AND position = %(position)s AND category IS NULL
"""
_END_HELD: LiteralString = """
    UPDATE placement_outcomes AS outcome
    SET category = 'relationship_rejected', reason = %(reason)s, placed_at = clock_timestamp()
    FROM ingest_evidence AS item
    JOIN ingests ON ingests.team_id = item.team_id AND ingests.id = item.ingest_id
    WHERE item.team_id = %(team_id)s AND item.evidence_id = ANY (%(evidence_ids)s)
      AND outcome.team_id = item.team_id AND outcome.ingest_id = item.ingest_id
      AND outcome.category = 'evidence_quarantined'
      AND EXISTS (
          SELECT FROM jsonb_array_elements(
              ingests.proposal->'relationships'->outcome.position->'evidence') AS span
          WHERE (span->>0)::int = item.evidence_index)
"""
