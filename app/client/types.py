"""What the client sends and gets, generated from the HTTP contract by `make openapi`."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

Authority = Literal[
    "unknown",
    "inferred",
    "secondary",
    "primary",
    "authoritative",
]
Category = Literal[
    "relationship_fact",
    "relationship_validated_claim",
    "relationship_pending_evidence",
    "relationship_needs_review",
    "predicate_needs_review",
    "identity_needs_review",
    "relationship_rejected",
    "evidence_quarantined",
    "processing_failed",
]
CitingStatus = Literal[
    "proposed",
    "reinforced",
    "stale",
    "submitted",
    "rejected",
]
Code = Literal[
    "schema_invalid",
    "unknown_reference",
    "source_outside_input",
    "object_form_invalid",
    "self_loop",
    "predicate_unknown",
    "endpoint_kind_invalid",
    "endpoint_missing",
    "source_not_connected",
    "statement_invalid",
    "exact_relationship_active",
    "opposite_relationship_active",
    "slot_taken",
    "target_suppressed",
    "source_version_changed",
    "output_budget",
    "duplicate_in_run",
    "duplicate_existing",
    "no_path",
    "not_eligible",
    "below_floor",
]
ConflictStatus = Literal[
    "open",
    "overdue",
    "resolved",
    "dismissed",
]
DreamSubmissionDecision = Literal[
    "confirm_true",
    "confirm_false",
]
Effect = Literal[
    "harmless",
    "source_lost",
    "became_active",
    "reassess",
]
EntityKind = Literal[
    "person",
    "organization",
    "project",
    "product",
    "place",
    "document",
    "event",
    "concept",
    "other",
]
FeedbackDecision = Literal[
    "reinforce",
    "stale",
    "reject",
    "ignore",
    "confirm_true",
    "confirm_false",
]
GeneratorKind = Literal[
    "rules",
    "provider",
]
Kind = Literal[
    "other_object",
    "opposite_polarity",
]
Modality = Literal[
    "statement",
    "question",
    "proposal",
    "speculation",
    "quoted",
]
OpenHypotheses = Literal[
    "proposed",
    "reinforced",
    "stale",
    "submitted",
]
Polarity = Literal[
    "+",
    "-",
]
ProcessingState = Literal[
    "queued",
    "processing",
    "awaiting_review",
    "completed",
    "failed",
]
ProviderMode = Literal[
    "direct",
    "batch",
]
Rating = Literal[
    "helpful",
    "partly",
    "unhelpful",
]
RecalledConflictStatus = Literal[
    "open",
    "overdue",
    "resolved",
]
RelationshipStatus = Literal[
    "pending_evidence",
    "active",
    "needs_review",
    "quarantined",
    "disputed",
    "superseded",
    "retracted",
    "rejected",
]
RunStatus = Literal[
    "queued",
    "running",
    "waiting",
    "succeeded",
    "partially_rejected",
    "failed",
    "cancelled",
    "skipped",
    "missed",
]
Source = Literal[
    "team",
    "instance",
    "built_in",
]
SourceType = Literal[
    "conversation",
    "document",
    "observation",
    "manual",
]
State = Literal[
    "active",
    "quarantined",
    "discarded",
    "retracted",
]
Tier = Literal[
    "candidate",
    "validated_claim",
    "fact",
]
Trigger = Literal[
    "scheduled",
    "manual",
    "catch_up",
]
ValueType = Literal[
    "string",
    "number",
    "boolean",
    "date",
    "date_time",
]
Verdict = Literal[
    "entailed",
    "insufficient",
    "contradicted",
]


class AbsenceAnswer(TypedDict):
    """What stands in the way of an idea today; nothing where the next cycle would propose it."""

    would_be_proposed: bool
    blocked_by: list[AbsenceObstacle]


class AbsenceBody(TypedDict):
    """A pair that no dream is about; exactly one of the object ids is set."""

    subject_entity_id: str
    predicate_key: str
    object_entity_id: NotRequired[str | None]
    object_value_id: NotRequired[str | None]


class AbsenceObstacle(TypedDict):
    """One thing in the way; the ids name the Relationships, Entities or Hypotheses that it is about."""

    code: Code
    message: str
    ids: list[str]


class BudgetAnswer(TypedDict):
    """A limit of the run and what of it was used."""

    name: str
    limit: float
    used: float


class BudgetsBody(TypedDict):
    """What this run may use at most; it can only lower the team's budgets. 0 means none."""

    max_premises: NotRequired[int | None]
    max_groups: NotRequired[int | None]
    max_outputs: NotRequired[int | None]
    max_input_tokens: NotRequired[int | None]
    max_output_tokens: NotRequired[int | None]
    max_cost_usd: NotRequired[float | None]
    max_turns: NotRequired[int | None]
    max_duration_seconds: NotRequired[int | None]


