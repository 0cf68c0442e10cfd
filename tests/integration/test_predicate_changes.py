"""A retired or narrowed predicate: what rests on it and what is about it, in the same transaction."""

from typing import LiteralString

import pytest

from app.hypotheses.queries import get_hypothesis
from app.hypotheses.record import HypothesisDetail
from app.hypotheses.staleness import Sweep, stale_ended_hypotheses
from app.kernel.database import Database, Row, Scope
from app.ledger.identity import Edge
from app.ledger.predicates.changes import change_predicate
from app.ledger.predicates.draft import PredicateChanges
from app.tenancy.callers import Caller
from tests import factories
from tests.conftest import MakeTeam
from tests.factories import CANDIDATE, Made
from tests.hypothesis_factories import make_hypothesis, set_status
from tests.integration.guess_rows import Graph, make_graph
from tests.integration.submissions import rows, run
from tests.moments import NOW

RETIRED = PredicateChanges(lifecycle_state="retired")
# The graph's things are products.
NARROWED = PredicateChanges(allowed_subject_kinds=("person",), allowed_object_kinds=("person",))
CASES = [(RETIRED, "predicate_retired"), (NARROWED, "predicate_narrowed")]


async def change(database: Database, team: Caller, key: str, changes: PredicateChanges) -> None:
    await database.unit_of_work(
        Scope("app", team.team_id),
        lambda w: change_predicate(w, team, key, changes),
    )


async def detail(database: Database, team: Caller, hypothesis_id: str) -> HypothesisDetail:
    async with database.reading(Scope("app", team.team_id)) as reading:
        found, _ = await get_hypothesis(reading, team.team_id, hypothesis_id)
        return found


async def latest_transition(database: Database, team: Caller, made: Made) -> Row:
    [row] = await rows(database, team, _LATEST, id=made.relationship_id)
    return row


async def target_guess(database: Database, team: Caller, graph: Graph) -> str:
    """A guess with `uses` as its predicate whose sources say `depends_on`."""
    edge = Edge(graph.fastapi, "uses", graph.anyio)
    return await make_hypothesis(database, team, edge, [graph.first, graph.second])


@pytest.mark.parametrize(("changes", "reason"), CASES)
async def test_each_relationship_gets_a_version_and_dependents_the_reason(
    database: Database, team: Caller, changes: PredicateChanges, reason: str
) -> None:
    graph = await make_graph(database, team)
    dependent = await make_hypothesis(
        database, team, Edge(graph.fastapi, "uses", graph.anyio), [graph.first, graph.second]
    )
    await change(database, team, "depends_on", changes)
    for made in (graph.first, graph.second):
        transition = await latest_transition(database, team, made)
        assert (transition["version"], transition["row_version"]) == (2, 2)
        assert (transition["effect"], transition["reason"]) == ("source_lost", reason)
        assert (transition["from_status"], transition["to_status"]) == ("active", "active")
        assert transition["actor_profile_id"] == team.profile_id
    found = await detail(database, team, dependent)
    assert found.summary.status == "stale"
    assert [(event.event, event.reason) for event in found.events[1:]] == [("source_lost", reason)]


@pytest.mark.parametrize(("changes", "reason"), CASES)
async def test_a_guess_about_an_unfit_target_is_staled_with_the_reason(
    database: Database, team: Caller, changes: PredicateChanges, reason: str
) -> None:
    graph = await make_graph(database, team)
    hypothesis_id = await target_guess(database, team, graph)
    await change(database, team, "uses", changes)
    found = await detail(database, team, hypothesis_id)
    assert (found.summary.status, found.is_current) == ("stale", False)
    assert [one.code for one in found.not_current_because] == ["not_open", reason]
    [event] = found.events[1:]
    assert (event.event, event.reason, event.actor_kind) == ("target_unfit", reason, "ledger")
    assert (await latest_transition(database, team, graph.first))["version"] == 1


