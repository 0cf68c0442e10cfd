"""Conflict cases as they are decided: what each decision gives back, what is refused, and by when it is due."""

from datetime import UTC, datetime, timedelta

import pytest

from app.kernel.database import Database
from app.kernel.errors import InvalidInput, NotFound, WrongState
from app.ledger.conflicts.cases import Conflict, list_conflicts
from app.ledger.conflicts.decisions import CaseDecision, decide_conflict
from app.recall.model import RecallQuery
from app.recall.recall import recall
from app.tenancy.callers import Caller
from tests.conftest import MakeProfile, MakeTeam
from tests.integration.changes import cases, decide, guess_from, guess_status, license_fastapi, retract, story
from tests.integration.contradicting import disagree, events
from tests.integration.submissions import is_eligible, rows, run, scope


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