class CitingAnswer(TypedDict):
    """A Hypothesis that rests, or once rested, on this Relationship, with the version that it saw."""

    hypothesis_id: str
    statement: str
    status: CitingStatus
    likelihood: float
    confidence: float
    version: int
    is_candidate: bool
    is_current_source: bool


class ConflictAnswer(TypedDict):
    """Positions of different profiles that cannot both hold."""

    conflict_id: str
    kind: Kind
    status: ConflictStatus
    subject_entity_id: str
    predicate_key: str
    positions: list[PositionAnswer]
    preferred_position_id: str | None
    opened_at: str
    due_at: str
    closed_at: str | None
    closed_by_profile_id: str | None
    close_reason: str | None


class CorrectionBody(TypedDict):
    """The Relationship that this one corrects, at the version that the client saw."""

    relationship_id: str
    expected_version: int


class DegradationAnswer(TypedDict):
    """A part that is missing from this answer."""

    part: str
    code: str
    message: str


class DreamAnswer(TypedDict):
    """Everything about one Hypothesis."""

    hypothesis_id: str
    team_id: str
    subject_entity_id: str
    subject_name: str
    predicate_key: str
    object_entity_id: str | None
    object_value_id: str | None
    object_name: str
    statement: str
    status: CitingStatus
    likelihood: float
    confidence: float
    source_relationship_ids: list[str]
    source_candidate_relationship_ids: list[str]
    generator_kind: GeneratorKind
    generator_version: str
    cycle_run_id: str
    created_at: str
    updated_at: str
    source_owner_profile_ids: list[str]
    source_versions: dict[str, int]
    rationale: str
    predicate_label: str
    previous_hypothesis_id: str | None
    needs_reassessment: bool
    row_version: int
    reinforced_at: str
    explanation: Explanation
    is_current: bool
    not_current_because: list[Obstacle]
    events: list[DreamEvent]
    submissions: list[DreamSubmission]


class DreamEvent(TypedDict):
    """One step of the lifecycle."""

    event_id: int
    event: str
    from_status: CitingStatus | None
    to_status: CitingStatus
    reason: str | None
    actor_kind: str
    actor_profile_id: str | None
    cycle_run_id: str | None
    ingest_id: str | None
    versions_seen: dict[str, int]
    created_at: str


class DreamSubmission(TypedDict):
    """A confirmation on its way; submitted does not mean accepted."""

    ingest_id: str
    decision: DreamSubmissionDecision
    submitted_at: str
    processing_state: ProcessingState
    ended_active: bool | None
    relationship_outcomes: list[RelationshipOutcome]


class DreamSummary(TypedDict):
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
    status: CitingStatus
    likelihood: float
    confidence: float
    source_relationship_ids: list[str]
    source_candidate_relationship_ids: list[str]
    generator_kind: GeneratorKind
    generator_version: str
    cycle_run_id: str
    created_at: str
    updated_at: str


class DreamingStatusAnswer(TypedDict):
    """How dreaming stands; `seconds_since_last_finished` rises while no run does its work."""

    settings: SettingsAnswer
    next_due_at: str | None
    latest_run: RunAnswer | None
    seconds_since_last_finished: float | None
    open_hypotheses: dict[str, int]
    cost_today_usd: float
    verifying_today_usd: float
    outcomes: list[OutcomeAnswer]


class EntityBody(TypedDict):
    """A thing that the proposal names by `ref`; `known_entity_id` is a hint that is checked."""

    ref: str
    name: str
    entity_kind: NotRequired[EntityKind]
    aliases: NotRequired[list[str]]
    known_entity_id: NotRequired[str | None]


