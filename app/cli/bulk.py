"""The bulk way in: entities and active Relationships as rows of a team, past `remember`.

For teams that were founded a moment ago, by the command line, to be measured and thrown away. Nobody claims
anything, so each verdict is that a Relationship stands in its line, and no transition asks for dependents: there
are no Hypotheses yet. Everything is as a placement leaves it: evidence, citation, verdict, granted support,
Relationship, transition, and for those that recall shall find a search document.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, LiteralString

from app.kernel.database import Params, Writing
from app.kernel.ids import new_id
from app.ledger.identity import Edge, digest, semantic_group_key, target_identity
from app.ledger.nodes.names import fold_name
from app.ledger.vocabulary import Predicate
from app.tenancy.callers import Caller

# Rows of one statement.
AT_ONCE: Final = 5_000


@dataclass(frozen=True, slots=True)
class BulkEntity:
    """An entity to be; the id is new."""

    entity_id: str
    kind: str
    name: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BulkEdge:
    """A Relationship to be; the id is new. `line` is evidence and quote, `document` what text search reads."""

    relationship_id: str
    edge: Edge
    predicate: Predicate
    line: str
    document: str | None = None


async def insert_entities(w: Writing, caller: Caller, entities: Sequence[BulkEntity]) -> None:
    """Store the entities with all their names as the caller's."""
    base = {"team_id": caller.team_id, "profile_id": caller.profile_id}
    for begin in range(0, len(entities), AT_ONCE):
        part = entities[begin : begin + AT_ONCE]
        rows: Params = {
            "ids": [one.entity_id for one in part],
            "names": [one.name for one in part],
            "kinds": [one.kind for one in part],
        }
        await w.execute(_ENTITIES, {**base, **rows})
        named = [
            (one.entity_id, name, place > 0)
            for one in part
            for place, name in enumerate((one.name, *one.aliases))
        ]
        names: Params = {
            "ids": [entity_id for entity_id, _, _ in named],
            "names": [name for _, name, _ in named],
            "folded": [fold_name(name) for _, name, _ in named],
            "are_aliases": [is_alias for _, _, is_alias in named],
        }
        await w.execute(_NAMES, {**base, **names})


async def insert_edges(w: Writing, caller: Caller, edges: Sequence[BulkEdge]) -> None:
    """Store each as the caller's active validated claim with its evidence."""
    for begin in range(0, len(edges), AT_ONCE):
        rows = _make_rows(caller, edges[begin : begin + AT_ONCE])
        for statement in _EDGE_STATEMENTS:
            await w.execute(statement, rows)


def _make_rows(caller: Caller, edges: Sequence[BulkEdge]) -> Params:
    objects = [one.edge.object_id for one in edges]
    documented = [one for one in edges if one.document is not None]
    return {
        "team_id": caller.team_id,
        "profile_id": caller.profile_id,
        "evidence_ids": [new_id("evd") for _ in edges],
        "citation_ids": [new_id("cit") for _ in edges],
        "lines": [one.line for one in edges],
        "digests": [digest(one.line) for one in edges],
        "ids": [one.relationship_id for one in edges],
        "subjects": [one.edge.subject_id for one in edges],
        "keys": [one.predicate.key for one in edges],
        "versions": [one.predicate.version for one in edges],
        "entities": [one if one.startswith("ent_") else None for one in objects],
        "values": [one if one.startswith("val_") else None for one in objects],
        "groups": [
            semantic_group_key(caller.team_id, one.edge, one.predicate, polarity="+", scope=None)
            for one in edges
        ],
        "targets": [target_identity(one.edge, one.predicate) for one in edges],
        "documented_ids": [one.relationship_id for one in documented],
        "documents": [one.document for one in documented],
    }


