"""Guesses beside recall, never inside it."""

from datetime import UTC, datetime
from typing import LiteralString

import psycopg
import pytest

from app.hypotheses.lifecycle import HypothesisStatus
from app.kernel.database import Scope
from app.ledger.identity import Edge
from app.ledger.predicates.changes import change_predicate
from app.ledger.predicates.draft import PredicateChanges
from app.recall import recall as recalling
from app.recall.model import RecallQuery
from app.recall.trace import TraceQuery, trace_memory
from tests import case_factories, factories
from tests.conftest import MakeProfile, MakeTeam
from tests.databases import admin_url
from tests.factories import CANDIDATE, Made
from tests.hypothesis_factories import Guess, make_hypothesis, set_status
from tests.integration.recall_rows import Ledger, ask


async def related(ledger: Ledger, query: str | RecallQuery) -> list[str]:
    return [one.hypothesis_id for one in (await ask(ledger, query)).related_hypotheses]


async def guess(
    ledger: Ledger,
    subject: str,
    object_name: str,
    *sources: Made,
    predicate: str = "depends_on",
    likelihood: float = 0.5,
) -> str:
    edge = Edge(await ledger.node(subject), predicate, await ledger.node(object_name))
    return await make_hypothesis(ledger.database, ledger.caller, edge, sources, Guess(likelihood=likelihood))


async def change(ledger: Ledger, key: str, changes: PredicateChanges) -> None:
    caller = ledger.caller
    await ledger.database.unit_of_work(
        Scope("app", caller.team_id),
        lambda w: change_predicate(w, caller, key, changes),
    )


async def test_a_guess_is_found_through_the_sources_of_the_results(ledger: Ledger) -> None:
    first = await ledger.say("FastAPI", "depends_on", "Starlette")
    second = await ledger.say("Starlette", "depends_on", "AnyIO")
    hypothesis_id = await guess(ledger, "FastAPI", "AnyIO", first, second, likelihood=0.7)
    answer = await ask(ledger, "upon which packages is the framework called FastAPI built?")
    [found] = answer.related_hypotheses
    assert found.hypothesis_id == hypothesis_id
    assert found.statement == "FastAPI may depend on AnyIO."
    assert (found.status, found.likelihood, found.confidence) == ("proposed", 0.7, 0.4)
    assert found.matched_by == ("source", "endpoint", "text")
    assert answer.degradations == ()


async def test_no_guess_is_ever_a_result(ledger: Ledger) -> None:
    source = await ledger.say("Starlette", "depends_on", "AnyIO")
    hypothesis_id = await guess(ledger, "FastAPI", "Trio", source)
    answer = await ask(ledger, "FastAPI may depend on Trio")
    assert [one.hypothesis_id for one in answer.related_hypotheses] == [hypothesis_id]
    assert all("FastAPI" not in result.statement for result in answer.results)
    assert all(result.relationship_id.startswith("rel_") for result in answer.results)


async def test_a_guess_needs_a_shared_source_an_endpoint_or_a_text_match(ledger: Ledger) -> None:
    await ledger.say("Copper", "has_topic", "Metals")
    source = await ledger.say("FastAPI", "depends_on", "Starlette")
    await guess(ledger, "FastAPI", "AnyIO", source)
    endpoint = await guess(ledger, "Metals", "AnyIO", source)
    answer = await ask(ledger, "Copper")
    assert [(one.hypothesis_id, one.matched_by) for one in answer.related_hypotheses] == [
        (endpoint, ("endpoint",))
    ]


async def test_only_what_is_among_the_results_makes_a_guess_near(ledger: Ledger) -> None:
    far = await ledger.say("Copper", "has_topic", "Metals")
    said = {
        name: await ledger.say("FastAPI", "depends_on", name) for name in ("Starlette", "Pydantic", "AnyIO")
    }
    at_end = {name: await guess(ledger, name, "Copper", far) for name in said}
    by_source = {name: await guess(ledger, "Tin", name, source) for name, source in said.items()}
    await factories.change_relationship(
        ledger.database, ledger.caller, said["AnyIO"].relationship_id, status="disputed"
    )
    answer = await ask(ledger, RecallQuery("FastAPI", limit=1))
    [result] = answer.results
    shown = result.object.name
    assert {one.hypothesis_id: one.matched_by for one in answer.related_hypotheses} == {
        at_end[shown]: ("endpoint",),
        by_source[shown]: ("source", "endpoint"),
    }
    both = await related(ledger, RecallQuery("FastAPI", limit=2, hypothesis_limit=20))
    assert sorted(both) == sorted(
        found[name] for name in ("Starlette", "Pydantic") for found in (at_end, by_source)
    )


