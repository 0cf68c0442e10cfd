"""Ids in paths: one of another shape is answered like a missing one, and never reaches the database.

A missing thing is refused before a wrong request about it: only a refusal of the request has to look it up.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Final, LiteralString

from fastapi import Depends, Path, Request

from app.api.door import open_door
from app.kernel.database import Scope
from app.kernel.errors import NotFound
from app.kernel.ids import is_id
from app.tenancy.callers import Caller
from app.tenancy.teams import NO_SUCH_TEAM


@dataclass(frozen=True, slots=True)
class _Kind:
    """What a parameter of a path names; `find` returns a row where the caller's team has it."""

    prefix: str
    # The one with which the domain refuses a missing id, so that nobody can tell them apart.
    message: str
    find: LiteralString


_PREDICATE_KEY: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
_OF_TEAM: Final = "WHERE team_id = %(team_id)s AND id = %(id)s"
_KINDS: Final = {
    "ingest_id": _Kind("ing", "No such ingest.", f"SELECT 1 FROM ingests {_OF_TEAM}"),
    "relationship_id": _Kind("rel", "No such Relationship.", f"SELECT 1 FROM relationships {_OF_TEAM}"),
    "evidence_id": _Kind("evd", "No such evidence.", f"SELECT 1 FROM evidence {_OF_TEAM}"),
    "conflict_id": _Kind("con", "No such conflict.", f"SELECT 1 FROM conflict_cases {_OF_TEAM}"),
    "review_id": _Kind("rev", "No such review.", f"SELECT 1 FROM review_tasks {_OF_TEAM}"),
    "entity_id": _Kind("ent", "No such entity.", f"SELECT 1 FROM entities {_OF_TEAM}"),
    "hypothesis_id": _Kind("hyp", "There is no such Hypothesis.", f"SELECT 1 FROM hypotheses {_OF_TEAM}"),
    "run_id": _Kind("run", "There is no such cycle run.", f"SELECT 1 FROM cycle_runs {_OF_TEAM}"),
    "predicate_key": _Kind(
        "",
        "No such predicate.",
        "SELECT 1 FROM predicates WHERE team_id = %(team_id)s AND predicate_key = %(id)s",
    ),
    "team_id": _Kind("team", NO_SUCH_TEAM, "SELECT 1 FROM teams WHERE id = %(id)s"),
    "key_id": _Kind("key", "There is no such key.", "SELECT 1 FROM api_keys WHERE id = %(id)s"),
}


async def look_up(request: Request) -> None:
    """Raise NotFound if the path of a request whose key was good names something that isn't there."""
    identity = getattr(request.state, "identity", None)
    if identity is None:
        return
    scope = identity.scope if isinstance(identity, Caller) else Scope("app")
    for parameter, row_id in request.path_params.items():
        kind = _KINDS.get(parameter)
        if kind is None:
            continue
        async with open_door(request).database.reading(scope) as reading:
            if await reading.fetch_one(kind.find, {"team_id": scope.team_id, "id": row_id}) is None:
                raise NotFound(kind.message)


async def _check_predicate_key(predicate_key: Annotated[str, Path()]) -> str:
    if _PREDICATE_KEY.fullmatch(predicate_key) is None:
        raise NotFound(_KINDS["predicate_key"].message)
    return predicate_key


def _id(parameter: str) -> Callable[[str], Awaitable[str]]:
    kind = _KINDS[parameter]

    async def check(row_id: Annotated[str, Path(alias=parameter)]) -> str:
        if not is_id(row_id, kind.prefix):
            raise NotFound(kind.message)
        return row_id

    return check


IngestId = Annotated[str, Depends(_id("ingest_id"))]
RelationshipId = Annotated[str, Depends(_id("relationship_id"))]
EvidenceId = Annotated[str, Depends(_id("evidence_id"))]
ConflictId = Annotated[str, Depends(_id("conflict_id"))]
ReviewId = Annotated[str, Depends(_id("review_id"))]
EntityId = Annotated[str, Depends(_id("entity_id"))]
HypothesisId = Annotated[str, Depends(_id("hypothesis_id"))]
RunId = Annotated[str, Depends(_id("run_id"))]
TeamId = Annotated[str, Depends(_id("team_id"))]
KeyId = Annotated[str, Depends(_id("key_id"))]
PredicateKey = Annotated[str, Depends(_check_predicate_key)]
