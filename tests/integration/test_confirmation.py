"""A confirmation needs new evidence, and a proposal that is about the Hypothesis."""

from collections.abc import Sequence
from dataclasses import replace
from typing import LiteralString

import pytest

from app.hypotheses.lifecycle import ClientEvent
from app.kernel.database import Database, Scope
from app.kernel.errors import InvalidInput
from app.ledger.identity import Edge
from app.remember.submission import (
    CitedSpan,
    CorrectionTarget,
    EntityProposal,
    EvidenceItem,
    ValueProposal,
)
from app.review.feedback import Feedback
from app.tenancy.callers import Caller
from tests import factories
from tests.factories import Position
from tests.hypothesis_factories import make_hypothesis
from tests.integration.feedback_case import SOURCE_TEXT, TRACE, Case, make_case, refusal


@pytest.fixture
async def case(database: Database, team: Caller) -> Case:
    return await make_case(database, team)


@pytest.mark.parametrize("decision", ["confirm_true", "confirm_false"])
async def test_confirmation_without_new_evidence_fails(case: Case, decision: ClientEvent) -> None:
    whole = case.answer(decision).submission
    assert whole is not None
    blank = replace(whole, evidence=(EvidenceItem(" \n\t"),))
    for submission, fields in (
        (None, ["evidence", "proposal"]),
        (replace(whole, evidence=()), ["evidence"]),
        (blank, ["evidence"]),
        (replace(whole, relationships=()), ["proposal"]),
    ):
        error = await refusal(case, Feedback(decision, submission=submission))
        assert isinstance(error, InvalidInput)
        assert error.code == "evidence_required"
        assert [wrong.field for wrong in error.errors] == fields


@pytest.mark.parametrize("decision", ["reinforce", "stale", "reject", "ignore"])
async def test_other_decisions_take_no_evidence(case: Case, decision: ClientEvent) -> None:
    error = await refusal(case, Feedback(decision, submission=case.confirmation()))
    assert (type(error), error.code) == (InvalidInput, "evidence_not_allowed")


@pytest.mark.parametrize(
    "text",
    [
        "FastAPI may depend on AnyIO.",
        "  fastapi  MAY depend on ANYIO",
        "FastAPI might depend on AnyIO.",
        "FastAPI may really depend on AnyIO.",
        "Both are used by the same things.",
        "both are used by the same THINGS!",
        SOURCE_TEXT,
        SOURCE_TEXT.upper().replace(" ", "  "),
        "FastAPI lists Starlette and its helpers.",
        f"{SOURCE_TEXT} Sure.",
        f"Sure thing: {SOURCE_TEXT}",
        "FastAPI may depend on AnyIO. FastAPI may depend on AnyIO. Sure thing.",
    ],
)
async def test_evidence_that_says_the_guess_or_its_source_again_is_refused(case: Case, text: str) -> None:
    error = await refusal(case, Feedback("confirm_true", submission=case.confirmation(text)))
    assert error.code == "evidence_not_independent"


async def test_a_citation_that_says_the_guess_again_is_refused_inside_longer_evidence(case: Case) -> None:
    echo = "FastAPI may depend on AnyIO."
    text = f"I wondered for a while. {echo} So it was noted here, as it was said to me."
    start = text.index(echo)
    spans = (CitedSpan(0, start, start + len(echo)),)
    error = await refusal(case, Feedback("confirm_true", submission=case.confirmation(text, evidence=spans)))
    assert error.code == "evidence_not_independent"
    assert isinstance(error, InvalidInput)
    assert [fault.field for fault in error.errors] == ["proposal.relationships.0.evidence"]


@pytest.mark.parametrize(
    "text",
    [
        "FastAPI depends on AnyIO.",
        "In May the maintainers may have checked it: FastAPI depends on AnyIO.",
        "FastAPI may also very often depend on AnyIO.",
        f"{SOURCE_TEXT} It depends on AnyIO too.",
        "The manual of FastAPI lists Starlette and its helpers, AnyIO too.",
        "Name: FastAPI\nRequires-Dist: AnyIO",
    ],
)
async def test_honest_evidence_is_left_to_the_verifier(case: Case, text: str) -> None:
    result = await case.decide(Feedback("confirm_true", submission=case.confirmation(text)))
    assert result.status == "submitted"


