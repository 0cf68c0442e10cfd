"""Licences of a package, one at a time: positions that replace or contradict each other."""

from datetime import UTC, datetime

from app.kernel.database import Database
from app.ledger.conflicts.cases import list_conflicts
from app.remember.placements import RelationshipOutcome
from app.remember.submission import CorrectionTarget
from app.tenancy.callers import Caller
from tests.integration.submissions import (
    remember,
    rows,
    scope,
    state,
)


async def license_fastapi(
    database: Database,
    caller: Caller,
    license_name: str,
    *,
    valid_from: datetime | None = None,
    valid_to: datetime | None = None,
    relation_scope: str | None = None,
    correct: tuple[str | None, int] | None = None,
    polarity: str = "+",
) -> RelationshipOutcome:
    """Remember `FastAPI licensed_under …`; a cardinality-one state predicate."""
    submission = state(
        "FastAPI",
        "licensed_under",
        license_name,
        valid_from=valid_from,
        valid_to=valid_to,
        relation_scope=relation_scope,
        correction_target=CorrectionTarget(correct[0] or "", correct[1]) if correct else None,
        polarity=polarity,
    )
    return await remember(database, caller, submission)


async def transitions(
    database: Database, caller: Caller, relationship_id: str | None
) -> list[tuple[str, str, str]]:
    found = await rows(
        database,
        caller,
        """SELECT reason, to_status, effect FROM relationship_transitions
           WHERE team_id = %(team_id)s AND relationship_id = %(id)s ORDER BY version""",
        id=relationship_id,
    )
    return [(row["reason"], row["to_status"], row["effect"]) for row in found]


async def open_cases(database: Database, caller: Caller) -> list[tuple[str, str, int]]:
    async with database.reading(scope(caller)) as reading:
        page = await list_conflicts(reading, caller.team_id, now=datetime.now(UTC))
    return [(case.kind, case.state, len(case.positions)) for case in page.items]
