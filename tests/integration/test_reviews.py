"""Resolving reviews of proposals: what was held is examined, verified and placed; nothing is skipped."""

from dataclasses import replace

import pytest

from app.kernel.database import Database
from app.kernel.errors import Forbidden, InvalidInput, NotFound, WrongState
from app.remember.claim import Citation, Claim, Judgement
from app.remember.submission import (
    CitedSpan,
    EntityProposal,
    EvidenceItem,
    RelationshipProposal,
    Submission,
)
from app.remember.verify import VerifierFailure
from app.tenancy.callers import Caller
from tests.conftest import MakeProfile, MakeTeam
from tests.factories import make_entity
from tests.integration.changes import (
    answer,
    license_fastapi,
    open_reviews,
)
from tests.integration.held import (
    DEPENDS,
    INSUFFICIENT,
    hold,
    place_again,
    two_starlettes,
)
from tests.integration.submissions import (
    ScriptedVerifier,
    place,
    placement,
    relationship,
    rows,
    state,
    submit,
)


async def test_an_entity_that_is_chosen_is_verified_and_placed(database: Database, team: Caller) -> None:
    first, second = await two_starlettes(database, team)
    ingest_id, outcome = await hold(database, team, DEPENDS)
    assert (outcome.category, outcome.reason) == ("identity_needs_review", "ambiguous_name")
    [review] = await open_reviews(database, team)
    assert (review.options, review.entity_ref) == ((*sorted((first, second)), "new"), "o")

    resolved = await answer(database, team, review.review_id, second)
    assert (resolved.status, resolved.close_reason) == ("resolved", "As I know it.")
    assert resolved.choice == {"choice": second, "entity_id": second}
    verifier = ScriptedVerifier()
    placed = await place_again(database, team, ingest_id, verifier)
    assert verifier.asked == ["FastAPI depends on Starlette."]
    assert placed.processing_state == "completed"
    [now] = placed.relationship_outcomes
    assert (now.category, now.review_id) == ("relationship_validated_claim", None)
    assert (await relationship(database, team, now.relationship_id))["object_entity_id"] == second


async def test_a_chosen_entity_does_not_make_evidence_say_more_than_it_says(
    database: Database, team: Caller
) -> None:
    _, second = await two_starlettes(database, team)
    ingest_id, outcome = await hold(database, team, DEPENDS)
    await answer(database, team, outcome.review_id, second)
    placed = await place_again(
        database, team, ingest_id, ScriptedVerifier({"FastAPI depends on Starlette.": INSUFFICIENT})
    )
    [now] = placed.relationship_outcomes
    assert (now.category, now.verdict) == ("relationship_pending_evidence", "insufficient")


async def test_a_new_entity_can_be_chosen_beside_its_homonyms(database: Database, team: Caller) -> None:
    homonyms = await two_starlettes(database, team)
    ingest_id, outcome = await hold(database, team, DEPENDS)
    await answer(database, team, outcome.review_id, "new")
    [now] = (await place_again(database, team, ingest_id)).relationship_outcomes
    made = (await relationship(database, team, now.relationship_id))["object_entity_id"]
    assert made not in homonyms
    named = await rows(database, team, "SELECT 1 FROM entities WHERE team_id = %(team_id)s")
    assert len(named) == 4


async def test_one_answer_serves_every_proposal_that_asks_about_the_same_entity(
    database: Database, team: Caller
) -> None:
    _, second = await two_starlettes(database, team)
    text = "FastAPI depends on Starlette. Gradio depends on Starlette."
    both = Submission(
        (EvidenceItem(text),),
        (EntityProposal("f", "FastAPI"), EntityProposal("g", "Gradio"), EntityProposal("s", "Starlette")),
        (
            RelationshipProposal("p1", "f", "depends_on", (CitedSpan(0, 0, 29),), object_ref="s"),
            RelationshipProposal("p2", "g", "depends_on", (CitedSpan(0, 30, 58),), object_ref="s"),
        ),
    )
    ingest_id, outcome = await hold(database, team, both)
    assert len(await open_reviews(database, team)) == 2
    await answer(database, team, outcome.review_id, second)
    assert await open_reviews(database, team) == []
    placed = await place_again(database, team, ingest_id)
    assert [one.category for one in placed.relationship_outcomes] == ["relationship_validated_claim"] * 2


