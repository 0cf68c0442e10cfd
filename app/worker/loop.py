"""Lease, work, sleep until more is due: one loop a kind and a duty, all ending in order when told to stop."""

import asyncio
import os
import random
import socket
from collections.abc import Sequence
from itertools import count
from typing import Final

import psycopg
import structlog

from app.coordination.redis_link import RedisLink
from app.coordination.redis_wakes import hear_calls
from app.kernel.database import Database, Writing
from app.kernel.errors import DenseMemError
from app.kernel.ids import new_id
from app.kernel.settings import Settings
from app.queue.leases import Lease, lease_due, seconds_until_due
from app.recall.configured_embedder import MissingEmbedder
from app.recall.embedder import Embedder
from app.worker.duties import Duty, embed_duty, overlooked_duty, purge_duty, schedule_duty, sweep_duty
from app.worker.provider import Provider, open_provider
from app.worker.steps import Kind, batch_kind, cycle_kind, placement_kind, predicate_kind
from app.worker.wake import Bell, WakeUps, hear_notifications
from app.worker.work import give_back, work_on

GRACE_SECONDS: Final = 4.0
log = structlog.get_logger()


async def run_worker(
    database: Database,
    settings: Settings,
    *,
    stop: asyncio.Event,
    redis: RedisLink | None = None,
    embedder: Embedder | None = None,
) -> None:
    """Work until `stop` is set; then hand back what is held and return, after `GRACE_SECONDS` at the latest."""
    async with open_provider(settings) as provider:
        await work_until_stopped(database, settings, provider, stop=stop, redis=redis, embedder=embedder)


async def work_until_stopped(
    database: Database,
    settings: Settings,
    provider: Provider,
    *,
    stop: asyncio.Event,
    redis: RedisLink | None = None,
    embedder: Embedder | None = None,
) -> None:
    """Work as `run_worker` does, with this provider."""
    kinds = [
        placement_kind(
            database,
            slots=settings.worker_placements,
            lease_seconds=settings.lease_seconds,
            provider=provider,
        ),
        cycle_kind(
            database,
            slots=settings.worker_cycles,
            lease_seconds=settings.lease_seconds,
            provider=provider,
        ),
        # Who only dreams leaves the ledger to others.
        *(
            [predicate_kind(database, lease_seconds=settings.lease_seconds)]
            if settings.worker_placements > 0
            else []
        ),
        # Who dreams has batches; who only places has none to settle.
        *([batch_kind(database, provider=provider)] if settings.worker_cycles > 0 else []),
    ]
    wake_ups = WakeUps(poll_seconds=settings.poll_seconds)
    tasks = [
        asyncio.create_task(work_off(database, kind, wake_ups, lease_seconds=settings.lease_seconds))
        for kind in kinds
        if kind.slots > 0
    ]
    duties = [
        schedule_duty(database),
        sweep_duty(database),
        purge_duty(database),
        overlooked_duty(database),
    ]
    if embedder is not None and not isinstance(embedder, MissingEmbedder):
        duties.append(embed_duty(database, embedder))
    tasks += [asyncio.create_task(keep_up(duty, wake_ups)) for duty in duties]
    tasks.append(asyncio.create_task(hear_notifications(database, wake_ups)))
    if redis is not None:
        tasks.append(asyncio.create_task(hear_calls(redis, wake_ups.ring_all)))
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait([stopping, *tasks], return_when=asyncio.FIRST_COMPLETED)
    finally:
        await end_tasks([stopping, *tasks])


