"""Invariant 9: cycle retries do not duplicate run or Hypothesis records.

One window is one run, one team has one live run, one target has one live row: unique constraints say so, whoever
writes. A worker may die at any commit point of a cycle; whoever takes over ends the same run in the same state.
"""

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import LiteralString, TypeVar

import psycopg
import pytest
from psycopg import sql

from app.dreaming.timing.planning import enqueue_due, plan_team
from app.hypotheses.lifecycle import HypothesisStatus
from app.kernel.database import Database, Row, Scope, Writing
from app.kernel.settings import Settings
from app.ledger.founding import found_team
from app.queue.leases import Lease, lease_due
from app.tenancy.callers import Caller
from app.tenancy.teams import new_team_id
from tests.api.client import Api
from tests.conftest import MakeProfile
from tests.cycles import (
    lease_run,
    make_pattern,
    queue_run,
    read_events,
    read_hypotheses,
    read_run,
    run_cycle,
    run_once,
)
from tests.databases import admin_url, create_database, drop_database, service_url
from tests.factories import change_relationship, make_entity, make_relationship
from tests.hypothesis_factories import set_status
from tests.invariants.attempts import acting_as, at_once, refusal
from tests.invariants.forgeries import forge_guess
from tests.moments import DAY, NOW

T = TypeVar("T")
Work = Callable[[Writing], Awaitable[T]]
# Begin, note what was read, persist. The renewals in between write nothing that a retry could double.
COMMITS = 3


class KilledError(BaseException):
    """The process is gone: no handler of ours runs any more."""


def die_at(monkeypatch: pytest.MonkeyPatch, database: Database, commit: int, *, committed: bool) -> list[int]:
    """Let the process die at this unit of work, after its last statement or after its commit."""
    whole, numbers, seen = database.unit_of_work, itertools.count(1), []

    async def dying(scope: Scope, work: Work[T]) -> T:
        number = next(numbers)
        seen.append(number)
        if number != commit:
            return await whole(scope, work)

        async def last(writing: Writing) -> None:
            await work(writing)
            if not committed:
                raise KilledError

        await whole(scope, last)
        raise KilledError

    monkeypatch.setattr(database, "unit_of_work", dying)
    return seen


async def expire(database: Database, lease: Lease) -> bool:
    """Let the time of the lease pass, and say whether the item is still open."""
    return (
        await database.unit_of_work(
            Scope("dreamer"),
            lambda w: w.execute(
                "UPDATE work_items SET lease_expires_at = clock_timestamp() - interval '1 s'"
                " WHERE item_id = %(id)s AND finished_at IS NULL",
                {"id": lease.item_id},
            ),
        )
        == 1
    )


async def read_runs(database: Database, caller: Caller) -> list[Row]:
    async with database.reading(Scope("app", caller.team_id)) as reading:
        return await reading.fetch_all("SELECT * FROM cycle_runs ORDER BY created_at, id")


