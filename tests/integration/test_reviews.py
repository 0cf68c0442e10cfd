"""Resolving reviews: what was held goes on through examining, verifying and placing; nothing is skipped."""

from dataclasses import replace

import pytest

from app.kernel.database import Database
from app.kernel.errors import Forbidden, InvalidInput, NotFound, WrongState
from app.ledger.vocabulary import ReviewKind
from app.remember.claim import Citation, Claim, Judgement
from app.remember.placements import Placement, RelationshipOutcome
from app.remember.submission import (
    CitedSpan,
    CorrectionTarget,
    EntityProposal,
    EvidenceItem,
    RelationshipProposal,
    Submission,
)
from app.remember.verify import VerifierFailure
from app.tenancy.callers import Caller
from tests.conftest import MakeProfile, MakeTeam
from tests.factories import make_entity, make_review
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
from tests.integration.submissions import (
    ScriptedVerifier,
    is_eligible,
    place,
    placement,
    relationship,
    remember,
    rows,
    run,
    state,
    submit,
)

INSUFFICIENT = Judgement("insufficient", 0.9, "It does not say so.", "not_stated")
DEPENDS = state("FastAPI", "depends_on", "Starlette")


async def hold(database: Database, caller: Caller, submission: Submission) -> tuple[str, RelationshipOutcome]:
    """Submit what is held by a review; return the ingest and its outcome."""
    ingest_id = await submit(database, caller, submission)
    placed = await place(database, caller, ingest_id)
    assert placed.processing_state == "awaiting_review"
    return ingest_id, placed.relationship_outcomes[0]


async def place_again(
    database: Database, caller: Caller, ingest_id: str, verifier: ScriptedVerifier | None = None
) -> Placement:
    assert (await placement(database, caller, ingest_id)).processing_state == "queued"
    return await place(database, caller, ingest_id, verifier=verifier)


async def two_starlettes(database: Database, caller: Caller) -> tuple[str, str]:
    return (
        await make_entity(database, caller, "Starlette", kind="other"),
        await make_entity(database, caller, "Starlette", kind="other"),
    )


async def test_an_entity_that_is_chosen_is_verified_and_placed(database: Database, team: Caller) -> None:
    first, second = await two_starlettes(database, team)
    ingest_id, outcome = await hold(database, team, DEPENDS)
    assert (outcome.category, outcome.reason) == ("identity_needs_review", "ambiguous_name")
    [review] = await open_reviews(database, team)
    assert (review.options, review.entity_ref) == (tuple(sorted((first, second))), "o")

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
    await answer(database, team, outcome.review_id, starlette)
    [now] = (await place_again(database, team, ingest_id)).relationship_outcomes
    assert (await relationship(database, team, now.relationship_id))["object_entity_id"] == starlette


async def test_a_generic_name_may_mean_something_known_but_makes_nothing_new(
    database: Database, team: Caller
) -> None:
    starlette = await make_entity(database, team, "Starlette")
    ingest_id, outcome = await hold(database, team, state("FastAPI", "depends_on", "the system"))
    with pytest.raises(InvalidInput) as refused:
        await answer(database, team, outcome.review_id, "new")
    assert refused.value.code == "choice_invalid"
    await answer(database, team, outcome.review_id, starlette)
    [now] = (await place_again(database, team, ingest_id)).relationship_outcomes
    assert now.status == "active"


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


@pytest.mark.parametrize(
    ("choice", "stored_scope"), [(" documentation ", "documentation"), ("unscoped", None)]
)
async def test_a_scope_that_is_chosen_is_the_positions(
    database: Database, team: Caller, choice: str, stored_scope: str | None
) -> None:
    ingest_id, outcome = await hold(database, team, state("FastAPI", "sits_upon", "Starlette"))
    await answer(database, team, outcome.review_id, "depends_on")
    # Nothing asks about a scope by itself today: an operator's tool opens such a task.
    [review] = await run(
        database,
        team,
        """INSERT INTO review_tasks (team_id, id, kind, status, reason, ingest_id, proposal_id, options)
           SELECT team_id, 'rev_0000000000000000000000000' || '7', 'scope', 'open', 'scope_unclear', ingest_id,
                  proposal_id, '[]'
           FROM placement_outcomes WHERE team_id = %(team_id)s RETURNING id""",
    )
    await run(
        database,
        team,
        """UPDATE placement_outcomes
           SET category = 'relationship_needs_review', placed_at = clock_timestamp(), review_id = %(id)s
           WHERE team_id = %(team_id)s RETURNING ingest_id""",
        id=review["id"],
    )
    await answer(database, team, review["id"], choice)
    [now] = (await place_again(database, team, ingest_id)).relationship_outcomes
    assert (await relationship(database, team, now.relationship_id))["scope"] == stored_scope


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


async def deny(database: Database, team: Caller) -> tuple[RelationshipOutcome, RelationshipOutcome]:
    """Leave a position of the team's and its held opposite."""
    old = await remember(database, team, DEPENDS)
    _, new = await hold(database, team, state("FastAPI", "depends_on", "Starlette", polarity="-"))
    return old, new


async def test_an_accepted_opposite_takes_the_old_positions_place(database: Database, team: Caller) -> None:
    old, new = await deny(database, team)
    await answer(database, team, new.review_id, "accept")
    assert await standing(database, team, old.relationship_id) == ("validated_claim", "superseded")
    assert await standing(database, team, new.relationship_id) == ("validated_claim", "active")


async def test_a_disputed_pair_stays_on_record_and_neither_counts(database: Database, team: Caller) -> None:
    old, new = await deny(database, team)
    guess = await guess_from(database, team, old.relationship_id)
    await answer(database, team, new.review_id, "dispute")
    for outcome in (old, new):
        assert await standing(database, team, outcome.relationship_id) == ("validated_claim", "disputed")
        assert not await is_eligible(database, team, outcome.relationship_id)
    assert await guess_status(database, team, guess) == "stale"
    assert (await story(database, team, old.relationship_id))[-1][0] == "disputed"


@pytest.mark.parametrize("by", ["retraction", "correction"])
async def test_a_dispute_ends_with_one_side_and_the_other_is_reinstated(
    database: Database, team: Caller, by: str
) -> None:
    old, new = await deny(database, team)
    await answer(database, team, new.review_id, "dispute")
    if by == "retraction":
        await retract(database, team, new.relationship_id)
    else:
        target = CorrectionTarget(new.relationship_id or "", 2)
        await remember(database, team, state("FastAPI", "depends_on", "AnyIO", correction_target=target))
    assert await standing(database, team, old.relationship_id) == ("validated_claim", "active")
    assert (await story(database, team, old.relationship_id))[-1][0] == "reinstated"
    assert await is_eligible(database, team, old.relationship_id)


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
        database, team, state("FastAPI", "licensed_under", "MIT", source_group="another")
    )
    assert second.review_id == first.review_id
    await answer(database, team, first.review_id, "accept")
    placed = await placement(database, team, second_id)
    assert (placed.processing_state, placed.relationship_outcomes[0].category) == (
        "completed",
        "relationship_fact",
    )


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


@pytest.mark.parametrize("choice", ["new", "dispute", "nobodys_predicate"])
async def test_a_held_relationship_takes_other_words_than_a_held_proposal(
    database: Database, team: Caller, choice: str
) -> None:
    await license_fastapi(database, team, "BSD")
    _, new = await hold(database, team, state("FastAPI", "licensed_under", "MIT"))
    with pytest.raises(InvalidInput):
        await answer(database, team, new.review_id, choice)


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
