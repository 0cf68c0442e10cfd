"""A question about a proposal is withdrawn in the transaction in which its last evidence stops counting."""

from dataclasses import replace

import pytest

from app.kernel.database import Database
from app.kernel.errors import WrongState
from app.ledger.reviews import list_reviews
from app.remember.quarantine import take_evidence_back
from app.remember.submission import CitedSpan, EvidenceItem, Submission
from app.tenancy.callers import Caller
from tests.integration.changes import answer
from tests.integration.held import hold
from tests.integration.submissions import place, placement, rows, scope, state, submit

OTHER = state("Ruff", "depends_on", "Rust")


def unclear(*more: Submission, revision: str | None = None, previous: str | None = None) -> Submission:
    """Claims of which the first names a scope that its evidence does not hold; each has evidence of its own."""
    stated = state(
        "FastAPI", "depends_on", "Starlette", source_key=revision and "docs", source_revision=revision
    )
    [item], [proposal] = stated.evidence, stated.relationships
    said = [
        replace(stated, relationships=(replace(proposal, scope="production"),)),
        *more,
    ]
    return Submission(
        evidence=(replace(item, previous_source_revision=previous), *(one.evidence[0] for one in more)),
        entities=tuple(
            replace(entity, ref=f"{entity.ref}{number}")
            for number, one in enumerate(said)
            for entity in one.entities
        ),
        relationships=tuple(
            replace(
                one.relationships[0],
                proposal_id=f"p{number}",
                subject_ref=f"{one.relationships[0].subject_ref}{number}",
                object_ref=f"{one.relationships[0].object_ref}{number}",
                evidence=(replace(one.relationships[0].evidence[0], evidence_index=number),),
            )
            for number, one in enumerate(said)
        ),
    )


async def evidence_of(database: Database, caller: Caller, ingest_id: str) -> list[str]:
    return [one.evidence_id for one in (await placement(database, caller, ingest_id)).evidence]


async def take_back(database: Database, caller: Caller, evidence_id: str) -> None:
    await database.unit_of_work(
        scope(caller), lambda w: take_evidence_back(w, caller, evidence_id, note=None)
    )


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("retracted", "evidence_retracted"),
        ("superseded", "evidence_superseded"),
        ("replaced", "source_revision_replaced"),
    ],
)
async def test_nobody_is_asked_about_what_has_lost_its_evidence(
    database: Database, team: Caller, how: str, reason: str
) -> None:
    ingest_id, held = await hold(database, team, unclear(revision="1"))
    assert (held.reason, held.relationship_id) == ("scope_not_cited", None)
    [evidence_id] = await evidence_of(database, team, ingest_id)
    if how == "retracted":
        await take_back(database, team, evidence_id)
    elif how == "superseded":
        item = EvidenceItem("Something else.", supersedes_evidence_ids=(evidence_id,))
        await submit(database, team, Submission((item,)))
    else:
        item = EvidenceItem(
            "Another text.", source_key="docs", source_revision="2", previous_source_revision="1"
        )
        await submit(database, team, Submission((item,)))
    left = await placement(database, team, ingest_id)
    [outcome] = left.relationship_outcomes
    assert (left.processing_state, outcome.category, outcome.reason) == (
        "completed",
        "relationship_rejected",
        reason,
    )
    async with database.reading(scope(team)) as reading:
        [review] = (await list_reviews(reading, team.team_id)).items
    assert (review.status, review.close_reason, review.choice) == (
        "resolved",
        reason,
        {"choice": "withdrawn"},
    )
    assert (review.closed_by_profile_id, outcome.review_id) == (team.profile_id, review.review_id)
    with pytest.raises(WrongState, match="resolved already"):
        await answer(database, team, held.review_id, "unscoped")


async def test_a_question_stays_as_long_as_one_of_its_texts_counts(database: Database, team: Caller) -> None:
    stated = unclear()
    [proposal] = stated.relationships
    both = replace(
        stated,
        evidence=(*stated.evidence, EvidenceItem("FastAPI depends on Starlette, it says.")),
        relationships=(replace(proposal, evidence=(*proposal.evidence, CitedSpan(1, 0, 29))),),
    )
    ingest_id, held = await hold(database, team, both)
    first, second = await evidence_of(database, team, ingest_id)
    await take_back(database, team, first)
    assert (await placement(database, team, ingest_id)).processing_state == "awaiting_review"
    await take_back(database, team, second)
    left = await placement(database, team, ingest_id)
    assert (left.processing_state, left.relationship_outcomes[0].reason) == (
        "completed",
        "evidence_retracted",
    )
    assert left.relationship_outcomes[0].review_id == held.review_id


async def test_an_ingest_goes_on_waiting_for_what_else_is_asked(database: Database, team: Caller) -> None:
    ingest_id = await submit(database, team, unclear(unclear()))
    await place(database, team, ingest_id)
    first, second = await evidence_of(database, team, ingest_id)
    await take_back(database, team, first)
    left = await placement(database, team, ingest_id)
    assert [one.category for one in left.relationship_outcomes] == [
        "relationship_rejected",
        "relationship_needs_review",
    ]
    assert left.processing_state == "awaiting_review"
    await take_back(database, team, second)
    assert (await placement(database, team, ingest_id)).processing_state == "completed"


async def test_what_is_not_placed_yet_keeps_its_work(database: Database, team: Caller) -> None:
    ingest_id, held = await hold(database, team, unclear(OTHER, revision="1"))
    await answer(database, team, held.review_id, "unscoped")
    [evidence_id, _] = await evidence_of(database, team, ingest_id)
    await take_back(database, team, evidence_id)
    assert (await placement(database, team, ingest_id)).processing_state == "queued"
    placed = await place(database, team, ingest_id)
    assert [one.reason for one in placed.relationship_outcomes] == ["evidence_retracted", None]


@pytest.mark.parametrize("how", ["retracted", "late"])
async def test_nothing_is_asked_about_what_had_lost_its_evidence_before(
    database: Database, team: Caller, how: str
) -> None:
    if how == "late":
        for revision in ("1", "2"):
            item = EvidenceItem(f"Text {revision}.", source_key="docs", source_revision=revision)
            await submit(database, team, Submission((item,)))
    ingest_id = await submit(database, team, unclear(revision="1"))
    if how == "retracted":
        await take_back(database, team, (await evidence_of(database, team, ingest_id))[0])
    placed = await place(database, team, ingest_id)
    [outcome] = placed.relationship_outcomes
    expected = "evidence_retracted" if how == "retracted" else "source_revision_not_current"
    assert (outcome.category, outcome.reason, outcome.review_id) == ("relationship_rejected", expected, None)
    assert placed.processing_state == "completed"
    assert await rows(database, team, "SELECT FROM review_tasks WHERE team_id = %(team_id)s") == []
