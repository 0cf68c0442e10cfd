"""Where things lie: the data folder's files, and the folder of the socket. Pure, but for
`socket_folder_trouble`."""

import hashlib
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.postgres.errors import EmbeddedPostgresError

PORT = 5432
# sockaddr_un holds 108 bytes on Linux and 104 on macOS, each with a closing zero.
SOCKET_PATH_LIMIT_BYTES = 103
# PostgreSQL cuts paths at 1024 bytes; its own files below the cluster need the rest.
DATA_PATH_LIMIT_BYTES = 900


@dataclass(frozen=True, slots=True)
class Layout:
    """The files in a data folder; see the package docstring."""

    data_dir: Path

    @property
    def cluster(self) -> Path:
        return self.data_dir / "cluster"

    @property
    def lock(self) -> Path:
        return self.data_dir / "lock"

    @property
    def running(self) -> Path:
        return self.data_dir / "running.json"

    @property
    def log(self) -> Path:
        return self.data_dir / "server.log"

    @property
    def postmaster_pid(self) -> Path:
        return self.cluster / "postmaster.pid"


def lay_out(data_dir: Path) -> Layout:
    """The layout of a data folder, made absolute with its links followed, so that one folder has one name.

    Raises:
        EmbeddedPostgresError: the path is longer than PostgreSQL can take, or holds a line break.
    """
    resolved = data_dir.expanduser().resolve()
    length = len(os.fsencode(resolved))
    if length > DATA_PATH_LIMIT_BYTES:
        raise EmbeddedPostgresError(
            f"The path of the data folder has {length} bytes; PostgreSQL takes {DATA_PATH_LIMIT_BYTES}.",
            remedy="Choose a data folder with a shorter path.",
        )
    if "\n" in str(resolved) or "\r" in str(resolved):
        # PostgreSQL keeps the path as one line of postmaster.pid.
        raise EmbeddedPostgresError(
            "The path of the data folder holds a line break.", remedy="Choose a data folder without one."
        )
    return Layout(resolved)


def name_socket_folder(data_dir: Path, *, uid: int, bases: Sequence[Path]) -> Path:
    """The socket's folder for a data folder: the same one at each start, in the first base that is short
    enough.

    Raises:
        EmbeddedPostgresError: every base is so long that the socket's path would not fit.
    """
    digest = hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:16]
    for base in bases:
        folder = base / f"densemem-{uid}-{digest}"
        if len(os.fsencode(socket_path(folder))) <= SOCKET_PATH_LIMIT_BYTES:
            return folder
    raise EmbeddedPostgresError(
        f"No folder for temporary files is short enough for a socket of {SOCKET_PATH_LIMIT_BYTES} bytes.",
        remedy="Set TMPDIR to a short path such as /tmp.",
    )


def socket_path(folder: Path) -> Path:
    """The socket that PostgreSQL makes in a folder."""
    return folder / f".s.PGSQL.{PORT}"


def socket_folder_trouble(folder: Path, *, owners: Sequence[int]) -> str | None:
    """Why a folder can't hold the socket (a link, not a folder, another's, open to others); None when it can.

    Args:
        owners: numbers of the accounts it may belong to.
    """
    found = os.lstat(folder)
    if stat.S_ISLNK(found.st_mode) or not stat.S_ISDIR(found.st_mode):
        return "is not a folder"
    if found.st_uid not in owners:
        return f"belongs to account {found.st_uid}"
    if stat.S_IMODE(found.st_mode) & 0o077:
        return f"is open to other accounts (mode {stat.S_IMODE(found.st_mode):04o})"
    return None
