"""What needs a decision, in lists: conflicts between profiles, open ambiguities."""

from typing import Annotated, Literal

from pydantic import AfterValidator, StringConstraints

from app.api.wire.shapes import (
    Answer,
    Closed,
    FirstIds,
    IdempotencyKey,
    Name,
    PageQuery,
    Reason,
    Text,
    UtcTime,
)
from app.kernel.ids import is_id
from app.ledger.conflicts.cases import Conflict, ConflictKind, ConflictState
from app.ledger.conflicts.decisions import CaseDecision
from app.ledger.reviews import Review
from app.ledger.vocabulary import ReviewKind
from app.remember.guard.mask import mask_text

# A scope is free text. An id is none, however random it looks.
Choice = Annotated[
    Name, AfterValidator(lambda choice: choice if is_id(choice, "ent") else mask_text(choice).text)
]
PositionId = Annotated[Text, StringConstraints(min_length=1, max_length=64)]


class ConflictsQuery(PageQuery):
    """`overdue` are the open ones past their due time."""

    status: ConflictState | None = None


class ReviewsQuery(PageQuery):
    """Filters of `list_reviews`."""

    status: Literal["open", "resolved"] | None = None
    kind: ReviewKind | None = None


class PositionAnswer(Answer):
    """One side of a case: an equivalence group, with its oldest 100 Relationships."""

    position_id: str
    relationship_ids: FirstIds


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
    """An open ambiguity; it holds a Relationship, or a proposal that none exists for yet.

    `entity_ref` is the proposal's name for the entity that kind identity asks about. `options` are likely choices,
    for kind identity with `new` where an entity may be made; any other entity's id may be chosen, and `reject`.
    """

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
    choice: dict[str, object] | None
    entity_ref: str | None
    close_reason: str | None


class ResolveConflictBody(Closed):
    """`preferred_position_id` is one of the case's positions, given exactly if one is preferred."""

    decision: Literal["prefer", "dismiss"]
    preferred_position_id: PositionId | None = None
    reason: Reason | None = None
    idempotency_key: IdempotencyKey | None = None

    def as_decision(self) -> CaseDecision:
        """Return what the ledger takes."""
        return CaseDecision(self.decision, self.preferred_position_id, self.reason)


class ResolveReviewBody(Closed):
    """What was chosen, in one word.

    A held Relationship: `accept`, `reject`, for kind policy also `dispute`. A held proposal: for kind identity an
    entity's id or `new` (for a generic name only where `options` hold it, and with scope `operate`), for kind
    predicate a registered key, for kind scope the scope as named or `unscoped`, for kind temporal `accept` or
    `undated`; for each of them also `reject`.
    """

    choice: Choice
    reason: Reason | None = None
    idempotency_key: IdempotencyKey | None = None


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
