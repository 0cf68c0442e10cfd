"""Invariant 7: submitted evidence enters the normal strict remember pipeline.

A confirmation is a submission like any other: same checks, same verifier, same tiers, same owner. That it answers
a guess, however likely, buys it nothing; and what slips past the rule of independence is still judged.
"""

from dataclasses import replace
from functools import partial
from typing import LiteralString

import psycopg
import pytest
from psycopg import sql

from app.hypotheses.echo import EchoIndex
from app.kernel.database import Database, Role, Scope
from app.kernel.errors import InvalidInput, NotFound
from app.remember.lexical.verifier import LexicalVerifier
from app.remember.placements import RelationshipOutcome
from app.remember.submission import CitedSpan, EntityProposal, EvidenceItem, Submission
from app.remember.verify import VerifierFailure
from app.review import feedback as feedback_module
from app.review.feedback import Feedback
from app.review.submissions import settle_submissions
from app.tenancy.authority import Authority
from app.tenancy.callers import Caller
from tests.api.client import Api
from tests.conftest import MakeProfile, MakeTeam
from tests.factories import CANDIDATE, make_relationship
from tests.hypothesis_factories import weigh_again
from tests.integration.feedback_case import Case, make_case, refusal
from tests.integration.submissions import (
    ScriptedVerifier,
    place,
    placement,
    relationship,
    rows,
    run,
    submit,
)
from tests.invariants.attempts import acting_as, at_once
from tests.invariants.attempts import refusal as refused_by

TRUE = "The user confirmed that FastAPI depends on AnyIO."
STATEMENT = "FastAPI may depend on AnyIO."
RATIONALE = "Both are used by the same things."


@pytest.fixture
async def case(database: Database, team: Caller) -> Case:
    return await make_case(database, team)


async def confirm(case: Case, submission: Submission, *, by: Caller | None = None) -> str:
    result = await case.decide(Feedback("confirm_true", None, submission), by=by)
    assert (result.status, (await case.hypothesis())["status"]) == ("submitted", "submitted")
    assert result.ingest_id is not None
    return result.ingest_id


async def land(case: Case, ingest_id: str, *, by: Caller | None = None) -> RelationshipOutcome:
    """Place the ingest as a worker would, and return where its first proposal landed."""
    caller = by or case.caller
    placed = await place(
        case.database, caller, ingest_id, verifier=LexicalVerifier(), echo=EchoIndex().is_echo
    )
    await case.database.unit_of_work(
        Scope("app", caller.team_id), lambda w: settle_submissions(w, caller.team_id)
    )
    return placed.relationship_outcomes[0]


async def count(case: Case, table: str) -> int:
    counted = {
        "relationships": "SELECT count(*) AS n FROM relationships WHERE team_id = %(team_id)s",
        "supports": "SELECT count(*) AS n FROM supports WHERE team_id = %(team_id)s",
        "ingests": "SELECT count(*) AS n FROM ingests WHERE team_id = %(team_id)s",
    }
    [row] = await case.read(counted[table])
    n: int = row["n"]
    return n


async def test_a_confirmation_is_queued_and_nothing_is_known_before_it_is_placed(case: Case) -> None:
    before = await count(case, "relationships")
    ingest_id = await confirm(case, case.confirmation(TRUE))
    waiting = await placement(case.database, case.caller, ingest_id)
    assert (waiting.processing_state, waiting.relationship_outcomes[0].category) == ("queued", None)
    assert await count(case, "relationships") == before
    outcome = await land(case, ingest_id)
    assert (outcome.category, outcome.verdict) == ("relationship_validated_claim", "entailed")
    assert await count(case, "relationships") == before + 1


@pytest.mark.parametrize(
    "text",
    [
        TRUE,
        "The maintainer thinks that FastAPI depends on AnyIO.",
        "If the event loop is slow, FastAPI depends on AnyIO.",
        "Does FastAPI of today really depend on AnyIO?",
        "A trace of one request shows that FastAPI does not depend on AnyIO.",
        "AnyIO depends on FastAPI in this picture.",
        "The trace of one request was long and says nothing about it.",
        "Perhaps one day soon FastAPI may depend on AnyIO.",
    ],
)
@pytest.mark.parametrize("authority", ["unknown", "primary", "authoritative"])
async def test_a_confirmation_lands_exactly_where_the_same_submission_would(
    case: Case, make_team: MakeTeam, text: str, authority: Authority
) -> None:
    twin = await make_case(case.database, await make_team())
    outcomes = []
    for one, is_confirmation in ((case, True), (twin, False)):
        base = one.confirmation(text)
        submission = replace(base, evidence=(EvidenceItem(text, authority=authority),))
        if is_confirmation:
            ingest_id = await confirm(one, submission)
        else:
            ingest_id = await submit(one.database, one.caller, submission)
        outcomes.append(await land(one, ingest_id))
    confirmed, remembered = (replace(outcome, relationship_id=None) for outcome in outcomes)
    assert confirmed == remembered