async def test_both_ends_are_asked_about_one_after_the_other(database: Database, team: Caller) -> None:
    _, starlette = await two_starlettes(database, team)
    fastapi, _ = [await make_entity(database, team, "FastAPI", kind="other") for _ in range(2)]
    ingest_id, outcome = await hold(database, team, DEPENDS)
    await answer(database, team, outcome.review_id, fastapi)
    placed = await place_again(database, team, ingest_id)
    assert placed.processing_state == "awaiting_review"
    await answer(database, team, placed.relationship_outcomes[0].review_id, starlette)
    placed = await place_again(database, team, ingest_id)
    stored = await relationship(database, team, placed.relationship_outcomes[0].relationship_id)
    assert (stored["subject_entity_id"], stored["object_entity_id"]) == (fastapi, starlette)


async def test_a_name_that_the_entity_does_not_have_can_be_confirmed(
    database: Database, team: Caller
) -> None:
    starlette = await make_entity(database, team, "Encode Starlette")
    hinted = replace(
        DEPENDS, entities=(DEPENDS.entities[0], replace(DEPENDS.entities[1], known_entity_id=starlette))
    )
    ingest_id, outcome = await hold(database, team, hinted)
    assert outcome.reason == "name_mismatch"
    # Whoever submitted could otherwise make evidence about one thing say something of another.
    writer = replace(team, scopes=frozenset({"read", "write"}))
    with pytest.raises(Forbidden) as refused:
        await answer(database, writer, outcome.review_id, starlette)
    assert refused.value.code == "missing_scope"
    await answer(database, team, outcome.review_id, starlette)
    [now] = (await place_again(database, team, ingest_id)).relationship_outcomes
    assert (await relationship(database, team, now.relationship_id))["object_entity_id"] == starlette


async def test_a_predicate_that_is_chosen_is_verified_and_placed(database: Database, team: Caller) -> None:
    ingest_id, outcome = await hold(database, team, state("FastAPI", "sits_upon", "Starlette"))
    assert (outcome.category, outcome.reason) == ("predicate_needs_review", "predicate_unknown")
    await answer(database, team, outcome.review_id, "depends_on")
    verifier = ScriptedVerifier({"FastAPI sits upon Starlette.": INSUFFICIENT})
    [now] = (await place_again(database, team, ingest_id, verifier)).relationship_outcomes
    assert (now.category, now.predicate_options) == ("relationship_pending_evidence", ())
    assert (await relationship(database, team, now.relationship_id))["predicate_key"] == "depends_on"


async def test_a_chosen_predicate_that_does_not_fit_is_asked_about_again(
    database: Database, team: Caller
) -> None:
    ingest_id, outcome = await hold(database, team, state("FastAPI", "sits_upon", "Starlette"))
    await answer(database, team, outcome.review_id, "requires_python")
    placed = await place_again(database, team, ingest_id)
    [now] = placed.relationship_outcomes
    assert (placed.processing_state, now.reason) == ("awaiting_review", "endpoint_kind_invalid")
    assert now.review_id != outcome.review_id


@pytest.mark.parametrize("predicate", ["sits_upon", "depends_on"])
async def test_a_proposal_that_is_rejected_ends_there(
    database: Database, team: Caller, predicate: str
) -> None:
    await two_starlettes(database, team)
    ingest_id, outcome = await hold(database, team, state("FastAPI", predicate, "Starlette"))
    await answer(database, team, outcome.review_id, "reject")
    placed = await placement(database, team, ingest_id)
    [now] = placed.relationship_outcomes
    assert (placed.processing_state, now.category, now.reason) == (
        "completed",
        "relationship_rejected",
        "review_rejected",
    )
    [item] = await rows(database, team, "SELECT finished_at FROM work_items WHERE team_id = %(team_id)s")
    assert item["finished_at"] is not None


