"""Where a data folder's server is reached: kept beside its data while it serves, for the commands of this host.

An address counts only while its server holds a lock on the file: whoever was killed has left an old one, and who
listens there now is not to be given a key.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_NAME: Final = "address"
_MOST_BYTES: Final = 512
# A command that looks holds the lock for as long as it takes to read a line.
_TRIES: Final = 100
# What a server on every interface is called from this host.
_ANY: Final = {"http://0.0.0.0:": "http://127.0.0.1:", "http://[::]:": "http://[::1]:"}


@contextmanager
def keep_address(data_dir: Path, url: str) -> Iterator[None]:
    """Keep the address while the block runs, where there is such a folder and no other server's address in it."""
    descriptor = _take(data_dir / _NAME)
    if descriptor is None:
        yield
        return
    for everywhere, here in _ANY.items():
        url = url.replace(everywhere, here)
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, url.encode(), 0)
        yield
    finally:
        os.ftruncate(descriptor, 0)
        os.close(descriptor)


def find_address(data_dir: Path) -> str | None:
    """Return the address of the server that keeps it there, or None while none does."""
    try:
        descriptor = os.open(data_dir / _NAME, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return os.pread(descriptor, _MOST_BYTES, 0).decode("ascii", "replace") or None
    else:
        return None
    finally:
        os.close(descriptor)


def _take(path: Path) -> int | None:
    """Return a descriptor that holds the file's lock, None where another server does or nothing can be kept."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError:
        return None
    for _ in range(_TRIES):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            continue
        return descriptor
    os.close(descriptor)
    return None
