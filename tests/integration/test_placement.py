"""What an active position means for those that cannot hold beside it."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from app.kernel.database import Database
from app.ledger.reviews import list_reviews
from app.remember.claim import Judgement
from app.remember.submission import CorrectionTarget
from app.tenancy.callers import Caller
from tests.conftest import MakeProfile, MakeTeam
from tests.integration.licences import license_fastapi, open_cases, transitions
from tests.integration.submissions import (
    ScriptedVerifier,
    is_eligible,
    relationship,
    remember,
    rows,
    run,
    scope,
    state,
)

Y2020, Y2022, Y2024 = (datetime(year, 1, 1, tzinfo=UTC) for year in (2020, 2022, 2024))


async def test_later_window_closes_exactly_the_old_one(database: Database, team: Caller) -> None:
    old = await license_fastapi(database, team, "BSD", valid_from=Y2020)
    new = await license_fastapi(database, team, "MIT", valid_from=Y2022)
    closed = await relationship(database, team, old.relationship_id)
    assert (closed["status"], closed["valid_to"], closed["version"]) == ("superseded", Y2022, 2)
    assert new.status == "active"
    assert (await transitions(database, team, old.relationship_id))[-1] == (
        "superseded",
        "superseded",
        "source_lost",
    )
    assert not await is_eligible(database, team, old.relationship_id)
    assert await is_eligible(database, team, new.relationship_id)


async def test_undated_old_position_is_closed_by_a_dated_one(database: Database, team: Caller) -> None:
    old = await license_fastapi(database, team, "BSD")
    await license_fastapi(database, team, "MIT", valid_from=Y2022)
    assert (await relationship(database, team, old.relationship_id))["valid_to"] == Y2022


async def test_window_that_starts_in_the_future_leaves_the_old_one_active(
    database: Database, team: Caller
) -> None:
    start = datetime.now(UTC).replace(microsecond=0) + timedelta(days=30)
    old = await license_fastapi(database, team, "BSD", valid_from=Y2020)
    await license_fastapi(database, team, "MIT", valid_from=start)
    closing = await relationship(database, team, old.relationship_id)
    assert (closing["status"], closing["valid_to"]) == ("active", start)


async def test_windows_that_do_not_meet_coexist(database: Database, team: Caller) -> None:
    later = await license_fastapi(database, team, "MIT", valid_from=Y2022)
    earlier = await license_fastapi(database, team, "BSD", valid_from=Y2020, valid_to=Y2022)
    assert (later.status, earlier.status) == ("active", "active")
    assert (await relationship(database, team, later.relationship_id))["version"] == 1


async def test_two_periods_of_one_state_coexist(database: Database, team: Caller) -> None:
    first = await license_fastapi(database, team, "MIT", valid_from=Y2020, valid_to=Y2022)
    second = await license_fastapi(database, team, "MIT", valid_from=Y2024)
    assert first.relationship_id != second.relationship_id
    assert (first.status, second.status) == ("active", "active")


@pytest.mark.parametrize("valid_from", [None, Y2020, Y2022])
async def test_other_object_without_a_later_date_is_a_temporal_review(
    database: Database, team: Caller, valid_from: datetime | None
) -> None:
    old = await license_fastapi(database, team, "BSD", valid_from=Y2022)
    new = await license_fastapi(database, team, "MIT", valid_from=valid_from)
    assert (new.category, new.status) == ("relationship_needs_review", "needs_review")
    assert new.reason == "supersession_without_dates"
    assert (await relationship(database, team, old.relationship_id))["version"] == 1
    async with database.reading(scope(team)) as reading:
        [review] = (await list_reviews(reading, team.team_id, status="open", kind="temporal")).items
    assert (review.review_id, review.relationship_id) == (new.review_id, new.relationship_id)
    assert not await is_eligible(database, team, new.relationship_id)
    assert await is_eligible(database, team, old.relationship_id)


async def test_other_scope_is_no_rival(database: Database, team: Caller) -> None:
    await license_fastapi(database, team, "BSD")
    scoped = await license_fastapi(database, team, "MIT", relation_scope="documentation")
    assert scoped.status == "active"


async def test_many_valued_predicate_takes_many_objects(database: Database, team: Caller) -> None:
    await remember(database, team, state("FastAPI", "depends_on", "Starlette"))
    outcome = await remember(database, team, state("FastAPI", "depends_on", "Pydantic"))
    assert outcome.status == "active"


async def test_candidate_has_no_consequences(database: Database, team: Caller) -> None:
    old = await license_fastapi(database, team, "BSD")
    insufficient = Judgement("insufficient", 0.9, "No.", "not_stated")
    new = await remember(
        database,
        team,
        state("FastAPI", "licensed_under", "MIT"),
        verifier=ScriptedVerifier({"FastAPI licensed under MIT.": insufficient}),
    )
    assert new.status == "pending_evidence"
    assert (await relationship(database, team, old.relationship_id))["version"] == 1


async def test_own_opposite_without_correction_is_a_policy_review(database: Database, team: Caller) -> None:
    old = await remember(database, team, state("FastAPI", "depends_on", "Flask"))
    new = await remember(database, team, state("FastAPI", "depends_on", "Flask", polarity="-"))
    assert (new.status, new.reason) == ("needs_review", "own_opposite_position")
    [review] = await rows(database, team, "SELECT kind FROM review_tasks WHERE team_id = %(team_id)s")
    assert review["kind"] == "policy"
    assert (await relationship(database, team, old.relationship_id))["status"] == "active"


async def test_own_opposite_with_correction_supersedes(database: Database, team: Caller) -> None:
    old = await remember(database, team, state("FastAPI", "depends_on", "Flask"))
    target = CorrectionTarget(old.relationship_id or "", 1)
    new = await remember(
        database, team, state("FastAPI", "depends_on", "Flask", polarity="-", correction_target=target)
    )
    assert (new.status, new.category) == ("active", "relationship_validated_claim")
    assert (await relationship(database, team, old.relationship_id))["status"] == "superseded"


async def test_correction_of_another_version_is_stale_input(database: Database, team: Caller) -> None:
    old = await license_fastapi(database, team, "BSD")
    await license_fastapi(database, team, "BSD")
    new = await license_fastapi(database, team, "MIT", correct=(old.relationship_id, 1))
    assert (new.category, new.reason) == ("relationship_rejected", "stale_input")
    assert new.relationship_id is None
    right = await license_fastapi(database, team, "MIT", correct=(old.relationship_id, 2))
    assert right.status == "active"
    again = await license_fastapi(database, team, "ISC", correct=(old.relationship_id, 3))
    assert again.reason == "correction_target_closed"


@pytest.mark.parametrize("shape", ["missing", "malformed", "foreign"])
async def test_correction_of_what_the_team_has_not_is_unknown(
    database: Database, team: Caller, make_team: MakeTeam, shape: str
) -> None:
    other = await license_fastapi(database, await make_team(), "BSD")
    target = {"missing": "rel_00000000000000000000000000", "malformed": "x"}.get(shape, other.relationship_id)
    outcome = await license_fastapi(database, team, "MIT", correct=(target, 1))
    assert (outcome.category, outcome.reason) == ("relationship_rejected", "correction_target_unknown")


async def test_only_the_owner_corrects(database: Database, team: Caller, make_profile: MakeProfile) -> None:
    old = await license_fastapi(database, team, "BSD")
    second = await make_profile(team, "Second")
    outcome = await license_fastapi(database, second, "MIT", correct=(old.relationship_id, 1))
    assert (outcome.category, outcome.reason) == ("relationship_rejected", "not_owner")
    assert (await relationship(database, team, old.relationship_id))["version"] == 1


async def test_other_owners_other_object_opens_a_conflict(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    second = await make_profile(team, "Second")
    mine = await license_fastapi(database, team, "BSD")
    theirs = await license_fastapi(database, second, "MIT")
    assert (mine.status, theirs.status) == ("active", "active")
    assert await open_cases(database, team) == [("other_object", "open", 2)]
    assert (await transitions(database, team, mine.relationship_id))[-1] == (
        "conflict_opened",
        "active",
        "source_lost",
    )
    for outcome in (mine, theirs):
        assert not await is_eligible(database, team, outcome.relationship_id)
    [case] = await rows(
        database,
        team,
        "SELECT due_at - opened_at AS term FROM conflict_cases WHERE team_id = %(team_id)s",
    )
    assert timedelta(days=7) <= case["term"] + timedelta(seconds=1) < timedelta(days=7, seconds=2)


async def test_third_position_widens_the_open_case(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    second, third = await make_profile(team, "Second"), await make_profile(team, "Third")
    await license_fastapi(database, team, "BSD")
    await license_fastapi(database, second, "MIT")
    await license_fastapi(database, third, "ISC")
    assert await open_cases(database, team) == [("other_object", "open", 3)]
    await license_fastapi(database, third, "ISC")
    assert await open_cases(database, team) == [("other_object", "open", 3)]


async def test_opposite_of_another_owner_opens_a_conflict(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    second, third = await make_profile(team, "Second"), await make_profile(team, "Third")
    mine = await remember(database, team, state("FastAPI", "depends_on", "Flask"))
    copy = await remember(database, third, state("FastAPI", "depends_on", "Flask"))
    await remember(database, second, state("FastAPI", "depends_on", "Flask", polarity="-"))
    assert await open_cases(database, team) == [("opposite_polarity", "open", 2)]
    for outcome in (mine, copy):
        last = (await transitions(database, team, outcome.relationship_id))[-1]
        assert last == ("conflict_opened", "active", "source_lost")


@pytest.mark.parametrize(
    ("status", "reason", "cases"),
    [("resolved", "decided", 1), ("dismissed", "decided", 1), ("dismissed", "position_withdrawn", 2)],
)
async def test_decided_case_is_not_opened_again(
    database: Database,
    unruled: Database,
    team: Caller,
    make_profile: MakeProfile,
    status: str,
    reason: str,
    cases: int,
) -> None:
    second = await make_profile(team, "Second")
    await license_fastapi(database, team, "BSD")
    await license_fastapi(database, second, "MIT")
    await run(
        unruled,
        team,
        """UPDATE conflict_cases SET status = %(status)s, close_reason = %(reason)s,
               preferred_position_id = CASE WHEN %(status)s = 'resolved' THEN
                   (SELECT min(id) FROM conflict_positions WHERE team_id = %(team_id)s) END
           WHERE team_id = %(team_id)s RETURNING id""",
        status=status,
        reason=reason,
    )
    await license_fastapi(database, second, "MIT")
    assert len(await open_cases(database, team)) == cases


async def test_inverse_statement_is_the_same_position(database: Database, team: Caller) -> None:
    one = await remember(database, team, state("Engine", "part_of", "Car"))
    turned = await remember(database, team, state("Car", "has_part", "Engine"))
    assert one.relationship_id == turned.relationship_id


async def test_superseded_position_that_is_stated_again_is_reviewed(database: Database, team: Caller) -> None:
    old = await license_fastapi(database, team, "BSD", valid_from=Y2020)
    await license_fastapi(database, team, "MIT", valid_from=Y2022)
    again = await license_fastapi(database, team, "BSD", valid_from=Y2020)
    assert again.relationship_id == old.relationship_id
    assert (again.category, again.status) == ("relationship_needs_review", "superseded")
    assert again.review_id is not None


async def test_end_of_a_window_can_be_told_later(database: Database, team: Caller) -> None:
    first = await license_fastapi(database, team, "BSD", valid_from=Y2020)
    await license_fastapi(database, team, "BSD", valid_from=Y2020, valid_to=Y2022)
    assert (await relationship(database, team, first.relationship_id))["valid_to"] == Y2022


async def test_concurrent_placements_of_one_slot_see_each_other(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    owners = [await make_profile(team, f"Owner {index}") for index in range(6)]
    names = ["BSD", "MIT", "ISC", "Apache-2.0", "MPL-2.0", "Zlib"]
    await asyncio.gather(
        *(license_fastapi(database, owner, name) for owner, name in zip(owners, names, strict=True))
    )
    assert await open_cases(database, team) == [("other_object", "open", 6)]


async def test_concurrent_submissions_of_one_position_make_one_relationship(
    database: Database, team: Caller
) -> None:
    outcomes = await asyncio.gather(
        *(
            remember(
                database,
                team,
                state(
                    "FastAPI",
                    "depends_on",
                    "Starlette",
                    text=f"FastAPI {index} depends on Starlette.",
                    source_group=f"g{index}",
                ),
            )
            for index in range(6)
        )
    )
    assert len({outcome.relationship_id for outcome in outcomes}) == 1
    stored = await relationship(database, team, outcomes[0].relationship_id)
    assert (stored["tier"], stored["version"]) == ("fact", 6)
