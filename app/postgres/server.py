"""Start PostgreSQL on a data folder, and hold it."""

import contextlib
import os
import select
import subprocess
import tempfile
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from io import FileIO
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Self

from app.postgres.binaries import Binaries, find_binaries
from app.postgres.errors import EmbeddedPostgresError
from app.postgres.layout import Layout, lay_out, name_socket_folder
from app.postgres.options import child_environment, initdb_arguments, server_arguments, size_buffers
from app.postgres.plan import Plan, boot_command, read_report, write_plan
from app.postgres.running import RunningInfo
from app.postgres.watch import quit_orphan

# Recovery after a crash can take minutes; the limit is for a start that hangs.
START_LIMIT_SECONDS = 600.0
STOP_LIMIT_SECONDS = 30.0
# Of control groups, second and first version, as a container sees its own.
CONTAINER_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
NO_SETTINGS: Mapping[str, str] = MappingProxyType({})

# A forked child of this process must not keep a server alive after this process has died.
_lifelines: weakref.WeakSet[FileIO] = weakref.WeakSet()


def start(
    data_dir: Path,
    *,
    settings: Mapping[str, str] = NO_SETTINGS,
    binaries: Binaries | None = None,
    durable: bool = True,
    namespaces: bool = True,
) -> "RunningPostgres":
    """PostgreSQL serves the data folder and accepts connections; it lives until `stop`, or until this process
    ends.

    May be called from any thread; the thread may end. The cluster is created when there is none, whole or not
    at all. A server whose owner was killed is waited for until it has stopped (30 s at most).

    Args:
        data_dir: made, closed to others, when missing; its modes are left alone when it exists.
        settings: server settings by name; not those that would open the server to others.
        binaries: the programs to use; by default those of `find_binaries`.
        durable: false trades safety in a power loss for speed, for tests.
        namespaces: false does without user namespaces, as if the machine blocked them.

    Raises:
        BinariesMissingError: there is no usable PostgreSQL.
        DataFolderInUseError: another process runs PostgreSQL on the folder.
        NotPermittedError: an account may not do or reach what it must.
        EmbeddedPostgresError: anything else; PostgreSQL's own words are in the message.
    """
    layout = lay_out(data_dir)
    chosen = binaries if binaries is not None else find_binaries(os.environ)
    bases = (Path(tempfile.gettempdir()).resolve(), Path("/tmp"))
    socket_dir = name_socket_folder(layout.data_dir, uid=os.geteuid(), bases=bases)
    plan = Plan(
        data_dir=str(layout.data_dir),
        socket_dir=str(socket_dir),
        bin_dir=str(chosen.bin_dir),
        version=chosen.version,
        initdb=initdb_arguments(chosen, durable=durable),
        server=server_arguments(
            chosen,
            cluster=layout.cluster,
            socket_dir=socket_dir,
            settings={"shared_buffers": size_buffers(read_memory()), **settings},
            durable=durable,
        ),
        owner_pid=os.getpid(),
        durable=durable,
        namespaces=namespaces,
    )
    supervisor = subprocess.Popen(
        boot_command("app.postgres.supervisor", plan.data_dir),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
        cwd="/",
        env=child_environment(os.environ),
        # Ctrl-C in the owner's terminal is the owner's to answer; PostgreSQL stops when the owner has
        # finished.
        start_new_session=True,
    )
    try:
        return RunningPostgres(take_report(supervisor, plan), layout, supervisor)
    except BaseException:
        close_pipes(supervisor)
        supervisor.wait()
        raise


def read_memory(limits: Sequence[Path] = CONTAINER_LIMITS) -> int:
    """Return how many bytes there are to use: the machine's memory, or less where a container is bound to less."""
    found = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for limit in limits:
        # None is written as "max", or as a number beyond all machines.
        with contextlib.suppress(OSError, ValueError):
            found.append(int(limit.read_text()))
    return min(found)


class RunningPostgres:
    """A server that this process owns. As a context manager it stops the server at the end of the block."""

    def __init__(self, info: RunningInfo, layout: Layout, supervisor: subprocess.Popen[bytes]) -> None:
        self.info = info
        self.log_path = layout.log
        self._layout = layout
        self._supervisor = supervisor
        self._watcher = threading.Thread(target=self._watch, name="postgres-watch", daemon=True)
        self._watcher.start()

    @property
    def pid(self) -> int:
        """The number of PostgreSQL's main process."""
        return self.info.pid

    def conninfo(self, user: str = "postgres", dbname: str = "postgres") -> str:
        """The address as libpq's key=value string."""
        return self.info.conninfo(user=user, dbname=dbname)

    def url(self, user: str = "postgres", dbname: str = "postgres") -> str:
        """The address as a postgresql:// URL."""
        return self.info.url(user=user, dbname=dbname)

    def is_alive(self) -> bool:
        """Whether the server still runs under its supervisor."""
        return self._supervisor.poll() is None

    def stop(self) -> None:
        """PostgreSQL has ended and the data folder is free. Again, or in a forked child of the owner: nothing
        happens.

        Raises:
            EmbeddedPostgresError: it did not end in time, not even when killed.
        """
        if os.getpid() != self.info.owner_pid:
            return
        close_pipes(self._supervisor)
        self._watcher.join(timeout=STOP_LIMIT_SECONDS)
        if self._watcher.is_alive():
            self._supervisor.kill()
            raise EmbeddedPostgresError(f"PostgreSQL (process {self.pid}) does not stop.")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _watch(self) -> None:
        self._supervisor.wait()
        quit_orphan(self._layout, self.info.pid)


def take_report(supervisor: subprocess.Popen[bytes], plan: Plan) -> RunningInfo:
    """The supervisor has its plan, and says that the server is ready.

    Raises:
        EmbeddedPostgresError: it says why not, ends without a word, or takes too long.
    """
    # Unbuffered pipes are plain files, which the types don't say.
    assert isinstance(supervisor.stdin, FileIO)
    assert isinstance(supervisor.stdout, FileIO)
    _lifelines.add(supervisor.stdin)
    # A broken pipe: it has ended already, and its report, or the lack of one, says why.
    with contextlib.suppress(BrokenPipeError):
        supervisor.stdin.write(write_plan(plan))
    line = read_line(supervisor.stdout, limit_seconds=START_LIMIT_SECONDS)
    supervisor.stdout.close()
    outcome = read_report(line)
    if isinstance(outcome, EmbeddedPostgresError):
        raise outcome
    return outcome


def read_line(stream: FileIO, *, limit_seconds: float) -> bytes:
    """The first line of a pipe, or what there is of it at its end.

    Raises:
        EmbeddedPostgresError: the time is up.
    """
    deadline = time.monotonic() + limit_seconds
    poll = select.poll()
    poll.register(stream, select.POLLIN)
    line = b""
    while not line.endswith(b"\n"):
        if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise EmbeddedPostgresError(f"PostgreSQL was not ready after {limit_seconds:.0f} seconds.")
        chunk = stream.read(65536)
        if not chunk:
            break
        line += chunk
    return line


def close_pipes(supervisor: subprocess.Popen[bytes]) -> None:
    """The supervisor reads end-of-file."""
    for pipe in (supervisor.stdin, supervisor.stdout):
        if pipe is not None:
            pipe.close()


def close_lifelines() -> None:
    """This process, a forked child, holds no server alive."""
    for lifeline in list(_lifelines):
        lifeline.close()


os.register_at_fork(after_in_child=close_lifelines)
