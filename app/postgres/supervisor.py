"""The supervisor: one thread between the owner and PostgreSQL. Run by `server.start`, see the package
docstring.

It reads its plan as the first line of stdin, reports one line on stdout, and stops PostgreSQL at stdin's
end-of-file. SIGTERM, SIGINT and SIGQUIT are passed on, so they mean what they mean to PostgreSQL: smart,
fast, immediate.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from app.postgres.binaries import parse_major
from app.postgres.cluster import (
    check_version,
    create_cluster,
    log_size,
    make_data_folder,
    make_socket_folder,
    open_log,
    open_to,
    read_tail,
    remove_leftovers,
)
from app.postgres.confine import Confinement, check_identity, spawn, try_identity
from app.postgres.courtesy import Courtesy
from app.postgres.errors import EmbeddedPostgresError, NotPermittedError
from app.postgres.identity import choose_identity, gather_facts
from app.postgres.layout import PORT, Layout
from app.postgres.lifeline import Lifeline
from app.postgres.lock import Holder, take_lock
from app.postgres.options import child_environment
from app.postgres.plan import Plan, read_plan, write_report
from app.postgres.running import RunningInfo, is_listening, write_note

STDIN, STDOUT, STDERR = 0, 1, 2
READY_CHECK_SECONDS = 0.01
LOCK_CHECK_SECONDS = 0.02
LOCK_WAIT_SECONDS = 30.0
STOP_STEPS = ((signal.SIGINT, 10.0), (signal.SIGQUIT, 6.0), (signal.SIGKILL, 5.0))


class OwnerGoneError(Exception):
    """The owner ended while PostgreSQL was still being started; nobody waits for a report."""


def main(arguments: Sequence[str]) -> None:
    """PostgreSQL has run for as long as the owner lived. `arguments` only names the data folder in process
    lists."""
    plan = read_plan(read_line(STDIN))
    lifeline = Lifeline(STDIN, owner_pid=plan.owner_pid)
    try:
        supervise(plan, lifeline)
    except EmbeddedPostgresError as error:
        report(write_report(error))
    except PermissionError as error:
        report(
            write_report(
                NotPermittedError(f"{error}.", remedy="Choose a data folder that this account may write.")
            )
        )
    except OSError as error:
        report(write_report(EmbeddedPostgresError(f"The embedded PostgreSQL can't be started: {error}.")))
    except OwnerGoneError:
        sys.exit(0)


def supervise(plan: Plan, lifeline: Lifeline) -> None:
    """PostgreSQL was started, reported, watched and stopped; the note and the socket's folder are gone.

    Raises:
        EmbeddedPostgresError, OSError: it could not be started; nothing of it runs.
        OwnerGoneError: the owner ended before it was ready; nothing of it runs.
    """
    layout = Layout(Path(plan.data_dir))
    make_data_folder(layout.data_dir)
    lock = lock_folder(layout, plan, lifeline)
    log = open_log(layout.log)
    remove_leftovers(layout)
    confinement = confine(layout, plan, kept=(lock,))
    open_to(layout, confinement.identity)
    make_socket_folder(Path(plan.socket_dir), confinement.identity)
    try:
        prepare_cluster(layout, plan, confinement, lifeline, log=log)
        run_server(layout, plan, confinement, lifeline, log=log)
    finally:
        layout.running.unlink(missing_ok=True)
        remove_if_empty(Path(plan.socket_dir))


def prepare_cluster(
    layout: Layout, plan: Plan, confinement: Confinement, lifeline: Lifeline, *, log: int
) -> None:
    """A cluster that these programs can serve exists, and the identity reaches it."""
    check_identity(Path(plan.bin_dir, "postgres"), confinement)
    if not layout.cluster.exists():
        create_cluster(
            layout,
            confinement.identity,
            run_initdb=lambda folder: spawn([*plan.initdb, "-D", str(folder)], confinement, output=log),
            wait=lambda process: wait_for_end(process, lifeline),
            durable=plan.durable,
        )
    check_version(layout, major=parse_major(plan.version))


def run_server(layout: Layout, plan: Plan, confinement: Confinement, lifeline: Lifeline, *, log: int) -> None:
    """PostgreSQL has run until the owner or it ended, and was reported once it was ready."""
    log_start, started = log_size(layout.log), int(time.time())
    server = spawn(plan.server, confinement, output=log)
    courtesy = Courtesy(server.pid)
    try:
        courtesy.begin()
        while not is_ready(layout, Path(plan.socket_dir), server.pid, started=started):
            pass_on(lifeline.wait(READY_CHECK_SECONDS), server)
            if server.poll() is not None:
                raise EmbeddedPostgresError(f"PostgreSQL did not start: {read_tail(layout.log, log_start)}")
            if lifeline.cut:
                raise OwnerGoneError
        info = RunningInfo(
            pid=server.pid,
            supervisor_pid=os.getpid(),
            owner_pid=plan.owner_pid,
            socket_dir=plan.socket_dir,
            port=PORT,
            version=plan.version,
        )
        write_note(layout.running, info)
        report(write_report(info))
        os.dup2(log, STDERR)
        while server.poll() is None and not lifeline.cut:
            pass_on(lifeline.wait(courtesy.spread()), server)
    finally:
        stop(server)


def lock_folder(layout: Layout, plan: Plan, lifeline: Lifeline) -> int:
    """The folder's lock is held; a stopping predecessor was waited for."""
    deadline = time.monotonic() + LOCK_WAIT_SECONDS

    def wait_once_more() -> bool:
        lifeline.wait(LOCK_CHECK_SECONDS)
        if lifeline.cut:
            raise OwnerGoneError
        return time.monotonic() < deadline

    holder = Holder(supervisor_pid=os.getpid(), owner_pid=plan.owner_pid)
    return take_lock(layout.lock, holder, wait_once_more=wait_once_more)


