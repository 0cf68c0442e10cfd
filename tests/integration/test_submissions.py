"""A confirmation's way through `remember`, and how it is shown."""

from dataclasses import dataclass, replace

import pytest

from app.hypotheses.echo import EchoIndex
from app.hypotheses.lifecycle import ClientEvent
from app.kernel.database import Database, Row, Scope
from app.kernel.errors import IndependenceRefused, NotFound, WrongState
from app.ledger.identity import Edge
from app.remember.claim import Judgement
from app.remember.submission import Submission
from app.review.dream import Dream, get_dream
from app.review.feedback import Feedback, FeedbackResult, guard_feedback, resolve_feedback
from app.review.submissions import settle_submissions
from app.tenancy.callers import Caller
from tests import factories
from tests.conftest import MakeTeam
from tests.factories import Made
from tests.hypothesis_factories import make_hypothesis
from tests.integration.submissions import ScriptedVerifier, place, remember, state

TRUE = "One request's trace shows that FastAPI depends on AnyIO."
FALSE = "One request's trace shows that FastAPI does not depend on AnyIO."
UNSURE = ScriptedVerifier({TRUE: Judgement("insufficient", 0.9, "It is not said.", "not_said")})


@dataclass(frozen=True, slots=True)
class Case:
    """FastAPI may depend on AnyIO, because it depends on Starlette."""

    database: Database
    caller: Caller
    hypothesis_id: str
    edge: Edge
    source: Made

    async def confirm(self, submission: Submission, decision: ClientEvent = "confirm_true") -> str:
        """Confirm and return the ingest's id."""
        feedback = await guard_feedback(Feedback(decision, submission=submission))
        result: FeedbackResult = await self.database.unit_of_work(
            Scope("app", self.caller.team_id),
            lambda w: resolve_feedback(w, self.caller, self.hypothesis_id, feedback, correlation_id="test"),
        )
        assert result.ingest_id is not None
        return result.ingest_id

    async def settle(self) -> int:
        return await self.database.unit_of_work(
            Scope("app", self.caller.team_id), lambda w: settle_submissions(w, self.caller.team_id)
        )

    async def hypothesis(self) -> Row:
        async with self.database.reading(Scope("app", self.caller.team_id)) as reading:
            row = await reading.fetch_one(
                "SELECT * FROM hypotheses WHERE team_id = %(team_id)s AND id = %(id)s",
                {"team_id": self.caller.team_id, "id": self.hypothesis_id},
            )
        assert row is not None
        return row

    async def dream(self) -> Dream:
        async with self.database.reading(Scope("app", self.caller.team_id)) as reading:
            return await get_dream(reading, self.caller.team_id, self.hypothesis_id)


@pytest.fixture
async def case(database: Database, team: Caller) -> Case:
    names = ("FastAPI", "Starlette", "AnyIO")
    fastapi, starlette, anyio = [
        await factories.make_entity(database, team, name, kind="other") for name in names
    ]
    source = await factories.make_relationship(database, team, fastapi, "depends_on", starlette)
    edge = Edge(fastapi, "depends_on", anyio)
    hypothesis_id = await make_hypothesis(database, team, edge, [source])
    return Case(database, team, hypothesis_id, edge, source)


async def test_submitted_is_not_accepted_until_the_placement_says_so(case: Case) -> None:
    ingest_id = await case.confirm(state("FastAPI", "depends_on", "AnyIO", text=TRUE))
    [submission] = (await case.dream()).submissions
    assert (submission.ingest_id, submission.decision) == (ingest_id, "confirm_true")
    assert (submission.processing_state, submission.ended_active) == ("queued", None)
    assert [outcome.category for outcome in submission.relationship_outcomes] == [None]
    assert await case.settle() == 0

    await place(case.database, case.caller, ingest_id)
    assert await case.settle() == 1
    dream = await case.dream()
    [submission] = dream.submissions
    assert (submission.processing_state, submission.ended_active) == ("completed", True)
    [outcome] = submission.relationship_outcomes
    assert outcome.category == "relationship_validated_claim"
    assert outcome.relationship_id is not None
    assert dream.hypothesis.summary.status == "submitted"
    assert not (await case.hypothesis())["submission_is_open"]
    assert await case.settle() == 0


async def test_a_confirmed_guess_takes_no_second_confirmation(case: Case) -> None:
    ingest_id = await case.confirm(state("FastAPI", "depends_on", "AnyIO", text=TRUE))
    await place(case.database, case.caller, ingest_id)
    with pytest.raises(WrongState):
        await case.confirm(state("FastAPI", "depends_on", "AnyIO", text=f"{TRUE} Again."))


async def test_an_unsuccessful_submission_may_be_followed_by_another_one(case: Case) -> None:
    first = await case.confirm(state("FastAPI", "depends_on", "AnyIO", text=TRUE))
    await place(case.database, case.caller, first, verifier=UNSURE)
    # Nobody has settled it: the confirmation itself sees that the placement has ended.
    second = await case.confirm(state("FastAPI", "depends_on", "AnyIO", text=f"{TRUE} By hand."))
    assert (await case.hypothesis())["submission_is_open"]
    await place(case.database, case.caller, second)
    assert await case.settle() == 1
    submissions = (await case.dream()).submissions
    assert [(one.ingest_id, one.ended_active) for one in submissions] == [(first, False), (second, True)]
    with pytest.raises(WrongState):
        await case.confirm(state("FastAPI", "depends_on", "AnyIO", text=f"{TRUE} Once more."))


