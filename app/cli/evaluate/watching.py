"""Time and memory of work in a process of its own."""

import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Watched(Generic[T]):
    """What came out, the seconds that it took (wall and processor), and the process's highest memory."""

    result: T
    seconds: float
    cpu_seconds: float
    peak_megabytes: int | None


def watch(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Watched[T]:
    """Return the function's result with what it cost; for `run_in_process`."""
    begun, begun_cpu = time.perf_counter(), time.process_time()
    result = function(*args, **kwargs)
    seconds, cpu = time.perf_counter() - begun, time.process_time() - begun_cpu
    return Watched(result, round(seconds, 2), round(cpu, 2), read_peak())


def read_peak() -> int | None:
    """Return the highest resident memory of this process in megabytes, None where that cannot be known."""
    with suppress(OSError):
        # Of a process that was started by another, getrusage would also count what that one had.
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) // 1024
    try:
        import resource  # Not on Windows.
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // (1024 * 1024) if sys.platform == "darwin" else peak // 1024


def forget_peak() -> None:
    """Let the highest memory count from now on, where the system can do that."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
