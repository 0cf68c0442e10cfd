"""One due item, many workers: one owner at a time, and only the owner writes."""

import asyncio
from collections import Counter
from typing import LiteralString

import pytest

from app.kernel.database import Database, Scope, Writing
from app.kernel.errors import LeaseLost
from app.queue import leases
from app.queue.leases import Lease
from app.tenancy.callers import Caller
from tests.conftest import MakeTeam

APP = Scope("app")


async def lease(
    database: Database, kind: str, worker: str, *, seconds: float = 60, limit: int = 1, after: str = ""
) -> list[Lease]:
    return await database.unit_of_work(
        APP,
        lambda w: leases.lease_due(w, kind=kind, worker=worker, seconds=seconds, limit=limit, after=after),
    )


async def enqueue(database: Database, team: Caller, kind: str, *items: str) -> None:
    async def work(writing: Writing) -> None:
        for item in items:
            await leases.enqueue(writing, team_id=team.team_id, kind=kind, item_id=item)

    await database.unit_of_work(APP, work)


async def test_eight_concurrent_leasers_have_one_winner(database: Database, team: Caller) -> None:
    kind = f"eight-{team.team_id[-9:]}"
    await enqueue(database, team, kind, "only")
    won = await asyncio.gather(*(lease(database, kind, f"w{n}") for n in range(8)))
    assert sorted(len(items) for items in won) == [0] * 7 + [1]


async def test_every_item_is_leased_exactly_once(database: Database, team: Caller) -> None:
    kind = f"many-{team.team_id[-9:]}"
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


async def test_a_backlog_of_10000_delays_no_other_teams_first_item(
    database: Database, make_team: MakeTeam
) -> None:
    busy, *quiet = [await make_team() for _ in range(3)]
    kind = f"fair-{busy.team_id[-9:]}"
    await database.unit_of_work(
        APP, lambda w: w.execute(_BACKLOG, {"team_id": busy.team_id, "kind": kind, "count": 10_000})
    )
    for team in quiet:
        await enqueue(database, team, kind, "first", "second")
    served: list[str] = []
    for _ in range(9):
        [one] = await lease(database, kind, "w", after=served[-1] if served else "")
        served.append(one.team_id)
    order = [team.team_id for team in sorted((busy, *quiet), key=lambda team: team.team_id)]
    assert served[:6] == order * 2
    assert served[6:] == [busy.team_id] * 3


async def test_one_call_leases_at_most_one_item_a_team_and_the_longest_due_first(
    database: Database, make_team: MakeTeam
) -> None:
    one, other = await make_team(), await make_team()
    kind = f"turns-{one.team_id[-9:]}"
    await enqueue(database, one, kind, "b", "a")
    await enqueue(database, other, kind, "c")
    taken = await lease(database, kind, "w", limit=10)
    assert {(each.team_id, each.item_id) for each in taken} == {(one.team_id, "b"), (other.team_id, "c")}
    assert [each.item_id for each in await lease(database, kind, "w", limit=10)] == ["a"]
    assert await lease(database, kind, "w", limit=10) == []


async def test_the_next_due_moment_is_that_of_a_delay_or_of_the_end_of_a_lease(
    database: Database, make_team: MakeTeam
) -> None:
    one, other = await make_team(), await make_team()
    kind = f"next-{one.team_id[-9:]}"

    async def seconds() -> float | None:
        async with database.reading(APP) as reading:
            return await leases.seconds_until_due(reading, kind=kind)

    assert await seconds() is None
    await enqueue(database, one, kind, "item")
    due_in = await seconds()
    assert due_in is not None
    assert due_in <= 0
    [held] = await lease(database, kind, "w", seconds=600)
    due_in = await seconds()
    assert due_in is not None
    assert 590 < due_in <= 600
    await enqueue(database, other, kind, "item")
    [delayed] = await lease(database, kind, "w")
    await database.unit_of_work(APP, lambda w: leases.hand_back(w, delayed, delay_seconds=100))
    due_in = await seconds()
    assert due_in is not None
    assert 90 < due_in <= 100
    await database.unit_of_work(APP, lambda w: leases.finish(w, held))


async def test_waiting_costs_no_attempt_holds_nothing_and_is_over_at_its_time(
    database: Database, team: Caller
) -> None:
    kind = f"wait-{team.team_id[-9:]}"
    await enqueue(database, team, kind, "item")
    for _ in range(5):
        (held,) = await lease(database, kind, "w")
        assert held.attempt == 0
        await database.unit_of_work(APP, lambda w, one=held: leases.hand_back(w, one, delay_seconds=3600))  # type: ignore[misc]  # mypy can't infer a lambda with a default.
        assert await lease(database, kind, "other") == []
        with pytest.raises(LeaseLost):
            await database.unit_of_work(APP, lambda w, one=held: leases.hold(w, one))  # type: ignore[misc]  # As above.
        await database.unit_of_work(APP, lambda w: w.execute(_END_WAIT, {"kind": kind}))


async def test_expired_lease_is_taken_over_with_an_attempt_spent(database: Database, team: Caller) -> None:
    kind = f"expired-{team.team_id[-9:]}"
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
    kind = f"back-{team.team_id[-9:]}"
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
    kind = f"cancel-{team.team_id[-9:]}"
    await enqueue(database, team, kind, "item")
    (held,) = await lease(database, kind, "owner")

    async def cancel(writing: Writing) -> bool:
        return await leases.cancel(writing, team_id=team.team_id, kind=kind, item_id="item")

    assert await database.unit_of_work(APP, cancel)
    with pytest.raises(LeaseLost):
        await database.unit_of_work(APP, lambda w: leases.renew(w, held, seconds=60))
    assert not await database.unit_of_work(APP, cancel)


async def test_takeover_passes_by_an_item_whose_owner_is_finishing(database: Database, team: Caller) -> None:
    kind = f"finishing-{team.team_id[-9:]}"
    await enqueue(database, team, kind, "item")
    (held,) = await lease(database, kind, "owner", seconds=0.3)

    async def finish_slowly(writing: Writing) -> None:
        await leases.hold(writing, held)
        await writing.execute("SELECT pg_sleep(0.5)")
        assert await lease(database, kind, "thief") == []

    await database.unit_of_work(APP, finish_slowly)


_BACKLOG: LiteralString = """
    INSERT INTO work_items (team_id, kind, item_id, run_at)
    SELECT %(team_id)s, %(kind)s, 'item-' || i, clock_timestamp() - interval '1 hour'
    FROM generate_series(1, %(count)s::int) AS i
"""
_END_WAIT: LiteralString = "UPDATE work_items SET run_at = clock_timestamp() WHERE kind = %(kind)s"
