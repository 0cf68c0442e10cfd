"""What takes long is done beside the event loop, one piece after the other."""

import asyncio
import threading

import pytest

from app.kernel.aside import work_aside


async def test_pieces_are_done_one_after_the_other() -> None:
    at_work = 0

    def work(number: int) -> tuple[int, int]:
        nonlocal at_work
        at_work += 1
        seen = at_work
        at_work -= 1
        return number, seen

    done = await asyncio.gather(*(work_aside(work, number) for number in range(50)))
    assert done == [(number, 1) for number in range(50)]


async def test_the_event_loop_goes_on_meanwhile() -> None:
    released = threading.Event()
    working = asyncio.create_task(work_aside(released.wait, timeout=10))
    await asyncio.sleep(0)
    released.set()
    assert await working


async def test_what_a_piece_raises_comes_back() -> None:
    with pytest.raises(ZeroDivisionError):
        await work_aside(divmod, 1, 0)
