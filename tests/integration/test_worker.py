"""The worker: what is due gets done, faults cost an attempt, a stop hands back what is held."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import structlog

from app.kernel.database import Database, Scope
from app.kernel.settings import Settings
from app.queue.leases import Lease, enqueue, lease_due
from app.remember.guarding import guard
from app.remember.intake import accept
from app.remember.placements import get_placement
from app.tenancy.callers import Caller
from app.worker.loop import Turns, run_worker, worker_name
from app.worker.steps import Kind
from app.worker.work import work_on
from tests.integration.submissions import state

SETTINGS = Settings.model_validate({"poll_seconds": 0.05, "worker_cycles": 0})


@asynccontextmanager
async def working(database: Database) -> AsyncIterator[None]:
    stop = asyncio.Event()
    worker = asyncio.create_task(run_worker(database, SETTINGS, stop=stop))
    yield
    stop.set()
    await worker


async def make_item(database: Database, team: Caller) -> str:
    """Queue an item of a kind that only this team has."""
    kind = f"test-{team.team_id}"
    await database.unit_of_work(
        Scope("app"), lambda w: enqueue(w, team_id=team.team_id, kind=kind, item_id="item")
    )
    return kind


async def take(database: Database, kind: Kind) -> Lease:
    [lease], _ = await Turns(database, kind, 60).take()
    return lease


async def test_submission_is_placed_and_the_worker_stops_when_told(database: Database, team: Caller) -> None:
    scope = Scope("app", team.team_id)
    async with working(database):
        guarded = await guard(state("FastAPI", "depends_on", "Starlette"))
        accepted = await database.unit_of_work(
            scope, lambda w: accept(w, team, guarded, correlation_id="test")
        )
        async with asyncio.timeout(20):
            while True:
                async with database.reading(scope) as reading:
                    placement = await get_placement(reading, team.team_id, accepted.ingest_id)
                if placement.processing_state == "completed":
                    break
                await asyncio.sleep(0.02)


async def test_stopped_work_is_handed_back_without_an_attempt(database: Database, team: Caller) -> None:
    name = await make_item(database, team)
    begun = asyncio.Event()

    async def wait_for_ever(_: Lease) -> None:
        begun.set()
        await asyncio.Event().wait()

    kind = Kind(name, Scope("app"), 1, wait_for_ever)
    lease = await take(database, kind)
    work = asyncio.create_task(work_on(database, kind, lease))
    await begun.wait()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    again = await take(database, kind)
    assert (again.attempt, again.epoch) == (0, lease.epoch + 2)


async def test_fault_costs_an_attempt_and_its_words_are_not_logged(database: Database, team: Caller) -> None:
    name = await make_item(database, team)

    async def fail(_: Lease) -> None:
        raise RuntimeError("evidence text")

    kind = Kind(name, Scope("app"), 1, fail)
    lease = await take(database, kind)
    with structlog.testing.capture_logs() as logs:
        await work_on(database, kind, lease)
    [line] = [line for line in logs if line["log_level"] == "error"]
    assert line["error"] == "RuntimeError"
    assert "test_worker.py:" in line["where"]
    assert "evidence text" not in str(logs)
    async with database.reading(Scope("app")) as reading:
        row = await reading.fetch_one(
            "SELECT attempt, worker FROM work_items WHERE kind = %(kind)s", {"kind": name}
        )
    assert row == {"attempt": 1, "worker": None}


async def test_item_is_not_due_again_before_its_delay(database: Database, team: Caller) -> None:
    name = await make_item(database, team)

    async def fail(_: Lease) -> None:
        raise RuntimeError

    kind = Kind(name, Scope("app"), 1, fail)
    await work_on(database, kind, await take(database, kind))
    leases = await database.unit_of_work(
        Scope("app"), lambda w: lease_due(w, kind=name, worker="w", seconds=60)
    )
    assert leases == []


def test_no_two_workers_share_a_name() -> None:
    assert len({worker_name() for _ in range(100)}) == 100
