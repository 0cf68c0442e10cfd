"""Two profiles that contradict each other, and the events of their case."""

from app.kernel.database import Database
from app.ledger.conflicts.cases import Conflict
from app.remember.placements import RelationshipOutcome
from app.tenancy.callers import Caller
from tests.integration.changes import cases, license_fastapi
from tests.integration.submissions import rows


async def disagree(
    database: Database, team: Caller, other: Caller
) -> tuple[RelationshipOutcome, RelationshipOutcome, Conflict]:
    """Leave `team` saying BSD and `other` MIT; return both and the case."""
    mine = await license_fastapi(database, team, "BSD")
    theirs = await license_fastapi(database, other, "MIT")
    [case] = await cases(database, team)
    return mine, theirs, case


async def events(database: Database, caller: Caller, case: Conflict) -> list[str]:
    found = await rows(
        database,
        caller,
        "SELECT event FROM conflict_events WHERE team_id = %(team_id)s AND case_id = %(id)s ORDER BY id",
        id=case.case_id,
    )
    return [row["event"] for row in found]
