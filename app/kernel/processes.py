"""CPU-bound work in a process of its own: the event loop stays free, and the work can be stopped.

A pool would be quicker to start, but a task in a pool can't be ended before it is done, and a crash breaks the
pool for everybody.
"""

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from typing import Any, ParamSpec, TypeVar

from app.kernel.errors import Unavailable

P = ParamSpec("P")
T = TypeVar("T")


async def run_in_process(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what the function returns in a fresh process; cancelling kills the process.

    Function, arguments and result are pickled, so the function is one of a module's own.

    Raises:
        Unavailable: `process_ended`, when the process dies without an answer (out of memory, killed).
        Exception: whatever the function raised.
    """
    # A forked child would inherit every lock and descriptor of a process with threads.
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(sender, function, args, kwargs), daemon=True)
    is_over = threading.Event()

    def start() -> None:
        process.start()
        # Whoever stopped while the process was being made could not kill it yet.
        if is_over.is_set():
            process.kill()
            process.join()

    try:
        await asyncio.to_thread(start)
        sender.close()
        is_result, outcome = await asyncio.to_thread(receiver.recv)
    except EOFError as error:
        raise Unavailable("The process ended without an answer.", code="process_ended") from error
    finally:
        is_over.set()
        if process.pid is not None:
            process.kill()
            await asyncio.shield(asyncio.to_thread(process.join))
    if is_result:
        result: T = outcome
        return result
    raise outcome


def _answer(
    sender: Connection, function: Callable[..., Any], args: Any, kwargs: Any
) -> None:  # Any callable's.
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle: it ends us.
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        answer = (True, function(*args, **kwargs))
    except Exception as error:  # noqa: BLE001  # It is raised again on the other side.
        answer = (False, error)
    sender.send(answer)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)
