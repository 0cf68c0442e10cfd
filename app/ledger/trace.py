"""Where a Relationship comes from: everything that the ledger knows, or knew, about one position, oldest first."""

from dataclasses import replace
from datetime import datetime
from typing import LiteralString

from app.kernel.database import Reading, Row
from app.kernel.errors import NotFound
from app.kernel.ids import is_id
from app.ledger.conflicts.cases import conflicts_of_group
from app.ledger.evidence.rows import read_spans
from app.ledger.nodes.entities import find_entities_by_id
from app.ledger.relationships.rows import RELATIONSHIP_COLUMNS, read_relationship
from app.ledger.traced import (
    RelationshipDetail,
    Trace,
    TracedSupport,
    TracedTransition,
    TracedVerdict,
    TraceView,
    cut,
)
from app.ledger.vocabulary import TypedValue


async def get_relationship(
    reading: Reading, team_id: str, relationship_id: str, *, known_at: datetime | None = None
) -> RelationshipDetail:
    """Return the Relationship with its endpoints in words, as it stands or as it stood when `known_at` was now.

    Its modality and comment are today's: only what a transition tells of has a past.

    Raises:
        NotFound: missing, malformed, another team's, or not known yet.
    """
    row = (
        await reading.fetch_one(_GET, {"team_id": team_id, "id": relationship_id})
        if is_id(relationship_id, "rel")
        else None
    )
    if row is None:
        raise NotFound("No such Relationship.")
    position, changed_at = read_relationship(row), row["changed_at"]
    if known_at is not None:
        params = {"team_id": team_id, "id": relationship_id, "known": known_at}
        then = await reading.fetch_one(_THEN, params)
        if then is None:
            raise NotFound("No such Relationship was known then.")
        changed_at = then.pop("created_at")
        position = replace(position, **then)
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
        changed_at=changed_at,
    )


