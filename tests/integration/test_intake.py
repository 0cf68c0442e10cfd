"""A submission before anything is judged: what is refused, what is stored."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from app.kernel.database import Database
from app.kernel.errors import InvalidInput, NotFound
from app.ledger.evidence.detail import get_evidence_detail
from app.remember.check import check_submission
from app.remember.submission import (
    CitedSpan,
    EntityProposal,
    EvidenceItem,
    RelationshipProposal,
    Submission,
    ValueProposal,
    from_stored,
)
from app.tenancy.callers import Caller
from tests.conftest import MakeProfile, MakeTeam
from tests.integration.refused import GOOD, REFUSED, spans, with_entity, with_evidence, with_proposal
from tests.integration.submissions import (
    ScriptedVerifier,
    is_eligible,
    place,
    placement,
    relationship,
    remember,
    rows,
    scope,
    state,
    submit,
)


@pytest.mark.parametrize(("submission", "field", "code"), REFUSED, ids=[f"{r[1]}-{r[2]}" for r in REFUSED])
def test_fault_is_named_with_its_path(submission: Submission, field: str, code: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        check_submission(submission)
    assert (field, code) in {(error.field, error.code) for error in raised.value.errors}


def test_all_faults_are_told_at_once() -> None:
    with pytest.raises(InvalidInput) as raised:
        check_submission(replace(with_entity(name=""), evidence=(EvidenceItem(""),)))
    assert len(raised.value.errors) >= 2


async def test_refused_submission_stores_nothing(database: Database, team: Caller) -> None:
    with pytest.raises(InvalidInput):
        await submit(database, team, with_proposal(evidence=()))
    assert not await rows(database, team, "SELECT 1 FROM evidence WHERE team_id = %(team_id)s")


async def test_accepted_submission_is_queued_with_open_outcomes(database: Database, team: Caller) -> None:
    ingest_id = await submit(database, team, GOOD)
    placed = await placement(database, team, ingest_id)
    assert (placed.processing_state, placed.attempt, placed.errors) == ("queued", 0, ())
    assert [one.evidence_index for one in placed.evidence] == [0]
    assert [(one.proposal_id, one.category) for one in placed.relationship_outcomes] == [("p1", None)]
    [item] = await rows(database, team, "SELECT kind, item_id FROM work_items WHERE team_id = %(team_id)s")
    assert item == {"kind": "placement", "item_id": ingest_id}


async def test_text_round_trips_unchanged(database: Database, team: Caller) -> None:
    content = "C++ \u202eRTL\u202c <|endoftext|> 猫 🦀 e\u0301 \\u0000 depends on a/b: “quotes”\r\n"
    submission = Submission((EvidenceItem(content, metadata={"note": "\\u0000", "list": [1, None]}),))
    ingest_id = await submit(database, team, submission)
    evidence_id = (await placement(database, team, ingest_id)).evidence[0].evidence_id
    async with database.reading(scope(team)) as reading:
        stored = await get_evidence_detail(reading, team, evidence_id)
    assert stored.content == content
    [row] = await rows(database, team, "SELECT metadata FROM evidence WHERE team_id = %(team_id)s")
    assert row["metadata"] == {"note": "\\u0000", "list": [1, None]}


async def test_every_field_of_a_proposal_survives_storage(database: Database, team: Caller) -> None:
    text = "FastAPI 0.165 has 1,500 stars."
    submission = Submission(
        (EvidenceItem(text),),
        (EntityProposal("f", "FastAPI", "product", ("fast-api",), None),),
        (
            RelationshipProposal(
                "p",
                "f",
                "no such predicate",
                (CitedSpan(0, 0, len(text)),),
                object_value=ValueProposal("number", 1500, "stars"),
                polarity="-",
                modality="quoted",
                scope="2024",
                valid_from=datetime(2024, 1, 1, tzinfo=UTC),
                valid_to=datetime(2025, 1, 1, tzinfo=UTC),
                client_comment="as seen",
            ),
        ),
    )
    ingest_id = await submit(database, team, submission)
    [row] = await rows(database, team, "SELECT proposal FROM ingests WHERE id = %(id)s", id=ingest_id)
    assert from_stored(row["proposal"]) == (submission.entities, submission.relationships)


async def test_spans_are_read_in_the_order_of_the_text(database: Database, team: Caller) -> None:
    verifier = ScriptedVerifier()
    swapped = with_proposal(evidence=spans((19, 28), (0, 18)))
    await remember(database, team, swapped, verifier=verifier)
    assert verifier.asked == ["FastAPI depends on\nStarlette"]


@pytest.mark.parametrize("shape", ["missing", "malformed", "foreign", "colleague"])
async def test_superseding_evidence_that_is_not_ones_own_is_refused_alike(
    database: Database, team: Caller, make_team: MakeTeam, make_profile: MakeProfile, shape: str
) -> None:
    owner = {
        "foreign": await make_team(),
        "colleague": await make_profile(team, "Colleague"),
    }.get(shape)
    evidence_id = "evd_00000000000000000000000000" if shape == "missing" else "evd_x"
    if owner is not None:
        ingest_id = await submit(database, owner, GOOD)
        evidence_id = (await placement(database, owner, ingest_id)).evidence[0].evidence_id
    with pytest.raises(InvalidInput) as raised:
        await submit(database, team, with_evidence(supersedes_evidence_ids=(evidence_id,)))
    assert raised.value.code == "unknown_evidence"
    assert raised.value.errors[0].field == "evidence.0.supersedes_evidence_ids.0"


async def test_superseded_evidence_counts_no_longer(database: Database, team: Caller) -> None:
    ingest_id = await submit(database, team, GOOD)
    placed = await place(database, team, ingest_id)
    relationship_id = placed.relationship_outcomes[0].relationship_id
    newer = Submission(
        (EvidenceItem("Nothing is known.", supersedes_evidence_ids=(placed.evidence[0].evidence_id,)),)
    )
    await submit(database, team, newer)
    stored = await relationship(database, team, relationship_id)
    assert (stored["tier"], stored["status"], stored["version"]) == ("candidate", "pending_evidence", 2)
    assert not await is_eligible(database, team, relationship_id)


async def test_new_source_revision_takes_the_old_ones_support_at_once(
    database: Database, team: Caller
) -> None:
    old = await remember(
        database, team, state("FastAPI", "depends_on", "Starlette", source_key="docs", source_revision="1")
    )
    assert await is_eligible(database, team, old.relationship_id)
    await submit(
        database, team, state("FastAPI", "depends_on", "Pydantic", source_key="docs", source_revision="2")
    )
    stored = await relationship(database, team, old.relationship_id)
    assert (stored["tier"], stored["status"]) == ("candidate", "pending_evidence")
    transitions = await rows(
        database,
        team,
        "SELECT reason, effect FROM relationship_transitions WHERE relationship_id = %(id)s ORDER BY version",
        id=old.relationship_id,
    )
    assert transitions[-1] == {"reason": "source_revision_replaced", "effect": "source_lost"}


async def test_relationship_with_other_support_only_needs_reassessment(
    database: Database, team: Caller
) -> None:
    first = state("FastAPI", "depends_on", "Starlette", source_key="docs", source_revision="1")
    outcome = await remember(database, team, first)
    await remember(database, team, state("FastAPI", "depends_on", "Starlette", source_group="wiki"))
    await submit(
        database, team, state("FastAPI", "depends_on", "Pydantic", source_key="docs", source_revision="2")
    )
    stored = await relationship(database, team, outcome.relationship_id)
    assert (stored["tier"], stored["status"]) == ("validated_claim", "active")
    [last] = await rows(
        database,
        team,
        """SELECT effect FROM relationship_transitions WHERE relationship_id = %(id)s
           ORDER BY version DESC LIMIT 1""",
        id=outcome.relationship_id,
    )
    assert last["effect"] == "reassess"


async def test_evidence_without_revision_joins_the_current_one(database: Database, team: Caller) -> None:
    await submit(
        database, team, state("FastAPI", "depends_on", "Starlette", source_key="docs", source_revision="1")
    )
    outcome = await remember(database, team, state("FastAPI", "depends_on", "Pydantic", source_key="docs"))
    assert outcome.status == "active"
    revisions = await rows(
        database, team, "SELECT revision, is_current FROM source_revisions WHERE team_id = %(team_id)s"
    )
    assert revisions == [{"revision": "1", "is_current": True}]


async def test_source_group_falls_back_to_source_key_then_profile(database: Database, team: Caller) -> None:
    await submit(database, team, state("A1", "depends_on", "B1", source_group="group", source_key="key"))
    await submit(database, team, state("A2", "depends_on", "B2", source_key="key"))
    await submit(database, team, state("A3", "depends_on", "B3"))
    groups = await rows(
        database, team, "SELECT source_group FROM evidence WHERE team_id = %(team_id)s ORDER BY id"
    )
    assert [row["source_group"] for row in groups] == ["group", "key", team.profile_id]


@pytest.mark.parametrize(
    "shape", ["ing_x", "evd_00000000000000000000000000", "ing_00000000000000000000000000"]
)
async def test_unknown_placement_is_not_found(database: Database, team: Caller, shape: str) -> None:
    with pytest.raises(NotFound, match="No such ingest"):
        await placement(database, team, shape)


async def test_other_teams_placement_is_not_found(
    database: Database, team: Caller, make_team: MakeTeam
) -> None:
    other = await make_team()
    ingest_id = await submit(database, other, GOOD)
    with pytest.raises(NotFound, match="No such ingest"):
        await placement(database, team, ingest_id)
