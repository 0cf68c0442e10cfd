"""Where a Relationship comes from: everything that the ledger knows about one position, oldest first."""

from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString

from app.kernel.database import Reading, Row
from app.kernel.errors import NotFound
from app.kernel.ids import is_id
from app.ledger.cases import Conflict, conflicts_of_groups
from app.ledger.entities import Entity, find_entities_by_id
from app.ledger.evidence import read_spans
from app.ledger.relationships import RELATIONSHIP_COLUMNS, StoredRelationship, read_relationship
from app.ledger.vocabulary import Span, Status, Tier, TransitionEffect, TypedValue, Verdict
from app.tenancy.authority import Authority


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
    reason: str
    effect: TransitionEffect
    actor_profile_id: str | None
    note: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Trace:
    """One Relationship's whole story; lists are oldest first, the equivalent ids in their own order."""

    relationship: RelationshipDetail
    supports: tuple[TracedSupport, ...]
    verification_events: tuple[TracedVerdict, ...]
    transitions: tuple[TracedTransition, ...]
    conflicts: tuple[Conflict, ...]
    equivalent_relationship_ids: tuple[str, ...]


async def get_relationship(reading: Reading, team_id: str, relationship_id: str) -> RelationshipDetail:
    """Return the Relationship with its endpoints in words.

    Raises:
        NotFound: missing, malformed or another team's.
    """
    row = (
        await reading.fetch_one(_GET, {"team_id": team_id, "id": relationship_id})
        if is_id(relationship_id, "rel")
        else None
    )
    if row is None:
        raise NotFound("No such Relationship.")
    position = read_relationship(row)
    ids = [one for one in (position.subject_entity_id, position.object_entity_id) if one is not None]
    entities = await find_entities_by_id(reading, team_id, ids)
    value = row["value_type"] and TypedValue(row["value_type"], row["canonical"], row["unit"])
    return RelationshipDetail(
        position=position,
        subject=entities.get(position.subject_entity_id),
        object_entity=entities.get(position.object_entity_id or ""),
        object_value=value,
        predicate_label=row["label"],
        verb_phrase=row["verb_phrase"],
        created_at=row["created_at"],
        changed_at=row["changed_at"],
    )


async def trace(reading: Reading, team_id: str, relationship_id: str, *, now: datetime) -> Trace:
    """Return what the ledger knows about the Relationship; `now` decides which cases are overdue.

    Raises:
        NotFound: missing, malformed or another team's.
    """
    detail = await get_relationship(reading, team_id, relationship_id)
    group = detail.position.semantic_group_key
    params = {"team_id": team_id, "id": relationship_id, "group": group}
    equivalent = await reading.fetch_all(_EQUIVALENT, params)
    return Trace(
        relationship=detail,
        supports=tuple(_read_support(row) for row in await reading.fetch_all(_SUPPORTS, params)),
        verification_events=tuple(
            TracedVerdict(verification_event_id=row.pop("id"), **row)
            for row in await reading.fetch_all(_VERDICTS, params)
        ),
        transitions=tuple(TracedTransition(**row) for row in await reading.fetch_all(_TRANSITIONS, params)),
        conflicts=tuple(reversed(await conflicts_of_groups(reading, team_id, [group], now=now))),
        equivalent_relationship_ids=tuple(row["id"] for row in equivalent),
    )


def _read_support(row: Row) -> TracedSupport:
    return TracedSupport(
        citation_id=row["citation_id"],
        evidence_id=row["evidence_id"],
        spans=read_spans(row),
        quote=row["quote"],
        is_granted=row["is_granted"],
        is_effective=row["is_effective"],
        authority=row["authority"],
        source_group=row["source_group"],
    )


_GET: LiteralString = (
    "SELECT "
    + RELATIONSHIP_COLUMNS
    + """, created_at, changed_at, label, verb_phrase, value_type, canonical, unit
    FROM relationships AS r
    JOIN (SELECT team_id AS p_team_id, predicate_key AS p_key, version AS p_version, label, verb_phrase
          FROM predicates) AS p
      ON p_team_id = r.team_id AND p_key = r.predicate_key AND p_version = r.predicate_version
    LEFT JOIN (SELECT team_id AS v_team_id, id AS v_id, value_type, canonical, unit FROM typed_values) AS v
      ON v_team_id = r.team_id AND v_id = r.object_value_id
    WHERE r.team_id = %(team_id)s AND r.id = %(id)s
"""
)
_SUPPORTS: LiteralString = """
    SELECT s.citation_id, c.evidence_id, c.starts, c.ends, c.quote, s.is_granted, e.authority, e.source_group,
           EXISTS (SELECT FROM effective_supports AS effective
                   WHERE effective.team_id = s.team_id AND effective.relationship_id = s.relationship_id
                     AND effective.citation_id = s.citation_id) AS is_effective
    FROM supports AS s
    JOIN citations AS c ON c.team_id = s.team_id AND c.id = s.citation_id
    JOIN evidence AS e ON e.team_id = c.team_id AND e.id = c.evidence_id
    WHERE s.team_id = %(team_id)s AND s.relationship_id = %(id)s
    ORDER BY c.created_at, c.id
"""
_VERDICTS: LiteralString = """
    SELECT id, citation_id, verdict, confidence, schema_valid, verifier_kind, verifier_version, rationale,
           created_at
    FROM verification_events WHERE team_id = %(team_id)s AND relationship_id = %(id)s
    ORDER BY created_at, id
"""
_TRANSITIONS: LiteralString = """
    SELECT version, from_tier, to_tier, from_status, to_status, reason, effect, actor_profile_id, note, created_at
    FROM relationship_transitions WHERE team_id = %(team_id)s AND relationship_id = %(id)s ORDER BY version
"""
_EQUIVALENT: LiteralString = """
    SELECT id FROM relationships
    WHERE team_id = %(team_id)s AND semantic_group_key = %(group)s AND id <> %(id)s ORDER BY id
"""