async def test_a_whole_cycle_has_no_other_commit_points_than_those_tried(
    database: Database, team: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_pattern(database, team)
    run_id = await queue_run(database, team)
    lease = await lease_run(database, run_id)
    seen = die_at(monkeypatch, database, 0, committed=False)
    await run_cycle(database, lease)
    assert len(seen) == COMMITS


@pytest.mark.parametrize("committed", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("commit", range(1, COMMITS + 1))
@pytest.mark.parametrize("is_second_dream", [False, True], ids=["new", "reinforcing"])
async def test_a_cycle_that_died_at_any_commit_point_is_ended_once_by_its_successor(
    database: Database,
    team: Caller,
    monkeypatch: pytest.MonkeyPatch,
    commit: int,
    committed: bool,
    is_second_dream: bool,
) -> None:
    pattern = await make_pattern(database, team)
    earlier = []
    if is_second_dream:
        earlier = [(await run_once(database, team)).run_id]
        await change_relationship(
            database, team, pattern.last.relationship_id, tier="fact", effect="harmless"
        )
    run_id = await queue_run(database, team)
    first = await lease_run(database, run_id, worker="first")
    with monkeypatch.context() as patch:
        die_at(patch, database, commit, committed=committed)
        with pytest.raises(KilledError):
            await run_cycle(database, first)

    if await expire(database, first):
        second = await lease_run(database, run_id, worker="second")
        assert (second.item_id, second.attempt) == (run_id, 1)
        # The dead one wakes up in the middle of its successor's term.
        before = await read_runs(database, team)
        await run_cycle(database, first)
        assert await read_runs(database, team) == before
        await run_cycle(database, second)
        await run_cycle(database, second)
    else:
        assert (commit, committed) == (COMMITS, True)
    await run_cycle(database, first)

    assert [run["id"] for run in await read_runs(database, team)] == [*earlier, run_id]
    run = await read_run(database, team, run_id)
    assert run.status == "succeeded"
    assert run.funnel["persisted"] + run.funnel["reinforced"] == 1
    assert len(await read_hypotheses(database, team)) == 1
    events = [event for event, _, _ in await read_events(database, team)]
    assert events == (["accepted", "regenerated"] if is_second_dream else ["accepted"])
    async with database.reading(Scope("app", team.team_id)) as reading:
        assert len(await reading.fetch_all("SELECT 1 FROM hypothesis_sources")) == 1


async def test_a_backend_that_is_killed_while_it_persists_leaves_one_run_and_one_guess(
    database: Database, database_name: str, team: Caller, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_pattern(database, team)
    run_id = await queue_run(database, team)
    lease = await lease_run(database, run_id)
    other = Database(settings, url=service_url(database_name))
    await other.open()
    whole, numbers = other.unit_of_work, itertools.count(1)

    async def cut(scope: Scope, work: Work[T]) -> T:
        async def last(writing: Writing) -> T:
            result = await work(writing)
            backend = await writing.fetch_one("SELECT pg_backend_pid() AS pid")
            assert backend is not None
            with psycopg.connect(admin_url(database_name)) as admin:
                admin.execute("SELECT pg_terminate_backend(%s, 5000)", [backend["pid"]])
            return result

        return await whole(scope, last if next(numbers) == COMMITS else work)

    try:
        monkeypatch.setattr(other, "unit_of_work", cut)
        with pytest.raises(psycopg.OperationalError):
            await run_cycle(other, lease)
    finally:
        await other.close()
    run = await read_run(database, team, run_id)
    assert (run.status, run.error and run.error.code) == ("queued", "database_error")
    assert await read_hypotheses(database, team) == []
    await database.unit_of_work(
        Scope("dreamer"),
        lambda w: w.execute("UPDATE work_items SET run_at = now() WHERE item_id = %(id)s", {"id": run_id}),
    )
    await run_cycle(database, await lease_run(database, run_id))
    assert (await read_run(database, team, run_id)).status == "succeeded"
    assert len(await read_runs(database, team)) == len(await read_hypotheses(database, team)) == 1


@pytest.fixture
async def scheduled(settings: Settings) -> AsyncIterator[Database]:
    """A database of its own: moving the clock makes every team in it due."""
    name = create_database()
    database = Database(settings, url=service_url(name))
    await database.open()
    yield database
    await database.close()
    drop_database(name)


async def test_a_window_is_queued_once_however_often_it_is_looked_at(scheduled: Database) -> None:
    team_id = new_team_id()
    app, dreamer = Scope("app", team_id), Scope("dreamer", team_id)
    await scheduled.unit_of_work(app, lambda w: found_team(w, team_id, team_id))
    await scheduled.unit_of_work(app, lambda w: plan_team(w, team_id, NOW))

    async def look_again() -> list[str]:
        """Forget that the window was queued, as an older backup of the schedule would, and look."""
        await scheduled.unit_of_work(
            dreamer, lambda w: w.execute("UPDATE dream_schedules SET next_due_at = %(at)s", {"at": NOW})
        )
        await asyncio.gather(*(enqueue_due(scheduled, now=NOW + DAY) for _ in range(4)))
        async with scheduled.reading(app) as reading:
            rows = await reading.fetch_all("SELECT status FROM cycle_runs ORDER BY created_at, id")
        return [row["status"] for row in rows]

    assert await look_again() == ["queued"]
    assert await look_again() == ["queued"]
    [lease] = await scheduled.unit_of_work(
        Scope("dreamer"), lambda w: lease_due(w, kind="cycle", worker="worker", seconds=60, limit=10)
    )
    await run_cycle(scheduled, lease)
    assert await look_again() == ["skipped"]


@pytest.mark.parametrize(
    ("attempt", "error"),
    [
        (
            "INSERT INTO cycle_runs (team_id, id, window_key, trigger, status, scheduled_for, finished_at)"
            " SELECT team_id, 'run_2', window_key, trigger, 'failed', scheduled_for, now() FROM cycle_runs",
            psycopg.errors.UniqueViolation,
        ),
        (
            "INSERT INTO cycle_runs (team_id, id, window_key, trigger, status, scheduled_for)"
            " SELECT team_id, 'run_2', 'another', trigger, 'waiting', scheduled_for FROM cycle_runs",
            psycopg.errors.UniqueViolation,
        ),
        ("INSERT INTO work_items SELECT * FROM work_items", psycopg.errors.UniqueViolation),
        ("UPDATE cycle_runs SET window_key = 'another'", psycopg.errors.RestrictViolation),
        ("UPDATE cycle_runs SET id = 'run_2'", psycopg.errors.RestrictViolation),
        ("UPDATE work_items SET item_id = 'run_2'", psycopg.errors.RestrictViolation),
    ],
    ids=["same window", "second live run", "second lease row", "other window", "other run", "other item"],
)
async def test_the_database_takes_no_second_run_for_a_window_nor_beside_a_live_one(
    database: Database, database_name: str, team: Caller, attempt: LiteralString, error: type[psycopg.Error]
) -> None:
    await queue_run(database, team)
    with acting_as(database_name, "dreamer", team.team_id) as connection:
        assert refusal(connection, sql.SQL(attempt).format()) is error


async def test_a_run_that_has_ended_is_never_begun_again(
    database: Database, database_name: str, team: Caller
) -> None:
    await make_pattern(database, team)
    await run_once(database, team)
    with acting_as(database_name, "dreamer", team.team_id) as connection:
        for change in ("status = 'queued', finished_at = NULL", "window_key = 'another'", "persisted = 0"):
            attempt = sql.SQL("UPDATE cycle_runs SET {}").format(sql.SQL(change))
            assert refusal(connection, attempt) is psycopg.errors.RestrictViolation


@pytest.mark.parametrize("status", ["proposed", "reinforced", "stale", "submitted", "rejected"])
async def test_a_target_has_one_live_row(
    database: Database, database_name: str, team: Caller, status: HypothesisStatus
) -> None:
    await make_pattern(database, team)
    await run_once(database, team)
    [guess] = await read_hypotheses(database, team)
    await set_status(database, team, guess["id"], status)
    same_target = forge_guess({"target_identity": sql.Identifier("target_identity")})
    with acting_as(database_name, "dreamer", team.team_id) as connection:
        refused = refusal(connection, same_target)
    assert refused is (None if status == "rejected" else psycopg.errors.UniqueViolation)


async def test_ten_cycles_that_find_the_same_again_leave_one_row_and_one_event(
    database: Database, team: Caller
) -> None:
    pattern = await make_pattern(database, team)
    for number in range(10):
        await run_once(database, team)
        # Something unrelated, so that the next cycle has inputs that it has not assessed.
        topic = await make_entity(database, team, f"Topic {number}", kind="concept")
        await make_relationship(database, team, pattern.subjects[0], "has_topic", topic)
    assert [run["status"] for run in await read_runs(database, team)] == ["succeeded"] * 10
    assert len(await read_hypotheses(database, team)) == 1
    assert await read_events(database, team) == [("accepted", None, "proposed")]


async def test_a_client_that_starts_again_and_again_gets_the_same_run(api: Api, team: Caller) -> None:
    client = await api.client(team)
    answers = await asyncio.gather(*(client.post("/v1/cycle-runs", json={}) for _ in range(8)))
    assert len({answer.json()["run_id"] for answer in answers}) == 1
    assert len((await client.get("/v1/cycle-runs")).json()["items"]) == 1


async def test_two_clients_that_start_and_cancel_at_once_leave_one_run_a_window(
    api: Api, team: Caller, make_profile: MakeProfile
) -> None:
    clients = [await api.client(team), await api.client(await make_profile(team, "Second"))]
    for _ in range(3):
        await at_once(*(client.post("/v1/cycle-runs", json={}) for client in clients * 4))
        listed = (await clients[0].get("/v1/cycle-runs")).json()["items"]
        [live] = [run for run in listed if run["status"] == "queued"]
        cancel = f"/v1/cycle-runs/{live['run_id']}/cancel"
        assert await at_once(*(client.post(cancel) for client in clients)) == [200, 200]
    listed = (await clients[0].get("/v1/cycle-runs")).json()["items"]
    assert [run["status"] for run in listed] == ["cancelled"] * 3
    assert len({run["window_key"] for run in listed}) == 3


# How it is tried: through the doors, by bare SQL, and by two clients at once.
TRIED = {
    "api": test_a_client_that_starts_again_and_again_gets_the_same_run,
    "sql": test_the_database_takes_no_second_run_for_a_window_nor_beside_a_live_one,
    "two clients": test_two_clients_that_start_and_cancel_at_once_leave_one_run_a_window,
}
