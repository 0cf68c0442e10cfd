"""Look at everything that a start of PostgreSQL needs, and say what is wrong and how to mend it. Changes
nothing."""

import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from app.postgres.binaries import Binaries, find_binaries
from app.postgres.cluster import check_version
from app.postgres.errors import EmbeddedPostgresError
from app.postgres.layout import Layout, lay_out, name_socket_folder, socket_folder_trouble
from app.postgres.probe import probe_identity
from app.postgres.running import find_running

MEGABYTE = 1_000_000
LEAST_DISK_MEGABYTES = 500
LEAST_SHARED_MEGABYTES = 32
SHARED_MEMORY_FOLDER = Path("/dev/shm")


@dataclass(frozen=True, slots=True)
class Finding:
    """One check's outcome: what was seen, and, when it is not ok, what to do about it ("" when it is)."""

    check: str
    ok: bool
    detail: str
    remedy: str = ""


def diagnose(data_dir: Path, env: Mapping[str, str]) -> list[Finding]:
    """One finding per check, always the same checks in the same order; checks that hang on a failed one say
    so.

    Checks: binaries, data path, version, account, folder, socket, disk, shared memory, running.
    """
    binaries, first = examine_binaries(env)
    try:
        layout = lay_out(data_dir)
    except (EmbeddedPostgresError, OSError) as error:
        return [first, refuse("data path", error)]
    return [
        first,
        Finding("data path", True, str(layout.data_dir)),
        examine_version(layout, binaries),
        examine_account(layout, binaries),
        examine_folder(layout),
        examine_socket(layout),
        examine_disk(layout),
        examine_shared_memory(),
        examine_running(layout),
    ]


def examine_binaries(env: Mapping[str, str]) -> tuple[Binaries | None, Finding]:
    """The programs that a start would use."""
    try:
        binaries = find_binaries(env)
    except EmbeddedPostgresError as error:
        return None, refuse("binaries", error)
    return binaries, Finding("binaries", True, f"PostgreSQL {binaries.version} in {binaries.bin_dir}")


def examine_version(layout: Layout, binaries: Binaries | None) -> Finding:
    """Whether the programs can serve the cluster."""
    if binaries is None:
        return Finding("version", False, "not looked at without binaries", "Mend the binaries first.")
    try:
        if not layout.cluster.exists():
            return Finding("version", True, "no cluster yet; the first start creates one")
        check_version(layout, major=binaries.major)
    except (EmbeddedPostgresError, OSError) as error:
        return refuse("version", error)
    return Finding("version", True, f"the cluster was made by PostgreSQL {binaries.major}")


def examine_account(layout: Layout, binaries: Binaries | None) -> Finding:
    """Whom PostgreSQL would run as; as root this tries a user namespace."""
    if binaries is None:
        return Finding("account", False, "not looked at without binaries", "Mend the binaries first.")
    try:
        identity = probe_identity(layout, binaries.bin_dir, nearest_existing(layout.data_dir))
    except (EmbeddedPostgresError, OSError) as error:
        return refuse("account", error)
    ways = {
        "plain": f"as this account ({identity.uid})",
        "namespace": f"in a user namespace, shown as account {identity.uid}",
        "account": f"as account {identity.uid}",
    }
    return Finding("account", True, f"PostgreSQL runs {ways[identity.kind]}")


def examine_folder(layout: Layout) -> Finding:
    """Whether the data folder can be made or written, and the cluster is closed to others."""
    folder = nearest_existing(layout.data_dir)
    remedy = "Choose a data folder that this account may write, or give it the folder."
    try:
        if not folder.is_dir():
            return Finding("folder", False, f"{folder} is not a folder", "Choose another data folder.")
        if not os.access(folder, os.W_OK | os.X_OK):
            return Finding("folder", False, f"{folder} can't be written", remedy)
        if folder == layout.data_dir and layout.cluster.exists():
            return examine_cluster(layout.cluster)
    except OSError as error:
        return Finding("folder", False, str(error), remedy)
    return Finding("folder", True, f"{folder} can be written")


