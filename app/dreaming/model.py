"""The shapes that flow through one cycle, in the order in which they appear. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from app.ledger.vocabulary import EntityKind, Modality, Polarity, Predicate, ValueType

GeneratorKind = Literal["rules", "provider"]

RejectReason = Literal[
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
]
DuplicateReason = Literal["duplicate_in_run", "duplicate_existing"]


@dataclass(frozen=True, slots=True)
class Node:
    """An Entity (`kind` set) or a Value (`value_type` set) that premises refer to."""

    node_id: str
    name: str
    kind: EntityKind | None = None
    value_type: ValueType | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """One eligible Relationship behind a premise, as the snapshot saw it."""

    relationship_id: str
    version: int
    owner_profile_id: str
    is_candidate: bool


@dataclass(frozen=True, slots=True)
class Premise:
    """One equivalence group as a dream input, in the canonical direction (see ledger/identity.py).

    `sources` holds at least one Source, ordered by relationship id. `eligible_since` is the earliest moment
    since which one of them has been eligible without a break; `changed_at` the newest change of any of them.
    """

    group_key: str
    subject_id: str
    predicate_key: str
    object_id: str
    polarity: Polarity
    scope: str | None
    modality: Modality
    is_valid_now: bool
    sources: tuple[Source, ...]
    eligible_since: datetime
    changed_at: datetime

    @property
    def is_candidate(self) -> bool:
        return all(source.is_candidate for source in self.sources)

    @property
    def carries_paths(self) -> bool:
        """Negative, scoped, hedged and past premises never carry a path; they only block."""
        return (
            self.polarity == "+" and self.scope is None and self.modality == "statement" and self.is_valid_now
        )


@dataclass(frozen=True, slots=True)
class LiveHypothesis:
    """A Hypothesis that holds its target's one live row: proposed, reinforced, stale, or submitted and open."""

    hypothesis_id: str
    target_identity: str
    status: Literal["proposed", "reinforced", "stale", "submitted"]
    source_group_keys: frozenset[str]
    source_versions: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Standing:
    """What the database says today about possible targets, by `target_identity` unless noted.

    `active` and `opposite`: an active Relationship of that polarity exists. `taken_slots`: (subject_id,
    predicate_key) → object ids that an active Relationship of a cardinality-one predicate holds, in each
    direction in which it can be read (symmetric: both; inverse pair: both keys).
    `suppressed`: when the target was rejected (or its submission ended without an active Relationship).
    `predecessors`: the hypothesis id whose end suppresses the target.
    """

    active: frozenset[str] = frozenset()
    opposite: frozenset[str] = frozenset()
    taken_slots: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    suppressed: Mapping[str, datetime] = field(default_factory=dict)
    predecessors: Mapping[str, str] = field(default_factory=dict)
    live: Mapping[str, LiveHypothesis] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Inputs:
    """Everything that one snapshot read. Premises are ordered by `group_key`; nodes and predicates by key.

    `eligible_count` = the sources of all premises + `over_input_budget`, counted in Relationships.
    `split_weights` say by predicate how its earlier ideas turned out (split.py); they move places of the output
    budget and nothing else.
    """

    team_id: str
    premises: tuple[Premise, ...]
    nodes: Mapping[str, Node]
    predicates: Mapping[str, Predicate]
    standing: Standing
    eligible_count: int
    over_input_budget: int
    split_weights: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Target:
    """An absent edge between two nodes of the inputs, in the direction in which it would be stated."""

    subject_id: str
    predicate_key: str
    object_id: str


@dataclass(frozen=True, slots=True)
class CarryingPath:
    """One rule that carries a proposal, in words and numbers.

    `rule` reads "X depends_on Z, Z licensed_under Y → X licensed_under Y", or with a constant "X depends_on
    pydantic → X depends_on typing-extensions". `premise_keys` are the group keys of the instance with the
    strongest premises: one or two in path order, or, for a rule with a constant, exactly three: what the rule
    sees in the target's own node, the same of a witness, and the edge that the witness has. `instances` counts
    the paths (witnesses) of this rule that reach the target. support = pairs (nodes) with body and head, body =
    those with the body, confidence = support / (body + 5). `share` of the score is 0..1 and sums to 1 over an
    explanation.
    """

    rule: str
    premise_keys: tuple[str, ...]
    instances: int
    support: int
    body: int
    confidence: float
    share: float


@dataclass(frozen=True, slots=True)
class Group:
    """An open target and the connected premises around it; `premise_keys` are `group_key`s in path order.

    `paths`: the one to three rules that carry the target's score, the largest share first. `likelihood`: the
    chance, 0..1, that such a pair is a recorded edge (scoring.py).
    """

    target: Target
    premise_keys: tuple[str, ...]
    paths: tuple[CarryingPath, ...] = ()
    likelihood: float = 0.0


@dataclass(frozen=True, slots=True)
class Proposal:
    """One generated item, with whatever its generator claimed: nothing here has been validated.

    `likelihood` and `confidence` are 0..1. Exactly one object id should be set. `source_relationship_ids`
    lists every source id of every premise that the item rests on. `malformed` is the reason for which the
    answer of a provider could not even be read into this shape, `fault` says so in a few words. `also_by` is the
    version of another generator that proposes the same.
    """

    subject_entity_id: str
    predicate_key: str
    object_entity_id: str | None
    object_value_id: str | None
    statement: str
    rationale: str
    likelihood: float
    confidence: float
    source_relationship_ids: tuple[str, ...]
    paths: tuple[CarryingPath, ...] = ()
    malformed: Literal["schema_invalid", "unknown_reference", "statement_invalid"] | None = None
    fault: str = ""
    also_by: str | None = None
