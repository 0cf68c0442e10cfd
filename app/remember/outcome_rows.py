"""Writing where one proposal landed: once, when it is placed."""

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


_RECORD: LiteralString = """
    UPDATE placement_outcomes
    SET relationship_id = %(relationship_id)s, category = %(category)s, tier = %(tier)s, status = %(status)s,
        verdict = %(verdict)s, confidence = %(confidence)s, reason = %(reason)s, review_id = %(review_id)s,
        predicate_options = %(predicate_options)s, placed_at = clock_timestamp()
    WHERE team_id = %(team_id)s AND ingest_id = %(ingest_id)s AND position = %(position)s AND category IS NULL
"""
