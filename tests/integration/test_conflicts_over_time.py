"""A conflict case after it was opened: closed by a withdrawal, open again when what was decided against gains."""

from datetime import UTC, datetime

import pytest

from app.kernel.database import Database
from app.tenancy.callers import Caller
from tests.concurrency.ledger_checks import find_broken
from tests.conftest import MakeProfile
from tests.integration.changes import (
    answer,
    cases,
    decide,
    evidence_of,
    license_fastapi,
    retract,
    retract_text,
    story,
)
from tests.integration.contradicting import disagree, events
from tests.integration.submissions import is_eligible, remember, state


@pytest.mark.parametrize("by", ["relationship", "evidence", "supersession"])
@pytest.mark.parametrize("was", ["open", "resolved"])
async def test_a_case_whose_position_is_withdrawn_closes_in_the_same_transaction(
    database: Database, team: Caller, make_profile: MakeProfile, by: str, was: str
) -> None:
    other = await make_profile(team, "Second")
    mine, theirs, case = await disagree(database, team, other)
    if was == "resolved":
        await decide(database, team, case, mine.relationship_id)
    if by == "relationship":
        await retract(database, team, mine.relationship_id)
    elif by == "evidence":
        [evidence_id] = await evidence_of(database, team, mine.relationship_id)
        await retract_text(database, team, evidence_id)
    else:
        later = state("FastAPI", "licensed_under", "MIT", valid_from=datetime(2024, 1, 1, tzinfo=UTC))
        await remember(database, team, later)
    [closed] = await cases(database, team)
    assert (closed.state, closed.close_reason) == ("dismissed", "position_withdrawn")
    assert await is_eligible(database, team, theirs.relationship_id)
    assert (await story(database, team, theirs.relationship_id))[-1][0] == "conflict_withdrawn"
    assert (await events(database, team, case))[-1] == "withdrawn"


@pytest.mark.parametrize("was", ["active", "disputed"])
async def test_a_case_follows_the_window_of_its_side(
    database: Database, team: Caller, make_profile: MakeProfile, was: str
) -> None:
    y2020, y2022, y2024 = (datetime(year, 1, 1, tzinfo=UTC) for year in (2020, 2022, 2024))
    mine = await remember(database, team, state("FastAPI", "licensed_under", "BSD", valid_from=y2020))
    if was == "disputed":
        denial = state("FastAPI", "licensed_under", "BSD", polarity="-", valid_from=y2020)
        denied = await remember(database, team, denial)
        await answer(database, team, denied.review_id, "dispute")
    other = await make_profile(team, "Second")
    later = state("FastAPI", "licensed_under", "MIT", valid_from=y2022)
    theirs = await remember(database, other, later)
    assert [one.state for one in await cases(database, team)] == ["open"]
    for valid_to, states in (
        (y2022, ["dismissed"]),
        (y2024, ["dismissed", "open"]),
        (y2022, ["dismissed"] * 2),
    ):
        shorter = state("FastAPI", "licensed_under", "BSD", valid_from=y2020, valid_to=valid_to)
        again = await remember(database, team, shorter)
        assert (again.relationship_id, again.status) == (mine.relationship_id, was)
        assert sorted(one.state for one in await cases(database, team)) == states
        assert await is_eligible(database, team, theirs.relationship_id) == ("open" not in states)
    assert await find_broken(database, team.team_id) == {}


async def test_a_case_with_two_sides_left_stays_open(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    second, third = await make_profile(team, "Second"), await make_profile(team, "Third")
    mine, _, _ = await disagree(database, team, second)
    await license_fastapi(database, third, "ISC")
    await retract(database, team, mine.relationship_id)
    [case] = await cases(database, team)
    assert (case.state, len(case.positions)) == ("open", 3)


async def test_a_position_held_by_two_profiles_is_not_withdrawn_by_one(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    second, third = await make_profile(team, "Second"), await make_profile(team, "Third")
    mine, theirs, _ = await disagree(database, team, second)
    await license_fastapi(database, third, "BSD")
    await retract(database, team, mine.relationship_id)
    [case] = await cases(database, team)
    assert case.state == "open"
    assert not await is_eligible(database, team, theirs.relationship_id)


async def test_a_withdrawn_position_that_comes_back_opens_a_new_case(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    mine, _, _ = await disagree(database, team, await make_profile(team, "Second"))
    await retract(database, team, mine.relationship_id)
    await license_fastapi(database, team, "BSD")
    assert [case.state for case in await cases(database, team)] == ["open", "dismissed"]


@pytest.mark.parametrize("decision", ["resolved", "dismissed"])
@pytest.mark.parametrize("gain", ["new owner", "fact", "same again"])
async def test_a_decided_case_is_open_again_when_what_was_decided_against_gains(
    database: Database, team: Caller, make_profile: MakeProfile, decision: str, gain: str
) -> None:
    other = await make_profile(team, "Second")
    mine, theirs, case = await disagree(database, team, other)
    await decide(database, team, case, mine.relationship_id if decision == "resolved" else None)
    if gain == "new owner":
        await license_fastapi(database, await make_profile(team, "Third"), "MIT")
    else:
        group = "another source" if gain == "fact" else None
        await license_fastapi(database, other, "MIT", source_group=group)
    [now] = await cases(database, team)
    if gain == "same again":
        assert now.state == decision
        return
    assert (now.state, now.preferred_position_id, now.closed_at) == ("open", None, None)
    assert now.due_at > case.due_at
    assert await events(database, team, case) == ["opened", decision, "reopened"]
    for outcome in (mine, theirs):
        assert not await is_eligible(database, team, outcome.relationship_id)
    assert (await story(database, team, mine.relationship_id))[-1][0] == "conflict_opened"


async def test_a_preferred_position_that_gains_leaves_the_case_decided(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    mine, _, case = await disagree(database, team, await make_profile(team, "Second"))
    await decide(database, team, case, mine.relationship_id)
    await license_fastapi(database, await make_profile(team, "Third"), "BSD")
    [now] = await cases(database, team)
    assert now.state == "resolved"
