"""Conflict cases from opening to closing: by a decision, by a withdrawal, and open again when a position gains."""

from datetime import UTC, datetime, timedelta

import pytest

from app.kernel.database import Database
from app.kernel.errors import InvalidInput, NotFound, WrongState
from app.ledger.conflicts.cases import Conflict, list_conflicts
from app.ledger.conflicts.decisions import CaseDecision, decide_conflict
from app.recall.model import RecallQuery
from app.recall.recall import recall
from app.remember.placements import RelationshipOutcome
from app.tenancy.callers import Caller
from tests.concurrency.ledger_checks import find_broken
from tests.conftest import MakeProfile, MakeTeam
from tests.integration.changes import (
    answer,
    cases,
    decide,
    evidence_of,
    guess_from,
    guess_status,
    license_fastapi,
    retract,
    retract_text,
    story,
)
from tests.integration.submissions import is_eligible, remember, rows, run, scope, state


async def disagree(
    database: Database, team: Caller, other: Caller
) -> tuple[RelationshipOutcome, RelationshipOutcome, Conflict]:
    """Leave `team` saying BSD and `other` MIT; return both and the case."""
    mine = await license_fastapi(database, team, "BSD")
    theirs = await license_fastapi(database, other, "MIT")
    [case] = await cases(database, team)
    return mine, theirs, case


async def events(database: Database, caller: Caller, case: Conflict) -> list[str]:
    found = await rows(
        database,
        caller,
        "SELECT event FROM conflict_events WHERE team_id = %(team_id)s AND case_id = %(id)s ORDER BY id",
        id=case.case_id,
    )
    return [row["event"] for row in found]


async def test_a_resolved_case_gives_back_its_preferred_position_only(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    mine, theirs, case = await disagree(database, team, await make_profile(team, "Second"))
    decided = await decide(database, team, case, mine.relationship_id)
    assert (decided.state, decided.closed_by_profile_id) == ("resolved", team.profile_id)
    assert await is_eligible(database, team, mine.relationship_id)
    assert not await is_eligible(database, team, theirs.relationship_id)
    assert (await story(database, team, mine.relationship_id))[1:] == [
        ("conflict_opened", "validated_claim", "active"),
        ("conflict_resolved", "validated_claim", "active"),
    ]
    assert (await story(database, team, theirs.relationship_id))[1:] == [
        ("conflict_resolved", "validated_claim", "active")
    ]
    assert await events(database, team, case) == ["opened", "resolved"]


async def test_a_dismissed_case_gives_back_all_positions(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    mine, theirs, case = await disagree(database, team, await make_profile(team, "Second"))
    assert (await decide(database, team, case)).state == "dismissed"
    for outcome in (mine, theirs):
        assert await is_eligible(database, team, outcome.relationship_id)


async def test_what_rests_on_a_position_is_stale_from_the_opening_on(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    mine = await license_fastapi(database, team, "BSD")
    guess = await guess_from(database, team, mine.relationship_id)
    await license_fastapi(database, await make_profile(team, "Second"), "MIT")
    assert await guess_status(database, team, guess) == "stale"


async def test_the_preferred_position_counts_as_eligible_since_the_decision(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    mine, _, case = await disagree(database, team, await make_profile(team, "Second"))
    before = datetime.now(UTC)
    await decide(database, team, case, mine.relationship_id)
    [row] = await rows(
        database,
        team,
        "SELECT eligible_since FROM relationships WHERE team_id = %(team_id)s AND id = %(id)s",
        id=mine.relationship_id,
    )
    assert row["eligible_since"] > before


async def test_a_closed_case_is_decided_once(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    mine, _, case = await disagree(database, team, await make_profile(team, "Second"))
    await decide(database, team, case, mine.relationship_id)
    for preferred in (mine.relationship_id, None):
        with pytest.raises(WrongState):
            await decide(database, team, case, preferred)
    assert len(await story(database, team, mine.relationship_id)) == 3


@pytest.mark.parametrize(
    ("decision", "code"),
    [
        (CaseDecision("prefer"), "missing"),
        (CaseDecision("prefer", "pos_00000000000000000000000000"), "unknown_position"),
        (CaseDecision("prefer", "x"), "unknown_position"),
        (CaseDecision("dismiss", "x"), "not_allowed"),
    ],
)
async def test_a_decision_that_does_not_fit_the_case_is_refused(
    database: Database, team: Caller, make_profile: MakeProfile, decision: CaseDecision, code: str
) -> None:
    _, _, case = await disagree(database, team, await make_profile(team, "Second"))
    with pytest.raises(InvalidInput) as refused:
        await _decide(database, team, case.case_id, decision)
    assert [(one.field, one.code) for one in refused.value.errors] == [("preferred_position_id", code)]


async def test_another_teams_case_is_not_found(
    database: Database, team: Caller, make_profile: MakeProfile, make_team: MakeTeam
) -> None:
    _, _, case = await disagree(database, team, await make_profile(team, "Second"))
    stranger = await make_team()
    for unknown in (case.case_id, "con_x", "con_00000000000000000000000000"):
        with pytest.raises(NotFound, match="No such conflict"):
            await _decide(database, stranger, unknown, CaseDecision("dismiss"))


async def _decide(database: Database, caller: Caller, case_id: str, decision: CaseDecision) -> Conflict:
    return await database.unit_of_work(
        scope(caller),
        lambda w: decide_conflict(
            w,
            caller.team_id,
            case_id,
            decision,
            profile_id=caller.profile_id,
            now=datetime.now(UTC),
        ),
    )


async def test_an_open_case_is_overdue_by_the_clock_and_can_still_be_decided(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    mine, _, case = await disagree(database, team, await make_profile(team, "Second"))
    later = case.due_at
    for now, state_then in ((later - timedelta(seconds=1), "open"), (later, "overdue")):
        async with database.reading(scope(team)) as reading:
            [seen] = (await list_conflicts(reading, team.team_id, now=now)).items
        assert seen.state == state_then
    await run(
        database,
        team,
        "UPDATE conflict_cases SET due_at = clock_timestamp() WHERE team_id = %(team_id)s RETURNING id",
    )
    [overdue] = await cases(database, team)
    assert overdue.state == "overdue"
    assert (await decide(database, team, overdue, mine.relationship_id)).state == "resolved"


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


async def test_recall_shows_the_case_as_it_stands(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    mine, _, case = await disagree(database, team, await make_profile(team, "Second"))

    async def shown() -> list[tuple[str, int, str | None]]:
        now = datetime.now(UTC)
        answer = await recall(database, team, RecallQuery("FastAPI license"), now=now)
        return [(one.status, len(one.positions), one.preferred_position_id) for one in answer.conflicts]

    assert await shown() == [("open", 2, None)]
    decided = await decide(database, team, case, mine.relationship_id)
    assert await shown() == [("resolved", 2, decided.preferred_position_id)]
    await retract(database, team, mine.relationship_id)
    assert await shown() == []
