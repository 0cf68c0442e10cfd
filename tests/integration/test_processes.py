"""Work in a process of its own: answered, failed, killed or stopped, and never left behind."""

import asyncio
import multiprocessing
import os
import signal
import threading
from pathlib import Path

import pytest

from app.kernel.errors import Unavailable
from app.kernel.processes import run_in_process


def end_by_signal() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def stay(path: str) -> None:
    Path(path).write_text(str(os.getpid()))
    signal.pause()


class Parcel:
    """An argument whose packing, which is the first part of a start, goes on until it is let go."""

    def __init__(self) -> None:
        self.is_packed, self.may_go = threading.Event(), threading.Event()

    def __reduce__(self) -> tuple[type[bytes], tuple[()]]:
        self.is_packed.set()
        assert self.may_go.wait(20)
        return bytes, ()


def pause_with(_: object) -> None:
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


@pytest.mark.asyncio(loop_scope="function")
async def test_work_cancelled_while_its_process_starts_leaves_none_either() -> None:
    parcel = Parcel()
    task = asyncio.create_task(run_in_process(pause_with, parcel))
    await asyncio.to_thread(parcel.is_packed.wait, 20)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    parcel.may_go.set()
    # A thread of the loop's own still starts the process, and ends it: with the pool both are over.
    await asyncio.get_running_loop().shutdown_default_executor()
    assert multiprocessing.active_children() == []
