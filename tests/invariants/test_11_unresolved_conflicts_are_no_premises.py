"""Invariant 11: unresolved cross-profile conflict sets are not dream premises.

An open or overdue case takes all its positions out, wherever a cycle is when it opens. A resolved case gives its
preferred position only, a dismissed one is none.
"""

import asyncio
from collections.abc import Sequence
from typing import Literal, LiteralString

import psycopg
import pytest
from psycopg import sql

from app.dreaming.inputs.snapshot import read_inputs
from app.dreaming.model import Inputs, Proposal
from app.kernel.database import Database, Row, Scope
from app.tenancy.callers import Caller
from tests.api.client import Api, example_submission
from tests.api.placing import place_all
from tests.case_factories import make_conflict
from tests.conftest import MakeProfile
from tests.cycles import (
    Pattern,
    idea,
    make_pattern,
    read_events,
    read_hypotheses,
    run_once,
    scripted,
    scripted_async,
)
from tests.databases import admin_url
from tests.factories import make_relationship
from tests.integration.submissions import remember, rows, state
from tests.invariants.attempts import acting_as, at_once, refusal
from tests.moments import NOW

LAST = ("Library 4", "depends_on", "Engine 4")


async def dreamable_ids(database: Database, caller: Caller) -> set[str]:
    async with database.snapshot(Scope("dreamer", caller.team_id)) as reading:
        inputs = await read_inputs(reading, caller.team_id, max_premises=20_000, now=NOW)
    return {source.relationship_id for premise in inputs.premises for source in premise.sources}


async def contradict(database: Database, opponent: Caller) -> str:
    """Let the opponent remember the opposite of what the pattern's idea rests on; return its Relationship."""
    outcome = await remember(database, opponent, state(*LAST, polarity="-"))
    assert outcome.status == "active"
    assert outcome.relationship_id is not None
    return outcome.relationship_id


async def close(
    database: Database, caller: Caller, status: Literal["resolved", "dismissed"], preferred: str | None = None
) -> None:
    """Decide the team's one case, preferring the position that this Relationship holds."""
    params = {"status": status, "preferred": preferred}
    closed = await database.unit_of_work(Scope("app", caller.team_id), lambda w: w.execute(CLOSE, params))
    assert closed == 1


CLOSE: LiteralString = """
    WITH closed AS (
        UPDATE conflict_cases AS c
        SET status = %(status)s, closed_at = clock_timestamp(), close_reason = 'decided',
            preferred_position_id = (
                SELECT p.id FROM conflict_positions AS p
                JOIN relationships AS r ON r.semantic_group_key = p.semantic_group_key
                WHERE p.case_id = c.id AND r.id = %(preferred)s)
        RETURNING c.team_id, c.id, c.status, c.preferred_position_id
    )
    INSERT INTO conflict_events (team_id, case_id, event, preferred_position_id) SELECT * FROM closed
"""


async def make_overdue(database_name: str, caller: Caller) -> None:
    with psycopg.connect(admin_url(database_name)) as connection:
        connection.execute(
            "UPDATE conflict_cases SET due_at = opened_at - interval '1 day' WHERE team_id = %s",
            [caller.team_id],
        )


@pytest.mark.parametrize("is_overdue", [False, True], ids=["open", "overdue"])
async def test_a_conflict_that_two_profiles_remembered_carries_no_dream(
    api: Api,
    database: Database,
    database_name: str,
    team: Caller,
    make_profile: MakeProfile,
    is_overdue: bool,
) -> None:
    opponent = await make_profile(team, "Opponent")
    pattern = await make_pattern(database, team)
    denial = await contradict(database, opponent)
    if is_overdue:
        await make_overdue(database_name, team)
    listed = (await (await api.client(team)).get("/v1/conflicts")).json()["items"]
    assert [case["status"] for case in listed] == ["overdue" if is_overdue else "open"]

    assert await dreamable_ids(database, team) & {pattern.last.relationship_id, denial} == set()
    run = await run_once(database, team)

    assert run.funnel["eligible"] == 8
    assert await read_hypotheses(database, team) == []


