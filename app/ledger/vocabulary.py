"""The ledger's closed word lists and the shapes that every layer above shares.

Pure: no I/O. Each Literal is also a CHECK constraint in the schema; `tests/integration/test_vocabulary.py`
holds the two against each other.
"""

from dataclasses import dataclass
from typing import Final, Literal

EntityKind = Literal[
    "person", "organization", "project", "product", "place", "document", "event", "concept", "other"
]
ValueType = Literal["string", "number", "boolean", "date", "date_time"]
RelationshipKind = Literal["state", "event"]
Cardinality = Literal["one", "many"]
Polarity = Literal["+", "-"]
Modality = Literal["statement", "question", "proposal", "speculation", "quoted"]
Tier = Literal["candidate", "validated_claim", "fact"]
Status = Literal[
    "pending_evidence",
    "active",
    "needs_review",
    "quarantined",
    "disputed",
    "superseded",
    "retracted",
    "rejected",
]
Verdict = Literal["entailed", "insufficient", "contradicted"]
SourceType = Literal["conversation", "document", "observation", "manual"]
EvidenceState = Literal["active", "quarantined", "discarded", "retracted"]
QuarantineDecision = Literal["released", "discarded"]
PredicateState = Literal["active", "deprecated", "retired"]
# What a change of a Relationship means for the Hypotheses that rest on it or are about it.
TransitionEffect = Literal["harmless", "source_lost", "became_active", "reassess"]
ReviewKind = Literal["identity", "predicate", "scope", "temporal", "policy"]
CaseEvent = Literal["opened", "widened", "resolved", "dismissed", "withdrawn", "reopened"]
# What cannot hold beside another position of its kind.
HOLDING: Final[frozenset[Status]] = frozenset({"active", "disputed"})
# Of these no support counts any more.
WITHDRAWN: Final[frozenset[Status]] = frozenset({"retracted", "rejected"})
ENDED: Final[frozenset[Status]] = WITHDRAWN | {"superseded"}
# What a case takes out of eligibility and gives back; the others are out by themselves.
LIVING: Final[frozenset[Status]] = frozenset({"active", "pending_evidence"})


@dataclass(frozen=True, slots=True)
class Predicate:
    """A registered relation, one version of it.

    `verb_phrase` is third person singular ("depends on"). All three allowed lists empty means any entity
    on both sides; otherwise an empty list allows nothing on its side (API.md section 8).
    """

    key: str
    version: int
    label: str
    verb_phrase: str
    aliases: tuple[str, ...] = ()
    allowed_subject_kinds: tuple[EntityKind, ...] = ()
    allowed_object_kinds: tuple[EntityKind, ...] = ()
    allowed_value_types: tuple[ValueType, ...] = ()
    relationship_kind: RelationshipKind = "state"
    current_cardinality: Cardinality = "many"
    symmetric: bool = False
    inverse_key: str | None = None
    lifecycle_state: PredicateState = "active"

    @property
    def accepts_any_entity(self) -> bool:
        return not (self.allowed_subject_kinds or self.allowed_object_kinds or self.allowed_value_types)

    def accepts_subject(self, kind: EntityKind) -> bool:
        return self.accepts_any_entity or kind in self.allowed_subject_kinds

    def accepts_entity_object(self, kind: EntityKind) -> bool:
        return self.accepts_any_entity or kind in self.allowed_object_kinds

    def accepts_value_object(self, value_type: ValueType) -> bool:
        return value_type in self.allowed_value_types


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open range of Unicode code points, `0 <= start < end`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TypedValue:
    """A typed literal. `canonical` is its one spelling: see `ledger/values.py`; no unit is ''."""

    value_type: ValueType
    canonical: str
    unit: str = ""
