"""Why an idea is absent: every reason that can be known without a generator, in words and codes."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from app.dreaming.absence import Absence, Obstacle, Situation
from app.dreaming.model import Target
from app.dreaming.why_not import ask_why_not
from app.kernel.database import Database, Scope
from app.kernel.errors import NotFound, Unavailable
from app.kernel.ids import new_id
from app.ledger.identity import Edge
from app.ledger.predicates.changes import change_predicate
from app.ledger.predicates.draft import PredicateChanges
from app.tenancy.callers import Caller
from tests.case_factories import make_conflict, make_review
from tests.conftest import MakeTeam
from tests.cycles import Pattern, make_pattern, read_hypotheses, run_once, set_setting
from tests.factories import (
    CANDIDATE,
    Position,
    change_relationship,
    make_entity,
    make_relationship,
    make_value,
)
from tests.hypothesis_factories import make_hypothesis, set_status
from tests.moments import NOW


async def in_thread(function: Callable[[Situation], Absence], situation: Situation) -> Absence:
    return await asyncio.to_thread(function, situation)


async def ask(database: Database, team: Caller, subject: str, key: str, object_id: str) -> Absence:
    return await ask_why_not(
        database, team.team_id, Target(subject, key, object_id), now=NOW, compute=in_thread
    )


async def codes(database: Database, team: Caller, subject: str, key: str, object_id: str) -> list[str]:
    absence = await ask(database, team, subject, key, object_id)
    assert absence.would_be_proposed == (not absence.blocked_by)
    assert all(obstacle.message.endswith(".") for obstacle in absence.blocked_by)
    return [obstacle.code for obstacle in absence.blocked_by]


async def test_nothing_is_in_the_way_of_what_the_next_cycle_proposes(
    database: Database, team: Caller
) -> None:
    pattern = await make_pattern(database, team)
    assert await codes(database, team, pattern.subjects[4], "uses", pattern.objects[4]) == []
    await run_once(database, team)
    [row] = await read_hypotheses(database, team)
    absence = await ask(database, team, pattern.subjects[4], "uses", pattern.objects[4])
    assert [(obstacle.code, obstacle.ids) for obstacle in absence.blocked_by] == [
        ("duplicate_existing", (row["id"],))
    ]


async def test_the_question_is_thought_through_in_a_process_of_its_own(
    database: Database, team: Caller
) -> None:
    pattern = await make_pattern(database, team)
    target = Target(pattern.subjects[4], "uses", pattern.objects[4])
    absence = await ask_why_not(database, team.team_id, target, now=NOW)
    assert absence == Absence(True, ())


Step = Callable[[Database, Caller, Pattern], Awaitable[object]]


async def state(database: Database, team: Caller, pattern: Pattern) -> None:
    await make_relationship(database, team, pattern.subjects[4], "uses", pattern.objects[4])


async def deny(database: Database, team: Caller, pattern: Pattern) -> None:
    position = Position(polarity="-")
    await make_relationship(database, team, pattern.subjects[4], "uses", pattern.objects[4], position)


async def reject(database: Database, team: Caller, pattern: Pattern) -> None:
    edge = Edge(pattern.subjects[4], "uses", pattern.objects[4])
    hypothesis_id = await make_hypothesis(database, team, edge, [pattern.last])
    await set_status(database, team, hypothesis_id, "rejected")


async def narrow(database: Database, team: Caller, pattern: Pattern) -> None:
    await set_setting(database, team, "max_outputs", "0")


@pytest.mark.parametrize(
    ("step", "code"),
    [
        (state, "exact_relationship_active"),
        (deny, "opposite_relationship_active"),
        (reject, "target_suppressed"),
        (narrow, "output_budget"),
    ],
)
async def test_what_is_known_or_decided_is_named(
    database: Database, team: Caller, step: Step, code: str
) -> None:
    pattern = await make_pattern(database, team)
    await step(database, team, pattern)
    assert await codes(database, team, pattern.subjects[4], "uses", pattern.objects[4]) == [code]


@pytest.mark.parametrize("budget", ["max_outputs", "max_premises", "max_groups", "max_duration_seconds"])
async def test_a_budget_of_0_is_named_and_no_cycle_proposes_anything(
    database: Database, team: Caller, budget: str
) -> None:
    pattern = await make_pattern(database, team)
    await set_setting(database, team, budget, "0")
    absence = await ask(database, team, pattern.subjects[4], "uses", pattern.objects[4])
    assert absence.blocked_by == (Obstacle("output_budget", f"The team's {budget} is 0, which means none."),)
    await run_once(database, team)
    assert await read_hypotheses(database, team) == []


async def test_a_deprecated_predicate_is_named_as_that(database: Database, team: Caller) -> None:
    pattern = await make_pattern(database, team)
    await database.unit_of_work(
        Scope("app", team.team_id),
        lambda w: change_predicate(w, team, "uses", PredicateChanges(lifecycle_state="deprecated")),
    )
    absence = await ask(database, team, pattern.subjects[4], "uses", pattern.objects[4])
    assert absence.blocked_by == (
        Obstacle("predicate_unknown", "uses is deprecated, so no cycle proposes anything with it."),
    )
    await run_once(database, team)
    assert await read_hypotheses(database, team) == []


async def test_what_comes_into_question_again_is_proposed_by_the_next_cycle(
    database: Database, team: Caller
) -> None:
    pattern = await make_pattern(database, team)
    held = await make_relationship(database, team, pattern.subjects[4], "uses", pattern.objects[4])
    await make_review(database, team, held.relationship_id)
    await run_once(database, team)
    # It was no premise before and is none now; all that changed is that the target is open.
    await change_relationship(database, team, held.relationship_id, status="retracted")
    assert await codes(database, team, pattern.subjects[4], "uses", pattern.objects[4]) == []
    run = await run_once(database, team)
    assert (run.status, run.reason) == ("succeeded", None)
    assert len(await read_hypotheses(database, team)) == 1


async def test_several_things_in_the_way_are_all_named(database: Database, team: Caller) -> None:
    place = await make_entity(database, team, "Berlin", kind="place")
    other = await make_entity(database, team, "MIT", kind="document")
    held = await make_entity(database, team, "BSD", kind="document")
    wheel = await make_entity(database, team, "Wheel")
    await make_relationship(database, team, wheel, "licensed_under", held)
    await make_relationship(database, team, wheel, "licensed_under", other, Position(polarity="-"))
    assert await codes(database, team, wheel, "licensed_under", other) == [
        "opposite_relationship_active",
        "slot_taken",
        "no_path",
    ]
    assert await codes(database, team, wheel, "requires_python", place) == [
        "endpoint_kind_invalid",
        "no_path",
    ]
    value = await make_value(database, team, ">=3.11")
    assert await codes(database, team, wheel, "requires_python", value) == ["no_path"]
    assert await codes(database, team, wheel, "uses", value) == ["endpoint_kind_invalid", "no_path"]
    assert await codes(database, team, wheel, "nothing_of_ours", place) == ["predicate_unknown"]
    assert await codes(database, team, wheel, "uses", wheel) == ["self_loop"]


async def test_a_path_that_was_not_right_often_enough_is_below_the_floor(
    database: Database, team: Caller
) -> None:
    ends = [await make_entity(database, team, name) for name in ("FastAPI", "Starlette", "AnyIO")]
    first = await make_relationship(database, team, ends[0], "depends_on", ends[1])
    second = await make_relationship(database, team, ends[1], "depends_on", ends[2])
    absence = await ask(database, team, ends[0], "uses", ends[2])
    [obstacle] = absence.blocked_by
    assert obstacle.code == "below_floor"
    assert "X depends_on Z, Z depends_on Y → X uses Y" in obstacle.message
    assert obstacle.ids == (first.relationship_id, second.relationship_id)
    assert await codes(database, team, ends[0], "depends_on", ends[1]) == [
        "exact_relationship_active",
        "no_path",
    ]


async def test_what_may_not_be_read_is_named_with_its_reason(database: Database, team: Caller) -> None:
    ends = [await make_entity(database, team, name) for name in ("FastAPI", "Starlette", "AnyIO")]
    held = await make_relationship(database, team, ends[0], "depends_on", ends[1])
    await make_review(database, team, held.relationship_id)
    disputed = await make_relationship(database, team, ends[1], "depends_on", ends[2])
    await make_conflict(database, team, ends[1], [disputed])
    unassessed = Position(tier="candidate", status="pending_evidence", verdict="none")
    waiting = await make_relationship(database, team, ends[2], "uses", ends[1], unassessed)
    gone = Position(status="retracted")
    await make_relationship(database, team, ends[0], "uses", ends[1], gone)
    absence = await ask(database, team, ends[0], "uses", ends[2])
    said = {obstacle.ids: (obstacle.code, obstacle.message) for obstacle in absence.blocked_by}
    assert set(said) == {(), (held.relationship_id,), (disputed.relationship_id,), (waiting.relationship_id,)}
    assert said[()][0] == "no_path"
    assert said[held.relationship_id,] == (
        "not_eligible",
        "“FastAPI depends on Starlette.” cannot be built on: it waits for a review.",
    )
    assert "open conflict" in said[disputed.relationship_id,][1]
    assert "assessed candidate" in said[waiting.relationship_id,][1]


async def test_an_end_that_was_merged_away_and_an_exact_candidate(
    database: Database, unruled: Database, team: Caller
) -> None:
    pattern = await make_pattern(database, team)
    candidate = await make_relationship(
        database, team, pattern.subjects[4], "uses", pattern.objects[4], CANDIDATE
    )
    assert candidate.relationship_id
    assert await codes(database, team, pattern.subjects[4], "uses", pattern.objects[4]) == []
    await unruled.unit_of_work(
        Scope("app", team.team_id),
        lambda w: w.execute(
            "UPDATE entities SET is_merged = true WHERE id = %(id)s", {"id": pattern.objects[4]}
        ),
    )
    absence = await ask(database, team, pattern.subjects[4], "uses", pattern.objects[4])
    assert absence.blocked_by[0].code == "endpoint_missing"
    assert absence.blocked_by[0].ids == (pattern.objects[4],)


async def test_missing_malformed_and_foreign_nodes_are_one_answer(
    database: Database, team: Caller, make_team: MakeTeam
) -> None:
    mine = await make_entity(database, team, "Mine")
    theirs = await make_entity(database, await make_team(), "Theirs")
    for other in (theirs, new_id("ent"), mine.lower(), "'; --", new_id("val")):
        with pytest.raises(NotFound, match="no such Entity or Value"):
            await ask(database, team, mine, "uses", other)
        with pytest.raises(NotFound, match="no such Entity or Value"):
            await ask(database, team, other, "uses", mine)


async def test_a_team_too_large_to_think_through_in_time_is_a_clear_answer(
    database: Database, team: Caller
) -> None:
    pattern = await make_pattern(database, team)

    async def never(function: Callable[[Situation], Absence], situation: Situation) -> Absence:
        return await asyncio.Future()

    target = Target(pattern.subjects[4], "uses", pattern.objects[4])
    with pytest.raises(Unavailable) as refused:
        await ask_why_not(database, team.team_id, target, now=NOW, compute=never, max_seconds=0.2)
    assert refused.value.code == "question_too_large"
