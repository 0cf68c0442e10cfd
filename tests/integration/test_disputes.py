"""A profile that holds both a position and its opposite: the dispute lasts as long as both sides do."""

import asyncio

import pytest

from app.kernel.database import Database
from app.kernel.errors import InvalidInput
from app.remember.placements import RelationshipOutcome
from app.remember.submission import CorrectionTarget
from app.tenancy.callers import Caller
from tests.concurrency.ledger_checks import find_broken
from tests.conftest import MakeProfile
from tests.factories import make_entity
from tests.integration.changes import (
    answer,
    cases,
    decide,
    evidence_of,
    license_fastapi,
    open_reviews,
    retract,
    retract_text,
    standing,
)
from tests.integration.held import Pair, dispute_license, hold
from tests.integration.merging import INSUFFICIENT, entity, merge, positions, unmerge
from tests.integration.submissions import ScriptedVerifier, is_eligible, relationship, remember, state


async def dispute(database: Database, team: Caller, subject: str = "Fast API") -> Pair:
    """Leave both `subject depends on Starlette` and its denial disputed; return them."""
    said = await remember(database, team, state(subject, "depends_on", "Starlette"))
    _, denied = await hold(database, team, state(subject, "depends_on", "Starlette", polarity="-"))
    await answer(database, team, denied.review_id, "dispute")
    return said, denied


async def take_evidence(database: Database, team: Caller, outcome: RelationshipOutcome) -> None:
    for evidence_id in await evidence_of(database, team, outcome.relationship_id):
        await retract_text(database, team, evidence_id)


async def test_what_nobody_affirms_any_more_cannot_be_disputed(database: Database, team: Caller) -> None:
    said = await remember(database, team, state("Fast API", "depends_on", "Starlette"))
    _, denied = await hold(database, team, state("Fast API", "depends_on", "Starlette", polarity="-"))
    await retract(database, team, said.relationship_id)
    with pytest.raises(InvalidInput) as refused:
        await answer(database, team, denied.review_id, "dispute")
    assert refused.value.code == "choice_invalid"
    await answer(database, team, denied.review_id, "accept")
    assert await standing(database, team, denied.relationship_id) == ("validated_claim", "active")


async def test_a_disputed_pair_is_disputed_on_the_survivor_and_again_when_it_is_undone(
    database: Database, team: Caller
) -> None:
    said, denied = await dispute(database, team)
    old = await entity(database, team, "Fast API")
    into = await make_entity(database, team, "FastAPI", kind="other")
    await merge(database, team, old, into)
    assert [row["status"] for row in await positions(database, team, into)] == ["disputed", "disputed"]
    await unmerge(database, team, old)
    for outcome in (said, denied):
        assert await standing(database, team, outcome.relationship_id) == ("validated_claim", "disputed")
    assert await find_broken(database, team.team_id) == {}


async def test_a_side_without_evidence_stays_a_side_through_a_merge(database: Database, team: Caller) -> None:
    said, denied = await dispute(database, team)
    await take_evidence(database, team, said)
    assert await standing(database, team, said.relationship_id) == ("candidate", "disputed")
    old = await entity(database, team, "Fast API")
    into = await make_entity(database, team, "FastAPI", kind="other")
    await merge(database, team, old, into)
    assert sorted((row["tier"], row["status"]) for row in await positions(database, team, into)) == [
        ("candidate", "disputed"),
        ("validated_claim", "disputed"),
    ]
    await unmerge(database, team, old)
    assert await standing(database, team, said.relationship_id) == ("candidate", "disputed")
    assert await standing(database, team, denied.relationship_id) == ("validated_claim", "disputed")
    assert await find_broken(database, team.team_id) == {}


async def test_a_disputed_denial_waits_where_the_survivor_says_the_same_undisputed(
    database: Database, team: Caller
) -> None:
    said, denied = await dispute(database, team)
    kept = await remember(database, team, state("FastAPI", "depends_on", "Starlette"))
    old, into = [await entity(database, team, name) for name in ("Fast API", "FastAPI")]
    await merge(database, team, old, into)
    assert await standing(database, team, kept.relationship_id) == ("validated_claim", "active")
    [review] = await open_reviews(database, team)
    assert (review.kind, review.reason) == ("policy", "entity_merged")
    assert await standing(database, team, review.relationship_id) == ("validated_claim", "needs_review")
    assert await find_broken(database, team.team_id) == {}
    await unmerge(database, team, old)
    for outcome in (said, denied):
        assert await standing(database, team, outcome.relationship_id) == ("validated_claim", "disputed")
    assert await find_broken(database, team.team_id) == {}


