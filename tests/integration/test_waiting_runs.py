"""A run that waits for a provider's batch: nobody owns it, nothing of it is spent, anybody may look at it."""

from typing import LiteralString

import pytest

from app.dreaming.provider.batch.waiting import wait_for_provider
from app.dreaming.runs.asking import cancel_run
from app.dreaming.runs.record import begin_run
from app.kernel.database import Database, Scope, Writing
from app.kernel.errors import LeaseLost
from app.queue.leases import Lease, hold
from app.tenancy.callers import Caller
from tests.cycles import lease_run, make_pattern, queue_run, read_run, run_cycle


async def wait(database: Database, lease: Lease, *, look_again_seconds: float = 0, used: float = 0) -> bool:
    """Begin the run under the lease, find the batch unfinished, and wait for it."""

    async def look(writing: Writing) -> bool:
        await hold(writing, lease)
        run = await begin_run(writing, lease, "direct")
        assert run is not None
        return await wait_for_provider(
            writing, lease, look_again_seconds=look_again_seconds, seconds_used=run.seconds_used + used
        )

    return await database.unit_of_work(Scope("dreamer", lease.team_id), look)


async def test_a_waiting_run_is_looked_at_by_whoever_is_alive_and_spends_nothing(
    database: Database, team: Caller
) -> None:
    await make_pattern(database, team)
    run_id = await queue_run(database, team)
    for number in range(5):
        lease = await lease_run(database, run_id, worker=f"worker {number}")
        assert lease.attempt == 0
        assert await wait(database, lease, used=2.5)
        run = await read_run(database, team, run_id)
        assert (run.status, run.worker, run.lease_expires_at) == ("waiting", None, None)
        with pytest.raises(LeaseLost):
            await wait(database, lease)
    await run_cycle(database, await lease_run(database, run_id))
    run = await read_run(database, team, run_id)
    assert (run.status, run.attempt, run.funnel["persisted"]) == ("succeeded", 0, 1)
    [used] = [budget["used"] for budget in run.budgets if budget["name"] == "max_duration_seconds"]
    assert isinstance(used, float)
    assert used > 12.5


async def test_a_waiting_run_that_has_used_up_its_duration_generates_nothing_more(
    database: Database, team: Caller
) -> None:
    await make_pattern(database, team)
    run_id = await queue_run(database, team)
    assert await wait(database, await lease_run(database, run_id), used=600)
    await run_cycle(database, await lease_run(database, run_id))
    run = await read_run(database, team, run_id)
    assert (run.status, run.stopped_by) == ("succeeded", "max_duration_seconds")


async def test_a_waiting_run_is_cancelled_like_any_other(database: Database, team: Caller) -> None:
    run_id = await queue_run(database, team)
    assert await wait(database, await lease_run(database, run_id))
    await database.unit_of_work(Scope("app", team.team_id), lambda writing: cancel_run(writing, team, run_id))
    assert (await read_run(database, team, run_id)).status == "cancelled"
    with pytest.raises(AssertionError, match="not due"):
        await lease_run(database, run_id)


async def test_after_26_hours_it_is_not_waited_any_longer(database: Database, team: Caller) -> None:
    run_id = await queue_run(database, team)
    assert await wait(database, await lease_run(database, run_id))
    await database.unit_of_work(
        Scope("dreamer", team.team_id), lambda writing: writing.execute(_AGE, {"id": run_id})
    )
    lease = await lease_run(database, run_id)
    assert not await wait(database, lease)
    # The lease still holds, so that the run can be ended under it.
    await database.unit_of_work(Scope("dreamer", team.team_id), lambda writing: hold(writing, lease))


_AGE: LiteralString = """
    UPDATE cycle_runs SET waiting_since = waiting_since - interval '26 hours' WHERE id = %(id)s
"""
