"""`trace_memory`: everything that the ledger knows about one Relationship, and who guesses from it."""

from typing import Annotated

from pydantic import Field, StringConstraints

from app.api.wire.cases import ConflictAnswer, write_conflict
from app.api.wire.dreams import Confidence, Likelihood
from app.api.wire.recall import NodeAnswer, PredicateName
from app.api.wire.shapes import Answer, Closed, Text, Time, UtcTime
from app.hypotheses.lifecycle import HypothesisStatus
from app.ledger.nodes.entities import Entity
from app.ledger.traced import MAX_TRACED, RelationshipDetail
from app.ledger.vocabulary import Modality, Polarity, Status, Tier, TransitionEffect, Verdict
from app.recall.trace import MemoryTrace, TraceQuery
from app.tenancy.authority import Authority


class TraceParameters(Closed):
    """As of when, and which page: `limit` rows of each list at most, `cursor` from the page before."""

    valid_at: Time | None = None
    known_at: Time | None = None
    limit: int = Field(default=MAX_TRACED, ge=1, le=MAX_TRACED)
    cursor: Annotated[Text, StringConstraints(min_length=1)] | None = None

    def as_query(self) -> TraceQuery:
        """Return what the domain is asked."""
        return TraceQuery(self.valid_at, self.known_at, self.limit, self.cursor)


class RelationshipAnswer(Answer):
    """One profile's position as it stands, or stood then; its window is half-open."""

    relationship_id: str
    owner_profile_id: str
    subject: NodeAnswer
    predicate: PredicateName
    predicate_version: int
    object: NodeAnswer
    polarity: Polarity
    modality: Modality
    scope: str | None
    valid_from: UtcTime | None
    valid_to: UtcTime | None
    tier: Tier
    status: Status
    version: int
    client_comment: str | None
    created_at: UtcTime
    changed_at: UtcTime


class SpanAnswer(Answer):
    """Half-open range of Unicode code points."""

    start: int
    end: int


class SupportAnswer(Answer):
    """A citation that supports, or once supported, the Relationship."""

    citation_id: str
    evidence_id: str
    spans: list[SpanAnswer]
    quote: str
    is_granted: bool
    is_effective: bool
    authority: Authority
    source_group: str


class VerdictAnswer(Answer):
    """A verdict on one citation."""

    verification_event_id: str
    citation_id: str
    verdict: Verdict
    confidence: float = Field(description="0 to 1: how sure the verifier is of `verdict`.")
    schema_valid: bool
    verifier_kind: str
    verifier_version: str
    rationale: str
    created_at: UtcTime


class TransitionAnswer(Answer):
    """One change, one version."""

    version: int
    from_tier: Tier | None
    to_tier: Tier
    from_status: Status | None
    to_status: Status
    from_valid_to: UtcTime | None
    to_valid_to: UtcTime | None
    reason: str
    effect: TransitionEffect
    actor_profile_id: str | None
    note: str | None
    created_at: UtcTime


class CitingAnswer(Answer):
    """A Hypothesis that rests, or once rested, on this Relationship, with the version that it saw."""

    hypothesis_id: str
    statement: str
    status: HypothesisStatus
    likelihood: Likelihood
    confidence: Confidence
    version: int
    is_candidate: bool
    is_current_source: bool


class TraceAnswer(Answer):
    """Lists are oldest first, Hypotheses newest first. `holds` is asked for `valid_at`, as known at `known_at`.

    With `next_cursor` each list goes on where it stopped; it is null when all have ended.
    """

    relationship: RelationshipAnswer
    holds: bool
    supports: list[SupportAnswer]
    verification_events: list[VerdictAnswer]
    transitions: list[TransitionAnswer]
    conflicts: list[ConflictAnswer]
    equivalent_relationship_ids: list[str]
    hypotheses: list[CitingAnswer]
    next_cursor: str | None


def write_trace(traced: MemoryTrace) -> TraceAnswer:
    """Return the page with the Hypotheses that cite the Relationship."""
    trace = traced.trace
    return TraceAnswer(
        relationship=_write_relationship(trace.relationship),
        holds=trace.holds,
        supports=[SupportAnswer.model_validate(support) for support in trace.supports],
        verification_events=[VerdictAnswer.model_validate(event) for event in trace.verification_events],
        transitions=[TransitionAnswer.model_validate(transition) for transition in trace.transitions],
        conflicts=[write_conflict(conflict) for conflict in trace.conflicts],
        equivalent_relationship_ids=list(trace.equivalent_relationship_ids),
        hypotheses=[CitingAnswer.model_validate(hypothesis) for hypothesis in traced.hypotheses],
        next_cursor=traced.next_cursor,
    )


def _write_relationship(detail: RelationshipDetail) -> RelationshipAnswer:
    position = detail.position
    return RelationshipAnswer(
        relationship_id=position.relationship_id,
        owner_profile_id=position.owner_profile_id,
        subject=_write_entity(position.subject_entity_id, detail.subject),
        predicate=PredicateName(key=position.predicate_key, label=detail.predicate_label),
        predicate_version=position.predicate_version,
        object=_write_object(detail),
        polarity=position.polarity,
        modality=position.modality,
        scope=position.scope,
        valid_from=position.valid_from,
        valid_to=position.valid_to,
        tier=position.tier,
        status=position.status,
        version=position.version,
        client_comment=position.client_comment,
        created_at=detail.created_at,
        changed_at=detail.changed_at,
    )


def _write_object(detail: RelationshipDetail) -> NodeAnswer:
    position, value = detail.position, detail.object_value
    if position.object_entity_id is not None:
        return _write_entity(position.object_entity_id, detail.object_entity)
    assert value is not None
    return NodeAnswer(
        name=f"{value.canonical} {value.unit}".rstrip(),
        entity_id=None,
        value_id=position.object_value_id,
        value_type=value.value_type,
        value=value.canonical,
        unit=value.unit,
    )


def _write_entity(entity_id: str, entity: Entity | None) -> NodeAnswer:
    # An entity that was merged away has left its id behind, and no name.
    name = "" if entity is None else entity.name
    return NodeAnswer(name=name, entity_id=entity_id, value_id=None, value_type=None, value=None, unit=None)
