"""The feed's numbers: in commit order, without a gap, whatever writes at the same time."""

import asyncio

from app.events.feed import Event, read_after
from app.events.hub import find_head
from app.kernel.database import Database, Scope, Writing
from app.kernel.ids import new_id
from app.review.feedback import Feedback, resolve_feedback
from app.tenancy.callers import Caller
from tests.factories import change_within
from tests.hypothesis_factories import make_hypothesis
from tests.integration.guess_rows import make_graph

WRITERS = 8
UNITS = 25


class GivenUpError(Exception):
    pass


async def write_some(database: Database, team: Caller, writer: int) -> int:
    """Commit units of one to three ingests each, and roll every fifth back; return how many events that made."""
    committed = 0
    for unit in range(UNITS):
        count, gives_up = 1 + (writer + unit) % 3, unit % 5 == 4

        async def work(w: Writing, *, count: int = count, gives_up: bool = gives_up) -> None:
            for _ in range(count):
                await w.execute(
                    """INSERT INTO ingests (team_id, id, profile_id, max_authority, proposal, correlation_id,
                                            processing_state)
                       VALUES (%(team_id)s, %(id)s, %(profile_id)s, 'primary', '{}', 'test', 'queued')""",
                    {"team_id": team.team_id, "id": new_id("ing"), "profile_id": team.profile_id},
                )
            if gives_up:
                raise GivenUpError

        try:
            await database.unit_of_work(Scope("app", team.team_id), work)
        except GivenUpError:
            continue
        committed += count
    return committed


async def read_on(database: Database, team: Caller, done: asyncio.Event) -> list[Event]:
    """Read like clients that come back again and again, each with the last number that the one before saw."""
    seen: list[Event] = []
    while True:
        is_last = done.is_set()
        async with database.reading(Scope("app", team.team_id)) as reading:
            seen += await read_after(reading, team.team_id, seen[-1].number if seen else 0)
            head = await find_head(reading, team.team_id)
        if is_last and seen and seen[-1].number >= head:
            return seen


async def test_a_resuming_reader_beside_many_writers_misses_nothing_and_sees_nothing_twice(
    database: Database, team: Caller
) -> None:
    done = asyncio.Event()
    reading = asyncio.create_task(read_on(database, team, done))
    counts = await asyncio.gather(*(write_some(database, team, writer) for writer in range(WRITERS)))
    done.set()
    seen = await reading
    assert [event.number for event in seen] == list(range(1, sum(counts) + 1))
    assert [event.at for event in seen] == sorted(event.at for event in seen)
    assert len({event.subject_id for event in seen}) == sum(counts) > 250


async def test_whoever_rejects_a_guess_while_its_source_falls_meets_no_deadlock(
    database: Database, team: Caller
) -> None:
    graph = await make_graph(database, team)
    hypothesis_id = await make_hypothesis(database, team, graph.guess, [graph.first, graph.second])
    scope = Scope("app", team.team_id)
    attempts: list[str] = []
    is_rejected, may_commit = asyncio.Event(), asyncio.Event()

    async def reject(w: Writing) -> None:
        attempts.append("reject")
        await resolve_feedback(w, team, hypothesis_id, Feedback("reject"), correlation_id="test")
        is_rejected.set()
        await may_commit.wait()

    async def retract(w: Writing) -> None:
        attempts.append("retract")
        await change_within(w, team, graph.first.relationship_id, status="retracted", effect="source_lost")

    rejecting = asyncio.create_task(database.unit_of_work(scope, reject))
    await is_rejected.wait()
    retracting = asyncio.create_task(database.unit_of_work(scope, retract))
    # Its staleness trigger waits for the Hypothesis; a counter that it held already would close the circle.
    while not await is_anybody_waiting(database):
        await asyncio.sleep(0.01)
    may_commit.set()
    await asyncio.gather(rejecting, retracting)
    assert attempts == ["reject", "retract"]


async def is_anybody_waiting(database: Database) -> bool:
    async with database.reading(Scope("app")) as reading:
        row = await reading.fetch_one("SELECT count(*) AS waiting FROM pg_locks WHERE NOT granted")
    assert row is not None
    return bool(row["waiting"])
