"""`remember`: evidence, a proposal, and where it landed."""

import json
from typing import Annotated, Final

from pydantic import AfterValidator, Field, StringConstraints, WithJsonSchema
from pydantic_core import PydanticCustomError

from app.api.wire.shapes import Answer, Closed, IdempotencyKey, Name, Text, Time, check_json
from app.ledger.predicates.seed import SEEDED_BY_KEY
from app.ledger.vocabulary import (
    EntityKind,
    EvidenceState,
    Modality,
    Polarity,
    SourceType,
    Status,
    Tier,
    ValueType,
    Verdict,
)
from app.remember.check import (
    MAX_ALIASES,
    MAX_COMMENT_LENGTH,
    MAX_CONTENT_LENGTH,
    MAX_ENTITIES,
    MAX_EVIDENCE,
    MAX_KEY_LENGTH,
    MAX_LABEL_LENGTH,
    MAX_LABELS,
    MAX_METADATA_BYTES,
    MAX_REF_LENGTH,
    MAX_RELATIONSHIPS,
    MAX_SCOPE_LENGTH,
    MAX_SPANS,
)
from app.remember.outcomes import Category, ProcessingState
from app.tenancy.authority import Authority

MAX_WAIT_SECONDS: Final = 30
Word = Annotated[Text, StringConstraints(min_length=1, max_length=MAX_REF_LENGTH)]
Label = Annotated[Text, StringConstraints(min_length=1, max_length=MAX_LABEL_LENGTH)]
Key = Annotated[Text, StringConstraints(min_length=1, max_length=MAX_KEY_LENGTH)]
# The guard masks it, as all of a submission.
Comment = Annotated[Text, StringConstraints(max_length=MAX_COMMENT_LENGTH)]


def _check_metadata(value: dict[str, object]) -> dict[str, object]:
    check_json(value)
    if len(json.dumps(value, ensure_ascii=False).encode()) > MAX_METADATA_BYTES:
        raise PydanticCustomError("metadata_too_large", "Metadata takes at most 8 KiB.")
    return value


def _check_literal(value: object) -> object:
    if not isinstance(value, str | int | float | bool):
        raise PydanticCustomError("literal_type", "A value is a string, a number or a boolean.")
    return check_json(value)


Metadata = Annotated[dict[str, object], AfterValidator(_check_metadata)]
Literal = Annotated[
    object, AfterValidator(_check_literal), WithJsonSchema({"type": ["string", "number", "boolean"]})
]


class EvidenceBody(Closed):
    """One verbatim text. `authority` is capped by the key's own."""

    # That it is not blank is checked with all the rest of a submission.
    content: Text = Field(max_length=MAX_CONTENT_LENGTH, json_schema_extra={"pattern": r"\S"})
    source_type: SourceType = "manual"
    authority: Authority = Field(
        default="unknown",
        description="One `authoritative` text makes a fact, where the key allows it; else it takes two voices.",
    )
    source_group: Key | None = Field(
        default=None,
        description="Texts of one group are one voice. Without it the `source_key` is the group, else the "
        "profile. Counts for documents, observations and what has a `source_key`; all else of a profile is one "
        "voice.",
    )
    source_key: Key | None = Field(
        default=None, description="What document the text is from: its address, or another name that stays."
    )
    source_revision: Key | None = Field(
        default=None,
        description="Which version of the document. A new one takes the old one's place at once, and what only "
        "the old one said counts no longer.",
    )
    previous_source_revision: Key | None = Field(
        default=None,
        description="The version that this one follows; refused (`stale_revision`) unless it is the current one.",
    )
    supersedes_evidence_ids: list[Word] = Field(
        default=[], max_length=MAX_EVIDENCE, description="Evidence of yours that counts no longer."
    )
    labels: list[Label] = Field(default=[], max_length=MAX_LABELS)
    metadata: Metadata = Field(default={})


class EntityBody(Closed):
    """A thing that the proposal names by `ref`; `known_entity_id` is a hint that is checked."""

    ref: Word
    name: Name
    entity_kind: EntityKind = "other"
    aliases: list[Name] = Field(
        default=[],
        max_length=MAX_ALIASES,
        description="Counts where it is another spelling of the name; for a new entity also where the evidence "
        'introduces it, as in "Kubernetes (K8s)" or "Kubernetes, also known as K8s"; a new entity keeps it.',
    )
    known_entity_id: Annotated[Text, StringConstraints(max_length=MAX_KEY_LENGTH)] | None = None


