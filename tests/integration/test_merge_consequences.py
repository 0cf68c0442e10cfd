"""What a merge and its undoing mean for guesses, conflicts, reviews and what is under way."""

from app.kernel.database import Database
from app.remember.claim import Citation, Claim, Judgement
from app.remember.verify import VerifierFailure
from app.tenancy.callers import Caller
from tests.conftest import MakeProfile
from tests.integration.changes import (
    answer,
    cases,
    evidence_of,
    guess_from,
    guess_status,
    license_fastapi,
    open_reviews,
    retract,
    retract_text,
    said_by,
    standing,
)
from tests.integration.merging import (
    entity,
    fast_and_api,
    merge,
    positions,
    unmerge,
)
from tests.integration.submissions import (
    ScriptedVerifier,
    is_eligible,
    place,
    relationship,
    remember,
    rows,
    state,
    submit,
)


async def test_what_was_guessed_from_the_old_positions_is_stale(database: Database, team: Caller) -> None:
    old_entity, into, old = await fast_and_api(database, team)
    guess = await guess_from(database, team, old)
    await merge(database, team, old_entity, into)
    assert await guess_status(database, team, guess) == "stale"


async def test_what_was_guessed_from_the_successors_is_stale_when_it_is_undone(
    database: Database, team: Caller
) -> None:
    old_entity, into, _ = await fast_and_api(database, team)
    await merge(database, team, old_entity, into)
    [successor] = await positions(database, team, into)
    guess = await guess_from(database, team, successor["id"])
    await unmerge(database, team, old_entity)
    assert await guess_status(database, team, guess) == "stale"


async def test_positions_of_other_owners_that_meet_by_the_merge_are_a_conflict(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    other = await make_profile(team, "Second")
    await license_fastapi(database, team, "BSD")
    old = await remember(database, other, state("Fast API", "licensed_under", "MIT"))
    old_entity, into = [await entity(database, team, name) for name in ("Fast API", "FastAPI")]
    await merge(database, team, old_entity, into)
    assert [(case.state, len(case.positions)) for case in await cases(database, team)] == [("open", 2)]
    await unmerge(database, team, old_entity)
    [case] = await cases(database, team)
    assert (case.state, case.close_reason) == ("dismissed", "position_withdrawn")
    assert await is_eligible(database, team, old.relationship_id)


async def test_positions_of_one_owner_that_meet_by_the_merge_are_reviewed_not_superseded(
    database: Database, team: Caller
) -> None:
    kept = await license_fastapi(database, team, "BSD")
    old = await remember(database, team, state("Fast API", "licensed_under", "MIT"))
    old_entity, into = [await entity(database, team, name) for name in ("Fast API", "FastAPI")]
    await merge(database, team, old_entity, into)
    assert await standing(database, team, kept.relationship_id) == ("validated_claim", "active")
    [review] = await open_reviews(database, team)
    assert (review.kind, review.reason) == ("temporal", "entity_merged")
    assert await standing(database, team, review.relationship_id) == ("validated_claim", "needs_review")
    await unmerge(database, team, old_entity)
    assert await open_reviews(database, team) == []
    assert await standing(database, team, old.relationship_id) == ("validated_claim", "active")


async def test_the_review_of_a_merge_can_be_answered(database: Database, team: Caller) -> None:
    kept = await license_fastapi(database, team, "BSD")
    await remember(database, team, state("Fast API", "licensed_under", "MIT"))
    old_entity, into = [await entity(database, team, name) for name in ("Fast API", "FastAPI")]
    await merge(database, team, old_entity, into)
    [review] = await open_reviews(database, team)
    await answer(database, team, review.review_id, "accept")
    assert await standing(database, team, kept.relationship_id) == ("validated_claim", "superseded")


async def test_a_position_between_the_two_has_no_successor(database: Database, team: Caller) -> None:
    between = await remember(database, team, state("Fast API", "depends_on", "FastAPI"))
    old_entity, into = [await entity(database, team, name) for name in ("Fast API", "FastAPI")]
    await merge(database, team, old_entity, into)
    assert await positions(database, team, into) == []
    await unmerge(database, team, old_entity)
    assert await standing(database, team, between.relationship_id) == ("validated_claim", "active")


async def test_evidence_that_was_retracted_meanwhile_does_not_come_back(
    database: Database, team: Caller
) -> None:
    old_entity, into, old = await fast_and_api(database, team)
    await merge(database, team, old_entity, into)
    [evidence_id] = await evidence_of(database, team, old)
    await retract_text(database, team, evidence_id)
    [successor] = await positions(database, team, into)
    assert successor["status"] == "pending_evidence"
    await unmerge(database, team, old_entity)
    assert await standing(database, team, old) == ("candidate", "pending_evidence")


async def test_a_position_that_its_owner_took_back_meanwhile_stays_taken_back(
    database: Database, team: Caller
) -> None:
    old_entity, into, old = await fast_and_api(database, team)
    await merge(database, team, old_entity, into)
    [successor] = await positions(database, team, into)
    await retract(database, team, successor["id"])
    await unmerge(database, team, old_entity)
    assert (await standing(database, team, old))[1] == "retracted"


async def test_what_its_owner_ended_on_the_survivor_gains_nothing_and_gives_all_back(
    database: Database, team: Caller
) -> None:
    ended = await remember(database, team, said_by("a"))
    await retract(database, team, ended.relationship_id or "")
    old = await remember(database, team, said_by("b", "Fast API"))
    await remember(database, team, said_by("c", "Fast API"))
    [gone, _] = await evidence_of(database, team, old.relationship_id)
    await retract_text(database, team, gone)
    old_entity, into = [await entity(database, team, name) for name in ("Fast API", "FastAPI")]
    await merge(database, team, old_entity, into)
    assert (await standing(database, team, ended.relationship_id))[1] == "retracted"
    assert await positions(database, team, into) == []
    supports = await rows(
        database,
        team,
        "SELECT is_granted FROM supports WHERE team_id = %(team_id)s AND relationship_id = %(id)s",
        id=ended.relationship_id,
    )
    assert supports == [{"is_granted": False}]
    await unmerge(database, team, old_entity)
    assert await standing(database, team, old.relationship_id) == ("validated_claim", "active")
    assert (await standing(database, team, ended.relationship_id))[1] == "retracted"


async def test_a_submission_that_waits_through_a_merge_is_placed_on_the_survivor(
    database: Database, team: Caller
) -> None:
    old_entity, into, _ = await fast_and_api(database, team)

    class Merging(ScriptedVerifier):
        async def judge(self, claim: Claim, citation: Citation) -> Judgement | VerifierFailure:
            await merge(database, team, old_entity, into)
            return await super().judge(claim, citation)

    ingest_id = await submit(database, team, state("Fast API", "depends_on", "Pydantic"))
    waiting = await place(database, team, ingest_id, verifier=Merging())
    assert waiting.processing_state == "queued"
    placed = await place(database, team, ingest_id)
    stored = await relationship(database, team, placed.relationship_outcomes[0].relationship_id)
    assert stored["subject_entity_id"] == into
