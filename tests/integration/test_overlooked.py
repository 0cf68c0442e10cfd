"""A submission that has lost the work that would place it is found and made due again."""

from typing import LiteralString

import pytest

from app.kernel.database import Database, Scope
from app.remember.overlooked import reopen_overlooked
from app.tenancy.callers import Caller
from app.worker.duties import SECONDS_BETWEEN_LOOKS, SECONDS_BETWEEN_ROUNDS, overlooked_duty
from tests.conftest import MakeTeam
from tests.integration.submissions import lease, place, placement, rows, run, state, submit

FINISH: LiteralString = """
    UPDATE work_items SET finished_at = now(), epoch = epoch + 1, worker = NULL, lease_expires_at = NULL
    WHERE team_id = %(team_id)s AND item_id = %(id)s RETURNING item_id
"""
DROP: LiteralString = (
    "DELETE FROM work_items WHERE team_id = %(team_id)s AND item_id = %(id)s RETURNING item_id"
)
OPEN: LiteralString = """
    SELECT item_id, epoch, attempt, worker FROM work_items WHERE team_id = %(team_id)s AND finished_at IS NULL
"""
DEPENDS = state("FastAPI", "depends_on", "Starlette")


async def look(database: Database, caller: Caller) -> None:
    """Look at the caller's team."""
    await reopen_overlooked(database, after=caller.team_id[:-1])


@pytest.mark.parametrize("loss", [FINISH, DROP])
async def test_a_submission_that_nobody_would_place_is_placed_after_all(
    database: Database, unruled: Database, make_team: MakeTeam, loss: LiteralString
) -> None:
    team = await make_team()
    ingest_id = await submit(database, team, DEPENDS)
    params = {"team_id": team.team_id, "id": ingest_id}
    assert await unruled.unit_of_work(Scope("owner"), lambda w: w.execute(loss, params)) == 1
    await look(database, team)
    [item] = await rows(database, team, OPEN)
    assert (item["item_id"], item["attempt"], item["worker"]) == (ingest_id, 0, None)
    placed = await place(database, team, ingest_id)
    assert placed.processing_state == "completed"


async def test_what_has_its_work_or_awaits_a_person_is_left_alone(
    database: Database, make_team: MakeTeam
) -> None:
    team = await make_team()
    waits = await submit(database, team, DEPENDS)
    works = await submit(database, team, state("Flask", "depends_on", "Jinja"))
    await lease(database, team, works)
    held = await submit(database, team, state("Flask", "needs_in_order_to_run", "Jinja"))
    await place(database, team, held)
    assert (await placement(database, team, held)).processing_state == "awaiting_review"
    before = sorted(await rows(database, team, OPEN), key=lambda row: str(row["item_id"]))
    assert {row["item_id"] for row in before} == {waits, works}
    await look(database, team)
    assert sorted(await rows(database, team, OPEN), key=lambda row: str(row["item_id"])) == before


async def test_the_worker_looks_again_and_again(database: Database, make_team: MakeTeam) -> None:
    team = await make_team()
    ingest_id = await submit(database, team, DEPENDS)
    await run(database, team, FINISH, id=ingest_id)
    duty = overlooked_duty(database)
    while await duty.fulfil() == SECONDS_BETWEEN_LOOKS:
        pass
    assert [row["item_id"] for row in await rows(database, team, OPEN)] == [ingest_id]
    assert SECONDS_BETWEEN_LOOKS < SECONDS_BETWEEN_ROUNDS
