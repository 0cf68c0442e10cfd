"""The server of the rounds, with a disk of its own where that can be had, and the worker processes on it."""

import asyncio
import multiprocessing
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic
from typing import Final

import psycopg
from psycopg.conninfo import make_conninfo

from app.kernel.migrate import migrate
from app.postgres.server import RunningPostgres, start
from tests.chaos.worker import LEASE_SECONDS, run
from tests.databases import SERVICE_LOGIN

DISK_MEGABYTES: Final = 400
WORKER_NAME: Final = "chaos-worker"
# Forked from a process that has imported everything: a fresh interpreter takes two seconds for that.
_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["tests.chaos.worker", "tests.chaos.rounds"])


@dataclass
class Worker:
    """One worker process, and the line to it."""

    pid: int
    exit_code: "asyncio.Future[int]"
    line: Connection

    async def reach(self, seconds: float) -> bool:
        """Wait until it stands at its point; say whether it came there in time."""
        return await asyncio.to_thread(self.line.poll, seconds)

    def go_on(self) -> None:
        """Let it go on from its point, if it lives."""
        with suppress(OSError):
            self.line.send("go")

    def send(self, number: int) -> None:
        """Send a signal to this process, if it lives."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    async def end(self, number: int = signal.SIGTERM) -> float:
        """End it, and return how many seconds that took."""
        began = monotonic()
        self.send(number)
        await asyncio.wait_for(asyncio.shield(self.exit_code), 30)
        return monotonic() - began


@dataclass
class World:
    """A migrated database on a server that may be stopped, killed, filled up and started again."""

    folder: Path
    has_own_disk: bool
    server: RunningPostgres
    workers: list[Worker] = field(default_factory=list)

    @property
    def url(self) -> str:
        return self.server.conninfo(user=SERVICE_LOGIN, dbname="chaos")

    @property
    def admin_url(self) -> str:
        return self.server.conninfo(dbname="chaos")

    def start_worker(self, point: str | None = None, *, lease_seconds: float = LEASE_SECONDS) -> Worker:
        """Start a worker process that stops at the point."""
        ours, its = multiprocessing.Pipe()
        url = make_conninfo(self.url, application_name=WORKER_NAME)
        process = _context.Process(target=run, args=(url, its, point, lease_seconds), daemon=True)
        process.start()
        its.close()
        assert process.pid is not None
        ended: asyncio.Future[int] = asyncio.ensure_future(asyncio.to_thread(_wait_for, process))
        worker = Worker(process.pid, ended, ours)
        self.workers.append(worker)
        return worker

    async def end_workers(self) -> None:
        """Leave no worker process behind."""
        for worker in self.workers:
            worker.send(signal.SIGCONT)
            worker.send(signal.SIGKILL)
            await worker.exit_code
            worker.line.close()
        self.workers.clear()

    async def restart(self, *, kill: bool) -> None:
        """Stop the server in order, or kill it, and start it again on the same data and address."""
        await asyncio.to_thread(self._restart, kill)

    def _restart(self, kill: bool) -> None:
        if kill:
            with suppress(ProcessLookupError):
                os.kill(self.server.pid, signal.SIGKILL)
            while self.server.is_alive():
                pass
        self.server.stop()
        self.server = _start(self.folder)


@contextmanager
def made_world() -> Iterator[World]:
    """Give a world, in memory, on a disk of its own where this account may mount one."""
    base = Path("/dev/shm") if Path("/dev/shm").is_dir() else None
    with (
        tempfile.TemporaryDirectory(prefix="densemem-chaos-", dir=base) as name,
        _own_disk(Path(name)) as own,
    ):
        world = World(Path(name), own, _start(Path(name)))
        try:
            with psycopg.connect(world.server.conninfo(), autocommit=True) as connection:
                connection.execute(f"CREATE ROLE {SERVICE_LOGIN} LOGIN NOINHERIT".encode())
                connection.execute("CREATE DATABASE chaos")
            migrate(world.admin_url, role_prefix="densemem", service_login=SERVICE_LOGIN)
            yield world
        finally:
            world.server.stop()


@contextmanager
def _own_disk(folder: Path) -> Iterator[bool]:
    options = ["-t", "tmpfs", "-o", f"size={DISK_MEGABYTES}m", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(["mount", *options], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        mounted = False
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=True)


def _start(folder: Path) -> RunningPostgres:
    return start(folder / "data", durable=False, settings={"max_connections": "100"})


def _wait_for(process: "multiprocessing.process.BaseProcess") -> int:
    process.join()
    code = process.exitcode
    assert code is not None
    return code
