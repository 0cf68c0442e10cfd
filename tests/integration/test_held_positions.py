"""Resolving reviews that hold a Relationship: it goes on as accepted, rejected or disputed, weighed anew."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from app.kernel.database import Database
from app.kernel.errors import InvalidInput, WrongState
from app.ledger.vocabulary import ReviewKind
from app.remember.placements import RelationshipOutcome
from app.remember.submission import CorrectionTarget, Submission
from app.tenancy.callers import Caller
from tests.case_factories import make_review
from tests.concurrency.ledger_checks import find_broken
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
    standing,
    story,
)
from tests.integration.held import DEPENDS, INSUFFICIENT, hold
from tests.integration.submissions import (
    ScriptedVerifier,
    is_eligible,
    place,
    placement,
    relationship,
    remember,
    rows,
    state,
    submit,
)


async def test_an_accepted_temporal_review_supersedes_the_owners_old_position(
    database: Database, team: Caller
) -> None:
    old = await license_fastapi(database, team, "BSD")
    guess = await guess_from(database, team, old.relationship_id)
    ingest_id, new = await hold(database, team, state("FastAPI", "licensed_under", "MIT"))
    await answer(database, team, new.review_id, "accept")
    assert await standing(database, team, new.relationship_id) == ("validated_claim", "active")
    assert await standing(database, team, old.relationship_id) == ("validated_claim", "superseded")
    assert (await relationship(database, team, old.relationship_id))["valid_to"] is not None
    assert [one[0] for one in await story(database, team, new.relationship_id)] == [
        "remembered",
        "review_accepted",
    ]
    assert await is_eligible(database, team, new.relationship_id)
    assert await guess_status(database, team, guess) == "stale"
    placed = await placement(database, team, ingest_id)
    [outcome] = placed.relationship_outcomes
    assert (placed.processing_state, outcome.category) == ("completed", "relationship_validated_claim")


async def test_a_rejected_review_leaves_the_old_position_as_it_was(database: Database, team: Caller) -> None:
    old = await license_fastapi(database, team, "BSD")
    ingest_id, new = await hold(database, team, state("FastAPI", "licensed_under", "MIT"))
    await answer(database, team, new.review_id, "reject")
    assert await standing(database, team, new.relationship_id) == ("validated_claim", "rejected")
    assert len(await story(database, team, old.relationship_id)) == 1
    placed = await placement(database, team, ingest_id)
    assert (placed.processing_state, placed.relationship_outcomes[0].category) == (
        "completed",
        "relationship_rejected",
    )
    supports = await rows(
        database,
        team,
        "SELECT is_granted FROM supports WHERE team_id = %(team_id)s AND relationship_id = %(id)s",
        id=new.relationship_id,
    )
    assert supports == [{"is_granted": False}]


async def test_an_accepted_position_that_another_profile_denies_opens_a_conflict(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    await license_fastapi(database, team, "BSD")
    _, new = await hold(database, team, state("FastAPI", "licensed_under", "MIT"))
    other = await make_profile(team, "Second")
    await license_fastapi(database, other, "ISC")
    await answer(database, team, new.review_id, "accept")
    # The case of BSD and ISC closed with BSD, and MIT disagrees with ISC as BSD had.
    assert [case.state for case in await cases(database, team)] == ["open"]
    assert not await is_eligible(database, team, new.relationship_id)


async def test_support_that_was_lost_meanwhile_is_not_taken_for_granted(
    database: Database, team: Caller
) -> None:
    old = await license_fastapi(database, team, "BSD")
    _, new = await hold(database, team, state("FastAPI", "licensed_under", "MIT"))
    [evidence_id] = await evidence_of(database, team, new.relationship_id)
    await retract_text(database, team, evidence_id)
    await answer(database, team, new.review_id, "accept")
    assert await standing(database, team, new.relationship_id) == ("candidate", "pending_evidence")
    assert await standing(database, team, old.relationship_id) == ("validated_claim", "active")


async def test_a_superseded_position_that_is_accepted_again_holds_again(
    database: Database, team: Caller
) -> None:
    old = await license_fastapi(database, team, "BSD")
    await remember(
        database,
        team,
        state(
            "FastAPI",
            "licensed_under",
            "MIT",
            correction_target=CorrectionTarget(old.relationship_id or "", 1),
        ),
    )
    again = await license_fastapi(database, team, "BSD")
    assert again.reason is None or again.review_id is not None
    await answer(database, team, again.review_id, "accept")
    stored = await relationship(database, team, old.relationship_id)
    assert (stored["status"], stored["valid_to"]) == ("active", None)
    statuses = await rows(
        database, team, "SELECT status FROM relationships WHERE team_id = %(team_id)s ORDER BY status"
    )
    assert [row["status"] for row in statuses] == ["active", "superseded"]


@pytest.mark.parametrize("kind", ["identity", "predicate", "scope", "temporal", "policy"])
async def test_a_review_of_any_kind_frees_the_relationship_that_it_held(
    database: Database, team: Caller, kind: ReviewKind
) -> None:
    outcome = await remember(database, team, DEPENDS)
    review_id = await make_review(database, team, outcome.relationship_id, kind=kind)
    assert not await is_eligible(database, team, outcome.relationship_id)
    await answer(database, team, review_id, "accept")
    assert await is_eligible(database, team, outcome.relationship_id)
    assert (await relationship(database, team, outcome.relationship_id))["version"] == 2


async def test_a_second_submission_of_a_held_position_waits_for_the_same_review(
    database: Database, team: Caller
) -> None:
    await license_fastapi(database, team, "BSD")
    _, first = await hold(database, team, state("FastAPI", "licensed_under", "MIT"))
    second_id, second = await hold(
        database,
        team,
        state("FastAPI", "licensed_under", "MIT", source_group="another", text="As another says."),
    )
    assert second.review_id == first.review_id
    await answer(database, team, first.review_id, "accept")
    placed = await placement(database, team, second_id)
    assert (placed.processing_state, placed.relationship_outcomes[0].category) == (
        "completed",
        "relationship_fact",
    )


@pytest.mark.parametrize("choice", ["new", "dispute", "nobodys_predicate"])
async def test_a_held_relationship_takes_other_words_than_a_held_proposal(
    database: Database, team: Caller, choice: str
) -> None:
    await license_fastapi(database, team, "BSD")
    _, new = await hold(database, team, state("FastAPI", "licensed_under", "MIT"))
    with pytest.raises(InvalidInput):
        await answer(database, team, new.review_id, choice)


async def correct(
    database: Database, team: Caller, outcome: RelationshipOutcome
) -> tuple[str, RelationshipOutcome]:
    """Remember something else that takes the held position's place."""
    stored = await relationship(database, team, outcome.relationship_id)
    target = CorrectionTarget(stored["id"], stored["version"])
    ingest_id = await submit(database, team, state("AnyIO", "depends_on", "Trio", correction_target=target))
    return ingest_id, (await place(database, team, ingest_id)).relationship_outcomes[0]