def confine(layout: Layout, plan: Plan, *, kept: Sequence[int]) -> Confinement:
    """The confinement of PostgreSQL's programs on this machine and data folder."""
    env, postgres = child_environment(os.environ), Path(plan.bin_dir, "postgres")
    facts = gather_facts(
        layout.data_dir,
        layout.cluster,
        namespaces=plan.namespaces and sys.platform == "linux",
        namespace_works=lambda identity: try_identity(postgres, Confinement(identity, env, reach=())),
    )
    reach = (Path(plan.socket_dir), layout.data_dir)
    return Confinement(choose_identity(facts), env, reach=reach, kept=kept)


def is_ready(layout: Layout, socket_dir: Path, pid: int, *, started: int) -> bool:
    """Whether this very server says that it is ready, and its socket answers.

    The file may be a killed predecessor's with the same number (usual in containers), so its start time
    counts too.
    """
    try:
        lines = layout.postmaster_pid.read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return False
    if len(lines) < 8 or lines[0] != str(pid) or lines[7].strip() != "ready":
        return False
    # C's clock of whole seconds may lag a tick behind ours.
    return int(lines[2]) >= started - 1 and is_listening(socket_dir)


def wait_for_end(process: subprocess.Popen[bytes], lifeline: Lifeline) -> int:
    """The exit code of a short-lived program, which does not outlive the owner."""
    while process.poll() is None:
        lifeline.wait()
        if lifeline.cut:
            process.terminate()
            process.wait()
            raise OwnerGoneError
    return process.wait()


def pass_on(signals: Sequence[int], server: subprocess.Popen[bytes]) -> None:
    """PostgreSQL has got the signals that the supervisor got."""
    for number in signals:
        server.send_signal(number)


def stop(server: subprocess.Popen[bytes]) -> None:
    """PostgreSQL has ended: by fast shutdown if it can, else by ever harder means."""
    for number, seconds in STOP_STEPS:
        server.send_signal(number)
        try:
            server.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            continue
        return


def report(line: bytes) -> None:
    """The owner has been told, if it still listens; the supervisor holds nothing of its output any more."""
    with contextlib.suppress(BrokenPipeError):
        os.write(STDOUT, line)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), STDOUT)


def read_line(descriptor: int) -> bytes:
    """The first line, read byte by byte of the pipe's one writer, who writes nothing after it."""
    line = b""
    while not line.endswith(b"\n"):
        chunk = os.read(descriptor, 65536)
        if not chunk:
            sys.exit(0)
        line += chunk
    return line


def remove_if_empty(folder: Path) -> None:
    """The folder is gone, unless something is left in it."""
    with contextlib.suppress(OSError):
        folder.rmdir()
