"""One due item, many workers: one owner at a time, and only the owner writes."""

import asyncio
from collections import Counter

import pytest

from app.kernel.database import Database, Scope, Writing
from app.kernel.errors import LeaseLost
from app.queue import leases
from app.queue.leases import Lease
from app.tenancy.callers import Caller
from tests.conftest import MakeTeam

APP = Scope("app")


async def lease(
    database: Database, kind: str, worker: str, *, seconds: float = 60, limit: int = 1
) -> list[Lease]:
    return await database.unit_of_work(
        APP, lambda w: leases.lease_due(w, kind=kind, worker=worker, seconds=seconds, limit=limit)
    )


async def enqueue(database: Database, team: Caller, kind: str, *items: str) -> None:
    async def work(writing: Writing) -> None:
        for item in items:
            await leases.enqueue(writing, team_id=team.team_id, kind=kind, item_id=item)

    await database.unit_of_work(APP, work)


async def test_eight_concurrent_leasers_have_one_winner(database: Database, team: Caller) -> None:
    kind = f"eight-{team.team_id}"
    await enqueue(database, team, kind, "only")
    won = await asyncio.gather(*(lease(database, kind, f"w{n}") for n in range(8)))
    assert sorted(len(items) for items in won) == [0] * 7 + [1]


async def test_every_item_is_leased_exactly_once(database: Database, team: Caller) -> None:
    kind = f"many-{team.team_id}"
    items = [f"item-{n:03}" for n in range(60)]
    await enqueue(database, team, kind, *items)

    async def drain(worker: str) -> list[str]:
        taken: list[str] = []
        while got := await lease(database, kind, worker, limit=3):
            taken += [one.item_id for one in got]
        return taken

    taken = await asyncio.gather(*(drain(f"w{n}") for n in range(6)))
    counts = Counter(item for one in taken for item in one)
    assert counts == Counter(items)


async def test_long_backlog_of_one_team_does_not_delay_the_first_item_of_another(
    database: Database, make_team: MakeTeam
) -> None:
    busy, quiet = await make_team(), await make_team()
    kind = f"fair-{busy.team_id}"
    await enqueue(database, busy, kind, *(f"item-{n:03}" for n in range(200)))
    await enqueue(database, quiet, kind, "quiet")
    first_two = await lease(database, kind, "w", limit=2)
    assert {one.team_id for one in first_two} == {busy.team_id, quiet.team_id}


async def test_expired_lease_is_taken_over_with_an_attempt_spent(database: Database, team: Caller) -> None:
    kind = f"expired-{team.team_id}"
    await enqueue(database, team, kind, "item")
    (first,) = await lease(database, kind, "first", seconds=0)
    (second,) = await lease(database, kind, "second")
    assert (second.epoch, second.attempt) == (first.epoch + 1, 1)
    for late_write in (leases.hold, leases.finish):
        with pytest.raises(LeaseLost):
            await database.unit_of_work(APP, lambda w, write=late_write: write(w, first))  # type: ignore[misc]  # mypy can't infer a lambda with a default.
    await database.unit_of_work(APP, lambda w: leases.finish(w, second))
    assert await lease(database, kind, "third") == []


async def test_orderly_hand_back_costs_no_attempt_and_a_fault_costs_one(
    database: Database, team: Caller
) -> None:
    kind = f"back-{team.team_id}"
    await enqueue(database, team, kind, "item")
    for _ in range(10):
        (held,) = await lease(database, kind, "rolling")
        assert held.attempt == 0
        await database.unit_of_work(APP, lambda w, one=held: leases.hand_back(w, one))  # type: ignore[misc]  # As above.
    (held,) = await lease(database, kind, "faulty")
    await database.unit_of_work(APP, lambda w: leases.retry_later(w, held, delay_seconds=0))
    (held,) = await lease(database, kind, "next")
    assert held.attempt == 1
    assert not held.attempts_are_exhausted


async def test_cancelled_item_is_out_of_its_owners_hands(database: Database, team: Caller) -> None:
    kind = f"cancel-{team.team_id}"
    await enqueue(database, team, kind, "item")
    (held,) = await lease(database, kind, "owner")

    async def cancel(writing: Writing) -> bool:
        return await leases.cancel(writing, team_id=team.team_id, kind=kind, item_id="item")

    assert await database.unit_of_work(APP, cancel)
    with pytest.raises(LeaseLost):
        await database.unit_of_work(APP, lambda w: leases.renew(w, held, seconds=60))
    assert not await database.unit_of_work(APP, cancel)


async def test_takeover_passes_by_an_item_whose_owner_is_finishing(database: Database, team: Caller) -> None:
    kind = f"finishing-{team.team_id}"
    await enqueue(database, team, kind, "item")
    (held,) = await lease(database, kind, "owner", seconds=0.3)

    async def finish_slowly(writing: Writing) -> None:
        await leases.hold(writing, held)
        await writing.execute("SELECT pg_sleep(0.5)")
        assert await lease(database, kind, "thief") == []

    await database.unit_of_work(APP, finish_slowly)