async def test_a_missed_staling_is_seen_when_read_and_swept_with_its_reason(
    database: Database, team: Caller
) -> None:
    graph = await make_graph(database, team)
    await change(database, team, "uses", RETIRED)
    hypothesis_id = await target_guess(database, team, graph)
    found = await detail(database, team, hypothesis_id)
    assert (found.summary.status, found.is_current) == ("proposed", False)
    assert [one.code for one in found.not_current_because] == ["predicate_retired"]
    sweep = Sweep(NOW, found.summary.cycle_run_id)
    swept = await database.unit_of_work(
        Scope("dreamer", team.team_id), lambda w: stale_ended_hypotheses(w, team.team_id, sweep)
    )
    assert swept == 1
    found = await detail(database, team, hypothesis_id)
    assert [(event.event, event.reason) for event in found.events[1:]] == [
        ("target_unfit", "predicate_retired")
    ]


async def test_what_is_no_input_or_still_fits_gets_no_transition(database: Database, team: Caller) -> None:
    graph = await make_graph(database, team)
    place = await factories.make_entity(database, team, "Ada", kind="person")
    kept = await factories.make_relationship(database, team, place, "depends_on", place)
    retracted = await factories.make_relationship(database, team, graph.anyio, "depends_on", graph.fastapi)
    await factories.change_relationship(database, team, retracted.relationship_id, status="retracted")
    candidate = await factories.make_relationship(
        database, team, graph.anyio, "depends_on", graph.starlette, CANDIDATE
    )
    await change(database, team, "depends_on", NARROWED)
    versions = [
        (await latest_transition(database, team, made))["version"] for made in (kept, retracted, candidate)
    ]
    assert versions == [1, 2, 2]


async def test_harmless_changes_stale_nothing(database: Database, team: Caller) -> None:
    graph = await make_graph(database, team)
    hypothesis_id = await make_hypothesis(database, team, graph.guess, [graph.first, graph.second])
    for changes in (
        PredicateChanges(label="Depends upon"),
        PredicateChanges(lifecycle_state="deprecated"),
        PredicateChanges(allowed_subject_kinds=("product",)),
    ):
        await change(database, team, "depends_on", changes)
    found = await detail(database, team, hypothesis_id)
    assert (found.summary.status, found.is_current, len(found.events)) == ("proposed", True, 1)
    assert (await latest_transition(database, team, graph.first))["version"] == 1


async def test_only_open_guesses_move_and_only_of_the_own_team(
    database: Database, team: Caller, make_team: MakeTeam
) -> None:
    graph = await make_graph(database, team)
    rejected = await target_guess(database, team, graph)
    await set_status(database, team, rejected, "rejected")
    stranger = await make_team()
    foreign = await target_guess(database, stranger, await make_graph(database, stranger))
    await change(database, team, "uses", RETIRED)
    assert (await detail(database, team, rejected)).summary.status == "rejected"
    found = await detail(database, stranger, foreign)
    assert (found.summary.status, found.is_current) == ("proposed", True)


async def test_a_new_lease_of_life_needs_no_new_history(database: Database, team: Caller) -> None:
    graph = await make_graph(database, team)
    await change(database, team, "depends_on", RETIRED)
    await change(database, team, "depends_on", PredicateChanges(lifecycle_state="active"))
    eligible = await run(
        database,
        team,
        "SELECT relationship_id, version FROM eligible_relationships WHERE team_id = %(team_id)s",
    )
    assert sorted((row["relationship_id"], row["version"]) for row in eligible) == sorted(
        (made.relationship_id, 2) for made in (graph.first, graph.second)
    )


_LATEST: LiteralString = """
    SELECT t.*, r.version AS row_version FROM relationship_transitions AS t
    JOIN relationships AS r ON r.team_id = t.team_id AND r.id = t.relationship_id
    WHERE t.team_id = %(team_id)s AND t.relationship_id = %(id)s ORDER BY t.version DESC LIMIT 1
"""