async def test_neither_side_of_an_open_case_can_be_leant_on(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    opponent = await make_profile(team, "Opponent")
    pattern = await make_pattern(database, team)
    agreeing = await make_profile(team, "Agreeing")
    copy = await make_relationship(database, agreeing, pattern.subjects[4], "depends_on", pattern.objects[4])
    await contradict(database, opponent)

    def propose(inputs: Inputs, _: object) -> Sequence[Proposal]:
        ends = (pattern.subjects[4], "uses", pattern.objects[4])
        return [idea(inputs, *ends, pattern.last), idea(inputs, *ends, copy)]

    # Both ends must be known to the inputs, by something that nobody disputes.
    await make_relationship(database, team, pattern.subjects[4], "compatible_with", pattern.objects[4])
    run = await run_once(database, team, generator=scripted(propose))
    assert [(one["reason"], one["count"]) for one in run.rejections] == [("source_outside_input", 2)]
    assert await read_hypotheses(database, team) == []


async def test_all_positions_of_a_case_with_many_sides_are_out(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    ids: set[str] = set()
    for name in ("MIT", "BSD", "ISC", "MIT"):
        profile = await make_profile(team, f"Profile {len(ids)}")
        outcome = await remember(database, profile, state("FastAPI", "licensed_under", name))
        assert outcome.relationship_id is not None
        ids.add(outcome.relationship_id)
        if len(ids) == 1:
            assert await dreamable_ids(database, team) == ids
    assert len(ids) == 4
    assert await dreamable_ids(database, team) == set()
    assert (await run_once(database, team)).reason == "no_eligible_inputs"


@pytest.mark.parametrize(
    ("status", "preferred", "is_dreamt"),
    [
        ("resolved", "affirmation", True),
        ("resolved", "denial", False),
        ("dismissed", None, True),
    ],
)
async def test_a_decided_case_gives_what_was_decided(
    database: Database,
    team: Caller,
    make_profile: MakeProfile,
    status: Literal["resolved", "dismissed"],
    preferred: str | None,
    is_dreamt: bool,
) -> None:
    opponent = await make_profile(team, "Opponent")
    pattern = await make_pattern(database, team)
    sides = {"affirmation": pattern.last.relationship_id, "denial": await contradict(database, opponent)}
    assert (await run_once(database, team)).funnel["eligible"] == 8

    await close(database, team, status, None if preferred is None else sides[preferred])

    expected = set(sides.values()) if preferred is None else {sides[preferred]}
    assert await dreamable_ids(database, team) & set(sides.values()) == expected
    await run_once(database, team)
    assert len(await read_hypotheses(database, team)) == int(is_dreamt)


async def test_one_open_case_is_enough_beside_a_resolved_one(database: Database, team: Caller) -> None:
    pattern = await make_pattern(database, team)
    subject = pattern.subjects[4]
    await make_conflict(database, team, subject, [pattern.last], status="resolved")
    assert pattern.last.relationship_id in await dreamable_ids(database, team)
    await make_conflict(database, team, subject, [pattern.last], status="open")
    assert pattern.last.relationship_id not in await dreamable_ids(database, team)


@pytest.mark.parametrize("has_transition", [True, False], ids=["remembered", "event lost"])
async def test_a_case_that_opens_during_generation_takes_the_idea_with_it(
    database: Database, team: Caller, make_profile: MakeProfile, has_transition: bool
) -> None:
    opponent = await make_profile(team, "Opponent")
    pattern = await make_pattern(database, team)

    async def propose(inputs: Inputs) -> Sequence[Proposal]:
        if has_transition:
            await contradict(database, opponent)
        else:
            await make_conflict(database, team, pattern.subjects[4], [pattern.last])
        return [idea(inputs, pattern.subjects[4], "uses", pattern.objects[4], pattern.last)]

    run = await run_once(database, team, generator=scripted_async(propose), others_write=True)
    assert [one["reason"] for one in run.rejections] == ["source_version_changed"]
    assert await read_hypotheses(database, team) == []


async def test_a_case_that_opens_later_stales_the_guess_and_hides_it_at_once(
    api: Api, database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    opponent = await make_profile(team, "Opponent")
    pattern: Pattern = await make_pattern(database, team)
    await run_once(database, team)
    await contradict(database, opponent)
    assert await read_events(database, team) == [
        ("accepted", None, "proposed"),
        ("source_lost", "proposed", "stale"),
    ]
    client = await api.client(team)
    answer = (await client.post("/v1/recall", json={"query": "Library 4 Engine 4"})).json()
    assert answer["related_hypotheses"] == []

    await close(database, team, "resolved", pattern.last.relationship_id)
    await run_once(database, team)
    [row] = await read_hypotheses(database, team)
    assert row["status"] == "reinforced"


async def test_a_case_opened_without_an_event_still_hides_and_ends_the_guess(
    api: Api, database: Database, team: Caller
) -> None:
    pattern = await make_pattern(database, team)
    await run_once(database, team)
    await make_conflict(database, team, pattern.subjects[4], [pattern.last])
    client = await api.client(team)
    answer = (await client.post("/v1/recall", json={"query": "Library 4 Engine 4"})).json()
    assert answer["related_hypotheses"] == []
    await run_once(database, team)
    assert (await read_events(database, team))[-1] == ("source_lost", "proposed", "stale")


@pytest.mark.parametrize(
    "attempt",
    [
        "UPDATE conflict_cases SET status = 'dismissed'",
        "UPDATE conflict_cases SET status = 'resolved', preferred_position_id = 'pos_1'",
        "UPDATE conflict_positions SET semantic_group_key = 'elsewhere'",
        "DELETE FROM conflict_positions",
        "INSERT INTO conflict_cases SELECT * FROM conflict_cases",
    ],
)
async def test_the_dreamer_decides_no_conflict(
    database: Database, database_name: str, team: Caller, attempt: LiteralString
) -> None:
    pattern = await make_pattern(database, team)
    await make_conflict(database, team, pattern.subjects[4], [pattern.last])
    before: list[Row] = await rows(database, team, "SELECT * FROM conflict_cases WHERE team_id = %(team_id)s")
    with acting_as(database_name, "dreamer", team.team_id) as connection:
        assert refusal(connection, sql.SQL(attempt).format()) is psycopg.errors.InsufficientPrivilege
    await run_once(database, team)
    assert await rows(database, team, "SELECT * FROM conflict_cases WHERE team_id = %(team_id)s") == before


async def test_two_profiles_that_contradict_each_other_at_once_carry_no_dream(
    api: Api, database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    opponent = await make_profile(team, "Opponent")
    clients = [await api.client(team), await api.client(opponent)]
    affirmed = example_submission()
    text = "FastAPI does not depend on Starlette."
    denied = example_submission(evidence=[{"content": text}])
    [proposal] = denied["proposal"]["relationships"]
    proposal |= {"polarity": "-", "evidence": [{"evidence_index": 0, "start": 0, "end": len(text)}]}
    bodies = [affirmed, denied] * 2
    statuses = await at_once(
        *(client.post("/v1/remember", json=body) for client, body in zip(clients * 2, bodies, strict=True))
    )
    assert statuses == [202] * 4
    await asyncio.gather(place_all(database, team), place_all(database, team))
    listed = (await clients[0].get("/v1/conflicts")).json()["items"]
    assert [(case["kind"], case["status"]) for case in listed] == [("opposite_polarity", "open")]
    assert await dreamable_ids(database, team) == set()


# How it is tried: through the doors, by bare SQL, and by two clients at once.
TRIED = {
    "api": test_a_conflict_that_two_profiles_remembered_carries_no_dream,
    "sql": test_the_dreamer_decides_no_conflict,
    "two clients": test_two_profiles_that_contradict_each_other_at_once_carry_no_dream,
}