class EvidenceBody(TypedDict):
    """One verbatim text. `authority` is capped by the key's own."""

    content: str
    source_type: NotRequired[SourceType]
    authority: NotRequired[Authority]
    source_group: NotRequired[str | None]
    source_key: NotRequired[str | None]
    source_revision: NotRequired[str | None]
    previous_source_revision: NotRequired[str | None]
    supersedes_evidence_ids: NotRequired[list[str]]
    labels: NotRequired[list[str]]
    metadata: NotRequired[dict[str, object]]


class ExplainedPath(TypedDict):
    """A rule that carries the score, with the Relationships of its strongest instance in path order."""

    rule: str
    relationship_ids: list[str]
    instances: int
    support: int
    body: int
    confidence: float
    share: float


class Explanation(TypedDict):
    """Why the guess was made."""

    paths: list[ExplainedPath]
    premises: list[Premise]


class FeedbackAnswer(TypedDict):
    """What the feedback left behind; `ingest_id` is null unless it confirmed."""

    hypothesis_id: str
    status: CitingStatus
    ingest_id: str | None
    event_id: int


class FeedbackBody(TypedDict):
    """A decision; only confirmations carry evidence and a proposal, as in `remember`."""

    expected_version: NotRequired[int | None]
    hypothesis_id: NotRequired[str | None]
    decision: FeedbackDecision
    reason: NotRequired[str | None]
    evidence: NotRequired[list[EvidenceBody] | None]
    proposal: NotRequired[ProposalBody | None]
    idempotency_key: NotRequired[str | None]
    wait_seconds: NotRequired[int | None]


class FunnelAnswer(TypedDict):
    """What went in, what came out, and where the rest stayed; the sums are exact."""

    eligible: int
    premises: int
    groups: int
    generated: int
    rejected: int
    deduplicated: int
    reinforced: int
    persisted: int


class ListedDreamSummary(TypedDict):
    items: list[DreamSummary]
    next_cursor: str | None


class ListedOutcomeAnswer(TypedDict):
    items: list[OutcomeAnswer]
    next_cursor: str | None


class ListedRunAnswer(TypedDict):
    items: list[RunAnswer]
    next_cursor: str | None


class MissedAnswer(TypedDict):
    """The windows that a gap in the schedule left out."""

    first: str
    last: str
    count: int


class NodeAnswer(TypedDict):
    """An end of a result: an entity, or a value with its type, canonical form and unit ("" for none)."""

    name: str
    entity_id: str | None
    value_id: str | None
    value_type: ValueType | None
    value: str | None
    unit: str | None


class Obstacle(TypedDict):
    """Why a Hypothesis is not current."""

    code: str
    message: str
    relationship_id: str | None


class OutcomeAnswer(TypedDict):
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


class PlacedEvidence(TypedDict):
    """An evidence item of the submission."""

    evidence_index: int
    evidence_id: str
    state: State


class PlacementAnswer(TypedDict):
    """The whole submission's placement."""

    ingest_id: str
    processing_state: ProcessingState
    attempt: int
    evidence: list[PlacedEvidence]
    relationship_outcomes: list[RelationshipOutcome]
    errors: list[PlacementError]


class PlacementError(TypedDict):
    """Why an item could not be placed."""

    code: str
    message: str


class PositionAnswer(TypedDict):
    """One side of a case: an equivalence group, with its oldest 100 Relationships."""

    position_id: str
    relationship_ids: list[str]


class PredicateName(TypedDict):
    """A predicate by key and label."""

    key: str
    label: str


class Premise(TypedDict):
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


class ProposalBody(TypedDict):
    """What the client takes the evidence to say."""

    entities: NotRequired[list[EntityBody]]
    relationships: NotRequired[list[RelationshipBody]]


class QuoteAnswer(TypedDict):
    """What the evidence says, verbatim."""

    evidence_id: str
    quote: str


class RecallBody(TypedDict):
    """`hypothesis_limit` bounds the related Hypotheses; whether there are any is the server's policy."""

    query: str
    limit: NotRequired[int]
    hypothesis_limit: NotRequired[int]
    valid_at: NotRequired[str | None]
    known_at: NotRequired[str | None]
    expand_from_entity_ids: NotRequired[list[str]]


class RecallFeedbackAnswer(TypedDict):
    """The opinion is on record; it changes no knowledge and no Hypothesis."""

    feedback_id: str
    recall_id: str
    created_at: str


