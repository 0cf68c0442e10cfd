"""Proposals as people see them, each beside the edges that it cites, for somebody to read.

Whether the cited edges exist is looked up in the triples themselves.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import LiteralString

from app.cli.evaluate.running import Dreamt
from app.cli.evaluate.triples import Split, Triple
from app.kernel.database import Database, Row, Scope
from app.tenancy.callers import Caller


@dataclass(frozen=True, slots=True)
class Path:
    """One carrying rule with the edges that it is shown by; `are_known` says whether all are in train.txt."""

    rule: str
    support: int
    body: int
    share: float
    edges: tuple[Triple, ...]
    are_known: bool


@dataclass(frozen=True, slots=True)
class Explained:
    """One Hypothesis; `is_held_out` says whether it is right, as far as the folder tells."""

    statement: str
    rationale: str
    likelihood: float
    confidence: float
    paths: tuple[Path, ...]
    is_held_out: bool


async def explain_some(
    database: Database,
    caller: Caller,
    dreamt: Dreamt,
    split: Split,
    relations: Mapping[str, str],
    *,
    count: int,
    seed: int,
) -> list[Explained]:
    """Return so many Hypotheses of the cycle, drawn by the seed; `relations` are by predicate key."""
    left = sorted(dreamt.hypotheses)
    drawn = random.Random(seed).sample(left, min(count, len(left)))
    keys = {
        key for name in drawn for path in dreamt.hypotheses[name]["paths"] for key in path["premise_keys"]
    }
    async with database.reading(Scope("app", caller.team_id)) as reading:
        rows = await reading.fetch_all(_EDGES, {"team_id": caller.team_id, "keys": sorted(keys)})
    edges: dict[str, Triple] = {
        row["semantic_group_key"]: (row["subject"], relations[row["predicate_key"]], row["object"])
        for row in rows
    }
    known, held_out = set(split.train), {*split.valid, *split.test}
    return [
        _explain(dreamt.hypotheses[name], edges, known, (name[0], relations[name[1]], name[2]) in held_out)
        for name in drawn
    ]


def _explain(row: Row, edges: Mapping[str, Triple], known: set[Triple], is_held_out: bool) -> Explained:
    paths = []
    for path in row["paths"]:
        cited = tuple(edges[key] for key in path["premise_keys"])
        paths.append(
            Path(
                path["rule"],
                path["support"],
                path["body"],
                path["share"],
                cited,
                are_known=all(edge in known for edge in cited),
            )
        )
    return Explained(
        row["statement"],
        row["rationale"],
        row["likelihood"],
        row["confidence"],
        tuple(paths),
        is_held_out,
    )


_EDGES: LiteralString = """
    SELECT r.semantic_group_key, subject.name AS subject, r.predicate_key,
           coalesce(entity.name, value.canonical) AS object
    FROM relationships AS r
    JOIN entities AS subject ON subject.team_id = r.team_id AND subject.id = r.subject_entity_id
    LEFT JOIN entities AS entity ON entity.team_id = r.team_id AND entity.id = r.object_entity_id
    LEFT JOIN typed_values AS value ON value.team_id = r.team_id AND value.id = r.object_value_id
    WHERE r.team_id = %(team_id)s AND r.semantic_group_key = ANY (%(keys)s)
"""