async def test_a_verifier_that_fails_after_the_answer_is_asked_again_later(
    database: Database, team: Caller
) -> None:
    _, second = await two_starlettes(database, team)
    ingest_id, outcome = await hold(database, team, DEPENDS)
    await answer(database, team, outcome.review_id, second)
    down = ScriptedVerifier({"FastAPI depends on Starlette.": VerifierFailure("timeout", retryable=True)})
    assert (await place_again(database, team, ingest_id, down)).processing_state == "queued"
    [now] = (await place(database, team, ingest_id)).relationship_outcomes
    assert now.status == "active"


async def test_an_answer_while_the_worker_is_at_work_is_not_lost(database: Database, team: Caller) -> None:
    _, second = await two_starlettes(database, team)
    text = "FastAPI depends on Starlette. Gradio depends on Uvicorn."
    both = Submission(
        (EvidenceItem(text),),
        (
            *(EntityProposal("f", "FastAPI"), EntityProposal("g", "Gradio")),
            *(EntityProposal("s", "Starlette"), EntityProposal("u", "Uvicorn")),
        ),
        (
            RelationshipProposal("p1", "f", "depends_on", (CitedSpan(0, 0, 29),), object_ref="s"),
            RelationshipProposal("p2", "g", "depends_on", (CitedSpan(0, 30, 56),), object_ref="u"),
        ),
    )

    class Answering(ScriptedVerifier):
        async def judge(self, claim: Claim, citation: Citation) -> Judgement | VerifierFailure:
            for review in await open_reviews(database, team):
                await answer(database, team, review.review_id, second)
            return await super().judge(claim, citation)

    ingest_id = await submit(database, team, both)
    down = ScriptedVerifier({"Gradio depends on Uvicorn.": VerifierFailure("timeout", retryable=True)})
    await place(database, team, ingest_id, verifier=down)
    placed = await place(database, team, ingest_id, verifier=Answering())
    assert placed.processing_state == "queued"
    placed = await place(database, team, ingest_id)
    assert [one.category for one in placed.relationship_outcomes] == ["relationship_validated_claim"] * 2


@pytest.mark.parametrize("choice", ["", "accept", "depends_on", "ent_x", "ent_00000000000000000000000000"])
async def test_a_choice_that_the_review_does_not_have_is_refused(
    database: Database, team: Caller, choice: str
) -> None:
    await two_starlettes(database, team)
    _, outcome = await hold(database, team, DEPENDS)
    with pytest.raises(InvalidInput) as refused:
        await answer(database, team, outcome.review_id, choice)
    assert (refused.value.code, refused.value.errors[0].field) == ("choice_invalid", "choice")
    assert len(await open_reviews(database, team)) == 1


async def test_a_review_is_resolved_once(database: Database, team: Caller) -> None:
    _, second = await two_starlettes(database, team)
    _, outcome = await hold(database, team, DEPENDS)
    await answer(database, team, outcome.review_id, second)
    with pytest.raises(WrongState):
        await answer(database, team, outcome.review_id, second)


async def test_only_the_owner_decides_and_an_operator_says_what_a_proposal_means(
    database: Database, team: Caller, make_profile: MakeProfile, make_team: MakeTeam
) -> None:
    first, _ = await two_starlettes(database, team)
    _, proposal = await hold(database, team, DEPENDS)
    await license_fastapi(database, team, "BSD")
    _, position = await hold(database, team, state("FastAPI", "licensed_under", "MIT"))
    operator, stranger = await make_profile(team, "Second"), await make_team()
    writer = replace(operator, scopes=frozenset({"read", "write"}))
    for caller, review_id in (
        (writer, proposal.review_id),
        (writer, position.review_id),
        (operator, position.review_id),
    ):
        with pytest.raises(Forbidden) as refused:
            await answer(database, caller, review_id, "reject")
        assert refused.value.code == "not_owner"
    for unknown in (proposal.review_id, "rev_x", "rev_00000000000000000000000000"):
        with pytest.raises(NotFound, match="No such review"):
            await answer(database, stranger, unknown, "reject")
    await answer(database, operator, proposal.review_id, first)
