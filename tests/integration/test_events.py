"""What the feed tells of, to whom, and how the hub hands it on."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from app.dreaming.runs.asking import StartRequest, cancel_run, start_run
from app.events.feed import PAGE_SIZE, Event, read_after
from app.events.hub import MAX_READERS_PER_KEY, Hub, Reader
from app.kernel.database import Database, Scope
from app.kernel.errors import RateLimited
from app.tenancy.callers import Caller
from app.tenancy.keys import KeyDraft, create_key, revoke_key
from tests.conftest import MakeTeam
from tests.hypothesis_factories import make_hypothesis
from tests.integration.guess_rows import make_graph


async def feed_of(database: Database, team: Caller) -> list[Event]:
    async with database.reading(Scope("app", team.team_id)) as reading:
        return await read_after(reading, team.team_id, 0)


async def make_key(database: Database, team: Caller) -> str:
    draft = KeyDraft(profile_id=team.profile_id, scopes=frozenset({"read"}))
    scope = Scope("app", team.team_id)
    key = await database.unit_of_work(scope, lambda w: create_key(w, team.team_id, draft))
    return key.key_id


async def start_and_cancel(database: Database, team: Caller) -> str:
    """Make two events."""
    scope = Scope("app", team.team_id)
    run, _ = await database.unit_of_work(scope, lambda w: start_run(w, team, StartRequest()))
    await database.unit_of_work(scope, lambda w: cancel_run(w, team, run.run_id))
    return run.run_id


async def take(stream: AsyncIterator[list[Event]], count: int) -> list[int]:
    """Return the numbers of the next batches, at least so many."""
    numbers: list[int] = []
    async with asyncio.timeout(20):
        async for batch in stream:
            numbers += [event.number for event in batch]
            if len(numbers) >= count:
                break
    return numbers


async def test_each_kind_of_change_is_told_with_its_state_and_id(database: Database, team: Caller) -> None:
    graph = await make_graph(database, team)
    hypothesis_id = await make_hypothesis(database, team, graph.guess, [graph.first, graph.second])
    run_id = await start_and_cancel(database, team)
    told = [(event.type, event.subject_id) for event in await feed_of(database, team)]
    assert told[0] == ("relationship.active", graph.first.relationship_id)
    assert ("hypothesis.proposed", hypothesis_id) in told
    assert told[-2:] == [("run.queued", run_id), ("run.cancelled", run_id)]


async def test_a_feed_is_its_teams_alone(database: Database, team: Caller, make_team: MakeTeam) -> None:
    other = await make_team()
    await start_and_cancel(database, team)
    async with database.reading(Scope("app", other.team_id)) as reading:
        assert await read_after(reading, team.team_id, 0) == []
    assert await feed_of(database, other) == []


async def test_a_reader_gets_what_it_has_missed_and_then_what_comes(database: Database, team: Caller) -> None:
    hub, key_id = Hub(database, poll_seconds=0.05), await make_key(database, team)
    await start_and_cancel(database, team)
    with hub.reader(team.team_id, key_id, position=1, head=2) as late:
        stream = hub.follow(late)
        assert await take(stream, 1) == [2]
        await start_and_cancel(database, team)
        assert await take(stream, 2) == [3, 4]
    assert hub.readers == 0


async def test_readers_share_one_poll_and_none_waits_for_another(database: Database, team: Caller) -> None:
    hub, key_id = Hub(database, poll_seconds=60), await make_key(database, team)
    readers: list[Reader] = []
    with (
        hub.reader(team.team_id, key_id, position=0, head=0) as slow,
        hub.reader(team.team_id, key_id, position=0, head=0) as quick,
    ):
        readers += [slow, quick]
        await start_and_cancel(database, team)
        await hub.poll()
        assert await take(hub.follow(quick), 2) == [1, 2]
        await start_and_cancel(database, team)
        await hub.poll()
        assert await take(hub.follow(quick), 2) == [3, 4]
        assert await take(hub.follow(slow), 4) == [1, 2, 3, 4]


async def test_whoever_is_far_behind_reads_page_by_page(database: Database, team: Caller) -> None:
    count = 2 * PAGE_SIZE + 1
    await database.unit_of_work(
        Scope("app", team.team_id),
        lambda w: w.execute(
            """INSERT INTO ingests (team_id, id, profile_id, max_authority, proposal, correlation_id,
                                    processing_state)
               SELECT %(team_id)s, 'ing_' || n, %(profile_id)s, 'primary', '{}', 'test', 'queued'
               FROM generate_series(1, %(count)s) AS n""",
            {"team_id": team.team_id, "profile_id": team.profile_id, "count": count},
        ),
    )
    hub, key_id = Hub(database, poll_seconds=60), await make_key(database, team)
    with hub.reader(team.team_id, key_id, position=0, head=count) as reader:
        assert await take(hub.follow(reader), count) == list(range(1, count + 1))


async def test_a_revoked_keys_stream_ends(database: Database, team: Caller) -> None:
    hub, key_id = Hub(database, poll_seconds=60), await make_key(database, team)
    with hub.reader(team.team_id, key_id, position=0, head=0) as reader:
        await hub.poll()
        assert reader.ended_because is None
        await database.unit_of_work(Scope("app", team.team_id), lambda w: revoke_key(w, key_id))
        await hub.poll()
        assert [batch async for batch in hub.follow(reader)] == []
        assert reader.ended_because == "key ended"


async def test_a_closed_hub_ends_its_streams_and_takes_no_new_ones(database: Database, team: Caller) -> None:
    hub, key_id = Hub(database, poll_seconds=60), await make_key(database, team)
    with hub.reader(team.team_id, key_id, position=0, head=0) as reader:
        hub.close()
        assert [batch async for batch in hub.follow(reader)] == []
    with hub.reader(team.team_id, key_id, position=0, head=0) as late:
        assert late.ended_because == "closing"


async def test_a_key_has_so_many_streams_at_most(database: Database, team: Caller) -> None:
    hub, key_id = Hub(database, poll_seconds=60), await make_key(database, team)
    readers = [hub.reader(team.team_id, key_id, position=0, head=0) for _ in range(MAX_READERS_PER_KEY)]
    for reader in readers:
        reader.__enter__()
    with (
        pytest.raises(RateLimited),
        hub.reader(team.team_id, key_id, position=0, head=0),
    ):
        pass
    for reader in readers:
        reader.__exit__(None, None, None)
    assert hub.readers == 0
