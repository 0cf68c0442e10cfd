"""A few rounds of what `make chaos` plays two hundred of, and the orderly ends of a worker process.

`DENSEMEM_CHAOS_ROUNDS` says how many rounds (3 unless set).
"""

import os
import signal
from collections.abc import AsyncIterator, Iterator
from typing import Final

import pytest

from app.kernel.database import Database, Scope
from app.kernel.settings import Settings
from tests.chaos.rounds import ORDERLY_LEASE_SECONDS, finish, judge, play, play_undisturbed
from tests.chaos.scenarios import CYCLE
from tests.chaos.world import World, made_world

ROUNDS: Final = int(os.environ.get("DENSEMEM_CHAOS_ROUNDS", "3"))


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with made_world() as world:
        yield world


@pytest.fixture
async def database(world: World) -> AsyncIterator[Database]:
    database = Database(Settings(pool_timeout_seconds=30), url=world.url)
    await database.open()
    yield database
    await database.close()
    await world.end_workers()


async def test_paused_workers_and_a_restarted_server_lose_and_double_nothing(world: World) -> None:
    tally = await play(world, ROUNDS, faults=("SIGSTOP past the lease", "PostgreSQL restarted"))
    assert tally.bad == []
    assert tally.verdicts == {"survived": ROUNDS}


async def test_ten_rolling_restarts_spend_no_attempt_and_a_worker_waits_for_postgresql(
    world: World, database: Database
) -> None:
    expected, _ = await play_undisturbed(world, database, CYCLE)
    caller = await CYCLE.prepare(database)
    for _ in range(10):
        # Begun, and on its way to what it reads.
        worker = world.start_worker("2+", lease_seconds=ORDERLY_LEASE_SECONDS)
        assert await worker.reach(20)
        worker.line.recv()
        worker.send(signal.SIGTERM)
        worker.go_on()
        assert await worker.end() < 5
        assert await read_lease(database, caller.team_id) == {"attempt": 0, "worker": None}
    world.server.stop()
    world.start_worker()
    await world.restart(kill=False)
    assert await finish(database, caller.team_id)
    assert judge(await CYCLE.read_end(database, caller), expected) == ("survived", "")


async def read_lease(database: Database, team_id: str) -> dict[str, object] | None:
    async with database.reading(Scope("app", team_id)) as reading:
        return await reading.fetch_one(
            "SELECT attempt, worker FROM work_items WHERE team_id = %(team_id)s", {"team_id": team_id}
        )
