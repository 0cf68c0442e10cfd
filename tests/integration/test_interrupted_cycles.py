"""Cycles that fail, are handed back, cancelled or taken over: one honest record, nothing written twice."""

import asyncio
import threading
from collections.abc import Coroutine
from datetime import timedelta
from typing import TypeVar

import pytest

from app.dreaming.generation import Generated, Generator
from app.dreaming.model import Inputs
from app.dreaming.runs.asking import cancel_run
from app.dreaming.runs.lease import renew_with_heartbeat
from app.dreaming.spending.budgets import Budgets
from app.kernel.database import Database, Scope
from app.kernel.errors import LeaseLost, SetupError, Unavailable
from app.queue.heartbeat import work_under_lease
from app.queue.leases import MAX_ATTEMPTS, Lease, hand_back, retry_later
from app.tenancy.callers import Caller
from tests.cycles import (
    idea,
    lease_run,
    make_pattern,
    queue_run,
    read_hypotheses,
    read_run,
    run_cycle,
    run_once,
    set_setting,
)


def failing(error: Exception) -> Generator:
    def generate(inputs: Inputs, budgets: Budgets) -> Generated:
        raise error

    return Generator("rules", "failing-v1", generate)


async def give_back(database: Database, lease: Lease, *, spent: bool) -> None:
    await database.unit_of_work(
        Scope("dreamer", lease.team_id),
        lambda writing: retry_later(writing, lease, delay_seconds=0) if spent else hand_back(writing, lease),
    )


async def test_a_provider_that_is_not_configured_fails_the_run_at_once(
    database: Database, team: Caller
) -> None:
    await set_setting(database, team, "generator", '"provider"')
    run_id = await queue_run(database, team)
    with pytest.raises(SetupError):
        await run_cycle(database, await lease_run(database, run_id))
    run = await read_run(database, team, run_id)
    assert run.status == "failed"
    assert run.error is not None
    assert run.error.code == "provider_not_configured"


async def test_a_fault_is_recorded_costs_an_attempt_and_keeps_what_was_read(
    database: Database, team: Caller
) -> None:
    await make_pattern(database, team)
    run_id = await queue_run(database, team)
    with pytest.raises(ValueError, match="secret text"):
        await run_cycle(
            database, await lease_run(database, run_id), generator=failing(ValueError("secret text"))
        )
    run = await read_run(database, team, run_id)
    assert (run.status, run.funnel["eligible"], run.lease_expires_at) == ("queued", 9, None)
    assert run.error is not None
    assert (run.error.code, run.error.message) == ("internal_error", "A step failed (ValueError).")
    assert await read_hypotheses(database, team) == []


async def test_a_run_that_fails_each_time_is_given_up_and_the_next_one_can_start(
    database: Database, team: Caller
) -> None:
    await make_pattern(database, team)
    run_id = await queue_run(database, team)
    for attempt in range(MAX_ATTEMPTS):
        await make_due(database, run_id)
        lease = await lease_run(database, run_id)
        assert lease.attempt == attempt
        with pytest.raises(Unavailable):
            await run_cycle(database, lease, generator=failing(Unavailable("Nobody answers.")))
    run = await read_run(database, team, run_id)
    assert (run.status, run.attempt) == ("failed", MAX_ATTEMPTS - 1)
    assert run.error is not None
    assert run.error.code == "attempts_exhausted"
    assert (await run_once(database, team)).status == "succeeded"


async def make_due(database: Database, run_id: str) -> None:
    """Let the delay before the next attempt pass."""
    await database.unit_of_work(
        Scope("dreamer"),
        lambda writing: writing.execute(
            "UPDATE work_items SET run_at = clock_timestamp() WHERE item_id = %(id)s", {"id": run_id}
        ),
    )


async def test_leases_that_end_without_a_word_are_given_up_in_the_end(
    database: Database, team: Caller
) -> None:
    run_id = await queue_run(database, team)
    for _ in range(MAX_ATTEMPTS):
        await give_back(database, await lease_run(database, run_id), spent=True)
    await run_cycle(database, await lease_run(database, run_id))
    run = await read_run(database, team, run_id)
    assert (run.status, run.attempt) == ("failed", MAX_ATTEMPTS)
    assert run.error is not None
    assert run.error.code == "attempts_exhausted"


