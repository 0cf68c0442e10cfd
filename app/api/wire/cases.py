"""What needs a decision, in lists: conflicts between profiles, open ambiguities."""

from typing import Literal

from app.api.wire.shapes import Answer, PageQuery, UtcTime
from app.ledger.cases import Conflict, ConflictKind, ConflictState
from app.ledger.reviews import Review
from app.ledger.vocabulary import ReviewKind


class ConflictsQuery(PageQuery):
    """`overdue` are the open ones past their due time."""

    status: ConflictState | None = None


class ReviewsQuery(PageQuery):
    """Filters of `list_reviews`."""

    status: Literal["open", "resolved"] | None = None
    kind: ReviewKind | None = None


class PositionAnswer(Answer):
    """One side of a case: an equivalence group."""

    position_id: str
    relationship_ids: list[str]


class ConflictAnswer(Answer):
    """Positions of different profiles that cannot both hold."""

    conflict_id: str
    kind: ConflictKind
    status: ConflictState
    subject_entity_id: str
    predicate_key: str
    positions: list[PositionAnswer]
    preferred_position_id: str | None
    opened_at: UtcTime
    due_at: UtcTime
    closed_at: UtcTime | None
    closed_by_profile_id: str | None
    close_reason: str | None


class ReviewAnswer(Answer):
    """An open ambiguity; it holds a Relationship, or a proposal that none exists for yet."""

    review_id: str
    kind: ReviewKind
    status: Literal["open", "resolved"]
    reason: str
    options: list[str]
    relationship_id: str | None
    ingest_id: str | None
    proposal_id: str | None
    opened_at: UtcTime
    closed_at: UtcTime | None
    closed_by_profile_id: str | None
    choice: object | None


def write_conflict(conflict: Conflict) -> ConflictAnswer:
    """Return the case."""
    return ConflictAnswer(
        conflict_id=conflict.case_id,
        kind=conflict.kind,
        status=conflict.state,
        subject_entity_id=conflict.subject_entity_id,
        predicate_key=conflict.predicate_key,
        positions=[PositionAnswer.model_validate(position) for position in conflict.positions],
        preferred_position_id=conflict.preferred_position_id,
        opened_at=conflict.opened_at,
        due_at=conflict.due_at,
        closed_at=conflict.closed_at,
        closed_by_profile_id=conflict.closed_by_profile_id,
        close_reason=conflict.close_reason,
    )


def write_review(review: Review) -> ReviewAnswer:
    """Return the review task."""
    return ReviewAnswer.model_validate(review)