@pytest.mark.parametrize(
    "text",
    [
        f"Yes, I think so. {STATEMENT} {STATEMENT}",
        f"{STATEMENT} Why is that? {RATIONALE}",
        f"I really think: {STATEMENT}",
        f"It was said that {STATEMENT} That is certain.",
        f"Yes, yes, yes: {STATEMENT}",
    ],
)
async def test_a_guess_that_slips_past_the_rule_of_independence_still_gains_no_support(
    case: Case, text: str
) -> None:
    before = await count(case, "supports")
    outcome = await land(case, await confirm(case, case.confirmation(text)))
    assert outcome.category == "relationship_pending_evidence"
    assert await count(case, "supports") == before
    assert (await case.hypothesis())["submission_is_open"] is False


async def test_the_likelihood_of_the_guess_weighs_nothing(case: Case, make_team: MakeTeam) -> None:
    outcomes = set()
    for likelihood in (0.0, 1.0):
        one = await make_case(case.database, await make_team())
        await one.database.unit_of_work(
            Scope("dreamer", one.caller.team_id),
            partial(weigh_again, share=likelihood, before="proposed"),
        )
        outcome = await land(one, await confirm(one, one.confirmation(TRUE)))
        outcomes.add((outcome.category, outcome.tier, outcome.status, outcome.verdict, outcome.confidence))
    assert len(outcomes) == 1


async def test_a_write_key_confirms_no_more_than_its_authority_allows(case: Case) -> None:
    capped = replace(case.caller, max_authority="primary")
    base = case.confirmation(TRUE)
    loud = replace(base, evidence=(replace(base.evidence[0], authority="authoritative"),))
    outcome = await land(case, await confirm(case, loud, by=capped))
    assert (outcome.category, outcome.tier) == ("relationship_validated_claim", "validated_claim")


async def test_the_caller_owns_what_a_confirmation_makes(case: Case, make_profile: MakeProfile) -> None:
    second = await make_profile(case.caller, "Second")
    outcome = await land(case, await confirm(case, case.confirmation(TRUE), by=second), by=second)
    stored = await relationship(case.database, second, outcome.relationship_id)
    assert stored["owner_profile_id"] == second.profile_id
    assert (stored["subject_entity_id"], stored["object_entity_id"]) == (case.fastapi, case.anyio)


async def test_nothing_of_the_guess_is_copied_into_the_evidence(case: Case) -> None:
    ingest_id = await confirm(case, case.confirmation(TRUE))
    contents = await rows(
        case.database,
        case.caller,
        "SELECT e.content FROM evidence AS e JOIN ingest_evidence AS i"
        " ON i.team_id = e.team_id AND i.evidence_id = e.id"
        " WHERE i.team_id = %(team_id)s AND i.ingest_id = %(ingest_id)s",
        ingest_id=ingest_id,
    )
    assert [row["content"] for row in contents] == [TRUE]


async def test_an_assessed_candidate_that_was_the_target_becomes_active_by_evidence_only(case: Case) -> None:
    candidate = await make_relationship(
        case.database, case.caller, case.fastapi, "depends_on", case.anyio, CANDIDATE
    )
    ingest_id = await confirm(case, case.confirmation(TRUE))
    stored = await relationship(case.database, case.caller, candidate.relationship_id)
    assert (stored["tier"], stored["status"], stored["version"]) == ("candidate", "pending_evidence", 1)
    outcome = await land(case, ingest_id)
    assert (outcome.relationship_id, outcome.status) == (candidate.relationship_id, "active")


async def test_a_verifier_that_fails_confirms_nothing(case: Case) -> None:
    before = await count(case, "relationships")
    ingest_id = await confirm(case, case.confirmation(TRUE))
    down = ScriptedVerifier({TRUE: VerifierFailure("timeout", retryable=True)})
    placed = await place(case.database, case.caller, ingest_id, verifier=down)
    assert placed.processing_state == "queued"
    assert await count(case, "relationships") == before
    assert (await land(case, ingest_id)).status == "active"


