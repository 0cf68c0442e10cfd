"""What may happen to a worker that stands at a commit point. Each leaves the worker free to go on, if it lives."""

import asyncio
import errno
import os
import signal
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, LiteralString

import psycopg

from tests.chaos.worker import LEASE_SECONDS
from tests.chaos.world import WORKER_NAME, Worker, World

Fault = Callable[[World, Worker], Awaitable[None]]
LOCKED_SECONDS: Final = LEASE_SECONDS + 1
FULL_SECONDS: Final = 1.0


async def kill(world: World, worker: Worker) -> None:
    """`kill -9`; another worker takes over once the lease has run out, which is not waited for."""
    await worker.end(signal.SIGKILL)
    world.start_worker()
    await asyncio.to_thread(_execute, world, _EXPIRE)


async def pause(world: World, worker: Worker) -> None:
    """SIGSTOP until its lease has run out and another worker is at work; it wakes in the middle of that."""
    worker.send(signal.SIGSTOP)
    world.start_worker()
    await asyncio.sleep(LEASE_SECONDS + 0.5)
    worker.send(signal.SIGCONT)
    worker.go_on()


async def sleep_long(world: World, worker: Worker) -> None:
    """SIGSTOP until another worker has finished everything; then it wakes."""
    worker.send(signal.SIGSTOP)
    world.start_worker()
    for _ in range(300):
        await asyncio.sleep(0.1)
        if not await asyncio.to_thread(_is_unfinished, world):
            break
    worker.send(signal.SIGCONT)
    worker.go_on()


async def terminate(world: World, worker: Worker) -> None:
    """SIGTERM; the process is out in 5 seconds, no attempt is spent, another worker goes on."""
    worker.send(signal.SIGTERM)
    worker.go_on()
    seconds = await worker.end()
    assert seconds < 5, f"{seconds:.1f} s to end"
    assert not await asyncio.to_thread(_find, world, _SPENT), "an attempt was spent by SIGTERM"
    world.start_worker()


async def cut_connections(world: World, worker: Worker) -> None:
    """Every connection of the worker is terminated by the server."""
    await asyncio.to_thread(_execute, world, _CUT)
    worker.go_on()


async def restart_server(world: World, worker: Worker) -> None:
    """PostgreSQL stops in order and starts again; the worker stays."""
    await world.restart(kill=False)
    worker.go_on()


async def kill_server(world: World, worker: Worker) -> None:
    """PostgreSQL is killed and recovers from its log; the worker stays."""
    await world.restart(kill=True)
    worker.go_on()


async def lock_table(world: World, worker: Worker) -> None:
    """Somebody locks the queue for longer than a lease, and holds the oldest snapshot meanwhile."""
    worker.go_on()
    async with await psycopg.AsyncConnection.connect(world.admin_url) as connection:
        await connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        await connection.execute("LOCK TABLE work_items IN ACCESS EXCLUSIVE MODE")
        await asyncio.sleep(LOCKED_SECONDS)
        await connection.rollback()


async def fill_disk(world: World, worker: Worker) -> None:
    """The disk under PostgreSQL is full for a while; where it gave up over that, it is started again."""
    filler = world.folder / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(1 << 20))
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
    worker.go_on()
    # Something that needs room: a switch to a new segment of the log, and rows.
    await asyncio.to_thread(_try_to_grow, world)
    await asyncio.sleep(FULL_SECONDS)
    filler.unlink()
    if not world.server.is_alive() or not await asyncio.to_thread(_answers, world):
        await world.restart(kill=True)


FAULTS: Final[Mapping[str, Fault]] = {
    "kill -9": kill,
    "connections cut": cut_connections,
    "SIGTERM": terminate,
    "SIGSTOP past the lease": pause,
    "PostgreSQL restarted": restart_server,
    "queue locked": lock_table,
    "SIGSTOP past the end": sleep_long,
    "PostgreSQL killed": kill_server,
    "disk full": fill_disk,
}


def _execute(world: World, statement: LiteralString) -> None:
    with psycopg.connect(world.admin_url, autocommit=True) as connection:
        connection.execute(statement, {"name": WORKER_NAME, "pid": os.getpid()})


def _find(world: World, statement: LiteralString) -> bool:
    with psycopg.connect(world.admin_url, autocommit=True) as connection:
        return connection.execute(statement).fetchone() is not None


def _is_unfinished(world: World) -> bool:
    return _find(world, _UNFINISHED)


def _answers(world: World) -> bool:
    try:
        return _find(world, "SELECT 1")
    except psycopg.OperationalError:
        return False


def _try_to_grow(world: World) -> None:
    try:
        with psycopg.connect(world.admin_url) as connection:
            connection.execute(
                "CREATE TABLE growing AS SELECT repeat('x', 900) FROM generate_series(1, 20000)"
            )
            connection.rollback()
    except psycopg.Error:
        return  # That is the fault.


_EXPIRE: LiteralString = """
    UPDATE work_items SET lease_expires_at = clock_timestamp()
    WHERE finished_at IS NULL AND lease_expires_at IS NOT NULL
"""
_CUT: LiteralString = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = %(name)s
"""
_SPENT: LiteralString = "SELECT FROM work_items WHERE finished_at IS NULL AND attempt > 0"
_UNFINISHED: LiteralString = "SELECT FROM work_items WHERE finished_at IS NULL"
