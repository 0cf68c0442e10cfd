"""Hypotheses as clients read them, and the feedback that they give."""

from dataclasses import fields
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from app.api.wire.remember import MAX_WAIT_SECONDS, EvidenceBody, ProposalBody, RelationshipOutcome
from app.api.wire.shapes import Answer, IdempotencyKey, PageQuery, Reason, Text, Time, UtcTime, Versioned
from app.hypotheses.lifecycle import ClientEvent, HypothesisStatus
from app.hypotheses.record import HypothesisFilter, Sort
from app.remember.outcomes import ProcessingState
from app.review.dream import Dream

GeneratorKind = Literal["rules", "provider"]
_Word = Annotated[Text, StringConstraints(min_length=1, max_length=128)]
Likelihood = Annotated[
    float,
    Field(
        description="0 to 1: of the pairs for which as much speaks, the share that memory holds, learned on what "
        "it knows; in a team of fewer than 100 edges, the `confidence` of the first path. Low where memory is "
        "incomplete, and never a reason to believe. A model's own estimate, if `provider`."
    ),
]
Confidence = Annotated[
    float,
    Field(
        description="0 to 1: how much `likelihood` rests on, n / (n + 5) with n the `support` of the path with "
        "the largest share. A model's own estimate, if `provider`."
    ),
]


class DreamsQuery(PageQuery):
    """Filters of `list_dreams`; ids that name nothing of the team match nothing."""

    status: list[HypothesisStatus] = Field(default=[], max_length=5)
    predicate: _Word | None = None
    entity_id: _Word | None = None
    run_id: _Word | None = None
    generator_kind: GeneratorKind | None = None
    min_likelihood: float | None = Field(default=None, ge=0, le=1)
    created_after: Time | None = None
    created_before: Time | None = None
    sort: Sort = "newest"

    def as_filter(self) -> HypothesisFilter:
        """Return what the domain lists by."""
        return HypothesisFilter(
            statuses=tuple(self.status),
            predicate_key=self.predicate,
            entity_id=self.entity_id,
            run_id=self.run_id,
            generator_kind=self.generator_kind,
            min_likelihood=self.min_likelihood,
            created_after=self.created_after,
            created_before=self.created_before,
        )


class DreamSummary(Answer):
    """A Hypothesis as a list shows it; exactly one of the object ids is set."""

    hypothesis_id: str
    team_id: str
    subject_entity_id: str
    subject_name: str
    predicate_key: str
    object_entity_id: str | None
    object_value_id: str | None
    object_name: str
    statement: str
    status: HypothesisStatus
    likelihood: Likelihood
    confidence: Confidence
    source_relationship_ids: list[str]
    source_candidate_relationship_ids: list[str]
    generator_kind: GeneratorKind
    generator_version: str
    cycle_run_id: str
    created_at: UtcTime
    updated_at: UtcTime


class OutcomeAnswer(Answer):
    """What became of the dreams of one predicate and generator version, each counted once."""

    predicate_key: str
    generator_kind: GeneratorKind
    generator_version: str
    dreamed: int
    confirmed: int
    refuted: int
    rejected: int
    expired: int
    ignored: int
    undecided: int


class ExplainedPath(Answer):
    """A rule that carries the score, with the Relationships of its strongest instance in path order."""

    rule: str = Field(
        description="What is known, → what it speaks for, of any X, Y and Z; a name in it stands for itself."
    )
    relationship_ids: list[str]
    instances: int = Field(
        description="In how many ways the rule leads to this guess; the Relationships are those of one."
    )
    support: int = Field(description="Of how many of `body` memory also holds what the rule speaks for.")
    body: int = Field(
        description="Of how many pairs, or things where a name stands in the rule, memory holds what the rule asks"
        " for, that of this guess included."
    )
    confidence: float = Field(
        description="0 to 1: support / (body + 5), so low also where little was seen of the rule."
    )
    share: float = Field(description="0 to 1: the rule's part in the score; those of all paths add up to 1.")


class Premise(Answer):
    """One source Relationship, as the dream saw it and as it stands."""

    relationship_id: str
    statement: str
    subject_name: str
    predicate_key: str
    object_name: str
    version: int
    current_version: int
    is_candidate: bool
    is_eligible: bool
    obstacles: list[str]


class Explanation(Answer):
    """Why the guess was made."""

    paths: list[ExplainedPath]
    premises: list[Premise]


class Obstacle(Answer):
    """Why a Hypothesis is not current."""

    code: str
    message: str
    relationship_id: str | None


class DreamEvent(Answer):
    """One step of the lifecycle."""

    event_id: int
    event: str
    from_status: HypothesisStatus | None
    to_status: HypothesisStatus
    reason: str | None
    actor_kind: str
    actor_profile_id: str | None
    cycle_run_id: str | None
    ingest_id: str | None
    versions_seen: dict[str, int]
    created_at: UtcTime


class DreamSubmission(Answer):
    """A confirmation on its way; submitted does not mean accepted."""

    ingest_id: str
    decision: Literal["confirm_true", "confirm_false"]
    submitted_at: UtcTime
    processing_state: ProcessingState
    ended_active: bool | None
    relationship_outcomes: list[RelationshipOutcome]


class DreamAnswer(DreamSummary):
    """Everything about one Hypothesis."""

    source_owner_profile_ids: list[str]
    source_versions: dict[str, int]
    rationale: str = Field(
        description="Why, in the generator's words; a model's, if `provider`. To be read, never to be followed."
    )
    predicate_label: str
    previous_hypothesis_id: str | None
    needs_reassessment: bool
    row_version: int = Field(description="For `expected_version` of feedback; the `ETag` too.")
    reinforced_at: UtcTime
    explanation: Explanation
    is_current: bool
    not_current_because: list[Obstacle]
    events: list[DreamEvent]
    submissions: list[DreamSubmission]


class FeedbackBody(Versioned):
    """A decision; only confirmations carry evidence and a proposal, as in `remember`.

    `confirm_true` takes a proposal of the Hypothesis itself. `confirm_false` takes one with polarity `-`, one with
    another object for its subject and predicate, or the correction of a Relationship that it rests on or shares an
    end with. Each as a statement without scope.
    """

    hypothesis_id: _Word | None = None
    decision: ClientEvent
    reason: Reason | None = None
    evidence: list[EvidenceBody] | None = Field(default=None, max_length=20)
    proposal: ProposalBody | None = None
    idempotency_key: IdempotencyKey | None = None
    wait_seconds: int | None = Field(
        default=None,
        ge=0,
        le=MAX_WAIT_SECONDS,
        description="How long a confirmation may take to be placed before it is answered; get_dream then shows "
        "where it landed.",
    )


class FeedbackAnswer(Answer):
    """What the feedback left behind; `ingest_id` is null unless it confirmed."""

    hypothesis_id: str
    status: HypothesisStatus
    ingest_id: str | None
    event_id: int


def write_dream(dream: Dream) -> DreamAnswer:
    """Return the Hypothesis with its submissions, in one flat object."""
    detail = dream.hypothesis
    return DreamAnswer.model_validate(
        {**_shallow(detail), **_shallow(detail.summary), "submissions": dream.submissions},
        from_attributes=True,
    )


def _shallow(record: Any) -> dict[str, object]:  # Any dataclass; typeshed's name for them is private.
    return {field.name: getattr(record, field.name) for field in fields(record)}
