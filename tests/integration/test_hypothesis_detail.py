"""One Hypothesis whole: why it was made, and whether that still stands."""

import pytest

from app.hypotheses.queries import get_hypothesis
from app.kernel.database import Database, Scope
from app.kernel.errors import NotFound
from app.tenancy.callers import Caller
from tests import case_factories, factories
from tests.conftest import MakeProfile, MakeTeam
from tests.factories import Position, make_relationship
from tests.hypothesis_factories import make_hypothesis
from tests.integration.guess_rows import make_graph


async def test_detail_explains_in_names_and_with_versions_then_and_now(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    graph = await make_graph(database, team)
    colleague = await make_profile(team, "Second")
    copy = await make_relationship(database, colleague, graph.fastapi, "depends_on", graph.starlette)
    hypothesis_id = await make_hypothesis(database, team, graph.guess, [graph.second, graph.first, copy])
    await factories.change_relationship(
        database, team, graph.first.relationship_id, tier="fact", effect="harmless"
    )
    async with database.reading(Scope("app", team.team_id)) as reading:
        found, _ = await get_hypothesis(reading, team.team_id, hypothesis_id)
    assert found.is_current
    assert found.not_current_because == ()
    assert set(found.source_owner_profile_ids) == {team.profile_id, colleague.profile_id}
    assert found.source_versions == {
        graph.first.relationship_id: 1,
        graph.second.relationship_id: 1,
        copy.relationship_id: 1,
    }
    assert [premise.statement for premise in found.explanation.premises] == [
        "Starlette depends on AnyIO.",
        "FastAPI depends on Starlette.",
        "FastAPI depends on Starlette.",
    ]
    changed = next(
        premise
        for premise in found.explanation.premises
        if premise.relationship_id == graph.first.relationship_id
    )
    assert (changed.version, changed.current_version) == (1, 2)
    [path] = found.explanation.paths
    assert path.relationship_ids == tuple(premise.relationship_id for premise in found.explanation.premises)
    assert (path.support, path.body, path.share) == (3, 4, 1.0)
    [event] = found.events
    assert (event.event, event.from_status, event.to_status, event.actor_kind) == (
        "accepted",
        None,
        "proposed",
        "cycle",
    )
    assert event.versions_seen == found.source_versions


async def test_detail_says_why_a_hypothesis_is_no_longer_current(database: Database, team: Caller) -> None:
    graph = await make_graph(database, team)
    hypothesis_id = await make_hypothesis(database, team, graph.guess, [graph.first, graph.second])
    await factories.change_relationship(database, team, graph.first.relationship_id, status="retracted")
    async with database.reading(Scope("app", team.team_id)) as reading:
        found, _ = await get_hypothesis(reading, team.team_id, hypothesis_id)
    assert not found.is_current
    assert [(one.code, one.relationship_id) for one in found.not_current_because] == [
        ("not_open", None),
        ("source_not_eligible", graph.first.relationship_id),
    ]
    assert "neither active nor an assessed candidate" in found.not_current_because[1].message
    assert [event.event for event in found.events] == ["accepted", "source_lost"]


async def test_a_lost_staleness_event_is_found_when_reading(database: Database, team: Caller) -> None:
    graph = await make_graph(database, team)
    hypothesis_id = await make_hypothesis(database, team, graph.guess, [graph.first, graph.second])
    await case_factories.make_review(database, team, graph.second.relationship_id)
    await case_factories.make_conflict(database, team, graph.fastapi, [graph.first])
    async with database.reading(Scope("app", team.team_id)) as reading:
        found, _ = await get_hypothesis(reading, team.team_id, hypothesis_id)
    assert found.summary.status == "proposed"
    assert not found.is_current
    obstacles = {premise.relationship_id: premise.obstacles for premise in found.explanation.premises}
    assert obstacles == {
        graph.first.relationship_id: ("has_no_open_conflict",),
        graph.second.relationship_id: ("has_no_open_review",),
    }


async def test_a_denied_premise_reads_as_denied(database: Database, team: Caller) -> None:
    graph = await make_graph(database, team)
    denied = await make_relationship(
        database, team, graph.anyio, "depends_on", graph.fastapi, Position(polarity="-")
    )
    hypothesis_id = await make_hypothesis(database, team, graph.guess, [denied])
    async with database.reading(Scope("app", team.team_id)) as reading:
        found, _ = await get_hypothesis(reading, team.team_id, hypothesis_id)
    assert found.explanation.premises[0].statement == "AnyIO does not depend on FastAPI."


async def test_missing_malformed_and_foreign_ids_are_one_answer(
    database: Database, team: Caller, make_team: MakeTeam
) -> None:
    graph = await make_graph(database, team)
    hypothesis_id = await make_hypothesis(database, team, graph.guess, [graph.first])
    stranger = await make_team()
    answers = set()
    for reader, asked in [
        (stranger, hypothesis_id),
        (team, "hyp_00000000000000000000000000"),
        (team, hypothesis_id.lower()),
        (team, "' OR true --"),
        (team, ""),
    ]:
        async with database.reading(Scope("app", reader.team_id)) as reading:
            with pytest.raises(NotFound) as refused:
                await get_hypothesis(reading, reader.team_id, asked)
        answers.add((refused.value.code, str(refused.value)))
    assert len(answers) == 1
