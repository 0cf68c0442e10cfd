"""The schedule in the database: who is due, what is queued, what was missed."""

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta

import pytest

from app.dreaming.runs.history import Missed, Run, RunFilter, list_runs
from app.dreaming.timing.planning import enqueue_due, name_window, plan_all_teams, plan_team
from app.kernel.database import Database, Scope, Writing
from app.kernel.errors import InvalidInput
from app.kernel.settings import Settings
from app.ledger.founding import found_team
from app.queue.leases import finish, lease_due
from app.tenancy.callers import Caller
from app.tenancy.teams import create_profile, new_team_id
from tests.conftest import MakeTeam
from tests.cycles import queue_run, set_setting
from tests.databases import create_database, drop_database, service_url

# The clock of these tests is far ahead of the database's, whose teams are all new.
NOON = datetime(2031, 7, 11, 12, tzinfo=UTC)
DUE = datetime(2031, 7, 12, 3, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture(scope="module")
async def database(settings: Settings) -> AsyncIterator[Database]:
    """A database of its own: whoever moves its clock makes every team in it due."""
    name = create_database()
    private = Database(settings, url=service_url(name))
    await private.open()
    yield private
    await private.close()
    drop_database(name)


@pytest.fixture
async def make_team(database: Database) -> Callable[[], Awaitable[Caller]]:
    return lambda: found_private_team(database)


@pytest.fixture
async def team(database: Database) -> Caller:
    return await found_private_team(database)


async def found_private_team(database: Database) -> Caller:
    team_id = new_team_id()

    async def write(writing: Writing) -> Caller:
        await found_team(writing, team_id, team_id)
        profile = await create_profile(writing, team_id, "First")
        return Caller("key_1", team_id, profile.profile_id, frozenset({"operate"}), "primary")

    return await database.unit_of_work(Scope("app", team_id), write)


async def plan(database: Database, caller: Caller, now: datetime = NOON) -> datetime | None:
    return await database.unit_of_work(
        Scope("app", caller.team_id), lambda writing: plan_team(writing, caller.team_id, now)
    )


async def read_runs(database: Database, caller: Caller) -> list[Run]:
    async with database.reading(Scope("app", caller.team_id)) as reading:
        return list((await list_runs(reading, caller.team_id, RunFilter(), limit=100)).items)


async def read_next(database: Database, caller: Caller) -> datetime | None:
    async with database.reading(Scope("app", caller.team_id)) as reading:
        row = await reading.fetch_one(
            "SELECT next_due_at FROM dream_schedules WHERE team_id = %(team_id)s", {"team_id": caller.team_id}
        )
    assert row is not None
    due: datetime | None = row["next_due_at"]
    return due


async def test_a_window_is_queued_once_and_the_next_one_planned(database: Database, team: Caller) -> None:
    assert await plan(database, team) == DUE
    await enqueue_due(database, now=DUE - timedelta(minutes=1))
    assert await read_runs(database, team) == []

    await enqueue_due(database, now=DUE)
    await enqueue_due(database, now=DUE + timedelta(minutes=1))

    [run] = await read_runs(database, team)
    assert (run.status, run.trigger, run.scheduled_for) == ("queued", "scheduled", DUE)
    assert run.window_key == name_window(DUE) == "sched:2031-07-12T03:00:00Z"
    assert await read_next(database, team) == DUE + DAY
    leases = await database.unit_of_work(
        Scope("dreamer"),
        lambda writing: lease_due(writing, kind="cycle", worker="worker", seconds=60, limit=100),
    )
    assert run.run_id in {lease.item_id for lease in leases}


async def test_after_downtime_the_newest_window_runs_and_the_gap_is_one_row(
    database: Database, team: Caller
) -> None:
    await plan(database, team)
    await enqueue_due(database, now=DUE + 4 * DAY + timedelta(hours=2))

    [run, gap] = sorted(await read_runs(database, team), key=lambda run: run.status == "missed")

    assert (run.status, run.trigger, run.scheduled_for) == ("queued", "catch_up", DUE + 4 * DAY)
    assert (gap.status, gap.scheduled_for, gap.window_key) == ("missed", DUE, name_window(DUE))
    assert gap.missed == Missed(DUE, DUE + 3 * DAY, 4)
    assert gap.reason == "no_scheduler"
    assert gap.summary == (
        "Missed: no scheduler ran when 4 windows were due, from 2031-07-12 03:00 to 2031-07-15 03:00 UTC."
    )
    assert run.missed is None
    assert gap.finished_at is not None
    assert await read_next(database, team) == DUE + 5 * DAY


async def test_a_window_that_meets_a_live_run_is_recorded_as_skipped(
    database: Database, team: Caller
) -> None:
    await plan(database, team)
    manual = await queue_run(database, team)
    await enqueue_due(database, now=DUE)
    skipped = next(run for run in await read_runs(database, team) if run.run_id != manual)
    assert (skipped.status, skipped.reason) == ("skipped", "run_in_progress")
    assert await read_next(database, team) == DUE + DAY


async def test_changed_settings_hold_without_a_restart(database: Database, team: Caller) -> None:
    await plan(database, team)
    await set_setting(database, team, "enabled", "false")
    assert await plan(database, team) is None
    await enqueue_due(database, now=DUE)
    assert await read_runs(database, team) == []

    await set_setting(database, team, "enabled", "true")
    await set_setting(database, team, "local_time", '"20:30"')
    await set_setting(database, team, "timezone", '"Asia/Tokyo"')
    assert await plan(database, team) == datetime(2031, 7, 12, 11, 30, tzinfo=UTC)


async def test_settings_that_changed_behind_the_schedule_never_run_an_old_window(
    database: Database, team: Caller
) -> None:
    await plan(database, team)
    await set_setting(database, team, "local_time", '"02:00"')
    await enqueue_due(database, now=DUE)
    assert await read_runs(database, team) == []
    assert await read_next(database, team) == datetime(2031, 7, 13, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "value"), [("local_time", '"25:00"'), ("timezone", '"Nowhere/Land"'), ("cron", '"* * * * *"')]
)
async def test_a_setting_that_cannot_be_read_is_refused_and_never_defaulted(
    database: Database, make_team: MakeTeam, name: str, value: str
) -> None:
    team = await make_team()
    await set_setting(database, team, name, value)
    with pytest.raises(InvalidInput):
        await plan(database, team)


