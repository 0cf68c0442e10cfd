"""Create the cluster and make the data folder ready for the account that serves it. Runs in the
supervisor."""

import os
import shutil
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

from app.postgres.errors import EmbeddedPostgresError
from app.postgres.identity import Identity
from app.postgres.layout import Layout, socket_folder_trouble

TEMPORARY_PREFIX = "cluster.new-"
LOG_TAIL_BYTES = 2000


def make_data_folder(data_dir: Path) -> None:
    """The data folder exists; a new one is closed to other accounts, an old one is left as it is."""
    data_dir.parent.mkdir(parents=True, exist_ok=True)
    data_dir.mkdir(mode=0o700, exist_ok=True)


def remove_leftovers(layout: Layout) -> None:
    """No half-made cluster is left in the data folder. Only under the lock."""
    for leftover in layout.data_dir.glob(TEMPORARY_PREFIX + "*"):
        shutil.rmtree(leftover)


def create_cluster(
    layout: Layout,
    identity: Identity,
    *,
    run_initdb: Callable[[Path], subprocess.Popen[bytes]],
    wait: Callable[[subprocess.Popen[bytes]], int],
    durable: bool,
) -> None:
    """The cluster exists, whole; it did not before. Only under the lock.

    Args:
        run_initdb: starts initdb on an empty folder.
        wait: returns its exit code, or stops it and raises when the owner has gone.

    Raises:
        EmbeddedPostgresError: initdb failed; nothing is left of its work, and the log's end is in the
            message.
    """
    fresh = layout.data_dir / f"{TEMPORARY_PREFIX}{os.getpid()}"
    log_start = log_size(layout.log)
    fresh.mkdir(mode=0o700)
    try:
        hand_over(fresh, identity)
        if wait(run_initdb(fresh)) != 0:
            raise EmbeddedPostgresError(f"initdb failed: {read_tail(layout.log, log_start)}")
        fresh.rename(layout.cluster)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    if durable:
        sync_folder(layout.data_dir)


def check_version(layout: Layout, *, major: int) -> None:
    """The cluster was made by the same major version that is about to serve it.

    Raises:
        EmbeddedPostgresError: it was made by another one, or is no cluster.
    """
    try:
        made_by = (layout.cluster / "PG_VERSION").read_text(encoding="ascii").strip()
    except FileNotFoundError as error:
        raise EmbeddedPostgresError(
            f"{layout.cluster} is not a PostgreSQL cluster.",
            remedy="Move it away, or choose another data folder.",
        ) from error
    if made_by != str(major):
        raise EmbeddedPostgresError(
            f"The cluster in {layout.data_dir} was made by PostgreSQL {made_by}, and the programs are "
            f"those of PostgreSQL {major}.",
            remedy=f"Set DENSEMEM_POSTGRES_BIN to the programs of PostgreSQL {made_by}, or move the data "
            "with pg_dump.",
        )


def open_to(layout: Layout, identity: Identity) -> None:
    """The account that serves owns the cluster and can pass through the data folder; nothing outside is
    touched."""
    if identity.kind != "account":
        return
    mode = stat.S_IMODE(os.stat(layout.data_dir).st_mode)
    if os.stat(layout.data_dir).st_uid != identity.uid and not mode & stat.S_IXOTH:
        os.chmod(layout.data_dir, mode | stat.S_IXOTH)
    if layout.cluster.exists() and os.stat(layout.cluster).st_uid != identity.uid:
        for folder, _, files in os.walk(layout.cluster):
            hand_over(Path(folder), identity)
            for name in files:
                hand_over(Path(folder, name), identity)


def make_socket_folder(folder: Path, identity: Identity) -> None:
    """The socket's folder exists, closed to all but the serving account.

    Raises:
        EmbeddedPostgresError: something else stands under its name.
    """
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        # In a namespace the shown number means nothing outside it.
        owners = [os.geteuid()] + ([identity.uid] if identity.kind == "account" else [])
        trouble = socket_folder_trouble(folder, owners=owners)
        if trouble is not None:
            raise EmbeddedPostgresError(
                f"The socket's folder {folder} {trouble}.",
                remedy="Remove it, or set TMPDIR to a folder of your own.",
            ) from None
    hand_over(folder, identity)


def hand_over(path: Path, identity: Identity) -> None:
    """The path belongs to the account that serves, if that is another one than ours."""
    if identity.kind == "account":
        os.chown(path, identity.uid, identity.gid, follow_symlinks=False)


def open_log(path: Path, *, limit_bytes: int = 5_000_000) -> int:
    """A descriptor that appends to the log; a log over the limit is set aside as the one older log."""
    if log_size(path) > limit_bytes:
        os.replace(path, path.with_name(path.name + ".1"))
    return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


def log_size(path: Path) -> int:
    """The bytes in a log; 0 when there is none."""
    return path.stat().st_size if path.exists() else 0


def read_tail(path: Path, start: int) -> str:
    """What was logged since `start`, at most its last 2000 bytes."""
    with path.open("rb") as log:
        log.seek(max(start, log_size(path) - LOG_TAIL_BYTES))
        return log.read().decode(errors="replace").strip()


def sync_folder(folder: Path) -> None:
    """The names in a folder survive a power loss."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
