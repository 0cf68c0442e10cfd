"""What operators see at a glance."""

from datetime import timedelta

import pytest

from app.dreaming.status import DreamingStatus, dreaming_status
from app.dreaming.timing.planning import plan_team
from app.kernel.database import Database, Scope
from app.tenancy.callers import Caller
from tests.cycles import make_pattern, run_once, set_setting
from tests.moments import NOW


async def read(database: Database, caller: Caller, *, later: timedelta = timedelta(0)) -> DreamingStatus:
    async with database.reading(Scope("app", caller.team_id)) as reading:
        return await dreaming_status(reading, caller.team_id, NOW + later)


async def test_a_young_team_has_defaults_and_nothing_behind_it(database: Database, team: Caller) -> None:
    status = await read(database, team)
    assert (status.settings["local_time"].value, status.settings["local_time"].source) == (
        "03:00",
        "built_in",
    )
    assert (status.latest_run, status.seconds_since_last_finished) == (None, None)
    assert status.open_hypotheses == {"proposed": 0, "reinforced": 0, "stale": 0, "submitted": 0}
    assert status.cost_today_usd == 0


async def test_it_sums_up_what_happened_and_what_comes_next(database: Database, team: Caller) -> None:
    await make_pattern(database, team)
    run = await run_once(database, team)
    due = await database.unit_of_work(
        Scope("app", team.team_id), lambda writing: plan_team(writing, team.team_id, NOW)
    )
    assert due is not None
    status = await read(database, team)
    assert status.latest_run == run
    assert status.next_due_at == due
    assert status.open_hypotheses["proposed"] == 1

    await set_setting(database, team, "enabled", "false")
    status = await read(database, team)
    assert (status.settings["enabled"].value, status.settings["enabled"].source) == (False, "team")
    assert status.next_due_at is None


async def test_seconds_since_the_last_finished_run_rise_while_nothing_runs(
    database: Database, team: Caller
) -> None:
    await run_once(database, team)
    first = (await read(database, team, later=timedelta(hours=1))).seconds_since_last_finished
    second = (await read(database, team, later=timedelta(hours=2))).seconds_since_last_finished
    assert first is not None
    assert second == pytest.approx(first + 3600)
