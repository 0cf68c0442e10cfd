"""Keep a lease while its work goes on, and end the work early when the lease is gone."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic
from typing import Final

import psycopg

from app.kernel.database import Database, Scope
from app.kernel.errors import LeaseLost, Unavailable
from app.queue.leases import Lease, renew

# We stop trusting a lease before the database does: our clock started later than its own.
TRUSTED_SHARE: Final = 0.8


@asynccontextmanager
async def renewing(database: Database, scope: Scope, lease: Lease, *, seconds: float) -> AsyncIterator[None]:
    """Renew the lease every third of `seconds` while the block runs.

    Raises:
        LeaseLost: it could not be renewed in time, or another owner has it; the block was cancelled.
    """
    work = asyncio.current_task()
    assert work is not None
    is_lost = False

    async def beat() -> None:
        nonlocal is_lost
        renewed_at = monotonic()
        while True:
            await asyncio.sleep(seconds / 3)
            asked_at = monotonic()
            try:
                await database.unit_of_work(scope, lambda writing: renew(writing, lease, seconds=seconds))
                renewed_at = asked_at
            except LeaseLost:
                is_lost = True
            except (Unavailable, psycopg.Error):
                # A database that is away for a moment costs nothing while the lease still runs.
                is_lost = monotonic() - renewed_at > seconds * TRUSTED_SHARE
            if is_lost:
                work.cancel()
                return

    heart = asyncio.create_task(beat())
    try:
        yield
    except asyncio.CancelledError:
        if is_lost:
            work.uncancel()
            raise LeaseLost(f"The lease on {lease.kind} {lease.item_id} ran out.") from None
        raise
    finally:
        heart.cancel()
        await asyncio.gather(heart, return_exceptions=True)