async def test_ten_orderly_hand_backs_cost_no_attempt(database: Database, team: Caller) -> None:
    await make_pattern(database, team)
    run_id = await queue_run(database, team)
    loop = asyncio.get_running_loop()
    for _ in range(10):
        lease = await lease_run(database, run_id)
        assert lease.attempt == 0
        started, release = asyncio.Event(), threading.Event()

        def generate(
            inputs: Inputs,
            budgets: Budgets,
            started: asyncio.Event = started,
            release: threading.Event = release,
        ) -> Generated:
            loop.call_soon_threadsafe(started.set)
            release.wait(30)
            return Generated()

        generator = Generator("rules", "slow-v1", generate)
        task = asyncio.create_task(run_cycle(database, lease, generator=generator))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        release.set()
        assert (await read_run(database, team, run_id)).status == "queued"

    await run_cycle(database, await lease_run(database, run_id))
    run = await read_run(database, team, run_id)
    assert (run.status, run.attempt, run.funnel["persisted"]) == ("succeeded", 0, 1)


async def test_a_run_that_is_cancelled_in_the_middle_writes_nothing_more(
    database: Database, team: Caller
) -> None:
    pattern = await make_pattern(database, team)
    run_id = await queue_run(database, team)
    loop = asyncio.get_running_loop()

    async def cancel() -> None:
        await database.unit_of_work(
            Scope("app", team.team_id), lambda writing: cancel_run(writing, team, run_id)
        )

    def propose(inputs: Inputs, budgets: Budgets) -> Generated:
        asyncio.run_coroutine_threadsafe(cancel(), loop).result()
        return Generated((), (idea(inputs, pattern.subjects[4], "uses", pattern.objects[4], pattern.last),))

    await run_cycle(database, await lease_run(database, run_id), generator=Generator("rules", "v1", propose))

    assert (await read_run(database, team, run_id)).status == "cancelled"
    assert await read_hypotheses(database, team) == []


async def test_a_worker_that_lost_its_lease_writes_nothing_and_the_successor_finishes_the_same_run(
    database: Database, team: Caller
) -> None:
    await make_pattern(database, team)
    run_id = await queue_run(database, team)
    first = await lease_run(database, run_id, worker="first")
    await expire(database, run_id)
    second = await lease_run(database, run_id, worker="second")
    assert (second.epoch, second.attempt) == (2, 1)

    await run_cycle(database, first)
    assert (await read_run(database, team, run_id)).status == "queued"

    await run_cycle(database, second)
    await run_cycle(database, first)
    await run_cycle(database, second)
    run = await read_run(database, team, run_id)
    assert (run.status, run.worker, run.epoch, run.attempt) == ("succeeded", "second", 2, 1)
    assert len(await read_hypotheses(database, team)) == 1


async def expire(database: Database, run_id: str) -> None:
    await database.unit_of_work(
        Scope("dreamer"),
        lambda writing: writing.execute(
            "UPDATE work_items SET lease_expires_at = clock_timestamp() - interval '1 s'"
            " WHERE item_id = %(id)s",
            {"id": run_id},
        ),
    )


async def test_the_lease_is_renewed_while_work_goes_on(database: Database, team: Caller) -> None:
    run_id = await queue_run(database, team)
    lease = await lease_run(database, run_id, seconds=0.6)
    before = await read_run(database, team, run_id)
    renewed = asyncio.Event()

    async def work() -> str:
        async with asyncio.timeout(30):
            while not renewed.is_set():
                now = await read_run(database, team, run_id)
                if now.heartbeat_at is not None and now.heartbeat_at > now.created_at + timedelta(seconds=1):
                    renewed.set()
        return "done"

    assert await keep_and_work(database, lease, work(), seconds=0.6) == "done"
    after = await read_run(database, team, run_id)
    assert before.lease_expires_at is not None
    assert after.lease_expires_at is not None
    assert after.lease_expires_at > before.lease_expires_at + timedelta(seconds=0.6)


async def test_work_is_stopped_as_soon_as_the_lease_is_seen_to_be_over(
    database: Database, team: Caller
) -> None:
    run_id = await queue_run(database, team)
    lease = await lease_run(database, run_id, seconds=0.3)
    await database.unit_of_work(Scope("app", team.team_id), lambda writing: cancel_run(writing, team, run_id))
    stopped = asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    with pytest.raises(LeaseLost):
        await keep_and_work(database, lease, work(), seconds=0.3)
    assert stopped.is_set()


T = TypeVar("T")


async def keep_and_work(
    database: Database, lease: Lease, work: Coroutine[None, None, T], *, seconds: float
) -> T:
    return await work_under_lease(
        database,
        Scope("dreamer", lease.team_id),
        lease,
        work,
        seconds=seconds,
        renewal=lambda writing: renew_with_heartbeat(writing, lease, lease_seconds=seconds),
    )
