"""Workers with nothing to do cost next to nothing, hear of new work at once, and stop without losing a lease."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any, Final, LiteralString

import psycopg
import pytest

from app.kernel.database import Database, Scope
from app.kernel.settings import Settings
from app.queue.leases import Lease, enqueue
from app.tenancy.callers import Caller
from app.worker import duties, wake
from app.worker.loop import Turns, run_worker, work_off
from app.worker.steps import Kind
from app.worker.wake import WakeUps, hear_notifications
from tests.databases import admin_url, create_database, drop_database, service_url

TEAMS: Final = 500
WORKERS: Final = 4
# The clock of the first test: so many times as often as in life.
SPEED: Final = 60


async def test_500_idle_teams_cost_fewer_than_5_statements_a_second_in_total(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wake, "LONGEST_SLEEP_SECONDS", wake.LONGEST_SLEEP_SECONDS / SPEED)
    for pause in ("SECONDS_WITHIN_ROUND", "SECONDS_BETWEEN_ROUNDS", "PURGE_SECONDS"):
        monkeypatch.setattr(duties, pause, getattr(duties, pause) / SPEED)
    count = 0
    execute = psycopg.AsyncConnection.execute

    async def counting(*args: Any, **kwargs: Any) -> Any:  # Whatever psycopg takes and gives.
        nonlocal count
        count += 1
        return await execute(*args, **kwargs)

    name = create_database()
    database = Database(settings, url=service_url(name))
    await database.open()
    stop = asyncio.Event()
    try:
        with psycopg.connect(admin_url(name)) as connection:
            connection.execute(_TEAMS, {"count": TEAMS})
            connection.execute(_SCHEDULES)
        workers = [asyncio.create_task(run_worker(database, Settings(), stop=stop)) for _ in range(WORKERS)]
        await asyncio.sleep(1)
        monkeypatch.setattr(psycopg.AsyncConnection, "execute", counting)
        began = monotonic()
        await asyncio.sleep(3)
        per_second = count / (monotonic() - began) / SPEED
        stop.set()
        await asyncio.gather(*workers)
    finally:
        await database.close()
        drop_database(name)
    assert count > 0
    assert per_second < 5, per_second


@asynccontextmanager
async def idle_worker(database: Database, kind: Kind, wake_ups: WakeUps) -> AsyncIterator[None]:
    """A worker of one kind that has looked, found nothing and sleeps."""
    tasks = [
        asyncio.create_task(hear_notifications(database, wake_ups)),
        asyncio.create_task(work_off(database, kind, wake_ups, lease_seconds=60)),
    ]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def test_an_idle_worker_starts_new_and_delayed_items_at_their_time(
    database: Database, team: Caller
) -> None:
    name = f"test-{team.team_id}"
    begun: asyncio.Queue[str] = asyncio.Queue()

    async def begin(lease: Lease) -> None:
        await begun.put(lease.item_id)

    wake_ups = WakeUps(poll_seconds=60)
    async with asyncio.timeout(20), idle_worker(database, Kind(name, Scope("app"), 2, begin), wake_ups):
        while not wake_ups.is_heard:
            await asyncio.sleep(0.01)
        for item in ("one", "two"):
            await database.unit_of_work(
                Scope("app"),
                lambda w, item=item: enqueue(w, team_id=team.team_id, kind=name, item_id=item),  # type: ignore[misc]  # mypy can't infer a lambda with a default.
            )
            assert await begun.get() == item


async def test_a_worker_that_hears_nothing_polls(database: Database, team: Caller) -> None:
    name = f"test-{team.team_id}"
    begun = asyncio.Event()

    async def begin(_: Lease) -> None:
        begun.set()

    wake_ups = WakeUps(poll_seconds=0.05)
    kind = Kind(name, Scope("app"), 1, begin)
    working = asyncio.create_task(work_off(database, kind, wake_ups, lease_seconds=60))
    await database.unit_of_work(
        Scope("app"), lambda w: enqueue(w, team_id=team.team_id, kind=name, item_id="item")
    )
    async with asyncio.timeout(10):
        await begun.wait()
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)


async def test_a_stop_while_the_lease_is_on_its_way_costs_no_attempt(
    database: Database, team: Caller
) -> None:
    kind = Kind(f"test-{team.team_id}", Scope("app"), 1, lambda _: asyncio.sleep(0))
    await database.unit_of_work(
        Scope("app"), lambda w: enqueue(w, team_id=team.team_id, kind=kind.name, item_id="item")
    )
    stopped = 0
    for ticks in range(40):
        taking = asyncio.create_task(Turns(database, kind, 60).take())
        for _ in range(ticks):
            await asyncio.sleep(0)
        taking.cancel()
        await asyncio.gather(taking, return_exceptions=True)
        if taking.cancelled():
            stopped += 1
            async with database.reading(Scope("app")) as reading:
                row = await reading.fetch_one(_LEASE, {"kind": kind.name})
            assert row == {"attempt": 0, "worker": None}, ticks
        else:
            break
    assert stopped > 3


async def test_two_slots_are_filled_by_one_team_and_a_third_item_waits_for_a_free_one(
    database: Database, team: Caller
) -> None:
    name = f"test-{team.team_id}"
    running: set[str] = set()
    most, done = 0, asyncio.Event()
    both = asyncio.Event()

    async def step(lease: Lease) -> None:
        nonlocal most
        running.add(lease.item_id)
        most = max(most, len(running))
        if len(running) == 2:
            both.set()
        await both.wait()
        running.discard(lease.item_id)
        if lease.item_id == "c":
            done.set()

    for item in "abc":
        await database.unit_of_work(
            Scope("app"),
            lambda w, item=item: enqueue(w, team_id=team.team_id, kind=name, item_id=item),  # type: ignore[misc]  # mypy can't infer a lambda with a default.
        )
    wake_ups = WakeUps(poll_seconds=60)
    working = asyncio.create_task(
        work_off(database, Kind(name, Scope("app"), 2, step), wake_ups, lease_seconds=60)
    )
    async with asyncio.timeout(20):
        await done.wait()
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    assert most == 2


_TEAMS: LiteralString = """
    INSERT INTO teams (id, name) SELECT 'team_' || i, 'Team ' || i FROM generate_series(1, %(count)s::int) AS i
"""
_SCHEDULES: LiteralString = "UPDATE dream_schedules SET next_due_at = now() + interval '1 day'"
_LEASE: LiteralString = "SELECT attempt, worker FROM work_items WHERE kind = %(kind)s"