async def trace(
    reading: Reading, team_id: str, relationship_id: str, view: TraceView, *, now: datetime
) -> Trace:
    """Return the part of the Relationship's story that is wanted; `now` decides which cases are overdue.

    Raises:
        NotFound: missing, malformed, another team's, or not known yet.
    """
    detail = await get_relationship(reading, team_id, relationship_id, known_at=view.known_at)
    group = detail.position.semantic_group_key
    params = {
        "team_id": team_id,
        "id": relationship_id,
        "group": group,
        "at": view.valid_at,
        "known": view.known_at,
        "limit": view.limit + 1,
    }

    async def read(name: str, query: LiteralString) -> list[Row]:
        start = view.start(name)
        return [] if start is None else await reading.fetch_all(query, params | {"after": start})

    limit = view.limit
    supported = await read("supports", _SUPPORTS if view.known_at is None else _SUPPORTS_THEN)
    supports, after_supports = cut(supported, limit, lambda row: row["citation_id"])
    verdicts, after_verdicts = cut(await read("verification_events", _VERDICTS), limit, lambda row: row["id"])
    transitions, after_transitions = cut(
        await read("transitions", _TRANSITIONS), limit, lambda row: row["version"]
    )
    equivalent, after_equivalent = cut(
        await read("equivalent_relationship_ids", _EQUIVALENT), limit, lambda row: row["id"]
    )
    start = view.start("conflicts")
    conflicts, after_conflicts = cut(
        await conflicts_of_group(
            reading, team_id, group, now=now, known_at=view.known_at, after=str(start), limit=limit + 1
        )
        if start is not None
        else [],
        limit,
        lambda case: case.case_id,
    )
    holding = await reading.fetch_one(_HOLDS, params)
    assert holding is not None
    return Trace(
        relationship=detail,
        holds=holding["holds"],
        supports=tuple(map(_read_support, supports)),
        verification_events=tuple(
            TracedVerdict(verification_event_id=row.pop("id"), **row) for row in verdicts
        ),
        transitions=tuple(TracedTransition(**row) for row in transitions),
        conflicts=conflicts,
        equivalent_relationship_ids=tuple(row["id"] for row in equivalent),
        reached={
            "supports": after_supports,
            "verification_events": after_verdicts,
            "transitions": after_transitions,
            "conflicts": after_conflicts,
            "equivalent_relationship_ids": after_equivalent,
        },
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
_THEN: LiteralString = """
    SELECT version, to_tier AS tier, to_status AS status, to_valid_to AS valid_to, created_at
    FROM relationship_transitions
    WHERE team_id = %(team_id)s AND relationship_id = %(id)s AND created_at <= %(known)s
    ORDER BY version DESC LIMIT 1
"""
_HOLDS: LiteralString = """
    SELECT EXISTS (
        SELECT FROM held_relationships(%(team_id)s, %(at)s, %(known)s::timestamptz) AS held
        WHERE held.relationship_id = %(id)s) AS holds
"""
# The ids are in the order of their making.
_SUPPORTS: LiteralString = """
    SELECT s.citation_id, c.evidence_id, c.starts, c.ends, c.quote, s.is_granted, e.authority, e.source_group,
           EXISTS (SELECT FROM effective_supports AS effective
                   WHERE effective.team_id = s.team_id AND effective.relationship_id = s.relationship_id
                     AND effective.citation_id = s.citation_id) AS is_effective
    FROM supports AS s
    JOIN citations AS c ON c.team_id = s.team_id AND c.id = s.citation_id
    JOIN evidence AS e ON e.team_id = c.team_id AND e.id = c.evidence_id
    WHERE s.team_id = %(team_id)s AND s.relationship_id = %(id)s AND s.citation_id > %(after)s
    ORDER BY s.citation_id LIMIT %(limit)s
"""
_SUPPORTS_THEN: LiteralString = """
    SELECT s.citation_id, c.evidence_id, c.starts, c.ends, c.quote, s.is_granted, e.authority, e.source_group,
           s.is_effective
    FROM supports_known(%(team_id)s, %(id)s, %(known)s::timestamptz) AS s
    JOIN citations AS c ON c.team_id = %(team_id)s AND c.id = s.citation_id
    JOIN evidence AS e ON e.team_id = c.team_id AND e.id = c.evidence_id
    WHERE s.citation_id > %(after)s
    ORDER BY s.citation_id LIMIT %(limit)s
"""
_VERDICTS: LiteralString = """
    SELECT id, citation_id, verdict, confidence, schema_valid, verifier_kind, verifier_version, rationale,
           created_at
    FROM verification_events
    WHERE team_id = %(team_id)s AND relationship_id = %(id)s AND id > %(after)s
      AND (%(known)s::timestamptz IS NULL OR created_at <= %(known)s)
    ORDER BY id LIMIT %(limit)s
"""
_TRANSITIONS: LiteralString = """
    SELECT version, from_tier, to_tier, from_status, to_status, from_valid_to, to_valid_to, reason, effect,
           actor_profile_id, note, created_at
    FROM relationship_transitions
    WHERE team_id = %(team_id)s AND relationship_id = %(id)s AND version > %(after)s
      AND (%(known)s::timestamptz IS NULL OR created_at <= %(known)s)
    ORDER BY version LIMIT %(limit)s
"""
_EQUIVALENT: LiteralString = """
    SELECT r.id FROM relationships AS r
    WHERE r.team_id = %(team_id)s AND r.semantic_group_key = %(group)s AND r.id <> %(id)s AND r.id > %(after)s
      AND (%(known)s::timestamptz IS NULL OR EXISTS (
          SELECT FROM relationship_transitions AS entered
          WHERE entered.team_id = r.team_id AND entered.relationship_id = r.id AND entered.version = 1
            AND entered.created_at <= %(known)s))
    ORDER BY r.id LIMIT %(limit)s
"""
