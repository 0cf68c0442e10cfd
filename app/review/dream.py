"""One dream whole: the Hypothesis, and what became of the evidence that was submitted for or against it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString

from app.hypotheses.queries import get_hypothesis
from app.hypotheses.record import HypothesisDetail
from app.kernel.database import Reading
from app.remember.outcomes import ProcessingState
from app.remember.placements import RelationshipOutcome, get_placement
from app.review.answering import Confirmation


@dataclass(frozen=True, slots=True)
class DreamSubmission:
    """A confirmation and where its proposals landed. `ended_active` is None while it is under way."""

    ingest_id: str
    decision: Confirmation
    submitted_at: datetime
    processing_state: ProcessingState
    ended_active: bool | None
    relationship_outcomes: Sequence[RelationshipOutcome]


@dataclass(frozen=True, slots=True)
class Dream:
    """Submitted does not mean accepted: only the outcomes say what was placed. Spec: Hypothesis Lifecycle."""

    hypothesis: HypothesisDetail
    submissions: tuple[DreamSubmission, ...]


async def get_dream(reading: Reading, team_id: str, hypothesis_id: str) -> Dream:
    """Return the Hypothesis with its submissions, oldest first.

    Raises:
        NotFound: malformed, missing or another team's.
    """
    hypothesis = await get_hypothesis(reading, team_id, hypothesis_id)
    params = {"team_id": team_id, "hypothesis_id": hypothesis_id}
    submissions: list[DreamSubmission] = []
    for row in await reading.fetch_all(_SUBMISSIONS, params):
        placement = await get_placement(reading, team_id, row["ingest_id"])
        submissions.append(
            DreamSubmission(
                ingest_id=row["ingest_id"],
                decision=row["decision"],
                submitted_at=row["created_at"],
                processing_state=placement.processing_state,
                ended_active=row["ended_active"],
                relationship_outcomes=placement.relationship_outcomes,
            )
        )
    return Dream(hypothesis, tuple(submissions))


_SUBMISSIONS: LiteralString = """
    SELECT ingest_id, decision, created_at, ended_active FROM hypothesis_submissions
    WHERE team_id = %(team_id)s AND hypothesis_id = %(hypothesis_id)s
    ORDER BY created_at, ingest_id
"""