class ValueBody(Closed):
    """A typed literal; dates and date-times as ISO strings."""

    type: ValueType
    value: Literal
    unit: Annotated[Text, StringConstraints(min_length=1, max_length=64)] | None = None


class SpanBody(Closed):
    """Half-open range of Unicode code points in one evidence item."""

    evidence_index: int = Field(ge=0, lt=MAX_EVIDENCE)
    start: int = Field(ge=0, lt=MAX_CONTENT_LENGTH)
    end: int = Field(ge=1, le=MAX_CONTENT_LENGTH)


class CorrectionBody(Closed):
    """The Relationship that this one corrects, at the version that the client saw."""

    relationship_id: Word
    expected_version: int = Field(ge=1, le=2**31 - 1)


class RelationshipBody(Closed):
    """One proposed Relationship; exactly one of `object_ref` and `object_value`.

    Its spans in one evidence item, at most 4, are one citation.
    """

    proposal_id: Word
    subject_ref: Word
    predicate: Name = Field(
        description="Key, label, verb phrase or alias of one of the team's predicates, whatever its case. "
        "Any other word waits for a review, with the nearest keys as `predicate_options`. Beside what a team has "
        "registered (`GET /v1/predicates`; the resource `densemem://predicates` of MCP) it has these: "
        f"{', '.join(SEEDED_BY_KEY)}.",
    )
    object_ref: Word | None = None
    object_value: ValueBody | None = None
    polarity: Polarity = Field(default="+", description="`-`: the text says that it is not so.")
    modality: Modality = Field(
        default="statement", description="What is no statement is kept as a candidate and not judged."
    )
    scope: Annotated[Text, StringConstraints(max_length=MAX_SCOPE_LENGTH)] | None = Field(
        default=None,
        description="The circumstance in which alone it holds. What is cited has to hold each of its words, or a "
        "review asks.",
    )
    valid_from: Time | None = Field(
        default=None,
        description="From when it holds. The text has to name the day, month or year, or a review asks.",
    )
    valid_to: Time | None = Field(
        default=None, description="From when it holds no longer; named by the text as well."
    )
    correction_target: CorrectionBody | None = None
    client_comment: Comment | None = None
    evidence: list[SpanBody] = Field(min_length=1, max_length=MAX_EVIDENCE * MAX_SPANS)


class ProposalBody(Closed):
    """What the client takes the evidence to say."""

    entities: list[EntityBody] = Field(default=[], max_length=MAX_ENTITIES)
    relationships: list[RelationshipBody] = Field(default=[], max_length=MAX_RELATIONSHIPS)


class RememberBody(Closed):
    """One submission. The same key and body again get the same answer."""

    evidence: list[EvidenceBody] = Field(min_length=1, max_length=MAX_EVIDENCE)
    proposal: ProposalBody
    idempotency_key: IdempotencyKey | None = None
    wait_seconds: int | None = Field(
        default=None,
        ge=0,
        le=MAX_WAIT_SECONDS,
        description="How long to wait for the placement, which is then the answer.",
    )


class RememberAnswer(Answer):
    """The submission is stored; its placement follows."""

    ingest_id: str
    processing_state: ProcessingState
    check_after_seconds: int
    correlation_id: str


class PlacedEvidence(Answer):
    """An evidence item of the submission."""

    evidence_index: int
    evidence_id: str
    state: EvidenceState


class RelationshipOutcome(Answer):
    """Where one proposal landed; `category` is null until it has been placed.

    `category`, `tier` and `status` are those of the Relationship, `verdict` and `reason` say what this evidence is
    worth: what is known already stays so beside evidence that does not carry it.
    """

    proposal_id: str
    relationship_id: str | None
    category: Category | None
    tier: Tier | None
    status: Status | None
    verdict: Verdict | None
    confidence: float | None = Field(description="0 to 1: how sure the verifier is of `verdict`.")
    reason: str | None
    message: str | None = Field(
        description="What the reason means and what to do; what a model said is the rationale in the trace."
    )
    review_id: str | None
    predicate_options: list[str]


class PlacementError(Answer):
    """Why an item could not be placed."""

    code: str
    message: str


class PlacementAnswer(Answer):
    """The whole submission's placement."""

    ingest_id: str
    processing_state: ProcessingState
    attempt: int
    evidence: list[PlacedEvidence]
    relationship_outcomes: list[RelationshipOutcome]
    errors: list[PlacementError]
