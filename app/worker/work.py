"""One leased item: its step, and its end whatever happens."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import psycopg
import structlog

from app.kernel.database import Database, Writing
from app.kernel.errors import DenseMemError, LeaseLost
from app.queue.leases import Lease, hand_back, retry_later
from app.worker.steps import Kind

RETRY_SECONDS: Final = 5.0
log = structlog.get_logger()


async def work_on(database: Database, kind: Kind, lease: Lease) -> None:
    """Run the step. A fault costs an attempt, a shutdown hands the item back, as far as the step has not."""
    with structlog.contextvars.bound_contextvars(
        action=kind.name, team=lease.team_id, item=lease.item_id, attempt=lease.attempt
    ):
        try:
            await kind.step(lease)
        except asyncio.CancelledError:
            await asyncio.shield(give_back(database, kind, lease))
            raise
        except LeaseLost:
            log.warning("lease lost")
        except Exception as error:  # noqa: BLE001  # The one place where any fault must not end the worker.
            # Neither the message nor the traceback is logged: either may quote evidence.
            log.error("step failed", error=type(error).__name__, where=fault_location(error))
            delay = RETRY_SECONDS * 2**lease.attempt
            await end_lease(database, kind, lambda writing: retry_later(writing, lease, delay_seconds=delay))


async def give_back(database: Database, kind: Kind, lease: Lease) -> None:
    """Leave the item due again without an attempt spent, unless the step has ended its lease."""
    await end_lease(database, kind, lambda writing: hand_back(writing, lease))


async def end_lease(database: Database, kind: Kind, ending: Callable[[Writing], Awaitable[None]]) -> None:
    """End the lease unless the step did so; while the database is away it is left to run out."""
    try:
        await database.unit_of_work(kind.scope, ending)
    except LeaseLost:
        pass
    except (DenseMemError, psycopg.Error) as error:
        log.warning("lease left to run out", code=type(error).__name__)


def fault_location(error: BaseException) -> str:
    """Return the file and line that raised, which quote nothing."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None:
        return "unknown"
    code = traceback.tb_frame.f_code
    return f"{code.co_filename.rpartition('/app/')[2]}:{traceback.tb_lineno}"
