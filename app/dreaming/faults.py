"""How an interrupted cycle is recorded: a fault costs an attempt, a shutdown does not.

A message names the fault and never quotes it: errors of the database or of a generator may carry content.
"""

from collections.abc import Awaitable, Callable
from typing import Final

import psycopg
import structlog

from app.dreaming.runs.record import fail_run, requeue_run
from app.kernel.database import Database, Scope, Writing
from app.kernel.errors import Busy, DenseMemError, LeaseLost, Unavailable
from app.queue.leases import MAX_ATTEMPTS, Lease, finish, hand_back, hold, retry_later

log = structlog.get_logger()

FIRST_RETRY_SECONDS: Final = 10.0
EXHAUSTED: Final = "attempts_exhausted"


async def record_fault(database: Database, lease: Lease, error: Exception) -> None:
    """Leave the fault in the run, which is due again later or `failed` when trying again is no use.

    Does nothing where the lease is over or the database does not answer: then the lease runs out, and
    whoever takes over counts the attempt.
    """
    is_final = isinstance(error, DenseMemError) and not isinstance(error, Busy | Unavailable)
    code, message = _name_fault(error)

    async def record(writing: Writing) -> None:
        await hold(writing, lease)
        if is_final:
            await fail_run(writing, lease, code=code, message=message)
            await finish(writing, lease)
        elif lease.attempt + 1 >= MAX_ATTEMPTS:
            await fail_run(writing, lease, code=EXHAUSTED, message=f"Given up after: {message}")
            await finish(writing, lease)
        else:
            await requeue_run(writing, lease, code=code, message=message)
            await retry_later(writing, lease, delay_seconds=FIRST_RETRY_SECONDS * 2**lease.attempt)

    await _try(database, lease, record)


async def hand_back_run(database: Database, lease: Lease) -> None:
    """Leave the run due again at once, without an attempt spent."""

    async def record(writing: Writing) -> None:
        await hold(writing, lease)
        await requeue_run(writing, lease)
        await hand_back(writing, lease)

    await _try(database, lease, record)


async def end_exhausted_run(writing: Writing, lease: Lease) -> None:
    """Leave a run `failed` that has used up its attempts, so that the next window is free; lease held."""
    message = f"Given up after {lease.attempt} attempts that ended without a word."
    await fail_run(writing, lease, code=EXHAUSTED, message=message)
    await finish(writing, lease)


async def _try(database: Database, lease: Lease, record: Callable[[Writing], Awaitable[None]]) -> None:
    try:
        await database.unit_of_work(Scope("dreamer", lease.team_id), record)
    except (DenseMemError, psycopg.Error) as error:
        if not isinstance(error, LeaseLost):
            log.warning(
                "A fault could not be recorded.",
                action="cycle.unrecorded_fault",
                run_id=lease.item_id,
                error=type(error).__name__,
            )


def _name_fault(error: Exception) -> tuple[str, str]:
    if isinstance(error, DenseMemError):
        return error.code, str(error)
    if isinstance(error, psycopg.Error):
        return "database_error", f"The database refused a step ({type(error).__name__})."
    return "internal_error", f"A step failed ({type(error).__name__})."
