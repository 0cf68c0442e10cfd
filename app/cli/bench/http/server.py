"""The API process that is measured: the door as `serve` opens it, and the bare endpoint on a port of its own."""

import asyncio
import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from time import process_time
from typing import Final

from app.cli.bench.http.bare import make_bare_app
from app.cli.server import bind, make_server, run_serving, serving
from app.kernel.database import Database
from app.kernel.logs import configure_logs
from app.kernel.settings import Settings

HOST: Final = "127.0.0.1"
START_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class Ports:
    """Where the process listens, its number, and how to ask it how many seconds of a core it has taken."""

    door: int
    bare: int
    pid: int
    read_busy_seconds: Callable[[], float]


@contextmanager
def api_process(settings: Settings, url: str) -> Iterator[Ports]:
    """Give the ports of one API process without a worker, on the database behind `url`."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    settings = settings.model_copy(update={"host": HOST, "port": 0})
    process = context.Process(target=_serve, args=(settings, url, theirs))
    process.start()
    theirs.close()
    try:
        if not ours.poll(START_SECONDS):
            raise TimeoutError("the API process did not start")
        door, bare = ours.recv()
        assert process.pid is not None
        yield Ports(door, bare, process.pid, lambda: _ask(ours))
    finally:
        # The end of the pipe is what the process waits for.
        ours.close()
        process.join()


def _ask(pipe: Connection) -> float:
    pipe.send(None)
    seconds: float = pipe.recv()
    return seconds


def _tell(pipe: Connection) -> None:
    """Answer each question until the other end is gone."""
    while True:
        try:
            pipe.recv()
        except EOFError:
            return
        pipe.send(process_time())


def _serve(settings: Settings, url: str, pipe: Connection) -> None:
    configure_logs("error")

    async def serve() -> None:
        database = Database(settings, url=url)
        await database.open()
        listener = bind(HOST, 0)
        bare = make_server(make_bare_app())
        answering = asyncio.create_task(bare.serve(sockets=[listener]))
        try:
            async with serving(database, settings, with_worker=False) as address:
                pipe.send((int(address.rpartition(":")[2]), listener.getsockname()[1]))
                await asyncio.to_thread(_tell, pipe)
        finally:
            bare.should_exit = True
            await answering
            await database.close()

    run_serving(serve())