async def test_one_teams_fault_does_not_stop_the_others(database: Database, make_team: MakeTeam) -> None:
    broken, sound = await make_team(), await make_team()
    for team in (broken, sound):
        await plan(database, team)
    await set_setting(database, broken, "timezone", '"Nowhere/Land"')
    await enqueue_due(database, now=DUE)
    assert await read_runs(database, broken) == []
    assert [run.status for run in await read_runs(database, sound)] == ["queued"]


async def test_a_new_team_is_planned_by_the_next_tick_and_nothing_is_queued(
    database: Database, team: Caller
) -> None:
    founded_at = await read_next(database, team)
    assert founded_at is not None
    await enqueue_due(database, now=founded_at)
    assert await read_runs(database, team) == []
    due = await read_next(database, team)
    assert due is not None
    assert founded_at < due <= founded_at + DAY


async def test_a_changed_setting_of_the_instance_reaches_every_team_at_the_next_tick(
    database: Database, make_team: MakeTeam
) -> None:
    off, on = await make_team(), await make_team()
    await set_setting(database, off, "enabled", "false")
    assert await plan(database, off) is None
    await set_setting(database, off, "enabled", "true")

    await database.unit_of_work(Scope("app"), lambda writing: plan_all_teams(writing, is_off=False))
    asked_at = await read_next(database, on)
    assert asked_at is not None
    await enqueue_due(database, now=asked_at)

    for team in (off, on):
        due = await read_next(database, team)
        assert due is not None
        assert asked_at < due <= asked_at + DAY
        assert await read_runs(database, team) == []


async def test_settings_that_cannot_be_followed_are_not_looked_at_again_until_they_change(
    database: Database, team: Caller
) -> None:
    await plan(database, team)
    await set_setting(database, team, "timezone", '"Nowhere/Land"')
    await enqueue_due(database, now=DUE)
    assert await read_next(database, team) is None
    await set_setting(database, team, "timezone", '"UTC"')
    assert await plan(database, team) == DUE


async def test_a_finished_window_is_not_run_again(database: Database, team: Caller) -> None:
    await plan(database, team)
    await enqueue_due(database, now=DUE)
    [run] = await read_runs(database, team)
    leases = await database.unit_of_work(
        Scope("dreamer"),
        lambda writing: lease_due(writing, kind="cycle", worker="worker", seconds=60, limit=100),
    )
    lease = next(lease for lease in leases if lease.item_id == run.run_id)

    async def end(writing: Writing) -> None:
        await writing.execute(
            "UPDATE cycle_runs SET status = 'succeeded', finished_at = clock_timestamp() WHERE id = %(id)s",
            {"id": run.run_id},
        )
        await finish(writing, lease)

    await database.unit_of_work(Scope("dreamer", team.team_id), end)
    await plan(database, team)
    await enqueue_due(database, now=DUE)
    assert [one.run_id for one in await read_runs(database, team)] == [run.run_id]
