"""The bulk way in: triples as a team's active Relationships, past `remember`.

For a team that was founded a moment ago, by the command line, to be measured and thrown away. Nothing is
verified, for nobody claims anything: a triple's evidence is the line that it stands in. So no verdicts are
written, nothing is prepared for recall, and no transition asks for dependents: the team has no Hypotheses yet.
Everything else is as a placement leaves it: evidence, citation, granted support, Relationship, transition.

The team gets the predicates of the triples and no others, registered as usual. A relation that is no fit key
or name gets a number.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, LiteralString

from app.cli.evaluate.triples import Split, Triple
from app.kernel.database import Database, Params, Scope, Writing
from app.kernel.errors import InvalidInput, WrongState
from app.kernel.ids import new_id
from app.ledger.identity import Edge, semantic_group_key, target_identity
from app.ledger.names import fold_name
from app.ledger.predicate_draft import PredicateDraft
from app.ledger.predicates import register_predicate
from app.ledger.vocabulary import Predicate
from app.tenancy.callers import Caller
from app.tenancy.configuration import store_team_settings
from app.tenancy.teams import create_profile, create_team, new_team_id

AT_ONCE: Final = 5_000
_NOT_IN_A_KEY: Final = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Loaded:
    """A team with its triples; `predicates` are by relation."""

    caller: Caller
    predicates: dict[str, Predicate]


async def load_team(database: Database, split: Split, *, max_outputs: int, reverse: bool = False) -> Loaded:
    """Return a new team that knows the split's train triples and may dream so many outputs a cycle.

    `reverse` enters them from the last to the first.
    """
    team_id = new_team_id()
    scope = Scope("app", team_id)
    triples = sorted(set(split.train), reverse=reverse)
    relations = sorted({key for _, key, _ in (*split.train, *split.valid, *split.test)})

    async def found(w: Writing) -> Loaded:
        await create_team(w, team_id, f"Evaluation {team_id}")
        await store_team_settings(
            w,
            team_id,
            {
                "generator": "rules",
                "max_outputs": max_outputs,
                "max_groups": max_outputs,
                "max_premises": max(1, len(triples)),
            },
        )
        profile = await create_profile(w, team_id, "Evaluation")
        caller = Caller(
            key_id="key_00000000000000000000000000",
            team_id=team_id,
            profile_id=profile.profile_id,
            scopes=frozenset({"read", "write", "operate"}),
            max_authority="primary",
        )
        return Loaded(caller, await _register(w, caller, split, relations))

    loaded = await database.unit_of_work(scope, found)
    nodes = await _load_nodes(database, loaded, split, triples)
    for begin in range(0, len(triples), AT_ONCE):
        rows = _make_rows(loaded, nodes, triples[begin : begin + AT_ONCE])
        await database.unit_of_work(scope, lambda w, rows=rows: _insert_edges(w, rows))  # type: ignore[misc]  # mypy can't infer a lambda with a default.
    return loaded


async def _register(
    w: Writing, caller: Caller, split: Split, relations: Sequence[str]
) -> dict[str, Predicate]:
    registered = {}
    for number, relation in enumerate(relations):
        signature = split.signatures.get(relation)
        allowed: dict[str, tuple[str, ...]] = {}
        if signature is not None:
            allowed["allowed_subject_kinds"] = (signature.subject_kind,)
            if signature.object_kind is None:
                allowed["allowed_value_types"] = ("string",)
            else:
                allowed["allowed_object_kinds"] = (signature.object_kind,)
        words = _NOT_IN_A_KEY.sub(" ", relation.lower()).strip()
        for name in (words, f"relation number {number}"):
            draft = PredicateDraft(
                name.replace(" ", "_")[:64],
                name,
                f"has the relation {name} to",
                **allowed,  # type: ignore[arg-type]  # The kinds are the signature's own.
            )
            try:
                registered[relation] = await register_predicate(w, caller, draft)
                break
            except (InvalidInput, WrongState):
                continue
    return registered


async def _load_nodes(
    database: Database, loaded: Loaded, split: Split, triples: Sequence[Triple]
) -> dict[str, str]:
    """Store every node of the triples, and return their ids by name."""
    values = {
        object_
        for _, key, object_ in triples
        if key in split.signatures and split.signatures[key].object_kind is None
    }
    names = list(dict.fromkeys(node for head, _, tail in triples for node in (head, tail)))
    ids = {name: new_id("val" if name in values else "ent") for name in names}
    entities = [name for name in names if name not in values]
    base = {"team_id": loaded.caller.team_id, "profile_id": loaded.caller.profile_id}

    async def insert(w: Writing) -> None:
        for part in _parts(entities):
            rows: Params = {
                "ids": [ids[name] for name in part],
                "names": part,
                "folded": [fold_name(name) for name in part],
                "kinds": [split.kinds.get(name, "other") for name in part],
            }
            await w.execute(_ENTITIES, {**base, **rows})
            await w.execute(_NAMES, {**base, **rows})
        listed = sorted(values)
        for part in _parts(listed):
            await w.execute(_VALUES, {**base, "ids": [ids[name] for name in part], "names": part})

    await database.unit_of_work(Scope("app", loaded.caller.team_id), insert)
    return ids


def _parts(names: Sequence[str]) -> Iterator[list[str]]:
    for begin in range(0, len(names), AT_ONCE):
        yield list(names[begin : begin + AT_ONCE])


def _make_rows(loaded: Loaded, nodes: dict[str, str], triples: Sequence[Triple]) -> Params:
    team_id = loaded.caller.team_id
    predicates = [loaded.predicates[key] for _, key, _ in triples]
    edges = [
        Edge(nodes[head], predicate.key, nodes[tail])
        for (head, _, tail), predicate in zip(triples, predicates, strict=True)
    ]
    lines = [" ".join(triple) for triple in triples]
    return {
        "team_id": team_id,
        "profile_id": loaded.caller.profile_id,
        "evidence_ids": [new_id("evd") for _ in triples],
        "citation_ids": [new_id("cit") for _ in triples],
        "lines": lines,
        "ids": [new_id("rel") for _ in triples],
        "subjects": [edge.subject_id for edge in edges],
        "keys": [predicate.key for predicate in predicates],
        "versions": [predicate.version for predicate in predicates],
        "entities": [edge.object_id if edge.object_id.startswith("ent_") else None for edge in edges],
        "values": [edge.object_id if edge.object_id.startswith("val_") else None for edge in edges],
        "groups": [
            semantic_group_key(team_id, edge, predicate, polarity="+", scope=None)
            for edge, predicate in zip(edges, predicates, strict=True)
        ],
        "targets": [
            target_identity(edge, predicate) for edge, predicate in zip(edges, predicates, strict=True)
        ],
    }


async def _insert_edges(w: Writing, rows: Params) -> None:
    for statement in (_EVIDENCE, _CITATIONS, _RELATIONSHIPS, _SUPPORTS, _SUPPORT_EVENTS, _TRANSITIONS):
        await w.execute(statement, rows)


_ENTITIES: LiteralString = """
    INSERT INTO entities (team_id, id, kind, name, created_by_profile_id)
    SELECT %(team_id)s, row.id, row.kind, row.name, %(profile_id)s
    FROM unnest(%(ids)s::text[], %(kinds)s::text[], %(names)s::text[]) AS row (id, kind, name)
"""
_NAMES: LiteralString = """
    INSERT INTO entity_names (team_id, entity_id, name, folded_name, is_alias)
    SELECT %(team_id)s, row.id, row.name, row.folded, false
    FROM unnest(%(ids)s::text[], %(names)s::text[], %(folded)s::text[]) AS row (id, name, folded)
"""
_VALUES: LiteralString = """
    INSERT INTO typed_values (team_id, id, value_type, canonical, unit)
    SELECT %(team_id)s, row.id, 'string', row.name, ''
    FROM unnest(%(ids)s::text[], %(names)s::text[]) AS row (id, name)
"""
_EVIDENCE: LiteralString = """
    INSERT INTO evidence
        (team_id, id, profile_id, content, content_digest, source_type, authority, source_group,
         supersedes_evidence_ids, labels, metadata, state)
    SELECT %(team_id)s, row.id, %(profile_id)s, row.line, encode(sha256(convert_to(row.line, 'UTF8')), 'hex'),
           'document', 'primary', %(profile_id)s, '{}', '{}', '{}', 'active'
    FROM unnest(%(evidence_ids)s::text[], %(lines)s::text[]) AS row (id, line)
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