@pytest.mark.parametrize("by", ["correction", "retraction"])
async def test_a_held_position_that_ends_takes_its_review_and_its_placement_along(
    database: Database, team: Caller, by: str
) -> None:
    old = await license_fastapi(database, team, "BSD")
    ingest_id, held = await hold(database, team, state("FastAPI", "licensed_under", "MIT"))
    if by == "correction":
        _, new = await correct(database, team, held)
        assert new.status == "active"
        ended, category, closed = "superseded", "relationship_needs_review", "relationship_superseded"
    else:
        await retract(database, team, held.relationship_id)
        ended, category, closed = "retracted", "relationship_rejected", "relationship_retracted"
    assert await standing(database, team, held.relationship_id) == ("validated_claim", ended)
    assert await open_reviews(database, team) == []
    [review] = await rows(database, team, "SELECT * FROM review_tasks WHERE team_id = %(team_id)s")
    assert (review["choice"], review["close_reason"]) == ({"choice": "withdrawn"}, closed)
    placed = await placement(database, team, ingest_id)
    [outcome] = placed.relationship_outcomes
    assert (placed.processing_state, outcome.category) == ("completed", category)
    assert (outcome.status, outcome.reason) == (ended, "review_withdrawn")
    with pytest.raises(WrongState):
        await answer(database, team, held.review_id, "accept")
    assert await standing(database, team, old.relationship_id) == ("validated_claim", "active")
    assert await find_broken(database, team.team_id) == {}


async def test_what_is_said_again_of_a_superseded_position_waits_for_one_review(
    database: Database, team: Caller
) -> None:
    old = await license_fastapi(database, team, "BSD")
    _, new = await hold(database, team, state("FastAPI", "licensed_under", "MIT"))
    await answer(database, team, new.review_id, "accept")
    first = await license_fastapi(database, team, "BSD", source_group="a")
    second = await license_fastapi(database, team, "BSD", source_group="b")
    assert first.relationship_id == second.relationship_id == old.relationship_id
    assert first.review_id == second.review_id
    await answer(database, team, first.review_id, "accept")
    assert await open_reviews(database, team) == []
    assert await standing(database, team, old.relationship_id) == ("fact", "active")
    assert await find_broken(database, team.team_id) == {}


Y2020, Y2022, Y2024 = (datetime(year, 1, 1, tzinfo=UTC) for year in (2020, 2022, 2024))


async def test_a_window_that_grows_over_another_of_its_owners_is_asked_about(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    bsd = state("FastAPI", "licensed_under", "BSD", valid_from=Y2020, valid_to=Y2022)
    grown = state("FastAPI", "licensed_under", "BSD", valid_from=Y2020, valid_to=Y2024)
    early = await remember(database, team, bsd)
    late = await remember(database, team, state("FastAPI", "licensed_under", "MIT", valid_from=Y2022))
    other = await make_profile(team, "Second")
    denied = await remember(database, other, replace_polarity(bsd))
    assert [one.state for one in await cases(database, team)] == ["open"]
    unsaid = await remember(
        database, team, grown, verifier=ScriptedVerifier({grown.evidence[0].content: INSUFFICIENT})
    )
    assert (unsaid.status, await open_reviews(database, team)) == ("active", [])
    again = await remember(database, team, grown)
    assert (again.relationship_id, again.status) == (early.relationship_id, "needs_review")
    assert again.reason == "supersession_without_dates"
    assert await standing(database, team, late.relationship_id) == ("validated_claim", "active")
    assert [one.state for one in await cases(database, team)] == ["dismissed"]
    assert await is_eligible(database, team, denied.relationship_id)
    await answer(database, team, again.review_id, "accept")
    assert await standing(database, team, late.relationship_id) == ("validated_claim", "superseded")
    assert [one.state for one in await cases(database, team)] == ["open", "dismissed"]
    assert await find_broken(database, team.team_id) == {}


def replace_polarity(submission: Submission) -> Submission:
    [proposal] = submission.relationships
    return replace(submission, relationships=(replace(proposal, polarity="-"),))