class RecallFeedbackBody(TypedDict):
    """What one thinks of an answer: the ids are Relationships and Hypotheses that it showed."""

    recall_id: str
    rating: Rating
    useful_ids: NotRequired[list[str]]
    wrong_ids: NotRequired[list[str]]
    comment: NotRequired[str | None]
    idempotency_key: NotRequired[str | None]


class RecallReply(TypedDict):
    """Results are best first; Hypotheses are never among them."""

    recall_id: str
    results: list[ResultAnswer]
    conflicts: list[RecalledConflictAnswer]
    related_hypotheses: list[RelatedAnswer]
    degradations: list[DegradationAnswer]


class RecalledConflictAnswer(TypedDict):
    """A case that a result or a disputed match is part of."""

    conflict_id: str
    kind: Kind
    status: RecalledConflictStatus
    preferred_position_id: str | None
    positions: list[RecalledPositionAnswer]


class RecalledPositionAnswer(TypedDict):
    """One side of a conflict, at most 100 Relationships; the statement is null where nobody holds it any more."""

    position_id: str
    relationship_ids: list[str]
    statement: str | None


class RejectionAnswer(TypedDict):
    """How often one reason applied, with a few examples."""

    reason: str
    count: int
    examples: list[str]


class RelatedAnswer(TypedDict):
    """A guess beside the results; nothing in it is knowledge."""

    hypothesis_id: str
    statement: str
    status: CitingStatus
    likelihood: float
    confidence: float
    matched_by: list[str]


class RelationshipAnswer(TypedDict):
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
    valid_from: str | None
    valid_to: str | None
    tier: Tier
    status: RelationshipStatus
    version: int
    client_comment: str | None
    created_at: str
    changed_at: str


class RelationshipBody(TypedDict):
    """One proposed Relationship; exactly one of `object_ref` and `object_value`."""

    proposal_id: str
    subject_ref: str
    predicate: str
    object_ref: NotRequired[str | None]
    object_value: NotRequired[ValueBody | None]
    polarity: NotRequired[Polarity]
    modality: NotRequired[Modality]
    scope: NotRequired[str | None]
    valid_from: NotRequired[str | None]
    valid_to: NotRequired[str | None]
    correction_target: NotRequired[CorrectionBody | None]
    client_comment: NotRequired[str | None]
    evidence: list[SpanBody]


class RelationshipOutcome(TypedDict):
    """Where one proposal landed; `category` is null until it has been placed."""

    proposal_id: str
    relationship_id: str | None
    category: Category | None
    tier: Tier | None
    status: RelationshipStatus | None
    verdict: Verdict | None
    confidence: float | None
    reason: str | None
    message: str | None
    review_id: str | None
    predicate_options: list[str]


class RememberAnswer(TypedDict):
    """The submission is stored; its placement follows."""

    ingest_id: str
    processing_state: ProcessingState
    check_after_seconds: int
    correlation_id: str


class RememberBody(TypedDict):
    """One submission. The same key and body again get the same answer."""

    evidence: list[EvidenceBody]
    proposal: ProposalBody
    idempotency_key: NotRequired[str | None]
    wait_seconds: NotRequired[int | None]


class ResultAnswer(TypedDict):
    """One equivalence group, spoken for by its strongest, oldest position, with at most 100 of the others."""

    relationship_id: str
    equivalent_relationship_ids: list[str]
    subject: NodeAnswer
    predicate: PredicateName
    object: NodeAnswer
    polarity: Polarity
    scope: str | None
    valid_from: str | None
    valid_to: str | None
    tier: Tier
    statement: str
    evidence: list[QuoteAnswer]
    score: float
    matched_by: list[str]