async def test_evidence_that_was_quarantined_meanwhile_confirms_nothing(case: Case) -> None:
    before = await count(case, "supports")
    ingest_id = await confirm(case, case.confirmation(TRUE))
    await run(
        case.database,
        case.caller,
        "UPDATE evidence SET state = 'quarantined' WHERE team_id = %(team_id)s AND id IN"
        " (SELECT evidence_id FROM ingest_evidence WHERE ingest_id = %(ingest_id)s) RETURNING id",
        ingest_id=ingest_id,
    )
    assert (await land(case, ingest_id)).category == "evidence_quarantined"
    assert await count(case, "supports") == before


@pytest.mark.parametrize("fault", ["span", "hint", "reference", "threshold"])
async def test_a_confirmation_is_checked_like_any_submission(case: Case, fault: str) -> None:
    base = case.confirmation(TRUE)
    faulty = {
        "span": case.confirmation(TRUE, evidence=(CitedSpan(0, 0, len(TRUE) + 1),)),
        "hint": replace(
            base,
            entities=(*base.entities[:2], EntityProposal("y", "Trio", known_entity_id="ent_" + "0" * 26)),
            relationships=(*base.relationships, replace(base.relationships[0], object_ref="y")),
        ),
        "reference": case.confirmation(TRUE, object_ref="nowhere"),
        "threshold": replace(base, evidence=(EvidenceItem(TRUE + "x" * 4_000),)),
    }[fault]
    error = await refusal(case, Feedback("confirm_true", None, faulty))
    assert isinstance(error, InvalidInput)


async def test_a_stranger_confirms_nothing(case: Case, make_team: MakeTeam) -> None:
    error = await refusal(case, Feedback("confirm_true", None, case.confirmation(TRUE)), by=await make_team())
    assert isinstance(error, NotFound)


async def test_intake_and_state_are_one_step(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    async def crash(*_: object) -> None:
        raise RuntimeError("after the intake")

    before = await case.traces()
    monkeypatch.setattr(feedback_module, "open_submission", crash)
    with pytest.raises(RuntimeError):
        await case.decide(Feedback("confirm_true", None, case.confirmation(TRUE)))
    assert await case.traces() == before


async def test_two_clients_that_confirm_at_once_bring_one_submission_the_normal_way(
    api: Api, case: Case, make_profile: MakeProfile
) -> None:
    second = await make_profile(case.caller, "Second")
    path = f"/v1/dreams/{case.hypothesis_id}/feedback"
    body = {
        "decision": "confirm_true",
        "evidence": [{"content": TRUE}],
        "proposal": {
            "entities": [
                {"ref": "s", "name": "FastAPI", "known_entity_id": case.fastapi},
                {"ref": "o", "name": "AnyIO", "known_entity_id": case.anyio},
            ],
            "relationships": [
                {
                    "proposal_id": "p1",
                    "subject_ref": "s",
                    "predicate": "depends_on",
                    "object_ref": "o",
                    "evidence": [{"evidence_index": 0, "start": 0, "end": len(TRUE)}],
                }
            ],
        },
    }
    clients = [await api.client(case.caller), await api.client(second)]
    statuses = await at_once(*(client.post(path, json=body) for client in clients))
    assert statuses[0] != statuses[1]
    assert set(statuses) & {409, 422}
    assert len(await case.read("SELECT 1 FROM hypothesis_submissions WHERE hypothesis_id = %(id)s")) == 1
    assert (
        await case.read("SELECT 1 FROM relationships WHERE predicate_key = 'depends_on' AND version > 1")
        == []
    )


@pytest.mark.parametrize("role", ["app", "dreamer"])
async def test_no_role_rewrites_what_was_submitted_or_how_it_was_judged(
    case: Case, database_name: str, role: Role
) -> None:
    await land(case, await confirm(case, case.confirmation(TRUE)))
    rewrites: tuple[LiteralString, ...] = (
        "UPDATE evidence SET content = 'FastAPI depends on AnyIO, surely.'",
        "UPDATE ingests SET proposal = '{{}}'",
        "UPDATE verification_events SET verdict = 'entailed'",
        "UPDATE citations SET quote = 'FastAPI depends on AnyIO.'",
        "DELETE FROM verification_events",
    )
    with acting_as(database_name, role, case.caller.team_id) as connection:
        for rewrite in rewrites:
            assert refused_by(connection, sql.SQL(rewrite).format()) is psycopg.errors.InsufficientPrivilege


# How it is tried: through the doors, by bare SQL, and by two clients at once.
TRIED = {
    "api": test_two_clients_that_confirm_at_once_bring_one_submission_the_normal_way,
    "sql": test_no_role_rewrites_what_was_submitted_or_how_it_was_judged,
    "two clients": test_two_clients_that_confirm_at_once_bring_one_submission_the_normal_way,
}
