"""Listing the ledger of guesses."""

from dataclasses import asdict
from datetime import timedelta

import psycopg
import pytest

from app.hypotheses.queries import list_hypotheses
from app.hypotheses.record import HypothesisFilter, HypothesisSummary, Sort
from app.kernel.database import Database, Scope
from app.kernel.errors import InvalidInput
from app.kernel.pages import encode_cursor
from app.ledger.identity import Edge
from app.tenancy.callers import Caller
from tests.conftest import MakeProfile, MakeTeam
from tests.databases import admin_url
from tests.factories import CANDIDATE, make_entity, make_relationship, make_value
from tests.hypothesis_factories import Guess, make_hypothesis, set_status
from tests.integration.guess_rows import make_graph

ANY = HypothesisFilter()


async def read_page(
    database: Database,
    team: Caller,
    wanted: HypothesisFilter = ANY,
    *,
    sort: Sort = "newest",
    limit: int = 20,
) -> list[HypothesisSummary]:
    async with database.reading(Scope("app", team.team_id)) as reading:
        page = await list_hypotheses(reading, team.team_id, team.profile_id, wanted, sort=sort, limit=limit)
    return list(page.items)


async def test_a_summary_names_both_ends_and_separates_candidates(database: Database, team: Caller) -> None:
    graph = await make_graph(database, team)
    other = await make_entity(database, team, "Trio")
    candidate = await make_relationship(database, team, graph.anyio, "depends_on", other, CANDIDATE)
    hypothesis_id = await make_hypothesis(
        database, team, Edge(graph.starlette, "depends_on", other), [graph.second, candidate]
    )
    [found] = await read_page(database, team)
    assert found.hypothesis_id == hypothesis_id
    assert (found.subject_name, found.predicate_key, found.object_name) == ("Starlette", "depends_on", "Trio")
    assert found.source_relationship_ids == (graph.second.relationship_id,)
    assert found.source_candidate_relationship_ids == (candidate.relationship_id,)
    assert found.statement == "Starlette may depend on Trio."
    assert found.object_value_id is None


async def test_a_value_is_named_with_its_unit(database: Database, team: Caller) -> None:
    graph = await make_graph(database, team)
    value = await make_value(database, team, ">=3.10")
    await make_hypothesis(database, team, Edge(graph.fastapi, "requires_python", value), [graph.first])
    [found] = await read_page(database, team)
    assert (found.object_value_id, found.object_entity_id, found.object_name) == (value, None, ">=3.10")


async def test_each_filter_keeps_what_it_names(database: Database, team: Caller) -> None:
    graph = await make_graph(database, team)
    likely = await make_hypothesis(database, team, graph.guess, [graph.first], Guess(likelihood=0.9))
    other = Edge(graph.starlette, "has_topic", graph.anyio)
    unlikely = await make_hypothesis(database, team, other, [graph.second], Guess(likelihood=0.2))
    await set_status(database, team, unlikely, "stale")
    first, second = sorted(await read_page(database, team), key=lambda one: one.hypothesis_id == unlikely)
    instant = timedelta(microseconds=1)
    for wanted, expected in [
        (HypothesisFilter(statuses=("stale", "rejected")), [unlikely]),
        (HypothesisFilter(predicate_key="depends_on"), [likely]),
        (HypothesisFilter(entity_id=graph.starlette), [unlikely]),
        (HypothesisFilter(entity_id=graph.anyio), [unlikely, likely]),
        (HypothesisFilter(run_id=first.cycle_run_id), [likely]),
        (HypothesisFilter(generator_kind="provider"), []),
        (HypothesisFilter(generator_kind="rules", min_likelihood=0.9), [likely]),
        (HypothesisFilter(created_after=first.created_at), [unlikely]),
        (HypothesisFilter(created_after=first.created_at - instant), [unlikely, likely]),
        (HypothesisFilter(created_before=second.created_at), [likely]),
        (HypothesisFilter(entity_id="nonsense"), []),
    ]:
        found = await read_page(database, team, wanted)
        assert [one.hypothesis_id for one in found] == expected, wanted


async def test_likelihood_sort_is_best_first(database: Database, team: Caller) -> None:
    graph = await make_graph(database, team)
    low = await make_hypothesis(database, team, graph.guess, [graph.first], Guess(likelihood=0.2))
    topic = Edge(graph.fastapi, "has_topic", graph.anyio)
    high = await make_hypothesis(database, team, topic, [graph.first], Guess(likelihood=0.8))
    found = await read_page(database, team, sort="likelihood")
    assert [one.hypothesis_id for one in found] == [high, low]


