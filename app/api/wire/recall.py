"""`recall_memory`: what is asked, and knowledge first, guesses beside it."""

from dataclasses import replace
from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints, TypeAdapter

from app.api.wire.dreams import Confidence, Likelihood
from app.api.wire.shapes import (
    MAX_LIMIT,
    Answer,
    Closed,
    FirstIds,
    IdempotencyKey,
    Reason,
    Text,
    Time,
    UtcTime,
)
from app.hypotheses.lifecycle import HypothesisStatus
from app.kernel.ids import ULID_PATTERN
from app.ledger.vocabulary import Polarity, Tier, ValueType
from app.recall.feedback import MAX_NAMED, RecallFeedback
from app.recall.model import (
    MAX_EXPANSIONS,
    MAX_QUERY_LENGTH,
    MAX_RELATED,
    MAX_RESULTS,
    RecallAnswer,
    RecalledConflict,
    RecallQuery,
    RecallResult,
)
from app.recall.models import Rating

_Id = Annotated[Text, StringConstraints(min_length=1, max_length=128)]


class RecallBody(Closed):
    """`hypothesis_limit` bounds the related Hypotheses; whether there are any is the server's policy."""

    query: Text = Field(min_length=1, max_length=MAX_QUERY_LENGTH)
    limit: int = Field(default=10, ge=1, le=MAX_RESULTS)
    hypothesis_limit: int = Field(default=5, ge=0, le=MAX_RELATED)
    valid_at: Time | None = Field(default=None, description="What was true then; now, if it is not given.")
    known_at: Time | None = Field(default=None, description="What was known then, as it stood.")
    expand_from_entity_ids: list[_Id] = Field(
        default=[],
        max_length=MAX_EXPANSIONS,
        description="Entities of which to show what is known as well, whatever the query names.",
    )

    def as_query(self) -> RecallQuery:
        """Return what the domain is asked."""
        return RecallQuery(
            query=self.query,
            limit=self.limit,
            hypothesis_limit=self.hypothesis_limit,
            valid_at=self.valid_at,
            known_at=self.known_at,
            expand_from_entity_ids=tuple(self.expand_from_entity_ids),
        )


class RecallFeedbackBody(Closed):
    """What one thinks of an answer: the ids are Relationships and Hypotheses that it showed."""

    recall_id: Annotated[_Id, Field(json_schema_extra={"pattern": f"^rec_{ULID_PATTERN}$"})]
    rating: Rating
    useful_ids: list[_Id] = Field(default=[], max_length=MAX_NAMED)
    wrong_ids: list[_Id] = Field(default=[], max_length=MAX_NAMED)
    comment: Reason | None = None
    idempotency_key: IdempotencyKey | None = None

    def as_feedback(self) -> RecallFeedback:
        """Return what the domain records."""
        return RecallFeedback(
            recall_id=self.recall_id,
            rating=self.rating,
            useful_ids=self.useful_ids,
            wrong_ids=self.wrong_ids,
            comment=self.comment,
        )


class RecallFeedbackAnswer(Answer):
    """The opinion is on record; it changes no knowledge and no Hypothesis."""

    feedback_id: str
    recall_id: str
    created_at: UtcTime


class NodeAnswer(Answer):
    """An end of a result: an entity, or a value with its type, canonical form and unit ("" for none)."""

    name: str
    entity_id: str | None
    value_id: str | None
    value_type: ValueType | None
    value: str | None
    unit: str | None


class PredicateName(Answer):
    """A predicate by key and label."""

    key: str
    label: str


class QuoteAnswer(Answer):
    """What the evidence says, verbatim."""

    evidence_id: str
    quote: str


class ResultAnswer(Answer):
    """One equivalence group, spoken for by its strongest, oldest position, with at most 100 of the others."""

    relationship_id: str
    equivalent_relationship_ids: FirstIds
    subject: NodeAnswer
    predicate: PredicateName
    object: NodeAnswer
    polarity: Polarity
    scope: str | None
    valid_from: UtcTime | None
    valid_to: UtcTime | None
    tier: Tier
    statement: str
    evidence: list[QuoteAnswer]
    score: float = Field(
        description="How near the top it stands, 1 where everything that was searched has it first. It orders one "
        "answer and says neither how sure a result is nor whether it is about what was asked: the statement does.",
    )
    matched_by: list[str]


class RecalledPositionAnswer(Answer):
    """One side of a conflict, at most 100 Relationships; the statement is null where nobody holds it any more."""

    position_id: str
    relationship_ids: FirstIds
    statement: str | None


class RecalledConflictAnswer(Answer):
    """A case that a result or a disputed match is part of."""

    conflict_id: str
    kind: Literal["other_object", "opposite_polarity"]
    status: Literal["open", "overdue", "resolved"]
    preferred_position_id: str | None
    positions: list[RecalledPositionAnswer]


class RelatedAnswer(Answer):
    """A guess beside the results; nothing in it is knowledge."""

    hypothesis_id: str
    statement: str
    status: HypothesisStatus
    likelihood: Likelihood
    confidence: Confidence
    matched_by: list[str]


class DegradationAnswer(Answer):
    """A part that is missing from this answer."""

    part: str
    code: str
    message: str


class RecallReply(Answer):
    """Results are best first; Hypotheses are never among them."""

    recall_id: str
    results: list[ResultAnswer]
    conflicts: list[RecalledConflictAnswer]
    related_hypotheses: list[RelatedAnswer]
    degradations: list[DegradationAnswer]


_REPLY: Final = TypeAdapter(RecallAnswer)


def write_recall(recalled: RecallAnswer) -> bytes:
    """Return the answer as the JSON of a `RecallReply`; by way of one it would take three times as long."""
    results = tuple(map(_cut_result, recalled.results))
    conflicts = tuple(map(_cut_conflict, recalled.conflicts))
    return _REPLY.dump_json(replace(recalled, results=results, conflicts=conflicts))


def _cut_result(result: RecallResult) -> RecallResult:
    others = result.equivalent_relationship_ids
    if len(others) <= MAX_LIMIT:
        return result
    return replace(result, equivalent_relationship_ids=others[:MAX_LIMIT])


def _cut_conflict(conflict: RecalledConflict) -> RecalledConflict:
    shown = (replace(one, relationship_ids=one.relationship_ids[:MAX_LIMIT]) for one in conflict.positions)
    return replace(conflict, positions=tuple(shown))
