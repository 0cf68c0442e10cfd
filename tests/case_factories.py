"""Conflict cases and reviews over Relationships of the factories, by direct SQL."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Literal

from app.kernel.database import Database, Scope, Writing
from app.kernel.ids import new_id
from app.ledger.vocabulary import ReviewKind
from app.tenancy.callers import Caller
from tests import factory_statements as sql
from tests.factories import Made


async def make_conflict(
    database: Database,
    caller: Caller,
    subject_id: str,
    positions: Sequence[Made],
    *,
    status: Literal["open", "resolved", "dismissed"] = "open",
    due_in: timedelta = timedelta(days=7),
) -> str:
    """Store a case over the positions' groups and return its id; a resolved one prefers the first."""
    case_id = new_id("con")
    position_ids = [new_id("pos") for _ in positions]

    async def write(writing: Writing) -> None:
        base: dict[str, object] = {"team_id": caller.team_id, "id": case_id}
        await writing.execute(
            sql.CASE,
            base | {"subject_id": subject_id, "due_in": due_in},
        )
        for position_id, position in zip(position_ids, positions, strict=True):
            await writing.execute(
                sql.CASE_POSITION, base | {"position_id": position_id, "group_key": position.group_key}
            )
        preferred = position_ids[0] if status == "resolved" else None
        await writing.execute(sql.CASE_OPENED, base)
        if status != "open":
            await writing.execute(sql.CASE_CLOSED, base | {"status": status, "preferred": preferred})

    await database.unit_of_work(Scope("app", caller.team_id), write)
    return case_id


async def make_review(
    database: Database,
    caller: Caller,
    relationship_id: str | None = None,
    *,
    kind: ReviewKind = "identity",
    is_open: bool = True,
) -> str:
    """Store a review task that holds the Relationship while it is open, and return its id."""
    review_id = new_id("rev")
    params = {
        "team_id": caller.team_id,
        "id": review_id,
        "kind": kind,
        "status": "open" if is_open else "resolved",
        "relationship_id": relationship_id,
    }
    await database.unit_of_work(
        Scope("app", caller.team_id), lambda writing: writing.execute(sql.REVIEW, params)
    )
    return review_id