async def test_review_queue_shows_best_supported_first_and_hides_what_i_judged(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    graph = await make_graph(database, team)
    one = await make_hypothesis(database, team, graph.guess, [graph.first])
    topic = Edge(graph.fastapi, "has_topic", graph.anyio)
    two = await make_hypothesis(database, team, topic, [graph.first, graph.second])
    judged = await make_hypothesis(
        database, team, Edge(graph.anyio, "has_topic", graph.fastapi), [graph.first, graph.second]
    )
    rejected = await make_hypothesis(
        database, team, Edge(graph.anyio, "has_topic", graph.starlette), [graph.first]
    )
    await set_status(database, team, rejected, "rejected")
    await database.unit_of_work(
        Scope("app", team.team_id),
        lambda w: w.execute(
            "INSERT INTO hypothesis_events (team_id, hypothesis_id, event, from_status, to_status, actor_kind,"
            " actor_profile_id) VALUES (%(team_id)s, %(id)s, 'ignore', 'proposed', 'proposed', 'client',"
            " %(profile_id)s)",
            {"team_id": team.team_id, "id": judged, "profile_id": team.profile_id},
        ),
    )
    queue = await read_page(database, team, sort="review")
    assert [found.hypothesis_id for found in queue] == [two, one]
    colleague = await make_profile(team, "Second")
    theirs = await read_page(database, colleague, sort="review")
    assert {found.hypothesis_id for found in theirs} == {one, two, judged}


@pytest.mark.parametrize("sort", ["newest", "likelihood", "review"])
async def test_pages_of_rows_with_one_timestamp_miss_and_repeat_nothing(
    database: Database, database_name: str, team: Caller, sort: Sort
) -> None:
    graph = await make_graph(database, team)
    nodes = [await make_entity(database, team, f"Library {number}") for number in range(25)]
    made = [
        await make_hypothesis(database, team, Edge(graph.fastapi, "depends_on", node), [graph.first])
        for node in nodes
    ]
    with psycopg.connect(admin_url(database_name)) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute(
            "UPDATE hypotheses SET created_at = '2026-01-01Z' WHERE team_id = %s", [team.team_id]
        )
    walked: list[str] = []
    cursor: str | None = None
    async with database.reading(Scope("app", team.team_id)) as reading:
        while True:
            page = await list_hypotheses(
                reading, team.team_id, team.profile_id, ANY, sort=sort, limit=4, cursor=cursor
            )
            walked += [one.hypothesis_id for one in page.items]
            cursor = page.next_cursor
            if cursor is None:
                break
    assert sorted(walked) == sorted(made)


async def test_rows_that_arrive_while_a_client_walks_neither_repeat_nor_hide_any(
    database: Database, team: Caller
) -> None:
    graph = await make_graph(database, team)
    nodes = [await make_entity(database, team, f"Package {number}") for number in range(8)]
    edges = [Edge(graph.fastapi, "depends_on", node) for node in nodes]
    made = [await make_hypothesis(database, team, edge, [graph.first]) for edge in edges[:6]]
    walked: list[str] = []
    cursor: str | None = None
    for step in range(3):
        async with database.reading(Scope("app", team.team_id)) as reading:
            page = await list_hypotheses(reading, team.team_id, team.profile_id, ANY, limit=2, cursor=cursor)
        walked += [one.hypothesis_id for one in page.items]
        cursor = page.next_cursor
        if step < 2:
            await make_hypothesis(database, team, edges[6 + step], [graph.first])
    assert walked == made[::-1]
    assert cursor is None


async def test_a_cursor_of_another_list_or_of_nonsense_is_refused(
    database: Database, team: Caller, make_team: MakeTeam
) -> None:
    graph = await make_graph(database, team)
    await make_hypothesis(database, team, graph.guess, [graph.first])
    topic = Edge(graph.fastapi, "has_topic", graph.anyio)
    await make_hypothesis(database, team, topic, [graph.first])
    stranger = await make_team()
    async with database.reading(Scope("app", team.team_id)) as reading:
        page = await list_hypotheses(reading, team.team_id, team.profile_id, ANY, limit=1)
        cursor = page.next_cursor
        assert cursor is not None
        for wanted, sort, forged in [
            (HypothesisFilter(predicate_key="has_topic"), "newest", cursor),
            (ANY, "likelihood", cursor),
            (ANY, "newest", cursor[:-3]),
            (ANY, "newest", "AAAA"),
        ]:
            with pytest.raises(InvalidInput) as refused:
                await list_hypotheses(
                    reading,
                    team.team_id,
                    team.profile_id,
                    wanted,
                    sort="likelihood" if sort == "likelihood" else "newest",
                    limit=1,
                    cursor=forged,
                )
            assert refused.value.code == "invalid_cursor"
    async with database.reading(Scope("app", stranger.team_id)) as reading:
        with pytest.raises(InvalidInput):
            await list_hypotheses(reading, stranger.team_id, stranger.profile_id, ANY, cursor=cursor)


@pytest.mark.parametrize(
    ("sort", "position"),
    [
        ("newest", [1, 2]),
        ("newest", ["yesterday", "hyp_00000000000000000000000000"]),
        ("newest", ["2026-01-01T00:00:00+00:00", "a\0b"]),
        ("newest", []),
        ("likelihood", ["0.5", "hyp_00000000000000000000000000"]),
        ("review", [0.5, "2026-01-01T00:00:00+00:00", "hyp_00000000000000000000000000"]),
    ],
)
async def test_a_forged_cursor_with_a_true_checksum_is_refused(
    database: Database, team: Caller, sort: Sort, position: list[object]
) -> None:
    filters: dict[str, object] = {**asdict(ANY), "sort": sort, "team_id": team.team_id}
    if sort == "review":
        filters["profile_id"] = team.profile_id
    cursor = encode_cursor("list_dreams", filters, position)
    async with database.reading(Scope("app", team.team_id)) as reading:
        with pytest.raises(InvalidInput) as refused:
            await list_hypotheses(reading, team.team_id, team.profile_id, ANY, sort=sort, cursor=cursor)
    assert refused.value.code == "invalid_cursor"


async def test_another_team_lists_nothing(database: Database, team: Caller, make_team: MakeTeam) -> None:
    graph = await make_graph(database, team)
    await make_hypothesis(database, team, graph.guess, [graph.first])
    stranger = await make_team()
    assert await read_page(database, stranger) == []
    assert await read_page(database, stranger, HypothesisFilter(entity_id=graph.fastapi)) == []
