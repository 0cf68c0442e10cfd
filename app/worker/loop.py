"""Lease, work, finish, wait: one loop a slot, all ending in order when told to stop."""

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from itertools import count
from typing import Final

import psycopg
import structlog

from app.dreaming.planning import enqueue_due
from app.kernel.database import Database, Writing
from app.kernel.errors import DenseMemError, LeaseLost
from app.kernel.ids import new_id
from app.kernel.settings import Settings
from app.queue.leases import WAKE_CHANNEL, Lease, hand_back, lease_due, retry_later
from app.worker.provider import Provider, open_provider
from app.worker.steps import Kind, cycle_kind, placement_kind

RETRY_SECONDS: Final = 5.0
log = structlog.get_logger()


async def run_worker(database: Database, settings: Settings, *, stop: asyncio.Event) -> None:
    """Work until `stop` is set; then hand back what is held and return."""
    async with open_provider(settings) as provider:
        await work_until_stopped(database, settings, provider, stop=stop)


async def work_until_stopped(
    database: Database, settings: Settings, provider: Provider, *, stop: asyncio.Event
) -> None:
    """Work as `run_worker` does, with this provider."""
    wake = asyncio.Event()
    kinds = [
        placement_kind(
            database,
            slots=settings.worker_placements,
            lease_seconds=settings.lease_seconds,
            provider=provider,
        ),
        cycle_kind(database, slots=settings.worker_cycles, lease_seconds=settings.lease_seconds),
    ]
    tasks = [
        asyncio.create_task(work_off(database, kind, settings, wake, worker=worker_name()))
        for kind in kinds
        for _ in range(kind.slots)
    ]
    tasks += [
        asyncio.create_task(hear_wake_ups(database, wake)),
        asyncio.create_task(enqueue_when_due(database, settings)),
    ]
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait([stopping, *tasks], return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (stopping, *tasks):
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
    for outcome in ended:
        if isinstance(outcome, Exception):
            raise outcome


async def work_off(
    database: Database, kind: Kind, settings: Settings, wake: asyncio.Event, *, worker: str
) -> None:
    """Take one due item of the kind after the other; sleep when there is none."""
    while True:
        try:
            lease = await take_next(database, kind, worker, seconds=settings.lease_seconds)
        except (DenseMemError, psycopg.Error) as error:
            log.warning("no work could be leased", action="lease", kind=kind.name, code=type(error).__name__)
            lease = None
        if lease is None:
            await sleep_until(wake, settings.poll_seconds)
        else:
            await work_on(database, kind, lease)


async def take_next(database: Database, kind: Kind, worker: str, *, seconds: float) -> Lease | None:
    """Lease the item that has been due the longest, or return None."""
    leases = await database.unit_of_work(
        kind.scope, lambda writing: lease_due(writing, kind=kind.name, worker=worker, seconds=seconds)
    )
    return leases[0] if leases else None


async def work_on(database: Database, kind: Kind, lease: Lease) -> None:
    """Run the step. A fault costs an attempt, a shutdown hands the item back, as far as the step has not."""
    with structlog.contextvars.bound_contextvars(
        action=kind.name, team=lease.team_id, item=lease.item_id, attempt=lease.attempt
    ):
        try:
            await kind.step(lease)
        except asyncio.CancelledError:
            await asyncio.shield(end_lease(database, kind, lambda writing: hand_back(writing, lease)))
            raise
        except LeaseLost:
            log.warning("lease lost")
        except Exception as error:  # noqa: BLE001  # The one place where any fault must not end the worker.
            # Neither the message nor the traceback is logged: either may quote evidence.
            log.error("step failed", error=type(error).__name__, where=fault_location(error))
            delay = RETRY_SECONDS * 2**lease.attempt
            await end_lease(database, kind, lambda writing: retry_later(writing, lease, delay_seconds=delay))


async def end_lease(database: Database, kind: Kind, ending: Callable[[Writing], Awaitable[None]]) -> None:
    """End the lease unless the step did so; while the database is away it is left to run out."""
    try:
        await database.unit_of_work(kind.scope, ending)
    except LeaseLost:
        pass
    except (DenseMemError, psycopg.Error) as error:
        log.warning("lease left to run out", code=type(error).__name__)


async def enqueue_when_due(database: Database, settings: Settings) -> None:
    """Make a cycle of each team that is due, again and again."""
    while True:
        try:
            await enqueue_due(database, now=datetime.now(UTC))
        except (DenseMemError, psycopg.Error) as error:
            log.warning("schedule not read", action="schedule", code=type(error).__name__)
        await asyncio.sleep(settings.poll_seconds)


async def hear_wake_ups(database: Database, wake: asyncio.Event) -> None:
    """Set `wake` at each notification; without a connection the polls go on by themselves."""
    while True:
        try:
            async with database.listening(WAKE_CHANNEL) as connection:
                async for _ in connection.notifies():
                    wake.set()
        except (DenseMemError, psycopg.Error):
            await asyncio.sleep(RETRY_SECONDS)


async def sleep_until(wake: asyncio.Event, seconds: float) -> None:
    """Return at the next wake-up, after `seconds` at the latest."""
    try:
        await asyncio.wait_for(wake.wait(), timeout=seconds)
    except TimeoutError:
        return
    wake.clear()


def worker_name() -> str:
    """Return a name that no other worker ever had, so a restart never looks like the dead one alive."""
    return f"{socket.gethostname()}:{os.getpid()}:{next(_slots)}:{new_id('run')[-10:]}"


def fault_location(error: BaseException) -> str:
    """Return the file and line that raised, which quote nothing."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None:
        return "unknown"
    code = traceback.tb_frame.f_code
    return f"{code.co_filename.rpartition('/app/')[2]}:{traceback.tb_lineno}"


_slots = count(1)
