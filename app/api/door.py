"""What a process gives its HTTP door, and how a route reaches it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, TypeVar

from fastapi import Depends, Request

from app.coordination.redis_link import RedisLink
from app.events.hub import Hub
from app.kernel.database import Database, Plans, Reading, Writing
from app.kernel.settings import Settings
from app.recall.embedder import Embedder
from app.tenancy.admission import Admission
from app.tenancy.callers import Caller

T = TypeVar("T")
Wake = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Door:
    """An open database, the settings, and `wake`, called after a commit that left work for a worker.

    `admission` says who a request is and whether it may come in; `events` holds the open streams; `redis` is
    None without a REDIS_URL, `embedder` without a model.
    """

    database: Database
    settings: Settings
    wake: Wake
    admission: Admission
    events: Hub
    redis: RedisLink | None = None
    embedder: Embedder | None = None
    # Held while a long confirmation is compared, in a transaction: others must not be left without a connection.
    comparing: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))
    # Held while an idea is thought through in a process of its own.
    thinking: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))

    def now(self) -> datetime:
        """Return the clock's time; the domain gets it as an argument."""
        return datetime.now(UTC)

    async def glance(self, caller: Caller, work: Callable[[Reading], Awaitable[T]]) -> T:
        """Return what `work` reads of the caller's team by asking once."""
        async with self.database.glance(caller.scope) as reading:
            return await work(reading)

    async def read(
        self, caller: Caller, work: Callable[[Reading], Awaitable[T]], *, plans: Plans = "auto"
    ) -> T:
        """Return what `work` reads of the caller's team at one moment."""
        async with self.database.snapshot(caller.scope, plans=plans) as reading:
            return await work(reading)

    async def write(self, caller: Caller, work: Callable[[Writing], Awaitable[T]]) -> T:
        """Return what `work` did, once it is committed."""
        return await self.database.unit_of_work(caller.scope, work)


def open_door(request: Request) -> Door:
    """Return the door of this process."""
    door: Door = request.app.state.door
    return door


async def _find_door(request: Request) -> Door:
    # A dependency that is no coroutine would be run by another thread.
    return open_door(request)


DoorHere = Annotated[Door, Depends(_find_door)]
