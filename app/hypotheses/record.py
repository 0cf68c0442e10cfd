"""The shapes in which Hypotheses are read. Pure."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from app.hypotheses.lifecycle import HypothesisStatus

Sort = Literal["newest", "likelihood", "review"]
# What `hypothesis_targets` can say against a target.
TargetFault = Literal["predicate_retired", "predicate_narrowed"]


@dataclass(frozen=True, slots=True)
class HypothesisFilter:
    """Which Hypotheses to list; what is empty or None does not restrict.

    `entity_id` matches both ends; `min_likelihood` is inclusive, `created_after` and `created_before` are not.
    Ids that name nothing of the team match nothing.
    """

    statuses: tuple[HypothesisStatus, ...] = ()
    predicate_key: str | None = None
    entity_id: str | None = None
    run_id: str | None = None
    generator_kind: Literal["rules", "provider"] | None = None
    min_likelihood: float | None = None
    created_after: datetime | None = None
    created_before: datetime | None = None


# Not frozen: that would take three times as long to make, and a page makes a hundred.
@dataclass(slots=True)
class HypothesisSummary:
    """One Hypothesis as a list shows it.

    Exactly one of the object ids is set; `object_name` is the entity's name, or the value's canonical form with
    its unit. The two lists of sources are disjoint and ordered by id.
    """

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
    likelihood: float
    confidence: float
    source_relationship_ids: tuple[str, ...]
    source_candidate_relationship_ids: tuple[str, ...]
    generator_kind: str
    generator_version: str
    cycle_run_id: str
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Premise:
    """One source Relationship in names, then and now.

    `version` is what the dream saw, `current_version` what stands today. `is_eligible` is today's answer;
    `obstacles` names the conditions of eligibility that fail, in the order of the view that decides it.
    """

    relationship_id: str
    semantic_group_key: str
    statement: str
    subject_name: str
    predicate_key: str
    object_name: str
    version: int
    current_version: int
    is_candidate: bool
    is_eligible: bool
    obstacles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExplainedPath:
    """A rule that carries the score, with the source Relationships of its strongest instance in path order.

    support = pairs with body and head, body = pairs with the body; `share` of the score is 0..1.
    """

    rule: str
    relationship_ids: tuple[str, ...]
    instances: int
    support: int
    body: int
    confidence: float
    share: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why the guess was made. Premises come in path order, each source once; the rest follows by id."""

    paths: tuple[ExplainedPath, ...]
    premises: tuple[Premise, ...]


@dataclass(frozen=True, slots=True)
class Obstacle:
    """One reason for which a Hypothesis is not current. `relationship_id` names the source it lies in, if any."""

    code: Literal["not_open", "source_not_eligible"] | TargetFault
    message: str
    relationship_id: str | None = None


@dataclass(frozen=True, slots=True)
class HypothesisEventRecord:
    """One step of the lifecycle. `versions_seen` maps source Relationship ids to versions."""

    event_id: int
    event: str
    from_status: HypothesisStatus | None
    to_status: HypothesisStatus
    reason: str | None
    actor_kind: Literal["client", "cycle", "ledger"]
    actor_profile_id: str | None
    cycle_run_id: str | None
    ingest_id: str | None
    versions_seen: dict[str, int]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class HypothesisDetail:
    """Everything about one Hypothesis but its submissions, which `review` adds.

    `is_current` holds while it is proposed or reinforced and every source is eligible; otherwise
    `not_current_because` says why. `events` are the newest 200, oldest first. Spec: Allowed Output.
    """

    summary: HypothesisSummary
    source_owner_profile_ids: tuple[str, ...]
    source_versions: dict[str, int]
    rationale: str
    predicate_label: str
    previous_hypothesis_id: str | None
    needs_reassessment: bool
    row_version: int
    reinforced_at: datetime
    explanation: Explanation
    is_current: bool
    not_current_because: tuple[Obstacle, ...]
    events: tuple[HypothesisEventRecord, ...]
