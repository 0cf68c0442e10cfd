"""What the owner does when its supervisor has ended: make sure that PostgreSQL ends as well."""

import os
import signal

from app.postgres.layout import Layout


def quit_orphan(layout: Layout, pid: int) -> None:
    """PostgreSQL has been told to quit, if it is still there without its supervisor.

    On Linux the kernel has told it already; elsewhere a killed supervisor would leave it running. PostgreSQL
    removes its file when it ends, so a number that the file no longer names is nobody of ours.
    """
    try:
        first_line = layout.postmaster_pid.read_text(encoding="utf-8", errors="replace").split("\n", 1)[0]
        if first_line == str(pid):
            os.kill(pid, signal.SIGQUIT)
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return
