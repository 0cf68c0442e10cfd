"""The data folder's lock: held by the supervisor and by each process of PostgreSQL, so one server runs at a
time.

PostgreSQL's own lock file goes by process numbers, which mean nothing between containers that share a
volume; an flock is kept by the one kernel below them.
"""

import fcntl
import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from app.postgres.errors import DataFolderInUseError


@dataclass(frozen=True, slots=True)
class Holder:
    """The processes that hold a lock."""

    supervisor_pid: int
    owner_pid: int


def take_lock(path: Path, holder: Holder, *, wait_once_more: Callable[[], bool]) -> int:
    """The lock is held by the returned descriptor and all its copies, until the last of them is closed.

    A server whose owner has died is given time to stop; one whose owner lives is an error at once.

    Args:
        wait_once_more: waits a little; false when there is no more time.

    Raises:
        DataFolderInUseError: another server holds it; the message names the process.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            other = read_holder(descriptor)
            lives = other is not None and is_alive(other.supervisor_pid) and is_alive(other.owner_pid)
            if lives or not wait_once_more():
                os.close(descriptor)
                raise in_use(path.parent, other, lives=lives) from None
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, json.dumps(asdict(holder)).encode(), 0)
    return descriptor


def in_use(data_dir: Path, other: Holder | None, *, lives: bool) -> DataFolderInUseError:
    """The error for a folder that another server holds."""
    remedy = "Stop that process first, connect to its server instead, or choose another data folder."
    if other is None:
        return DataFolderInUseError(
            f"The data folder {data_dir} is in use by another process.", remedy=remedy
        )
    if lives:
        return DataFolderInUseError(
            f"The data folder {data_dir} is in use: process {other.owner_pid} runs PostgreSQL on it "
            f"(supervisor {other.supervisor_pid}).",
            remedy=remedy,
        )
    return DataFolderInUseError(
        f"The data folder {data_dir} is in use: the PostgreSQL started by process {other.owner_pid}, which "
        "has ended, is still stopping.",
        remedy="Wait until it has stopped and try again.",
    )


def read_holder(descriptor: int) -> Holder | None:
    """Who holds the lock, as far as the file says; None when it says nothing (the holder writes after
    locking)."""
    try:
        return Holder(**json.loads(os.pread(descriptor, 4096, 0)))
    except (ValueError, TypeError):
        return None


def is_alive(pid: int) -> bool:
    """Whether a process with this number exists."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
