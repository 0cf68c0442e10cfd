"""Combinations of filters of `list_dreams`, in every order, beside a few lines of Python that know them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from itertools import product
from typing import Final, LiteralString

import pytest

from app.hypotheses.lifecycle import HypothesisStatus
from app.hypotheses.queries import list_hypotheses
from app.hypotheses.record import HypothesisFilter, HypothesisSummary, Sort
from app.kernel.database import Database, Reading, Scope
from app.ledger.identity import Edge
from app.tenancy.callers import Caller
from tests.factories import make_entity
from tests.hypothesis_factories import Guess, make_hypothesis, set_status
from tests.integration.guess_rows import Graph, make_graph

STATUSES: Final[tuple[HypothesisStatus, ...]] = ("proposed", "reinforced", "stale", "rejected")
Keeps = Callable[[HypothesisSummary], bool]


async def make_guesses(database: Database, team: Caller) -> Graph:
    """Leave a dozen Hypotheses that differ in all that is filtered and sorted by; two were judged."""
    graph = await make_graph(database, team)
    ends = [await make_entity(database, team, name) for name in ("Trio", "Curio", "Uvicorn")]
    edges = [
        Edge(subject, predicate, end)
        for subject in (graph.fastapi, graph.starlette)
        for predicate in ("depends_on", "has_topic")
        for end in ends
    ]
    for place, edge in enumerate(edges):
        sources = [graph.first, graph.second][: 1 + place % 2]
        guess = Guess(likelihood=(0.2, 0.5, 0.5, 0.9)[place % 4])
        hypothesis_id = await make_hypothesis(database, team, edge, sources, guess)
        await set_status(database, team, hypothesis_id, STATUSES[place % 4])
        if place in (0, 1, 5):
            await ignore(database, team, hypothesis_id, STATUSES[place % 4])
    return graph


async def ignore(database: Database, team: Caller, hypothesis_id: str, status: HypothesisStatus) -> None:
    params = {
        "team_id": team.team_id,
        "id": hypothesis_id,
        "status": status,
        "profile_id": team.profile_id,
    }
    await database.unit_of_work(Scope("app", team.team_id), lambda w: w.execute(_IGNORED, params))


async def walk(
    reading: Reading, team: Caller, wanted: HypothesisFilter, sort: Sort
) -> list[HypothesisSummary]:
    found: list[HypothesisSummary] = []
    cursor: str | None = None
    while True:
        page = await list_hypotheses(
            reading, team.team_id, team.profile_id, wanted, sort=sort, limit=5, cursor=cursor
        )
        found += page.items
        cursor = page.next_cursor
        if cursor is None:
            return found


def combinations(
    graph: Graph, rows: list[HypothesisSummary]
) -> Iterator[tuple[HypothesisFilter, list[Keeps]]]:
    """Yield every combination of up to three filters, and all at once, with what each of them keeps."""
    middle = sorted(rows, key=lambda one: one.created_at)[5]
    late = middle.created_at + timedelta(milliseconds=1)
    choices: list[tuple[Mapping[str, object], Keeps]] = [
        ({"statuses": ("proposed", "stale")}, lambda one: one.status in ("proposed", "stale")),
        ({"predicate_key": "depends_on"}, lambda one: one.predicate_key == "depends_on"),
        (
            {"entity_id": graph.fastapi},
            lambda one: graph.fastapi in (one.subject_entity_id, one.object_entity_id),
        ),
        ({"run_id": middle.cycle_run_id}, lambda one: one.cycle_run_id == middle.cycle_run_id),
        ({"generator_kind": "rules"}, lambda one: one.generator_kind == "rules"),
        ({"min_likelihood": 0.5}, lambda one: one.likelihood >= 0.5),
        ({"created_after": middle.created_at}, lambda one: one.created_at > middle.created_at),
        ({"created_before": late}, lambda one: one.created_at < late),
    ]
    for chosen in product((False, True), repeat=len(choices)):
        if 3 < sum(chosen) < len(choices):
            continue
        wanted, kept = HypothesisFilter(), []
        for is_set, (fields, keeps) in zip(chosen, choices, strict=True):
            if is_set:
                wanted = replace(wanted, **fields)  # type: ignore[arg-type]  # Each names one field with its type.
                kept.append(keeps)
        yield wanted, kept


@pytest.mark.parametrize("sort", ["newest", "likelihood", "review"])
async def test_filters_together_keep_what_all_of_them_name_in_order(
    database: Database, team: Caller, sort: Sort
) -> None:
    graph = await make_guesses(database, team)
    async with database.snapshot(Scope("app", team.team_id)) as reading:
        rows = await walk(reading, team, HypothesisFilter(), "newest")
        assert len(rows) == 12
        judged = {row["hypothesis_id"] for row in await reading.fetch_all(_JUDGED, {"team_id": team.team_id})}
        ordered = sorted(rows, key=lambda one: (one.created_at, one.hypothesis_id), reverse=True)
        if sort == "likelihood":
            ordered.sort(key=lambda one: (one.likelihood, one.hypothesis_id), reverse=True)
        if sort == "review":
            ordered = [one for one in ordered if one.hypothesis_id not in judged and one.status != "rejected"]
            ordered.sort(key=lambda one: len(one.source_relationship_ids), reverse=True)
            assert 0 < len(ordered) < 12
        sizes = set()
        for wanted, kept in combinations(graph, rows):
            expected = [one for one in ordered if all(keeps(one) for keeps in kept)]
            assert await walk(reading, team, wanted, sort) == expected, wanted
            sizes.add(len(expected))
    assert {0, 1, len(ordered)} <= sizes


_IGNORED: LiteralString = """
    INSERT INTO hypothesis_events
        (team_id, hypothesis_id, event, from_status, to_status, actor_kind, actor_profile_id)
    VALUES (%(team_id)s, %(id)s, 'ignore', %(status)s, %(status)s, 'client', %(profile_id)s)
"""
_JUDGED: LiteralString = """
    SELECT hypothesis_id FROM hypothesis_events
    WHERE team_id = %(team_id)s AND actor_profile_id IS NOT NULL
"""