async def test_order_is_overlap_then_text_then_likelihood_and_the_same_on_repeat(ledger: Ledger) -> None:
    first = await ledger.say("FastAPI", "depends_on", "Starlette")
    second = await ledger.say("FastAPI", "licensed_under", "MIT")
    far = await ledger.say("Copper", "has_topic", "Metals")
    unlikely = await guess(ledger, "FastAPI", "Metals", far, likelihood=0.3)
    likely = await guess(ledger, "FastAPI", "Copper", far, likelihood=0.8)
    both = await guess(ledger, "Starlette", "MIT", first, second, predicate="licensed_under")
    one = await guess(ledger, "Starlette", "Metals", first)
    for _ in range(3):
        assert await related(ledger, "FastAPI") == [both, one, likely, unlikely]
    assert await related(ledger, RecallQuery("FastAPI", hypothesis_limit=2)) == [both, one]
    assert await related(ledger, RecallQuery("FastAPI", hypothesis_limit=0)) == []


async def test_copies_of_a_source_count_once(ledger: Ledger, make_profile: MakeProfile) -> None:
    copier = await make_profile(ledger.caller, "Copier")
    first = await ledger.say("FastAPI", "depends_on", "Starlette")
    copy = await ledger.say("FastAPI", "depends_on", "Starlette", by=copier)
    second = await ledger.say("FastAPI", "has_topic", "Web")
    copied = await guess(ledger, "Copper", "Metals", first, copy)
    two = await guess(ledger, "Copper", "Tin", first, second)
    assert await related(ledger, "FastAPI") == [two, copied]


@pytest.mark.parametrize("status", ["stale", "rejected", "submitted"])
async def test_only_open_guesses_are_related(ledger: Ledger, status: HypothesisStatus) -> None:
    source = await ledger.say("FastAPI", "depends_on", "Starlette")
    hypothesis_id = await guess(ledger, "FastAPI", "AnyIO", source)
    await set_status(ledger.database, ledger.caller, hypothesis_id, status)
    assert await related(ledger, "FastAPI AnyIO") == []


async def test_a_target_that_lost_its_predicate_without_an_event_hides_the_guess(ledger: Ledger) -> None:
    source = await ledger.say("FastAPI", "depends_on", "Starlette")
    for key, changes in [
        ("uses", PredicateChanges(lifecycle_state="retired")),
        ("supports", PredicateChanges(allowed_object_kinds=("person",))),
    ]:
        await change(ledger, key, changes)
        await guess(ledger, "FastAPI", "AnyIO", source, predicate=key)
    kept = await guess(ledger, "FastAPI", "AnyIO", source)
    assert await related(ledger, "FastAPI AnyIO") == [kept]


async def test_a_source_that_is_lost_without_an_event_hides_the_guess(ledger: Ledger) -> None:
    first = await ledger.say("FastAPI", "depends_on", "Starlette")
    second = await ledger.say("Starlette", "depends_on", "AnyIO")
    await guess(ledger, "FastAPI", "AnyIO", first, second)
    assert len(await related(ledger, "FastAPI")) == 1
    await case_factories.make_review(ledger.database, ledger.caller, second.relationship_id)
    assert await related(ledger, "FastAPI") == []


async def test_a_retracted_source_stales_the_guess_and_hides_it(ledger: Ledger) -> None:
    first = await ledger.say("FastAPI", "depends_on", "Starlette")
    await ledger.say("FastAPI", "has_topic", "Web")
    hypothesis_id = await guess(ledger, "FastAPI", "AnyIO", first)
    await factories.change_relationship(
        ledger.database, ledger.caller, first.relationship_id, status="retracted"
    )
    assert await related(ledger, "FastAPI") == []
    async with ledger.database.reading(Scope("app", ledger.caller.team_id)) as reading:
        traced = await trace_memory(
            reading, ledger.caller.team_id, first.relationship_id, TraceQuery(), now=datetime.now(UTC)
        )
    assert [(one.hypothesis_id, one.status) for one in traced.hypotheses] == [(hypothesis_id, "stale")]