async def test_a_dispute_that_a_merge_brought_to_two_candidates_goes_with_it(
    database: Database, team: Caller
) -> None:
    weak = []
    for polarity in "+-":
        submission = state(
            "FastAPI", "depends_on", "Starlette", text=f"Perhaps {polarity}.", polarity=polarity
        )
        verifier = ScriptedVerifier({submission.evidence[0].content: INSUFFICIENT})
        weak.append(await remember(database, team, submission, verifier=verifier))
    await dispute(database, team)
    old, into = [await entity(database, team, name) for name in ("Fast API", "FastAPI")]
    await merge(database, team, old, into)
    assert [row["status"] for row in await positions(database, team, into)] == ["disputed", "disputed"]
    await unmerge(database, team, old)
    for outcome in weak:
        assert await standing(database, team, outcome.relationship_id) == ("candidate", "pending_evidence")
        assert await is_eligible(database, team, outcome.relationship_id)
    assert [row["status"] for row in await positions(database, team, old)] == ["disputed", "disputed"]
    assert await find_broken(database, team.team_id) == {}


async def test_a_disputed_denial_that_comes_back_stands_against_what_another_profile_says(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    other = await make_profile(team, "Second")
    said = await remember(database, other, state("Fast API", "depends_on", "Starlette"))
    await remember(database, team, state("Fast API", "depends_on", "Starlette", polarity="-"))
    affirmed = await remember(database, team, state("Fast API", "depends_on", "Starlette"))
    await answer(database, team, affirmed.review_id, "dispute")
    assert [case.state for case in await cases(database, team)] == ["open"]
    old = await entity(database, team, "Fast API")
    into = await make_entity(database, team, "FastAPI", kind="other")
    await merge(database, team, old, into)
    assert [case.state for case in await cases(database, team)].count("open") == 1
    await unmerge(database, team, old)
    assert [case.state for case in await cases(database, team)].count("open") == 1
    assert not await is_eligible(database, team, said.relationship_id)


async def test_a_dispute_that_ended_on_the_survivor_is_over_when_the_merge_is_undone(
    database: Database, team: Caller
) -> None:
    said, denied = await dispute(database, team)
    old = await entity(database, team, "Fast API")
    into = await make_entity(database, team, "FastAPI", kind="other")
    await merge(database, team, old, into)
    first, second = await positions(database, team, into)
    await retract(database, team, first["id"])
    assert await standing(database, team, second["id"]) == ("validated_claim", "active")
    await unmerge(database, team, old)
    statuses = sorted(
        [(await standing(database, team, outcome.relationship_id))[1] for outcome in (said, denied)]
    )
    assert statuses == ["active", "retracted"]
    assert await find_broken(database, team.team_id) == {}


async def test_what_is_disputed_is_a_side_of_a_case_and_stays_one_when_it_is_reinstated(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    theirs = await license_fastapi(database, await make_profile(team, "Second"), "BSD")
    said, denied = await dispute_license(database, team, "MIT")
    [case] = await cases(database, team)
    assert (case.kind, case.state, len(case.positions)) == ("other_object", "open", 2)
    await retract(database, team, denied.relationship_id)
    assert await standing(database, team, said.relationship_id) == ("validated_claim", "active")
    assert [one.state for one in await cases(database, team)] == ["open"]
    for outcome in (said, theirs):
        assert not await is_eligible(database, team, outcome.relationship_id)
    assert await find_broken(database, team.team_id) == {}


async def test_a_case_decided_during_a_dispute_stays_decided_when_it_ends(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    theirs = await license_fastapi(database, await make_profile(team, "Second"), "BSD")
    said, denied = await dispute_license(database, team, "MIT")
    [case] = await cases(database, team)
    await decide(database, team, case, theirs.relationship_id)
    await retract(database, team, denied.relationship_id)
    [case] = await cases(database, team)
    assert case.state == "resolved"
    assert await standing(database, team, said.relationship_id) == ("validated_claim", "active")
    assert not await is_eligible(database, team, said.relationship_id)


async def test_a_reinstated_position_waits_beside_another_of_its_owners(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    kept = await license_fastapi(database, team, "BSD")
    said, denied = await dispute_license(database, team, "MIT")
    await license_fastapi(database, await make_profile(team, "Second"), "MIT")
    await retract(database, team, denied.relationship_id)
    assert await standing(database, team, kept.relationship_id) == ("validated_claim", "active")
    assert await standing(database, team, said.relationship_id) == ("validated_claim", "needs_review")
    [review] = await open_reviews(database, team)
    assert (review.relationship_id, review.kind, review.reason) == (
        said.relationship_id,
        "temporal",
        "reinstated",
    )
    assert await find_broken(database, team.team_id) == {}
    await answer(database, team, review.review_id, "accept")
    assert await standing(database, team, kept.relationship_id) == ("validated_claim", "superseded")
    assert await standing(database, team, said.relationship_id) == ("validated_claim", "active")
    assert await find_broken(database, team.team_id) == {}


@pytest.mark.parametrize("is_kept_out_by", ["lost evidence", "another of its owner's"])
async def test_a_case_closes_with_the_dispute_if_its_side_does_not_hold_then(
    database: Database, team: Caller, make_profile: MakeProfile, is_kept_out_by: str
) -> None:
    if is_kept_out_by == "another of its owner's":
        await license_fastapi(database, team, "BSD")
    theirs = await remember(
        database,
        await make_profile(team, "Second"),
        state("FastAPI", "licensed_under", "MIT", polarity="-"),
    )
    said, denied = await dispute_license(database, team, "MIT")
    [case] = await cases(database, team)
    assert (case.kind, case.state) == ("opposite_polarity", "open")
    if is_kept_out_by == "lost evidence":
        await take_evidence(database, team, said)
    await retract(database, team, denied.relationship_id)
    assert (await standing(database, team, said.relationship_id))[1] != "active"
    [case] = await cases(database, team)
    assert (case.state, case.close_reason) == ("dismissed", "position_withdrawn")
    assert await is_eligible(database, team, theirs.relationship_id)
    assert await find_broken(database, team.team_id) == {}


async def test_what_a_correction_elsewhere_reinstates_meets_what_stands_there(
    database: Database, team: Caller
) -> None:
    await license_fastapi(database, team, "BSD")
    said, denied = await dispute_license(database, team, "MIT")
    stored = await relationship(database, team, denied.relationship_id)
    target = CorrectionTarget(stored["id"], stored["version"])
    await remember(database, team, state("AnyIO", "depends_on", "Starlette", correction_target=target))
    assert await standing(database, team, said.relationship_id) == ("validated_claim", "needs_review")
    assert [one.reason for one in await open_reviews(database, team)] == ["reinstated"]
    assert await find_broken(database, team.team_id) == {}


async def test_merges_at_both_ends_of_a_position_take_turns(database: Database, team: Caller) -> None:
    """Undoing a merge brings a position back; merging its other end meanwhile must take it along."""
    await remember(database, team, state("Fast API", "depends_on", "Starlette"))
    old, other = [await entity(database, team, name) for name in ("Fast API", "Starlette")]
    into = await make_entity(database, team, "FastAPI", kind="other")
    other_into = await make_entity(database, team, "Starlette 2", kind="other")
    for _ in range(5):
        await merge(database, team, old, into)
        done = await asyncio.gather(
            unmerge(database, team, old),
            merge(database, team, other, other_into),
            return_exceptions=True,
        )
        assert await find_broken(database, team.team_id) == {}
        assert not isinstance(done[1], BaseException)
        # Merged since: the later merge is undone first.
        await unmerge(database, team, other)
        if isinstance(done[0], BaseException):
            await unmerge(database, team, old)
        assert [row["status"] for row in await positions(database, team, old)] == ["active"]
        assert await find_broken(database, team.team_id) == {}
