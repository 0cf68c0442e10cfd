"""The API and its workers in one process, started and ended in order."""

import asyncio
import gc
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, nullcontext
from typing import Any, Final

import uvicorn
from uvicorn.loops.auto import auto_loop_factory

from app import __version__
from app.api.app import create_app
from app.api.auth import admit
from app.api.bodies import read_body
from app.api.problems import answer_problem
from app.cli.address import keep_address
from app.cli.database import open_database
from app.cli.heads import BoundedHeads
from app.cli.starting import check_files, find_embedder, until_signalled
from app.coordination.redis_link import open_redis
from app.coordination.redis_wakes import RedisRinger
from app.kernel.backend import Backend, prepare_backend, running_backend
from app.kernel.database import Database
from app.kernel.errors import SetupError
from app.kernel.settings import Settings
from app.mcp.mount import mount_mcp
from app.worker.loop import run_worker

# Requests under way, open streams included, get so long to end.
SHUTDOWN_SECONDS: Final = 3


def serve_until_signalled(settings: Settings, *, with_worker: bool) -> None:
    """Serve on this machine's database, migrated, until the process is asked to end."""

    async def run(backend: Backend) -> None:
        asked = asyncio.create_task(until_signalled())
        await asyncio.sleep(0)
        async with (
            open_database(settings, backend) as database,
            serving(database, settings, with_worker=with_worker) as url,
        ):
            where = f"embedded PostgreSQL in {settings.data_dir}" if backend.is_embedded else "DATABASE_URL"
            print(f"Dense-Mem serves at {url} ({where}). Ctrl-C ends it.", flush=True)
            died = asyncio.create_task(until_dead(backend))
            await asyncio.wait([asked, died], return_when=asyncio.FIRST_COMPLETED)
            died.cancel()
        if not asked.done():
            raise SetupError(
                f"The embedded PostgreSQL has ended; {settings.data_dir / 'server.log'} says why. "
                "Nothing that was committed is lost: start again."
            )

    check_files(settings)
    with running_backend(settings) as backend:
        prepare_backend(backend, settings)
        run_serving(run(backend))


def run_serving(main: Coroutine[Any, Any, None]) -> None:
    """Run what serves to its end, on the faster event loop where there is one."""
    with asyncio.Runner(loop_factory=auto_loop_factory()) as runner:
        runner.run(main)


@asynccontextmanager
async def serving(database: Database, settings: Settings, *, with_worker: bool) -> AsyncIterator[str]:
    """Serve while the block runs, and give the base URL; requests under way are finished at the end.

    Raises:
        SetupError: the address is taken or not ours.
    """
    listener = bind(settings.host, settings.port)
    stop = asyncio.Event()
    async with open_redis(settings) as redis, asyncio.TaskGroup() as tasks:
        wake = RedisRinger(redis).ring if redis is not None else nothing_to_ring
        embedder = await find_embedder(settings)
        app = create_app(database, settings, wake=wake, redis=redis, embedder=embedder)
        mount_mcp(
            app,
            contract=app.state.contract,
            version=__version__,
            admit=admit,
            read_body=read_body,
            explain=answer_problem,
        )
        server = make_server(app)
        worker = (
            tasks.create_task(run_worker(database, settings, stop=stop, redis=redis, embedder=embedder))
            if with_worker
            else None
        )
        api = tasks.create_task(server.serve(sockets=[listener]))
        while not server.started and not api.done():
            await asyncio.sleep(0.01)
        settle_memory()
        host, port = listener.getsockname()[:2]
        url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        try:
            with keep_address(settings.data_dir, url):
                yield url
        finally:
            # Streams end by themselves once they are told; the server would wait for them.
            app.state.door.events.close()
            server.should_exit = True
            stop.set()
            await api
            if worker is not None:
                await worker


def make_server(app: Callable[..., Any]) -> uvicorn.Server:  # As uvicorn names it.
    """Return the server of one application; it hears no signals."""
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            http=BoundedHeads,
            log_config=None,
            access_log=False,
            lifespan="on",
            timeout_graceful_shutdown=SHUTDOWN_SECONDS,
            server_header=False,
        )
    )
    # Signals are this module's to hear: worker and API end side by side, not one after the other.
    server.capture_signals = nullcontext  # type: ignore[assignment]  # It enters as the method does.
    return server


def nothing_to_ring() -> None:
    """Leave waking to the database's notifications."""


async def until_dead(backend: Backend) -> None:
    """Return when the embedded server that this process runs has ended."""
    while backend.is_alive():
        await asyncio.sleep(1)


def bind(host: str, port: int) -> socket.socket:
    """Return a listening socket, or raise SetupError that says what is in the way."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named as TCP, for asyncio sends small answers at once only then.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise SetupError(
            f"{host}:{port} can't be served on: {error.strerror}. Choose another --host or --port."
        ) from error
    return listener


def settle_memory() -> None:
    """Take what start-up made out of the collector's sight: its pauses are the slowest requests otherwise."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)