async def test_a_harmless_change_and_a_new_neighbour_hide_nothing(ledger: Ledger) -> None:
    first = await ledger.say("FastAPI", "depends_on", "Starlette")
    hypothesis_id = await guess(ledger, "FastAPI", "AnyIO", first)
    await factories.change_relationship(
        ledger.database, ledger.caller, first.relationship_id, tier="fact", effect="harmless"
    )
    await ledger.say("FastAPI", "depends_on", "Pydantic")
    assert await related(ledger, "FastAPI") == [hypothesis_id]


async def test_a_guess_on_a_candidate_is_related_though_the_candidate_is_no_result(ledger: Ledger) -> None:
    first = await ledger.say("FastAPI", "depends_on", "Starlette")
    candidate = await ledger.say("Starlette", "depends_on", "AnyIO", CANDIDATE)
    hypothesis_id = await guess(ledger, "FastAPI", "AnyIO", first, candidate)
    answer = await ask(ledger, "FastAPI")
    assert [result.relationship_id for result in answer.results] == [first.relationship_id]
    assert [one.hypothesis_id for one in answer.related_hypotheses] == [hypothesis_id]


async def test_a_team_that_does_not_dream_sees_no_guesses(ledger: Ledger) -> None:
    first = await ledger.say("FastAPI", "depends_on", "Starlette")
    await guess(ledger, "FastAPI", "AnyIO", first)
    params = {"team_id": ledger.caller.team_id}
    await ledger.database.unit_of_work(
        Scope("app", ledger.caller.team_id), lambda w: w.execute(_SWITCH_OFF, params)
    )
    answer = await ask(ledger, "FastAPI")
    assert len(answer.results) == 1
    assert (answer.related_hypotheses, answer.degradations) == ((), ())


async def test_a_past_moment_has_no_guesses_and_says_so(ledger: Ledger) -> None:
    first = await ledger.say("FastAPI", "depends_on", "Starlette")
    await guess(ledger, "FastAPI", "AnyIO", first)
    answer = await ask(ledger, RecallQuery("FastAPI", known_at=datetime.now(UTC)))
    assert len(answer.results) == 1
    assert answer.related_hypotheses == ()
    assert [(one.part, one.code) for one in answer.degradations] == [
        ("related_hypotheses", "hypotheses_not_temporal")
    ]


async def test_a_locked_table_of_guesses_costs_the_guesses_only(
    ledger: Ledger, database_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await ledger.say("FastAPI", "depends_on", "Starlette")
    await guess(ledger, "FastAPI", "AnyIO", first)
    monkeypatch.setattr(recalling, "RELATED_TIMEOUT_SECONDS", 0.1)
    with psycopg.connect(admin_url(database_name)) as connection:
        connection.execute("LOCK TABLE hypotheses IN ACCESS EXCLUSIVE MODE")
        answer = await ask(ledger, "FastAPI")
        connection.rollback()
    assert len(answer.results) == 1
    assert answer.related_hypotheses == ()
    assert [(one.part, one.code) for one in answer.degradations] == [
        ("related_hypotheses", "hypotheses_unavailable")
    ]
    assert len((await ask(ledger, "FastAPI")).related_hypotheses) == 1


async def test_another_team_sees_no_guess(ledger: Ledger, make_team: MakeTeam) -> None:
    first = await ledger.say("FastAPI", "depends_on", "Starlette")
    await guess(ledger, "FastAPI", "AnyIO", first)
    answer = await ask(ledger, "FastAPI may depend on AnyIO", caller=await make_team())
    assert answer.related_hypotheses == ()


async def test_a_trace_shows_the_guesses_beside_the_ledgers_story(ledger: Ledger) -> None:
    candidate = await ledger.say("Starlette", "depends_on", "AnyIO", CANDIDATE)
    hypothesis_id = await guess(ledger, "FastAPI", "AnyIO", candidate)
    async with ledger.database.reading(Scope("app", ledger.caller.team_id)) as reading:
        found = await trace_memory(
            reading,
            ledger.caller.team_id,
            candidate.relationship_id,
            TraceQuery(),
            now=datetime.now(UTC),
        )
    assert found.trace.relationship.position.relationship_id == candidate.relationship_id
    [cited] = found.hypotheses
    assert (cited.hypothesis_id, cited.is_candidate, cited.is_current_source) == (hypothesis_id, True, True)


_SWITCH_OFF: LiteralString = """
    INSERT INTO team_settings (team_id, name, value) VALUES (%(team_id)s, 'enabled', 'false')
"""
