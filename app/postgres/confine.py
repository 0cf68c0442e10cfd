"""Start a program under an identity, bound to the life of the process that starts it.

Only for a process with a single thread: the child runs Python between fork and exec, and on Linux its
parent-death signal follows the thread that forked.
"""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.postgres.errors import NotPermittedError
from app.postgres.identity import Identity, find_closed_folder

CLONE_NEWUSER = 0x10000000
PR_SET_PDEATHSIG = 1
PROBE_TIMEOUT_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Confinement:
    """What the started programs share.

    identity: whom they run as; env: their whole environment; reach: folders they must be able to enter, the
    last one becomes their working folder; kept: descriptors they inherit.
    """

    identity: Identity
    env: Mapping[str, str]
    reach: Sequence[Path]
    kept: Sequence[int] = ()


def spawn(arguments: Sequence[str], confinement: Confinement, *, output: int) -> subprocess.Popen[bytes]:
    """The program runs; on Linux the kernel sends it SIGQUIT when this thread ends.

    Args:
        output: the descriptor that takes its standard output and error.

    Raises:
        OSError: the program can't be executed under this identity.
        subprocess.SubprocessError: the identity can't be taken, or a folder to reach is closed to it.
    """
    identity = confinement.identity
    switches = identity.kind == "account"
    return subprocess.Popen(
        arguments,
        env=confinement.env,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        pass_fds=confinement.kept,
        umask=0o077,
        user=identity.uid if switches else None,
        group=identity.gid if switches else None,
        extra_groups=[] if switches else None,
        preexec_fn=prepare_entry(confinement),
    )


def try_identity(postgres: Path, confinement: Confinement) -> bool:
    """Whether PostgreSQL's program runs under an identity; it only prints its version."""
    try:
        process = spawn([str(postgres), "--version"], confinement, output=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError):
        return False
    return process.wait(timeout=PROBE_TIMEOUT_SECONDS) == 0


def check_identity(postgres: Path, confinement: Confinement) -> None:
    """The identity can be taken, reaches its folders and runs PostgreSQL's program.

    Raises:
        NotPermittedError: it can't; the message names the closed folder where one can be told.
    """
    if try_identity(postgres, confinement):
        return
    identity = confinement.identity
    # Inside a namespace the account keeps what its owner may do, without root's power over other accounts'
    # files.
    uid, gid = (identity.uid, identity.gid) if identity.kind == "account" else (os.geteuid(), os.getegid())
    for path in (postgres.parent, *confinement.reach):
        closed = find_closed_folder(path, uid, gid)
        if closed is not None:
            raise NotPermittedError(
                f"PostgreSQL would run with the rights of account {uid} alone, and {closed} (on the way to "
                f"{path}) is closed to it.",
                remedy="Choose a data folder and binaries that this account can reach, start the service as "
                "a normal user, or set DATABASE_URL.",
            )
    raise NotPermittedError(
        f"PostgreSQL's program {postgres} can't be started as account {uid}.",
        remedy="Start the service as a normal user, or set DATABASE_URL.",
    )


def prepare_entry(confinement: Confinement) -> Callable[[], None]:
    """The steps of the child between fork and exec; everything they need is loaded before."""
    identity, reach = confinement.identity, tuple(confinement.reach)
    on_linux = sys.platform == "linux"
    libc = ctypes.CDLL(None, use_errno=True) if on_linux else None
    parent, uid, gid = os.getpid(), os.geteuid(), os.getegid()

    def enter() -> None:
        if libc is not None:
            if identity.kind == "namespace":
                enter_namespace(libc, identity, outer_uid=uid, outer_gid=gid)
            # After the change of account, which would clear it.
            if libc.prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGQUIT), *[ctypes.c_ulong(0)] * 3) != 0:
                raise OSError(ctypes.get_errno(), "prctl")
            if os.getppid() != parent:
                os._exit(1)
        for folder in reach:
            os.chdir(folder)

    return enter


def enter_namespace(libc: ctypes.CDLL, identity: Identity, *, outer_uid: int, outer_gid: int) -> None:
    """This process is in a user namespace of its own, where the outer account shows as `identity.uid`."""
    if libc.unshare(CLONE_NEWUSER) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    for name, text in (
        ("uid_map", f"{identity.uid} {outer_uid} 1"),
        ("setgroups", "deny"),
        ("gid_map", f"{identity.gid} {outer_gid} 1"),
    ):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)