class RunAnswer(TypedDict):
    """One dream pass over the team and a window."""

    run_id: str
    team_id: str
    window_key: str
    trigger: Trigger
    dry_run: bool
    status: RunStatus
    reason: str | None
    summary: str | None
    note: str | None
    started_by_profile_id: str | None
    epoch: int
    attempt: int
    lease_expires_at: str | None
    worker: str | None
    scheduled_for: str
    missed: MissedAnswer | None
    created_at: str
    started_at: str | None
    heartbeat_at: str | None
    finished_at: str | None
    snapshot_digest: str | None
    generator_kind: str | None
    generator_version: str | None
    prompt_version: str | None
    model: str | None
    provider_mode: ProviderMode | None
    batch: RunBatchAnswer | None
    funnel: FunnelAnswer
    over_input_budget: int
    rejections: list[RejectionAnswer]
    budgets: list[BudgetAnswer]
    stopped_by: str | None
    output_split: list[SplitAnswer]
    usage: UsageAnswer
    error: RunErrorAnswer | None
    would_persist: list[dict[str, object]] | None


class RunBatchAnswer(TypedDict):
    """The batch that a run waits for, or has waited for. While `batch_id` is null nobody knows its name."""

    batch_id: str | None
    handed_in_at: str
    looked_for_until: str
    outcome: str | None


class RunErrorAnswer(TypedDict):
    """The last fault of a run."""

    code: str
    message: str


class SettingAnswer(TypedDict):
    """What holds, and the level that it comes from."""

    value: str | bool | int | float | None
    source: Source


class SettingsAnswer(TypedDict):
    """Every setting of dreaming as it holds for the team."""

    enabled: SettingAnswer
    local_time: SettingAnswer
    cron: SettingAnswer
    timezone: SettingAnswer
    generator: SettingAnswer
    provider_mode: SettingAnswer
    max_outputs: SettingAnswer
    max_premises: SettingAnswer
    max_groups: SettingAnswer
    max_input_tokens: SettingAnswer
    max_output_tokens: SettingAnswer
    max_cost_usd: SettingAnswer
    max_daily_cost_usd: SettingAnswer
    max_turns: SettingAnswer
    max_duration_seconds: SettingAnswer
    retention_days: SettingAnswer
    write_threshold: SettingAnswer


class SpanAnswer(TypedDict):
    """Half-open range of Unicode code points."""

    start: int
    end: int


class SpanBody(TypedDict):
    """Half-open range of Unicode code points in one evidence item."""

    evidence_index: int
    start: int
    end: int


class SplitAnswer(TypedDict):
    """How outcomes moved a predicate's places in the output budget: without them, and with them."""

    predicate_key: str
    weight: float
    untuned: int
    tuned: int


class StartBody(TypedDict):
    """A wish for a cycle. A dry run persists no Hypothesis and shows what it would have."""

    dry_run: NotRequired[bool]
    budgets: NotRequired[BudgetsBody]
    note: NotRequired[str | None]
    provider_mode: NotRequired[ProviderMode]
    idempotency_key: NotRequired[str | None]


class SupportAnswer(TypedDict):
    """A citation that supports, or once supported, the Relationship."""

    citation_id: str
    evidence_id: str
    spans: list[SpanAnswer]
    quote: str
    is_granted: bool
    is_effective: bool
    authority: Authority
    source_group: str


class TraceAnswer(TypedDict):
    """Lists are oldest first, Hypotheses newest first. `holds` is asked for `valid_at`, as known at `known_at`."""

    relationship: RelationshipAnswer
    holds: bool
    supports: list[SupportAnswer]
    verification_events: list[VerdictAnswer]
    transitions: list[TransitionAnswer]
    conflicts: list[ConflictAnswer]
    equivalent_relationship_ids: list[str]
    hypotheses: list[CitingAnswer]
    next_cursor: str | None


class TransitionAnswer(TypedDict):
    """One change, one version."""

    version: int
    from_tier: Tier | None
    to_tier: Tier
    from_status: RelationshipStatus | None
    to_status: RelationshipStatus
    from_valid_to: str | None
    to_valid_to: str | None
    reason: str
    effect: Effect
    actor_profile_id: str | None
    note: str | None
    created_at: str


class UsageAnswer(TypedDict):
    """What the provider charged for."""

    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    turns: int
    cost_usd: float


class ValueBody(TypedDict):
    """A typed literal; dates and date-times as ISO strings."""

    type: ValueType
    value: str | float | bool
    unit: NotRequired[str | None]


class VerdictAnswer(TypedDict):
    """A verdict on one citation."""

    verification_event_id: str
    citation_id: str
    verdict: Verdict
    confidence: float
    schema_valid: bool
    verifier_kind: str
    verifier_version: str
    rationale: str
    created_at: str