def examine_cluster(cluster: Path) -> Finding:
    """PostgreSQL's own demands on its folder: the owner starts it, and nobody else may enter (a group may
    read)."""
    found = os.stat(cluster)
    mode = stat.S_IMODE(found.st_mode)
    if os.geteuid() not in (0, found.st_uid):
        remedy = "Start the service as that account, or give it the folder."
        return Finding("folder", False, f"{cluster} belongs to account {found.st_uid}", remedy)
    if mode & 0o027:
        return Finding("folder", False, f"{cluster} has mode {mode:04o}", f"Run: chmod 0700 '{cluster}'")
    return Finding("folder", True, f"{cluster} has mode {mode:04o} and account {found.st_uid}")


def examine_socket(layout: Layout) -> Finding:
    """Whether the socket's path is short enough, and its folder free or ours."""
    bases = (Path(tempfile.gettempdir()).resolve(), Path("/tmp"))
    try:
        folder = name_socket_folder(layout.data_dir, uid=os.geteuid(), bases=bases)
        owners = [os.geteuid()] + ([os.stat(layout.cluster).st_uid] if layout.cluster.exists() else [])
        trouble = socket_folder_trouble(folder, owners=owners) if os.path.lexists(folder) else None
    except (EmbeddedPostgresError, OSError) as error:
        return refuse("socket", error)
    if trouble is not None:
        return Finding(
            "socket", False, f"{folder} {trouble}", "Remove it, or set TMPDIR to a folder of your own."
        )
    return Finding("socket", True, f"in {folder}")


def examine_disk(layout: Layout) -> Finding:
    """Whether there is room for a cluster and its write-ahead log."""
    folder = nearest_existing(layout.data_dir)
    free = shutil.disk_usage(folder).free // MEGABYTE
    if free < LEAST_DISK_MEGABYTES:
        remedy = f"Free at least {LEAST_DISK_MEGABYTES} MB, or choose a data folder on another disk."
        return Finding("disk", False, f"{free} MB free at {folder}", remedy)
    return Finding("disk", True, f"{free} MB free at {folder}")


def examine_shared_memory(folder: Path = SHARED_MEMORY_FOLDER) -> Finding:
    """Whether PostgreSQL's processes can share memory; only Linux keeps it in a folder, small in many
    containers."""
    if sys.platform != "linux":
        return Finding("shared memory", True, "kept by the system")
    remedy = "Mount a memory file system there (in a container: --shm-size=256m)."
    if not os.access(folder, os.W_OK | os.X_OK):
        return Finding("shared memory", False, f"{folder} is missing or can't be written", remedy)
    free = shutil.disk_usage(folder).free // MEGABYTE
    if free < LEAST_SHARED_MEGABYTES:
        return Finding("shared memory", False, f"{free} MB free in {folder}", remedy)
    return Finding("shared memory", True, f"{free} MB free in {folder}")


def examine_running(layout: Layout) -> Finding:
    """Whether a server runs on the folder; one that does is no fault."""
    try:
        info = find_running(layout.data_dir)
    except (EmbeddedPostgresError, OSError) as error:
        return refuse("running", error)
    if info is None:
        return Finding("running", True, "no server runs on this data folder")
    return Finding("running", True, f"PostgreSQL {info.pid} runs, started by process {info.owner_pid}")


def refuse(check: str, error: EmbeddedPostgresError | OSError) -> Finding:
    """The finding for a check that ended in an error."""
    if isinstance(error, EmbeddedPostgresError):
        return Finding(check, False, error.message, error.remedy or "Read the detail.")
    return Finding(check, False, str(error), "Run the command as the account that runs the service.")


def nearest_existing(path: Path) -> Path:
    """The path itself if it exists, else the nearest folder above it that does."""
    return next(folder for folder in (path, *path.parents) if os.path.lexists(folder))
