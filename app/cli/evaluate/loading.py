"""Triples as a new team's active Relationships, in bulk; nothing is prepared for recall.

The team gets the predicates of the triples and no others, registered as usual. A relation that is no fit key
or name gets a number.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, LiteralString

from app.cli.bulk import AT_ONCE, BulkEdge, BulkEntity, insert_edges, insert_entities
from app.cli.evaluate.triples import Split, Triple
from app.kernel.database import Database, Scope, Writing
from app.kernel.errors import InvalidInput, WrongState
from app.kernel.ids import new_id
from app.ledger.identity import Edge
from app.ledger.predicates.changes import register_predicate
from app.ledger.predicates.draft import PredicateDraft
from app.ledger.vocabulary import Predicate
from app.tenancy.callers import Caller
from app.tenancy.configuration import store_team_settings
from app.tenancy.teams import create_profile, create_team, new_team_id

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
    edges = [
        BulkEdge(
            new_id("rel"),
            Edge(nodes[head], loaded.predicates[key].key, nodes[tail]),
            loaded.predicates[key],
            f"{head} {key} {tail}",
        )
        for head, key, tail in triples
    ]
    for begin in range(0, len(edges), AT_ONCE):
        part = edges[begin : begin + AT_ONCE]
        await database.unit_of_work(scope, lambda w, part=part: insert_edges(w, loaded.caller, part))  # type: ignore[misc]  # mypy can't infer a lambda with a default.
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
        # One of so many is free: no more can be taken than there are relations.
        numbered = (f"relation number {number + more}" for more in range(len(relations) + 1))
        for name in (words, *numbered):
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
    entities = [
        BulkEntity(ids[name], split.kinds.get(name, "other"), name) for name in names if name not in values
    ]

    async def insert(w: Writing) -> None:
        await insert_entities(w, loaded.caller, entities)
        for part in _parts(sorted(values)):
            params = {"team_id": loaded.caller.team_id, "ids": [ids[name] for name in part], "names": part}
            await w.execute(_VALUES, params)

    await database.unit_of_work(Scope("app", loaded.caller.team_id), insert)
    return ids


def _parts(names: Sequence[str]) -> Iterator[list[str]]:
    for begin in range(0, len(names), AT_ONCE):
        yield list(names[begin : begin + AT_ONCE])


_VALUES: LiteralString = """
    INSERT INTO typed_values (team_id, id, value_type, canonical, unit)
    SELECT %(team_id)s, row.id, 'string', row.name, ''
    FROM unnest(%(ids)s::text[], %(names)s::text[]) AS row (id, name)
"""
