"""The shapes of a Relationship's story. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, TypeVar

from app.ledger.conflicts.cases import Conflict
from app.ledger.nodes.entities import Entity
from app.ledger.relationships.rows import StoredRelationship
from app.ledger.vocabulary import Span, Status, Tier, TransitionEffect, TypedValue, Verdict
from app.tenancy.authority import Authority

T = TypeVar("T")
MAX_TRACED: Final = 100


@dataclass(frozen=True, slots=True)
class RelationshipDetail:
    """A Relationship with its endpoints in words; exactly one of `object_entity` and `object_value` is set."""

    position: StoredRelationship
    subject: Entity | None
    object_entity: Entity | None
    object_value: TypedValue | None
    predicate_label: str
    verb_phrase: str
    created_at: datetime
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class TracedSupport:
    """A citation that supports, or once supported, the Relationship."""

    citation_id: str
    evidence_id: str
    spans: tuple[Span, ...]
    quote: str
    is_granted: bool
    is_effective: bool
    authority: Authority
    source_group: str


@dataclass(frozen=True, slots=True)
class TracedVerdict:
    """A VerificationEvent."""

    verification_event_id: str
    citation_id: str
    verdict: Verdict
    confidence: float
    schema_valid: bool
    verifier_kind: str
    verifier_version: str
    rationale: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class TracedTransition:
    """One change: what it was before, what it is since, and why."""

    version: int
    from_tier: Tier | None
    to_tier: Tier
    from_status: Status | None
    to_status: Status
    from_valid_to: datetime | None
    to_valid_to: datetime | None
    reason: str
    effect: TransitionEffect
    actor_profile_id: str | None
    note: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class TraceView:
    """What of a story is wanted: as of a moment, and which part of each of its lists.

    Attributes:
        valid_at: for which moment `holds` is asked.
        known_at: None is now.
        after: by the list's name the key of the last row seen; a list that is not named starts from the beginning,
            one named with None has ended.
        limit: of each list, at most `MAX_TRACED`.
    """

    valid_at: datetime
    known_at: datetime | None = None
    after: Mapping[str, str | int | None] = field(default_factory=dict)
    limit: int = MAX_TRACED

    def start(self, name: str) -> str | int | None:
        """Return the key after which the list goes on; None when it has ended."""
        return self.after.get(name, 0 if name == "transitions" else "")


@dataclass(frozen=True, slots=True)
class Trace:
    """One Relationship's whole story, or a part of it; lists are oldest first.

    `holds` says whether it is true at the view's `valid_at`, as known at its `known_at`. `reached` names for each
    list the key of its last row here, None for one that has ended.
    """

    relationship: RelationshipDetail
    holds: bool
    supports: tuple[TracedSupport, ...]
    verification_events: tuple[TracedVerdict, ...]
    transitions: tuple[TracedTransition, ...]
    conflicts: tuple[Conflict, ...]
    equivalent_relationship_ids: tuple[str, ...]
    reached: Mapping[str, str | int | None]


def cut(
    rows: Sequence[T], limit: int, key: Callable[[T], str | int]
) -> tuple[tuple[T, ...], str | int | None]:
    """Return the first `limit` rows of one more that were read, and the key to go on after; None at the end."""
    shown = tuple(rows[:limit])
    return shown, key(shown[-1]) if len(rows) > limit else None
