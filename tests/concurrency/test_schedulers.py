"""Many schedulers over many due teams: one run a window, and none left out."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import LiteralString

import pytest

from app.dreaming.timing import planning
from app.dreaming.timing.planning import enqueue_due, plan_all_teams
from app.dreaming.timing.schedule import read_schedule
from app.kernel.database import Database, Scope, Writing
from app.kernel.settings import Settings
from app.tenancy.teams import new_team_id
from tests.databases import create_database, drop_database, service_url

NOON = datetime(2031, 7, 11, 12, tzinfo=UTC)
DUE = datetime(2031, 7, 12, 3, tzinfo=UTC)


@pytest.fixture
async def database(settings: Settings) -> AsyncIterator[Database]:
    """A database of its own: whoever moves its clock makes every team in it due."""
    name = create_database()
    private = Database(settings, url=service_url(name))
    await private.open()
    yield private
    await private.close()
    drop_database(name)


async def found_teams(database: Database, number: int, *, due_at: datetime | None) -> list[str]:
    """Found so many teams without a profile, all due at that moment."""
    team_ids = [new_team_id() for _ in range(number)]

    async def write(writing: Writing) -> None:
        await writing.execute(_FOUND, {"ids": team_ids})
        await writing.execute(_DUE_AT, {"ids": team_ids, "due_at": due_at})

    await database.unit_of_work(Scope("app"), write)
    return team_ids


async def read_schedules(database: Database) -> list[datetime | None]:
    async with database.reading(Scope("dreamer")) as reading:
        rows = await reading.fetch_all("SELECT next_due_at FROM dream_schedules")
    return [row["next_due_at"] for row in rows]


async def read_queued(database: Database) -> list[str]:
    async with database.reading(Scope("dreamer")) as reading:
        rows = await reading.fetch_all("SELECT team_id FROM work_items WHERE kind = 'cycle'")
    return [row["team_id"] for row in rows]


async def test_eight_schedulers_make_exactly_one_run_of_each_of_300_due_teams(database: Database) -> None:
    team_ids = await found_teams(database, 300, due_at=DUE)

    counts = await asyncio.gather(*(enqueue_due(database, now=DUE) for _ in range(8)))

    assert sum(counts) == 300
    assert sorted(await read_queued(database)) == sorted(team_ids)
    assert set(await read_schedules(database)) == {DUE + timedelta(days=1)}
    # At the next tick nobody is due, and that is all it finds out.
    assert await enqueue_due(database, now=DUE + timedelta(seconds=1)) == 0


async def test_a_tick_serves_all_that_are_due_in_batches_also_where_many_share_a_moment(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "BATCH", 3)
    await found_teams(database, 4, due_at=DUE)
    await found_teams(database, 2, due_at=DUE - timedelta(minutes=1))
    assert await enqueue_due(database, now=DUE + timedelta(seconds=5)) == 6


async def test_a_changed_setting_of_the_instance_reaches_all_teams_and_costs_no_window(
    database: Database,
) -> None:
    marked_at = datetime.now(UTC)
    await found_teams(database, 3, due_at=None)
    await found_teams(database, 3, due_at=marked_at + timedelta(days=300))
    [waiting] = await found_teams(database, 1, due_at=marked_at - timedelta(minutes=5))
    await database.unit_of_work(Scope("app"), lambda writing: plan_all_teams(writing, is_off=False))
    schedules = await read_schedules(database)
    assert len(schedules) == 7
    assert all(due is not None and due <= datetime.now(UTC) for due in schedules)

    # The built-in schedule is due at 03:00; the one team whose time had come may have had a window since.
    now = datetime.now(UTC)
    schedule = read_schedule(local_time="03:00", cron=None, timezone="UTC")
    await enqueue_due(database, now=now)
    assert set(await read_schedules(database)) == {schedule.first_after(now)}
    assert await read_queued(database) in ([], [waiting])

    await database.unit_of_work(Scope("app"), lambda writing: plan_all_teams(writing, is_off=True))
    assert set(await read_schedules(database)) == {None}


_FOUND: LiteralString = "INSERT INTO teams (id, name) SELECT id, id FROM unnest(%(ids)s::text[]) AS id"
_DUE_AT: LiteralString = "UPDATE dream_schedules SET next_due_at = %(due_at)s WHERE team_id = ANY (%(ids)s)"