_ENTITIES: LiteralString = """
    INSERT INTO entities (team_id, id, kind, name, created_by_profile_id)
    SELECT %(team_id)s, row.id, row.kind, row.name, %(profile_id)s
    FROM unnest(%(ids)s::text[], %(kinds)s::text[], %(names)s::text[]) AS row (id, kind, name)
"""
_NAMES: LiteralString = """
    INSERT INTO entity_names (team_id, entity_id, name, folded_name, is_alias)
    SELECT %(team_id)s, row.id, row.name, row.folded, row.is_alias
    FROM unnest(%(ids)s::text[], %(names)s::text[], %(folded)s::text[],
                %(are_aliases)s::boolean[]) AS row (id, name, folded, is_alias)
"""
_EVIDENCE: LiteralString = """
    INSERT INTO evidence
        (team_id, id, profile_id, content, content_digest, source_type, authority, source_group,
         supersedes_evidence_ids, labels, metadata, state)
    SELECT %(team_id)s, row.id, %(profile_id)s, row.line, row.digest, 'document', 'primary', %(profile_id)s,
           '{}', '{}', '{}', 'active'
    FROM unnest(%(evidence_ids)s::text[], %(lines)s::text[], %(digests)s::text[]) AS row (id, line, digest)
"""
_CITATIONS: LiteralString = """
    INSERT INTO citations (team_id, id, evidence_id, starts, ends, quote)
    SELECT %(team_id)s, row.id, row.evidence_id, '{0}', ARRAY[length(row.line)], row.line
    FROM unnest(%(citation_ids)s::text[], %(evidence_ids)s::text[], %(lines)s::text[])
         AS row (id, evidence_id, line)
"""
_RELATIONSHIPS: LiteralString = """
    INSERT INTO relationships
        (team_id, id, owner_profile_id, subject_entity_id, predicate_key, predicate_version, object_entity_id,
         object_value_id, polarity, modality, semantic_group_key, target_identity, tier, status, version,
         eligible_since)
    SELECT %(team_id)s, row.id, %(profile_id)s, row.subject_id, row.predicate_key, row.predicate_version,
           row.entity_id, row.value_id, '+', 'statement', row.group_key, row.target, 'validated_claim',
           'active', 1, clock_timestamp()
    FROM unnest(%(ids)s::text[], %(subjects)s::text[], %(keys)s::text[], %(versions)s::int[],
                %(entities)s::text[], %(values)s::text[], %(groups)s::text[], %(targets)s::text[])
         AS row (id, subject_id, predicate_key, predicate_version, entity_id, value_id, group_key, target)
"""
_DOCUMENTS: LiteralString = """
    INSERT INTO relationship_documents (team_id, relationship_id, body)
    SELECT %(team_id)s, row.id, row.body
    FROM unnest(%(documented_ids)s::text[], %(documents)s::text[]) AS row (id, body)
"""
_VERDICTS: LiteralString = """
    INSERT INTO verification_events
        (team_id, id, relationship_id, citation_id, verdict, confidence, schema_valid, verifier_kind,
         verifier_version, rationale)
    SELECT %(team_id)s, 'ver_' || substr(row.id, 5), row.id, row.citation_id, 'entailed', 1, true, 'lexical',
           'bulk', ''
    FROM unnest(%(ids)s::text[], %(citation_ids)s::text[]) AS row (id, citation_id)
"""
_SUPPORTS: LiteralString = """
    INSERT INTO supports (team_id, relationship_id, citation_id, is_granted)
    SELECT %(team_id)s, row.id, row.citation_id, true
    FROM unnest(%(ids)s::text[], %(citation_ids)s::text[]) AS row (id, citation_id)
"""
_SUPPORT_EVENTS: LiteralString = """
    INSERT INTO support_events (team_id, relationship_id, citation_id, event, reason)
    SELECT %(team_id)s, row.id, row.citation_id, 'granted', 'bulk'
    FROM unnest(%(ids)s::text[], %(citation_ids)s::text[]) AS row (id, citation_id)
"""
_TRANSITIONS: LiteralString = """
    INSERT INTO relationship_transitions
        (team_id, relationship_id, version, to_tier, to_status, reason, effect)
    SELECT %(team_id)s, row.id, 1, 'validated_claim', 'active', 'bulk', 'harmless'
    FROM unnest(%(ids)s::text[]) AS row (id)
"""
_EDGE_STATEMENTS: Final[tuple[LiteralString, ...]] = (
    _EVIDENCE,
    _CITATIONS,
    _RELATIONSHIPS,
    _DOCUMENTS,
    _VERDICTS,
    _SUPPORTS,
    _SUPPORT_EVENTS,
    _TRANSITIONS,
)
