"""Invariant 10: equivalent authored Relationships do not multiply dream weight.

Ten profiles that copy a position, in whatever words, are one premise: the same ideas, likelihoods, ranks and
budgets as with one. Each of them is a source all the same, so that losing one is noticed and losing nine keeps
the premise.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import LiteralString

import psycopg
import pytest
from psycopg import sql

from app.dreaming.inputs.snapshot import read_inputs
from app.dreaming.model import Inputs, Premise, Proposal
from app.dreaming.runs.asking import StartRequest
from app.kernel.database import Database, Role, Row, Scope
from app.tenancy.callers import Caller
from tests.api.client import Api, example_submission
from tests.api.placing import place_all
from tests.conftest import MakeProfile, MakeTeam
from tests.cycles import (
    Pattern,
    idea,
    make_pattern,
    read_events,
    read_hypotheses,
    run_once,
    scripted,
)
from tests.factories import CANDIDATE, Made, Position, change_relationship, make_entity, make_relationship
from tests.integration.submissions import relationship, remember, rows, state
from tests.invariants.attempts import acting_as, at_once, refusal
from tests.moments import DAY, NOW


@dataclass(frozen=True, slots=True)
class Copied:
    """A pattern whose every position nine further profiles hold as well; `copies` are those of the last one."""

    pattern: Pattern
    copies: Sequence[tuple[Caller, Made]]


async def read(database: Database, caller: Caller, *, max_premises: int = 20_000) -> Inputs:
    async with database.snapshot(Scope("dreamer", caller.team_id)) as reading:
        return await read_inputs(reading, caller.team_id, max_premises=max_premises, now=NOW)


async def copy_all(database: Database, caller: Caller, make_profile: MakeProfile) -> Copied:
    pattern = await make_pattern(database, caller)
    edges = await rows(
        database,
        caller,
        "SELECT id, subject_entity_id AS s, predicate_key AS p, object_entity_id AS o FROM relationships"
        " WHERE team_id = %(team_id)s ORDER BY id",
    )
    copies = []
    for number in range(9):
        copier = await make_profile(caller, f"Copier {number}")
        # Copies differ in everything that is no part of what is said.
        position = Position(
            tier="fact" if number % 3 == 1 else "validated_claim",
            authority="authoritative" if number % 3 else "unknown",
            valid_from=NOW - number * DAY if number % 4 else None,
            valid_to=NOW + DAY if number == 5 else None,
            content=f"Copy {number}.",
        )
        for edge in edges:
            made = await make_relationship(database, copier, edge["s"], edge["p"], edge["o"], position)
            if edge["id"] == pattern.last.relationship_id:
                copies.append((copier, made))
    return Copied(pattern, copies)


def weight(guess: Row) -> tuple[object, ...]:
    """Return all that a Hypothesis says about its own strength, without ids."""
    paths = [{name: path[name] for name in path if name != "premise_keys"} for path in guess["paths"]]
    return guess["statement"], guess["rationale"], guess["likelihood"], guess["confidence"], paths


async def test_ten_profiles_dream_as_one_does(
    database: Database, team: Caller, make_team: MakeTeam, make_profile: MakeProfile
) -> None:
    await copy_all(database, team, make_profile)
    alone = await make_team()
    await make_pattern(database, alone)

    many, one = await run_once(database, team), await run_once(database, alone)

    [copied], [single] = await read_hypotheses(database, team), await read_hypotheses(database, alone)
    assert weight(copied) == weight(single)
    assert many.funnel == {**one.funnel, "eligible": 90}
    assert (many.funnel["premises"], one.funnel["premises"]) == (9, 9)


async def test_copies_of_one_sides_evidence_do_not_outrank_the_other(
    database: Database, team: Caller, make_team: MakeTeam, make_profile: MakeProfile
) -> None:
    """Two ideas compete for one place; copying what speaks for the weaker one does not turn them round."""
    kept = []
    for caller, copiers in ((team, 0), (await make_team(), 10)):
        pattern = await make_pattern(database, caller)
        weaker = await make_entity(database, caller, "Library 5")
        target = await make_entity(database, caller, "Engine 5")
        positions = [caller] + [await make_profile(caller, f"Copier {number}") for number in range(copiers)]
        for profile in positions:
            await make_relationship(database, profile, weaker, "benefits_from", target)
            await make_relationship(
                database, profile, pattern.subjects[0], "benefits_from", pattern.objects[0]
            )
        run = await run_once(database, caller, StartRequest(budgets={"max_outputs": 1}))
        kept.append(
            ([weight(row) for row in await read_hypotheses(database, caller)], run.funnel["generated"])
        )
    assert kept[0] == kept[1]
    assert len(kept[0][0]) == 1


async def test_losing_copies_keeps_the_premise_until_the_last(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    copied = await copy_all(database, team, make_profile)
    await run_once(database, team)
    [first] = await read_hypotheses(database, team)
    group_key = copied.pattern.last.group_key

    for left, (copier, made) in zip(range(9, 0, -1), copied.copies, strict=True):
        await change_relationship(database, copier, made.relationship_id, status="retracted")
        premise = find(await read(database, team), group_key)
        assert premise is not None
        assert len(premise.sources) == left
    run = await run_once(database, team)
    [row] = await read_hypotheses(database, team)
    assert (row["status"], weight(row)) == ("reinforced", weight(first))
    assert run.funnel["reinforced"] == 1
    assert [event for event, _, _ in await read_events(database, team)] == [
        "accepted",
        "source_lost",
        "regenerated",
    ]

    await change_relationship(database, team, copied.pattern.last.relationship_id, status="retracted")
    assert find(await read(database, team), group_key) is None
    [row] = await read_hypotheses(database, team)
    assert row["status"] == "stale"


def find(inputs: Inputs, group_key: str) -> Premise | None:
    return next((premise for premise in inputs.premises if premise.group_key == group_key), None)


async def test_the_same_thing_said_the_other_way_round_is_the_same_premise(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    one, other = await make_entity(database, team, "Starlette"), await make_entity(database, team, "FastAPI")
    second = await make_profile(team, "Second")
    for profile in (team, second):
        await make_relationship(database, profile, one, "part_of", other)
        await make_relationship(database, profile, one, "compatible_with", other)
    third = await make_profile(team, "Third")
    await make_relationship(database, third, other, "has_part", one)
    await make_relationship(database, third, other, "compatible_with", one)
    inputs = await read(database, team)
    assert sorted(len(premise.sources) for premise in inputs.premises) == [3, 3]
    assert inputs.eligible_count == 6


async def test_copies_take_no_place_of_the_input_budget(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    await copy_all(database, team, make_profile)
    inputs = await read(database, team, max_premises=9)
    assert (len(inputs.premises), inputs.over_input_budget, inputs.eligible_count) == (9, 0, 90)
    inputs = await read(database, team, max_premises=8)
    assert (len(inputs.premises), inputs.over_input_budget) == (8, 10)


async def test_a_candidate_that_ten_profiles_copied_is_still_a_candidate(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    ends = [await make_entity(database, team, f"End {number}") for number in range(3)]
    made = []
    for number in range(10):
        copier = await make_profile(team, f"Copier {number}")
        for start, end in ((ends[0], ends[1]), (ends[1], ends[2])):
            made.append(await make_relationship(database, copier, start, "depends_on", end, CANDIDATE))

    def propose(inputs: Inputs, _: object) -> Sequence[Proposal]:
        return [idea(inputs, ends[0], "depends_on", ends[2], *made)]

    run = await run_once(database, team, generator=scripted(propose))
    assert [one["reason"] for one in run.rejections] == ["source_not_connected"]
    for one in made:
        stored = await relationship(database, team, one.relationship_id)
        assert (stored["tier"], stored["status"], stored["version"]) == ("candidate", "pending_evidence", 1)


async def test_a_copy_that_came_later_neither_reinforces_nor_repeats_the_guess(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    pattern = await make_pattern(database, team)
    await run_once(database, team)
    for number in range(5):
        copier = await make_profile(team, f"Copier {number}")
        await make_relationship(database, copier, pattern.subjects[4], "depends_on", pattern.objects[4])
        run = await run_once(database, team)
        assert (run.status, run.funnel["reinforced"], run.funnel["persisted"]) == ("succeeded", 0, 0)
    assert await read_events(database, team) == [("accepted", None, "proposed")]


async def test_what_ten_profiles_remember_in_their_own_words_is_one_premise(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    for number in range(10):
        profile = await make_profile(team, f"Reader {number}")
        submission = state(
            "FastAPI",
            "depends_on",
            "Starlette",
            text=f"Page {number} says that FastAPI depends on Starlette.",
            source_group=f"page {number}",
            valid_from=NOW - timedelta(days=number) if number % 2 else None,
        )
        assert (await remember(database, profile, submission)).status == "active"
    [premise] = (await read(database, team)).premises
    assert len({source.owner_profile_id for source in premise.sources}) == 10


async def test_two_profiles_that_say_the_same_at_once_are_one_premise(
    api: Api, database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    second = await make_profile(team, "Second")
    clients = [await api.client(team), await api.client(second)]
    body = example_submission()
    assert await at_once(*(client.post("/v1/remember", json=body) for client in clients * 3)) == [202] * 6
    await asyncio.gather(place_all(database, team), place_all(database, team))
    [premise] = (await read(database, team)).premises
    assert {source.owner_profile_id for source in premise.sources} == {team.profile_id, second.profile_id}
    assert len(premise.sources) == 2


@pytest.mark.parametrize("role", ["app", "dreamer"])
async def test_no_role_makes_two_premises_of_one(
    database: Database, database_name: str, team: Caller, role: Role
) -> None:
    await make_pattern(database, team)
    attempts: tuple[LiteralString, ...] = (
        "UPDATE relationships SET semantic_group_key = 'another'",
        "UPDATE relationships SET owner_profile_id = 'another'",
        "UPDATE relationships SET polarity = '-'",
    )
    with acting_as(database_name, role, team.team_id) as connection:
        for attempt in attempts:
            assert refusal(connection, sql.SQL(attempt).format()) is psycopg.errors.InsufficientPrivilege


# How it is tried: through the doors, by bare SQL, and by two clients at once.
TRIED = {
    "api": test_two_profiles_that_say_the_same_at_once_are_one_premise,
    "sql": test_no_role_makes_two_premises_of_one,
    "two clients": test_two_profiles_that_say_the_same_at_once_are_one_premise,
}
