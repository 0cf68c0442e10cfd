"""One dream whole: the Hypothesis, and what became of the evidence that was submitted for or against it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString

from app.hypotheses.queries import get_hypothesis
from app.hypotheses.record import HypothesisDetail
from app.kernel.database import Reading
from app.remember.outcomes import ProcessingState
from app.remember.placements import OUTCOME_COLUMNS, RelationshipOutcome, outcome_of
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
    """Return the Hypothesis with its submissions, oldest first; asked for at once.

    Raises:
        NotFound: malformed, missing or another team's.
    """
    hypothesis, [submitted, placed] = await get_hypothesis(
        reading, team_id, hypothesis_id, _SUBMISSIONS, _OUTCOMES
    )
    outcomes: dict[str, list[RelationshipOutcome]] = {}
    for row in placed:
        outcomes.setdefault(row.pop("ingest_id"), []).append(outcome_of(row))
    submissions = tuple(
        DreamSubmission(relationship_outcomes=tuple(outcomes.get(row["ingest_id"], ())), **row)
        for row in submitted
    )
    return Dream(hypothesis, submissions)


_SUBMISSIONS: LiteralString = """
    SELECT submission.ingest_id, submission.decision, submission.created_at AS submitted_at,
           ingest.processing_state, submission.ended_active
    FROM hypothesis_submissions AS submission
    JOIN ingests AS ingest ON ingest.team_id = submission.team_id AND ingest.id = submission.ingest_id
    WHERE submission.team_id = %(team_id)s AND submission.hypothesis_id = %(hypothesis_id)s
    ORDER BY submission.created_at, submission.ingest_id
"""
_OUTCOMES: LiteralString = f"""
    SELECT ingest_id, {OUTCOME_COLUMNS}
    FROM hypothesis_submissions AS submission
    JOIN placement_outcomes AS outcome USING (team_id, ingest_id)
    WHERE team_id = %(team_id)s AND submission.hypothesis_id = %(hypothesis_id)s
    ORDER BY ingest_id, outcome.position
"""