async def test_a_record_whose_lines_stand_in_different_sources_is_new_evidence(
    database: Database, team: Caller
) -> None:
    case = await make_case(database, team)
    flask = await factories.make_entity(database, team, "Flask")
    mine = Position(content="Name: FastAPI\nRequires-Dist: Starlette")
    theirs = Position(content="Name: Flask\nRequires-Dist: AnyIO")
    sources = [
        await factories.make_relationship(database, team, case.fastapi, "uses", case.anyio, mine),
        await factories.make_relationship(database, team, flask, "uses", case.anyio, theirs),
    ]
    edge = Edge(case.fastapi, "part_of", case.anyio)
    other = replace(case, hypothesis_id=await make_hypothesis(database, team, edge, sources))
    text = "Name: FastAPI\nVersion: 1\nRequires-Dist: AnyIO"
    end = len("Name: FastAPI")
    spans = (CitedSpan(0, 0, end), CitedSpan(0, text.rindex("\n") + 1, len(text)))
    again = other.confirmation("Name: Flask\nRequires-Dist: AnyIO", predicate="part_of")
    error = await refusal(other, Feedback("confirm_true", submission=again))
    assert error.code == "evidence_not_independent"
    record = other.confirmation(text, evidence=spans, predicate="part_of")
    assert (await other.decide(Feedback("confirm_true", submission=record))).status == "submitted"


async def test_a_confirmation_must_be_about_the_hypothesis(case: Case) -> None:
    unfit: Sequence[dict[str, object]] = (
        {"polarity": "-"},
        {"object_ref": "x"},
        {"subject_ref": "o", "object_ref": "s"},
        {"predicate": "has_topic"},
        {"predicate": "nonsense"},
        {"scope": "in tests"},
        {"modality": "question"},
        {"object_ref": None, "object_value": ValueProposal("string", "AnyIO")},
    )
    for changes in unfit:
        error = await refusal(case, Feedback("confirm_true", submission=case.confirmation(TRACE, **changes)))
        assert error.code == "proposal_target_mismatch", changes


async def test_a_denial_must_deny_correct_or_replace(case: Case) -> None:
    target = CorrectionTarget(case.source.relationship_id, 1)
    elsewhere = CorrectionTarget("rel_00000000000000000000000000", 1)
    unfit: Sequence[dict[str, object]] = (
        {},
        {"subject_ref": "x"},
        {"subject_ref": "x", "object_ref": "x", "correction_target": elsewhere},
    )
    for changes in unfit:
        error = await refusal(case, Feedback("confirm_false", submission=case.confirmation(TRACE, **changes)))
        assert error.code == "proposal_target_mismatch", changes
        assert isinstance(error, InvalidInput)
        assert {*error.errors[0].message.split()} >= {"-,", "another", "(correction_target)"}
    accepted: Sequence[dict[str, object]] = (
        {"polarity": "-"},
        {"object_ref": "x"},
        {"subject_ref": "x", "object_ref": "x", "correction_target": target},
    )
    for number, changes in enumerate(accepted):
        await _end_submissions(case)
        text = f"Trace number {number} of one request shows what FastAPI depends on."
        result = await case.decide(Feedback("confirm_false", submission=case.confirmation(text, **changes)))
        assert result.status == "submitted"


async def test_names_and_aliases_are_recognised_without_hints(case: Case) -> None:
    hinted = case.confirmation()
    entities = (EntityProposal("s", "FASTAPI"), EntityProposal("o", "anyio"))
    plain = replace(hinted, entities=entities)
    assert (await case.decide(Feedback("confirm_true", submission=plain))).status == "submitted"


async def test_a_hint_to_something_else_is_not_about_the_hypothesis(case: Case) -> None:
    stranger = await factories.make_entity(case.database, case.caller, "AnyIO")
    for known in (stranger, "ent_00000000000000000000000000", "x"):
        entities = (
            EntityProposal("s", "FastAPI", known_entity_id=case.fastapi),
            EntityProposal("o", "AnyIO", known_entity_id=known),
        )
        submission = replace(case.confirmation(), entities=entities)
        error = await refusal(case, Feedback("confirm_true", submission=submission))
        assert error.code == "proposal_target_mismatch"


@pytest.mark.parametrize("decision", ["confirm_true", "confirm_false"])
@pytest.mark.parametrize(
    "entities",
    [
        # Nothing of these kinds has the name, so placing would make another FastAPI, another AnyIO.
        (EntityProposal("s", "FastAPI", "person"), EntityProposal("o", "AnyIO")),
        (EntityProposal("s", "FastAPI"), EntityProposal("o", "AnyIO", "document")),
        (EntityProposal("s", "FastAPI", "person"), EntityProposal("o", "AnyIO", "document")),
        (EntityProposal("s", "Fast API"), EntityProposal("o", "AnyIO")),
        # A generic alias is left to a person.
        (EntityProposal("s", "FastAPI"), EntityProposal("o", "AnyIO", aliases=("it",))),
    ],
)
async def test_a_homonym_of_an_end_is_not_the_end(
    case: Case, decision: ClientEvent, entities: tuple[EntityProposal, ...]
) -> None:
    submission = case.answer(decision).submission
    assert submission is not None
    if decision == "confirm_false":
        # Denied must be the very target; another subject's denial says nothing about it.
        assert submission.relationships[0].polarity == "-"
    error = await refusal(case, Feedback(decision, submission=replace(submission, entities=entities)))
    assert error.code == "proposal_target_mismatch"


