"""The workers without an API, apart from the server: what answers requests takes a second to import."""

import asyncio
from contextlib import AsyncExitStack

import structlog

from app.cli.database import open_database
from app.cli.starting import check_files, find_embedder, until_signalled
from app.coordination.redis_link import open_redis
from app.kernel.backend import Backend, running_backend
from app.kernel.database import Database
from app.kernel.errors import Unavailable
from app.kernel.settings import Settings
from app.worker.loop import run_worker

log = structlog.get_logger()


def work_until_signalled(settings: Settings) -> None:
    """Work without an API, on DATABASE_URL or beside a running server, until the process is asked to end.

    While DATABASE_URL does not answer it is waited for.
    """

    async def run() -> None:
        asked = asyncio.create_task(until_signalled())
        await asyncio.sleep(0)
        async with AsyncExitStack() as stack:
            opening = asyncio.create_task(open_when_available(settings, stack))
            await asyncio.wait([asked, opening], return_when=asyncio.FIRST_COMPLETED)
            if not opening.done():
                opening.cancel()
                return
            database, stop = opening.result(), asyncio.Event()
            redis = await stack.enter_async_context(open_redis(settings))
            embedder = await find_embedder(settings)
            working = asyncio.create_task(
                run_worker(database, settings, stop=stop, redis=redis, embedder=embedder)
            )
            await asyncio.wait([working, asked], return_when=asyncio.FIRST_COMPLETED)
            stop.set()
            asked.cancel()
            await working

    check_files(settings)
    asyncio.run(run())


async def open_when_available(settings: Settings, stack: AsyncExitStack) -> Database:
    """Return the open database as soon as it answers; a fault that time does not mend is raised."""
    is_waiting = False
    while True:
        try:
            backend = await asyncio.to_thread(find_backend, settings)
            return await stack.enter_async_context(open_database(settings, backend))
        except Unavailable as error:
            if error.code != "database_unavailable":
                raise
            if not is_waiting:
                log.warning("waiting for PostgreSQL", action="start", code=error.code)
            is_waiting = True
        await asyncio.sleep(settings.poll_seconds)


def find_backend(settings: Settings) -> Backend:
    """Return DATABASE_URL's server or the embedded one that another process runs."""
    with running_backend(settings, joins_running=True, may_start=False) as backend:
        return backend
