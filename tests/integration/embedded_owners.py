"""Helpers of the tests of embedded PostgreSQL: owners in processes of their own, and their ends."""

import contextlib
import fcntl
import json
import os
import select
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from app.postgres.running import RunningInfo
from app.postgres.server import RunningPostgres

# A child finds the modules that this process finds, so both choose the same binaries.
MODULE_PATHS = os.pathsep.join([str(Path(__file__).resolve().parents[2]), *sys.path])
LIMIT_SECONDS = 30

# An owner in a process of its own: it says what it started, and lives until its stdin ends.
OWNER = """
import json, os, sys
from dataclasses import asdict
from pathlib import Path
from app.postgres.errors import EmbeddedPostgresError
from app.postgres.server import start
try:
    server = start(Path(sys.argv[1]), durable=False)
except EmbeddedPostgresError as error:
    print(json.dumps([type(error).__name__, str(error)]), flush=True)
    sys.exit(0)
if "fork" in sys.argv and os.fork() == 0:
    os.close(1)
    os.read(0, 1)
    os._exit(0)
print(json.dumps(asdict(server.info)), flush=True)
os.read(0, 1)
if "stop" in sys.argv:
    server.stop()
"""


@contextmanager
def owner_of(data_dir: Path, *words: str) -> Iterator[tuple[subprocess.Popen[str], RunningInfo]]:
    """Another process that owns a running server."""
    command = [sys.executable, "-c", OWNER, str(data_dir), *words]
    env = os.environ | {"PYTHONPATH": MODULE_PATHS}
    with subprocess.Popen(
        command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as owner:
        assert owner.stdout is not None
        yield owner, RunningInfo(**json.loads(owner.stdout.readline()))


def wait_until_free(data_dir: Path) -> None:
    """Supervisor and PostgreSQL have ended: all of their processes hold the lock as long as they live."""
    with (data_dir / "lock").open() as lock:
        waiter = threading.Thread(target=fcntl.flock, args=(lock, fcntl.LOCK_EX), daemon=True)
        waiter.start()
        waiter.join(LIMIT_SECONDS)
        assert not waiter.is_alive(), "something still holds the data folder"


def has_ended(pid: int) -> bool:
    """Whether a process ends in time. The kernel says so; one that merely waits to be reaped has ended."""
    try:
        if sys.platform == "darwin":
            watched = select.kevent(pid, select.KQ_FILTER_PROC, select.KQ_EV_ADD, select.KQ_NOTE_EXIT)
            with contextlib.closing(select.kqueue()) as queue:
                return queue.control([watched], 1, LIMIT_SECONDS) != []
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return select.select([descriptor], [], [], LIMIT_SECONDS)[0] != []
    finally:
        os.close(descriptor)


def is_running(pid: int) -> bool:
    """Whether a process is there now."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def ask(server: RunningPostgres | RunningInfo, statement: str) -> object:
    """The first value of a statement's answer, None when there is none."""
    with psycopg.connect(server.conninfo(), autocommit=True) as connection:
        cursor = connection.execute(statement.encode())
        row = cursor.fetchone() if cursor.description else None
        return row[0] if row else None