@pytest.mark.parametrize("way", ["new", "existing", "alias"])
async def test_a_homonym_of_the_object_is_no_other_object(case: Case, way: str) -> None:
    entities = {
        "new": EntityProposal("o", "anyio", "document"),
        "alias": EntityProposal("o", "Trio", aliases=("AnyIO",)),
        "existing": EntityProposal("o", "AnyIO"),
    }
    other = entities[way]
    if way == "existing":
        namesake = await factories.make_entity(case.database, case.caller, "AnyIO", kind="document")
        other = replace(other, known_entity_id=namesake)
    submission = replace(case.confirmation(), entities=(EntityProposal("s", "FastAPI"), other))
    error = await refusal(case, Feedback("confirm_false", submission=submission))
    assert error.code == "proposal_target_mismatch"


async def test_a_name_that_several_have_is_not_the_end(case: Case) -> None:
    submission = replace(
        case.confirmation(), entities=(EntityProposal("s", "FastAPI"), EntityProposal("o", "AnyIO"))
    )
    await factories.make_entity(case.database, case.caller, "AnyIO")
    error = await refusal(case, Feedback("confirm_true", submission=submission))
    assert error.code == "proposal_target_mismatch"


async def test_a_hint_under_another_name_is_not_the_end(case: Case) -> None:
    entities = (
        EntityProposal("s", "FastAPI", known_entity_id=case.fastapi),
        EntityProposal("o", "Trio", known_entity_id=case.anyio),
    )
    submission = replace(case.confirmation(), entities=entities)
    error = await refusal(case, Feedback("confirm_true", submission=submission))
    assert error.code == "proposal_target_mismatch"


async def test_further_relationships_may_come_along(case: Case) -> None:
    base = case.confirmation()
    along = replace(base.relationships[0], proposal_id="p2", object_ref="x")
    submission = replace(base, relationships=(along, *base.relationships))
    assert (await case.decide(Feedback("confirm_true", submission=submission))).status == "submitted"


async def test_a_value_target_is_confirmed_by_that_value_only(database: Database, team: Caller) -> None:
    subject = await factories.make_entity(database, team, "FastAPI")
    value = await factories.make_value(database, team, ">=3.10")
    topic = await factories.make_entity(database, team, "Web")
    source = await factories.make_relationship(database, team, subject, "has_topic", topic)
    hypothesis_id = await make_hypothesis(database, team, Edge(subject, "requires_python", value), [source])
    case = Case(database, team, hypothesis_id, subject, subject, source)
    text = "The record says Requires-Python: >=3.10 in one line."

    def confirm(literal: str) -> Feedback:
        return Feedback(
            "confirm_true",
            submission=case.confirmation(
                text,
                predicate="Requires-Python",
                object_ref=None,
                object_value=ValueProposal("string", literal),
            ),
        )

    assert (await refusal(case, confirm(">=3.9"))).code == "proposal_target_mismatch"
    assert (await case.decide(confirm(">=3.10"))).status == "submitted"


async def test_a_faulty_submission_is_refused_with_its_faults(case: Case) -> None:
    spans = (CitedSpan(0, 0, 4_000),)
    error = await refusal(case, Feedback("confirm_true", submission=case.confirmation(evidence=spans)))
    assert isinstance(error, InvalidInput)
    assert error.errors


async def test_intake_that_fails_leaves_the_hypothesis_unchanged(case: Case) -> None:
    base = case.confirmation()
    item = replace(base.evidence[0], supersedes_evidence_ids=("evd_00000000000000000000000000",))
    error = await refusal(case, Feedback("confirm_true", submission=replace(base, evidence=(item,))))
    assert isinstance(error, InvalidInput)


async def _end_submissions(case: Case) -> None:
    """End what was submitted without an active Relationship, so that it may be confirmed again."""
    await case.database.unit_of_work(
        Scope("app", case.caller.team_id),
        lambda w: w.execute(_END_EVERYTHING, {"team_id": case.caller.team_id}),
    )


_END_EVERYTHING: LiteralString = """
    WITH ended AS (
        UPDATE hypothesis_submissions SET ended_at = clock_timestamp(), ended_active = false
        WHERE team_id = %(team_id)s AND ended_at IS NULL
    )
    UPDATE hypotheses SET submission_is_open = false WHERE team_id = %(team_id)s
"""