async def test_a_further_confirmation_needs_other_evidence(case: Case) -> None:
    padded = f"{TRUE} It was seen by hand."
    first = state("FastAPI", "depends_on", "AnyIO", text=padded)
    [proposal] = first.relationships
    cited = replace(proposal, evidence=(replace(proposal.evidence[0], end=len(TRUE)),))
    ingest_id = await case.confirm(replace(first, relationships=(cited,)))
    await place(case.database, case.caller, ingest_id, verifier=UNSURE)
    before = await case.hypothesis()
    for again in (padded, padded.upper().replace(" ", "\n"), TRUE, f"  {TRUE.casefold()}"):
        with pytest.raises(IndependenceRefused) as refused:
            await case.confirm(state("FastAPI", "depends_on", "AnyIO", text=again))
        assert refused.value.code == "evidence_not_independent"
    wrapped = state("FastAPI", "depends_on", "AnyIO", text=f"Once more: {padded}")
    [proposal] = wrapped.relationships
    start = len("Once more: ")
    spans = (replace(proposal.evidence[0], start=start, end=start + len(TRUE)),)
    with pytest.raises(IndependenceRefused):
        await case.confirm(replace(wrapped, relationships=(replace(proposal, evidence=spans),)))
    assert await case.hypothesis() == before
    assert len((await case.dream()).submissions) == 1
    other = "The lock file lists AnyIO, so FastAPI depends on AnyIO."
    assert await case.confirm(state("FastAPI", "depends_on", "AnyIO", text=other))


async def test_what_came_along_does_not_make_a_submission_successful(case: Case) -> None:
    main = state("FastAPI", "depends_on", "AnyIO", text=TRUE)
    along = state("Django", "depends_on", "Sqlparse")
    [other] = along.relationships
    [span] = other.evidence
    both = Submission(
        evidence=main.evidence + along.evidence,
        entities=(
            *main.entities,
            *(replace(entity, ref=f"{entity.ref}2") for entity in along.entities),
        ),
        relationships=(
            *main.relationships,
            replace(
                other,
                proposal_id="p2",
                subject_ref="s2",
                object_ref="o2",
                evidence=(replace(span, evidence_index=1),),
            ),
        ),
    )
    ingest_id = await case.confirm(both)
    placed = await place(case.database, case.caller, ingest_id, verifier=UNSURE)
    assert [outcome.category for outcome in placed.relationship_outcomes] == [
        "relationship_pending_evidence",
        "relationship_validated_claim",
    ]
    await case.settle()
    assert [one.ended_active for one in (await case.dream()).submissions] == [False]


async def test_a_denial_ends_active_when_the_denial_was_placed(case: Case) -> None:
    denial = state("FastAPI", "depends_on", "AnyIO", text=FALSE, polarity="-")
    ingest_id = await case.confirm(denial, "confirm_false")
    await place(case.database, case.caller, ingest_id)
    await case.settle()
    assert [(one.decision, one.ended_active) for one in (await case.dream()).submissions] == [
        ("confirm_false", True)
    ]


async def test_a_target_that_was_taken_meanwhile_takes_no_further_confirmation(case: Case) -> None:
    ingest_id = await case.confirm(state("FastAPI", "depends_on", "AnyIO", text=TRUE))
    await place(case.database, case.caller, ingest_id, verifier=UNSURE)
    await case.settle()
    await make_hypothesis(case.database, case.caller, case.edge, [case.source])
    before = await case.hypothesis()
    with pytest.raises(WrongState):
        await case.confirm(state("FastAPI", "depends_on", "AnyIO", text=f"{TRUE} By hand."))
    assert await case.hypothesis() == before


async def test_a_placement_that_waits_for_a_review_keeps_the_submission_open(case: Case) -> None:
    ingest_id = await case.confirm(state("FastAPI", "depends_on", "AnyIO", text=TRUE))
    # A second thing of that name came meanwhile: the unhinted proposal cannot be resolved any more.
    await factories.make_entity(case.database, case.caller, "AnyIO", kind="other")
    placed = await place(case.database, case.caller, ingest_id)
    assert placed.processing_state == "awaiting_review"
    assert await case.settle() == 0
    assert (await case.hypothesis())["submission_is_open"]


async def test_an_echo_of_a_guess_gets_no_support(case: Case) -> None:
    echo = state("FastAPI", "depends_on", "AnyIO", text="FastAPI may depend on AnyIO.")
    outcome = await remember(case.database, case.caller, echo, echo=EchoIndex().is_echo)
    assert (outcome.category, outcome.reason) == ("relationship_pending_evidence", "echo_of_hypothesis")
    assert (await case.hypothesis())["status"] == "proposed"


async def test_another_teams_dream_is_not_found(case: Case, make_team: MakeTeam) -> None:
    stranger = await make_team()
    async with case.database.reading(Scope("app", stranger.team_id)) as reading:
        with pytest.raises(NotFound):
            await get_dream(reading, stranger.team_id, case.hypothesis_id)
