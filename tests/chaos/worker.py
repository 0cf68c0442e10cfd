"""A worker process that stops at one of its commit points and waits to be told to go on."""

import asyncio
import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Awaitable, Callable
from multiprocessing.connection import Connection
from typing import Final, TypeVar, cast

import structlog

from app.kernel.database import Database, Scope, Writing
from app.kernel.errors import Unavailable
from app.kernel.settings import Settings
from app.queue.leases import Lease
from app.remember.verify import Verifier
from app.worker import steps
from app.worker.loop import work_until_stopped
from app.worker.provider import Provider
from tests.concurrency.writers import HashedVerifier

T = TypeVar("T")
LEASE_SECONDS: Final = 2
SETTINGS: Final = Settings.model_validate(
    {
        "lease_seconds": LEASE_SECONDS,
        "poll_seconds": 0.2,
        "statement_timeout_seconds": 1,
        "pool_timeout_seconds": 2,
        "pool_size": 6,
    }
)


class StoppingDatabase(Database):
    """Counts its commits from the first lease on, and meets the harness at the chosen one."""

    point: str | None = None
    harness: Connection
    commits = 0

    async def unit_of_work(self, scope: Scope, work: Callable[[Writing], Awaitable[T]]) -> T:
        number = 0

        async def and_count(w: Writing) -> T:
            nonlocal number
            result = await work(w)
            if self.commits > 0 or brings_lease(result):
                self.commits += 1
                # Other tasks count on while this one commits.
                number = self.commits
                self.meet(f"{number}-")
            return result

        result = await super().unit_of_work(scope, and_count)
        self.meet(f"{number}+")
        return result

    def meet(self, point: str) -> None:
        """Stand still, as a whole process, when this is the point, until told to go on."""
        if point == self.point:
            self.point = None
            self.harness.send(point)
            self.harness.recv()


class HashedProvider:
    """Gives the verifier that decides by the text alone."""

    prices = None

    def line(self) -> None:
        """Have no key."""

    async def choose_verifier(self, *_: object, **__: object) -> Verifier:
        """Decide without money, so whatever else is asked for does not matter."""
        return HashedVerifier()


def brings_lease(result: object) -> bool:
    """Say whether this is the answer of a worker that asked for work and was given some."""
    match result:
        case ([Lease(), *_], _):
            return True
        case _:
            return False


def run(url: str, harness: Connection, point: str | None, lease_seconds: float) -> None:
    """Work until SIGTERM; then tell the harness the number of commits."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    threading.Thread(target=_end_with_harness, daemon=True).start()
    # A process of its own for each generation costs seconds, and what may happen to it is no fault of a worker.
    steps.run_in_process = asyncio.to_thread  # type: ignore[attr-defined]  # Called with the same arguments.
    settings = SETTINGS.model_copy(update={"lease_seconds": lease_seconds})
    asyncio.run(work(url, harness, point, settings))


def _end_with_harness() -> None:
    harness = multiprocessing.parent_process()
    assert harness is not None
    harness.join()
    os._exit(1)


async def work(url: str, harness: Connection, point: str | None, settings: Settings) -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    while True:
        database = StoppingDatabase(settings, url=url)
        database.point, database.harness = point, harness
        try:
            await database.open()
            break
        except Unavailable:
            if stop.is_set():
                return
    await work_until_stopped(database, settings, cast(Provider, HashedProvider()), stop=stop)
    await database.close()
    harness.send(database.commits)
