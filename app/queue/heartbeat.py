"""Keeping a lease while work goes on that holds no connection."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from time import monotonic
from typing import Final, TypeVar

import psycopg

from app.kernel.database import Database, Scope, Writing
from app.kernel.errors import LeaseLost, Unavailable
from app.queue.leases import Lease

T = TypeVar("T")
# The worker stops trusting its lease this share of its length before the database does.
MARGIN_SHARE: Final = 0.1
RENEWALS_PER_LEASE: Final = 3
# After a renewal that did not come through, the next one follows after this share of the length.
RETRY_SHARE: Final = 0.05


async def work_under_lease(
    database: Database,
    scope: Scope,
    lease: Lease,
    work: Coroutine[None, None, T],
    *,
    seconds: float,
    renewal: Callable[[Writing], Awaitable[None]],
) -> T:
    """Return what `work` returns, with the lease renewed three times in each `seconds`.

    Args:
        scope: who renews.
        renewal: leaves the lease valid for `seconds` from now, or raises LeaseLost.

    Raises:
        LeaseLost: another worker took over, the item was cancelled, or no renewal came through in time by our
            own clock. `work` has been cancelled then.
    """
    working = asyncio.ensure_future(work)
    keeping = asyncio.create_task(_keep_renewing(database, scope, lease, seconds, renewal))
    try:
        await asyncio.wait((working, keeping), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            keeping.result()
        return working.result()
    finally:
        for task in (working, keeping):
            task.cancel()
        await asyncio.gather(working, keeping, return_exceptions=True)


async def _keep_renewing(
    database: Database,
    scope: Scope,
    lease: Lease,
    seconds: float,
    renewal: Callable[[Writing], Awaitable[None]],
) -> None:
    """Renew until cancelled; only LeaseLost ends it, at the latest when the lease can no longer be trusted."""
    trusted_until = lease.asked_at + seconds * (1 - MARGIN_SHARE)
    pause = seconds / RENEWALS_PER_LEASE
    while True:
        await asyncio.sleep(max(min(pause, trusted_until - monotonic()), 0))
        asked_at = monotonic()
        # A process that was stopped for a while comes back here: it asks nobody, its term is over.
        if asked_at >= trusted_until:
            raise LeaseLost(f"The lease on {lease.kind} {lease.item_id} could not be renewed in time.")
        try:
            async with asyncio.timeout(trusted_until - asked_at):
                await database.unit_of_work(scope, renewal)
        except (TimeoutError, Unavailable, psycopg.OperationalError):
            pause = seconds * RETRY_SHARE
        else:
            trusted_until = asked_at + seconds * (1 - MARGIN_SHARE)
            pause = seconds / RENEWALS_PER_LEASE
