"""The worker's step, from a stored submission to placed Relationships."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from app.kernel.database import Database, Reading, Scope
from app.remember.claim import Judgement
from app.remember.lexical.verifier import LexicalVerifier
from app.remember.submission import (
    CitedSpan,
    CorrectionTarget,
    EntityProposal,
    EvidenceItem,
    RelationshipProposal,
    Submission,
    ValueProposal,
)
from app.tenancy.callers import Caller
from tests.conftest import MakeProfile
from tests.integration.submissions import (
    ScriptedVerifier,
    is_eligible,
    place,
    relationship,
    remember,
    rows,
    run,
    state,
    submit,
)

INSUFFICIENT = Judgement("insufficient", 0.9, "It does not say so.", "not_stated")
CONTRADICTED = Judgement("contradicted", 0.95, "It says the opposite.", "negated")


async def test_entailed_evidence_makes_a_validated_claim(database: Database, team: Caller) -> None:
    outcome = await remember(
        database, team, state("FastAPI", "depends_on", "Starlette"), verifier=LexicalVerifier()
    )
    assert outcome.category == "relationship_validated_claim"
    assert (outcome.tier, outcome.status, outcome.verdict) == ("validated_claim", "active", "entailed")
    assert await is_eligible(database, team, outcome.relationship_id)


async def test_one_authoritative_support_makes_a_fact(database: Database, team: Caller) -> None:
    outcome = await remember(
        database, team, state("FastAPI", "depends_on", "Starlette", authority="authoritative")
    )
    assert (outcome.category, outcome.tier) == ("relationship_fact", "fact")


async def test_authority_above_the_keys_ceiling_makes_no_fact(database: Database, team: Caller) -> None:
    capped = replace(team, max_authority="primary")
    outcome = await remember(
        database, capped, state("FastAPI", "depends_on", "Starlette", authority="authoritative")
    )
    assert outcome.tier == "validated_claim"


async def test_insufficient_evidence_makes_an_assessed_candidate(database: Database, team: Caller) -> None:
    verifier = ScriptedVerifier({"FastAPI depends on Starlette.": INSUFFICIENT})
    outcome = await remember(database, team, state("FastAPI", "depends_on", "Starlette"), verifier=verifier)
    assert outcome.category == "relationship_pending_evidence"
    assert (outcome.verdict, outcome.reason) == ("insufficient", "not_stated")
    stored = await relationship(database, team, outcome.relationship_id)
    assert stored["eligible_since"] is not None
    assert await is_eligible(database, team, outcome.relationship_id)


async def test_entailed_below_the_write_threshold_grants_nothing(database: Database, team: Caller) -> None:
    unsure = Judgement("entailed", 0.59, "It may say so.", "weak")
    verifier = ScriptedVerifier({"FastAPI depends on Starlette.": unsure})
    outcome = await remember(database, team, state("FastAPI", "depends_on", "Starlette"), verifier=verifier)
    assert (outcome.category, outcome.reason) == ("relationship_pending_evidence", "below_write_threshold")
    assert not await is_eligible(database, team, outcome.relationship_id)
    assert not await rows(database, team, "SELECT 1 FROM supports WHERE team_id = %(team_id)s")


async def test_contradicted_evidence_rejects_a_candidate(database: Database, team: Caller) -> None:
    verifier = ScriptedVerifier({"FastAPI depends on Flask.": CONTRADICTED})
    outcome = await remember(database, team, state("FastAPI", "depends_on", "Flask"), verifier=verifier)
    assert (outcome.category, outcome.status) == ("relationship_rejected", "rejected")


async def test_contradicted_evidence_leaves_an_active_relationship_as_it_is(
    database: Database, team: Caller
) -> None:
    first = await remember(database, team, state("FastAPI", "depends_on", "Starlette"))
    text = "FastAPI does not depend on Starlette."
    outcome = await remember(
        database,
        team,
        state("FastAPI", "depends_on", "Starlette", text=text),
        verifier=ScriptedVerifier({text: CONTRADICTED}),
    )
    assert outcome.relationship_id == first.relationship_id
    assert (outcome.verdict, outcome.status) == ("contradicted", "active")
    assert await is_eligible(database, team, outcome.relationship_id)


async def test_rejected_relationship_comes_back_with_entailed_evidence(
    database: Database, team: Caller
) -> None:
    verifier = ScriptedVerifier({"FastAPI depends on Starlette.": CONTRADICTED})
    first = await remember(database, team, state("FastAPI", "depends_on", "Starlette"), verifier=verifier)
    second = await remember(database, team, state("FastAPI", "depends_on", "Starlette"))
    assert (first.status, second.status) == ("rejected", "active")
    assert first.relationship_id == second.relationship_id


async def test_placing_fills_what_recall_and_dreaming_read(database: Database, team: Caller) -> None:
    outcome = await remember(database, team, state("C++", "depends_on", "Go/x: y"))
    [document] = await rows(
        database, team, "SELECT body FROM relationship_documents WHERE team_id = %(team_id)s"
    )
    assert document["body"].splitlines() == ["C++ depends on Go/x: y.", "C++", "Go/x: y"]
    [transition] = await rows(
        database, team, "SELECT * FROM relationship_transitions WHERE team_id = %(team_id)s"
    )
    assert (transition["version"], transition["effect"]) == (1, "became_active")
    assert transition["relationship_id"] == outcome.relationship_id


async def test_value_object_is_placed_once(database: Database, team: Caller) -> None:
    text = "Name: fastapi\nRequires-Python: >=3.9"
    proposal = RelationshipProposal(
        "p1",
        "s",
        "requires_python",
        (CitedSpan(0, 0, len(text)),),
        object_value=ValueProposal("string", ">=3.9"),
    )
    submission = Submission((EvidenceItem(text),), (EntityProposal("s", "fastapi"),), (proposal,))
    first = await remember(database, team, submission, verifier=LexicalVerifier())
    second = await remember(database, team, submission, verifier=LexicalVerifier())
    assert first.category == "relationship_validated_claim"
    assert first.relationship_id == second.relationship_id
    values = await rows(database, team, "SELECT canonical FROM typed_values WHERE team_id = %(team_id)s")
    assert [value["canonical"] for value in values] == [">=3.9"]


@pytest.mark.parametrize("modality", ["question", "proposal", "speculation", "quoted"])
async def test_what_is_no_statement_gets_no_verdict(database: Database, team: Caller, modality: str) -> None:
    verifier = ScriptedVerifier()
    outcome = await remember(
        database, team, state("FastAPI", "depends_on", "Flask", modality=modality), verifier=verifier
    )
    assert (outcome.category, outcome.verdict) == ("relationship_pending_evidence", None)
    assert outcome.reason == f"modality_{modality}"
    assert verifier.asked == []
    assert not await is_eligible(database, team, outcome.relationship_id)


async def test_statement_after_a_question_becomes_active(database: Database, team: Caller) -> None:
    asked = await remember(database, team, state("FastAPI", "depends_on", "Starlette", modality="question"))
    stated = await remember(database, team, state("FastAPI", "depends_on", "Starlette"))
    assert asked.relationship_id == stated.relationship_id
    assert stated.status == "active"
    assert (await relationship(database, team, stated.relationship_id))["modality"] == "statement"


async def test_echo_of_a_hypothesis_gets_no_verdict_and_no_support(database: Database, team: Caller) -> None:
    async def echo(reading: Reading, team_id: str, quotes: Sequence[str], /) -> bool:
        return team_id == team.team_id and "FastAPI may depend on Starlette." in quotes

    verifier = ScriptedVerifier()
    text = "FastAPI may depend on Starlette."
    outcome = await remember(
        database,
        team,
        state("FastAPI", "depends_on", "Starlette", text=text),
        verifier=verifier,
        echo=echo,
    )
    assert (outcome.category, outcome.reason) == ("relationship_pending_evidence", "echo_of_hypothesis")
    assert verifier.asked == []
    assert not await rows(database, team, "SELECT 1 FROM verification_events WHERE team_id = %(team_id)s")
    assert not await is_eligible(database, team, outcome.relationship_id)


async def test_honest_citation_beside_an_echo_still_counts(database: Database, team: Caller) -> None:
    hedged, honest = "FastAPI may depend on Starlette.", "FastAPI depends on Starlette."

    async def echo(reading: Reading, team_id: str, quotes: Sequence[str], /) -> bool:
        return hedged in quotes

    single = state("FastAPI", "depends_on", "Starlette")
    spans = (CitedSpan(0, 0, len(hedged)), CitedSpan(1, 0, len(honest)))
    submission = replace(
        single,
        evidence=(EvidenceItem(hedged), EvidenceItem(honest)),
        relationships=(replace(single.relationships[0], evidence=spans),),
    )
    outcome = await remember(database, team, submission, echo=echo)
    assert (outcome.status, outcome.reason) == ("active", None)
    supports = await rows(database, team, "SELECT * FROM supports WHERE team_id = %(team_id)s")
    assert len(supports) == 1


async def test_submission_without_relationships_completes(database: Database, team: Caller) -> None:
    ingest_id = await submit(database, team, Submission((EvidenceItem("Starlette is an ASGI toolkit."),)))
    placed = await place(database, team, ingest_id)
    assert (placed.processing_state, placed.relationship_outcomes) == ("completed", ())


async def test_quarantined_evidence_is_not_judged_into_the_ledger(database: Database, team: Caller) -> None:
    ingest_id = await submit(database, team, state("FastAPI", "depends_on", "Starlette"))
    await run(
        database,
        team,
        "UPDATE evidence SET state = 'quarantined' WHERE team_id = %(team_id)s RETURNING id",
    )
    placed = await place(database, team, ingest_id)
    assert placed.relationship_outcomes[0].category == "evidence_quarantined"
    assert placed.evidence[0].state == "quarantined"
    assert not await rows(database, team, "SELECT 1 FROM relationships WHERE team_id = %(team_id)s")


async def test_profiles_of_one_team_hold_positions_of_their_own(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    second = await make_profile(team, "Second")
    mine = await remember(database, team, state("FastAPI", "depends_on", "Starlette"))
    theirs = await remember(database, second, state("fastapi", "requires", "STARLETTE"))
    assert mine.relationship_id != theirs.relationship_id
    groups = await rows(
        database, team, "SELECT DISTINCT semantic_group_key FROM relationships WHERE team_id = %(team_id)s"
    )
    assert len(groups) == 1
    assert theirs.tier == "validated_claim"


async def test_correction_target_is_closed_whatever_its_object(database: Database, team: Caller) -> None:
    wrong = await remember(database, team, state("FastAPI", "depends_on", "Flask"))
    assert wrong.relationship_id is not None
    target = CorrectionTarget(wrong.relationship_id, 1)
    right = await remember(
        database, team, state("FastAPI", "depends_on", "Starlette", correction_target=target)
    )
    assert right.status == "active"
    closed = await relationship(database, team, wrong.relationship_id)
    assert (closed["status"], closed["version"]) == ("superseded", 2)
    assert closed["valid_to"] is not None
    assert closed["valid_to"] <= datetime.now(UTC)
    assert not await is_eligible(database, team, wrong.relationship_id)


async def test_unbacked_alias_neither_carries_a_claim_nor_is_stored(database: Database, team: Caller) -> None:
    submission = state("BobCorp", "depends_on", "Starlette", text="FastAPI depends on Starlette.")
    subject, *others = submission.entities
    stolen = replace(submission, entities=(replace(subject, aliases=("FastAPI",)), *others))
    outcome = await remember(database, team, stolen, verifier=LexicalVerifier())
    assert outcome.category == "relationship_pending_evidence"
    honest = state("FastAPI", "depends_on", "AnyIO", text="FastAPI depends on AnyIO.")
    await remember(database, team, honest)
    async with database.reading(Scope("app", team.team_id)) as reading:
        entities = await reading.fetch_all("SELECT name FROM entity_names ORDER BY name")
    assert [row["name"] for row in entities] == ["AnyIO", "BobCorp", "FastAPI", "Starlette"]
