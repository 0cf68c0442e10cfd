"""Merging entities and undoing it, and what is asked about them afterwards."""

from datetime import UTC, datetime

from app.kernel.database import Database, Row
from app.ledger.nodes.entities import find_entities
from app.remember.claim import Judgement
from app.remember.merging.merge import Merged, merge_entities
from app.remember.merging.unmerge import unmerge_entity
from app.tenancy.callers import Caller
from tests.factories import make_entity
from tests.integration.submissions import (
    remember,
    rows,
    scope,
    state,
)

INSUFFICIENT = Judgement("insufficient", 0.9, "It does not say so.", "not_stated")


async def merge(database: Database, caller: Caller, entity_id: str, into: str) -> Merged:
    return await database.unit_of_work(
        scope(caller),
        lambda w: merge_entities(w, caller, entity_id, into=into, reason="Same.", now=datetime.now(UTC)),
    )


async def unmerge(database: Database, caller: Caller, entity_id: str) -> Merged:
    return await database.unit_of_work(
        scope(caller),
        lambda w: unmerge_entity(w, caller, entity_id, reason="Not the same.", now=datetime.now(UTC)),
    )


async def entity(database: Database, caller: Caller, name: str) -> str:
    async with database.reading(scope(caller)) as reading:
        [found] = await find_entities(reading, caller.team_id, [name])
    return found.entity_id


async def positions(database: Database, caller: Caller, entity_id: str) -> list[Row]:
    """Return the entity's positions that are not over, by tier and status."""
    return await rows(
        database,
        caller,
        """SELECT id, tier, status, object_entity_id FROM relationships
           WHERE team_id = %(team_id)s AND %(id)s IN (subject_entity_id, object_entity_id)
             AND status NOT IN ('superseded', 'retracted', 'rejected') ORDER BY id""",
        id=entity_id,
    )


async def fast_and_api(database: Database, team: Caller) -> tuple[str, str, str]:
    """Leave `Fast API depends on Starlette` and an entity `FastAPI`; return both and the Relationship."""
    outcome = await remember(database, team, state("Fast API", "depends_on", "Starlette"))
    into = await make_entity(database, team, "FastAPI", kind="other")
    return await entity(database, team, "Fast API"), into, outcome.relationship_id or ""
