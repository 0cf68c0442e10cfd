"""A worker distrusts its lease by its own clock before the database does."""

import asyncio
from dataclasses import replace
from time import monotonic

import psycopg
import pytest

from app.kernel.database import Database, Scope, Writing
from app.kernel.errors import LeaseLost
from app.queue.heartbeat import work_under_lease
from app.queue.leases import Lease

LEASE = Lease("team_x", "test", "item", 1, 0, "worker")


async def keep(
    database: Database, lease: Lease, *, seconds: float, failure: Exception | None
) -> tuple[float, int]:
    """Work without an end; return how long the lease was trusted from when it was asked for, and the renewals."""
    renewals = 0
    stopped_at = 0.0

    async def renewal(_: Writing) -> None:
        nonlocal renewals
        renewals += 1
        if failure is not None:
            raise failure

    async def work() -> None:
        nonlocal stopped_at
        try:
            await asyncio.Event().wait()
        finally:
            stopped_at = monotonic()

    with pytest.raises(LeaseLost):
        await work_under_lease(database, Scope("app"), lease, work(), seconds=seconds, renewal=renewal)
    return stopped_at - lease.asked_at, renewals


async def test_a_lease_that_cannot_be_renewed_is_distrusted_before_it_runs_out(database: Database) -> None:
    lease = replace(LEASE, asked_at=monotonic())
    trusted, renewals = await keep(database, lease, seconds=2, failure=psycopg.OperationalError())
    assert renewals > 1
    assert 1.8 <= trusted < 2


async def test_a_worker_that_slept_through_its_lease_does_not_even_ask_for_it(database: Database) -> None:
    lease = replace(LEASE, asked_at=monotonic() - 60)
    trusted, renewals = await keep(database, lease, seconds=60, failure=None)
    assert renewals == 0
    assert trusted < 61
