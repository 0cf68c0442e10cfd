"""Work in a process of its own: answered, failed, killed or stopped, and never left behind."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from app.kernel.errors import Unavailable
from app.kernel.processes import run_in_process


def end_by_signal() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def stay(path: str) -> None:
    Path(path).write_text(str(os.getpid()))
    signal.pause()


async def test_result_and_exception_come_back() -> None:
    assert await run_in_process(max, 2, 3) == 3
    with pytest.raises(ValueError, match="invalid literal"):
        await run_in_process(int, "three")


async def test_killed_process_is_a_fault_and_does_not_hang() -> None:
    with pytest.raises(Unavailable):
        await run_in_process(end_by_signal)


async def test_cancelled_work_leaves_no_process(tmp_path: Path) -> None:
    path = tmp_path / "pid"
    task = asyncio.create_task(run_in_process(stay, str(path)))
    while not (path.exists() and path.read_text()):
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(ProcessLookupError):
        os.kill(int(path.read_text()), 0)