async def work_off(database: Database, kind: Kind, wake_ups: WakeUps, *, lease_seconds: float) -> None:
    """Lease for the free slots and start a step for each item; sleep when none is due or no slot is free."""
    bell = wake_ups.bell(kind.name)
    running: set[asyncio.Task[None]] = set()
    turns = Turns(database, kind, lease_seconds)

    def free_slot(task: asyncio.Task[None]) -> None:
        running.discard(task)
        bell.ring()

    # A group, so that whoever is told to stop stops its steps and waits until they have handed back.
    async with asyncio.TaskGroup() as steps:
        while True:
            if len(running) == kind.slots:
                await bell.wait(wake_ups.longest_sleep())
                continue
            leases, seconds = await turns.take(free_slots=kind.slots - len(running))
            for lease in leases:
                task = steps.create_task(work_on(database, kind, lease))
                running.add(task)
                task.add_done_callback(free_slot)
            if not leases:
                await bell.wait(wake_ups.sleep_until_due(seconds))


class Turns:
    """Leases of one kind for one process, which remembers whose turn it was."""

    def __init__(self, database: Database, kind: Kind, lease_seconds: float) -> None:
        self._database = database
        self._kind = kind
        self._lease_seconds = lease_seconds
        self._worker = worker_name()
        self._last_team = ""

    async def take(self, *, free_slots: int = 1) -> tuple[list[Lease], float | None]:
        """Lease up to so many due items, or return in how many seconds one will be due.

        None: nothing is unfinished. While the database is away nothing is due by the next poll (0 seconds).
        A stop that comes while the answer is on its way hands back what the answer brings.
        """
        asking = asyncio.ensure_future(
            self._database.unit_of_work(self._kind.scope, lambda writing: self._ask(writing, free_slots))
        )
        try:
            leases, seconds = await asyncio.shield(asking)
        except asyncio.CancelledError:
            await asyncio.wait([asking], timeout=GRACE_SECONDS / 2)
            if asking.done() and not asking.cancelled() and asking.exception() is None:
                for lease in asking.result()[0]:
                    await give_back(self._database, self._kind, lease)
            raise
        except (DenseMemError, psycopg.Error) as error:
            log.warning("no work could be leased", action=self._kind.name, code=type(error).__name__)
            return [], 0
        if leases:
            self._last_team = max(leases, key=self._place_in_ring).team_id
        return leases, seconds

    async def _ask(self, writing: Writing, limit: int) -> tuple[list[Lease], float | None]:
        leases = await lease_due(
            writing,
            kind=self._kind.name,
            worker=self._worker,
            seconds=self._lease_seconds,
            limit=limit,
            after=self._last_team,
        )
        return leases, None if leases else await seconds_until_due(writing, kind=self._kind.name)

    def _place_in_ring(self, lease: Lease) -> tuple[bool, str]:
        return (lease.team_id <= self._last_team, lease.team_id)


async def keep_up(duty: Duty, wake_ups: WakeUps) -> None:
    """Fulfil the duty when it is due, again and again; a fault of the database is tried again."""
    bell: Bell = wake_ups.bell(duty.name)
    while True:
        seconds: float | None = 0
        try:
            seconds = await duty.fulfil()
        except (DenseMemError, psycopg.Error) as error:
            log.warning("duty not fulfilled", action=duty.name, code=type(error).__name__)
        if duty.is_paced and seconds:
            await asyncio.sleep(seconds * random.uniform(0.8, 1.0))
        else:
            await bell.wait(wake_ups.sleep_until_due(seconds))


async def end_tasks(tasks: Sequence[asyncio.Task[object]]) -> None:
    """Leave the tasks ended, or given up when they don't end in time; raise what ended one of them by itself."""
    for task in tasks:
        task.cancel()
    ended, late = await asyncio.wait(tasks, timeout=GRACE_SECONDS)
    if late:
        log.warning("work was left behind", action="stop", count=len(late))
    for task in ended:
        if not task.cancelled() and (error := task.exception()) is not None:
            raise error


def worker_name() -> str:
    """Return a name that no other worker ever had, so a restart never looks like the dead one alive."""
    return f"{socket.gethostname()}:{os.getpid()}:{next(_workers)}:{new_id('run')[-10:]}"


_workers = count(1)
