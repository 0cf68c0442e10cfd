"""Pure work that takes long, beside the event loop: who waits for something else is answered meanwhile.

There is one thread, for one piece after the other. More would not be quicker, since the interpreter runs one of
them at a time, and each would take its share from the loop.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
_THREAD: Final = ThreadPoolExecutor(1, "aside")


async def work_aside(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what the function returns, after the pieces that were there before it.

    A piece should end within a second or so: it can't be stopped, and others wait for it.
    """
    return await asyncio.get_running_loop().run_in_executor(_THREAD, partial(function, *args, **kwargs))
