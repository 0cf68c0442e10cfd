"""The supervisor's ear: end-of-file from its owner, signals, and a changed parent, in one wait."""

import os
import select
import signal
from types import FrameType

# How often the parent's number is looked at. End-of-file comes at once; this is for a pipe that someone else
# holds.
PARENT_CHECK_SECONDS = 1.0
HEARD_SIGNALS = (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGQUIT)


class Lifeline:
    """Becomes `cut`, for good, once the owner has closed its end, ended or been killed."""

    def __init__(self, descriptor: int, *, owner_pid: int) -> None:
        self.cut = False
        self._descriptor = descriptor
        self._owner_pid = owner_pid
        self._woken, self._waker = os.pipe()
        os.set_blocking(self._waker, False)
        signal.set_wakeup_fd(self._waker, warn_on_full_buffer=False)
        for heard in HEARD_SIGNALS:
            signal.signal(heard, ignore_here)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        # The owner's mask came along, and could hide all of these.
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        self._poll = select.poll()
        self._poll.register(self._woken, select.POLLIN)
        self._poll.register(descriptor, select.POLLIN)

    def wait(self, seconds: float = PARENT_CHECK_SECONDS) -> list[int]:
        """Something happened, or the time (at most a second) is up. Returns the signals heard, children's
        left out."""
        limit = min(seconds, PARENT_CHECK_SECONDS)
        ready = dict(self._poll.poll(round(limit * 1000)))
        if self._descriptor in ready and not self.cut and os.read(self._descriptor, 4096) == b"":
            self._cut()
        if os.getppid() != self._owner_pid and not self.cut:
            self._cut()
        if self._woken not in ready:
            return []
        return [number for number in os.read(self._woken, 4096) if number != signal.SIGCHLD]

    def _cut(self) -> None:
        self.cut = True
        # An ended pipe is always ready; without it, waiting is waiting again.
        self._poll.unregister(self._descriptor)


def ignore_here(number: int, frame: FrameType | None) -> None:
    """A handler that leaves the work to the wakeup descriptor."""
