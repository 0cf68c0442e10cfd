"""Who waits where all cores are busy: PostgreSQL's processes, for whoever asks them.

The API is one process. While it waits for a core behind a handful of theirs it hands them nothing new, and once it
has had its turn they have nothing to do: with eight clients on two cores a seventh of both was idle.

A nice value is inherited. On Linux that is not enough where the kernel shares out cores between sessions first
(sched(7), "The autogroup feature"): each of PostgreSQL's processes begins a session, which has a nice value of its
own and inherits none. So each is told, as it comes.
"""

import os
from dataclasses import dataclass, field
from pathlib import Path

# A third of the weight. What else runs on the machine comes first as well, so no more than that.
NICENESS = 5
NICEST = 19
LOOK_SECONDS = 1.0
# An account that is not root may tell ten sessions a second.
RETRY_SECONDS = 0.1


@dataclass(slots=True)
class Courtesy:
    """What the processes of the server with this number have been taught."""

    server_pid: int
    _taught: set[int] = field(default_factory=set)

    def begin(self) -> None:
        """All processes that the server starts from now on are nicer than whoever started it, as far as that is
        inherited."""
        before = os.getpriority(os.PRIO_PROCESS, self.server_pid)
        os.setpriority(os.PRIO_PROCESS, self.server_pid, min(before + NICENESS, NICEST))

    def spread(self) -> float:
        """The sessions that have come up since are told. Returns in how many seconds to look again."""
        children = list_children(self.server_pid)
        self._taught &= children
        self._taught |= set(filter(tell_session, children - self._taught))
        return LOOK_SECONDS if self._taught == children else RETRY_SECONDS


def list_children(pid: int) -> set[int]:
    """The numbers of the process's children; none where the machine does not say."""
    try:
        return set(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))
    except OSError:
        return set()


def tell_session(pid: int) -> bool:
    """The session of the process is nice, or can't be; False where it has to be told later: the kernel wants a
    pause, or the process has no session of its own yet and its parent's would be told."""
    try:
        if os.getsid(pid) != pid:
            return False
        Path(f"/proc/{pid}/autogroup").write_text(str(NICENESS))
    except BlockingIOError:
        return False
    except OSError:
        # No such feature, no right to use it, or the process has ended.
        return True
    return True
