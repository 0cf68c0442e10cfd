"""Taking back a Relationship or evidence: by its owner only, one event a change, nothing deleted."""

import pytest

from app.kernel.database import Database
from app.kernel.errors import Forbidden, NotFound
from app.ledger.retraction import Changed
from app.remember.submission import CorrectionTarget
from app.tenancy.callers import Caller
from tests.conftest import MakeProfile, MakeTeam
from tests.integration.changes import (
    evidence_of,
    guess_from,
    guess_status,
    retract,
    retract_text,
    said_by,
    story,
)
from tests.integration.submissions import (
    is_eligible,
    place,
    relationship,
    remember,
    rows,
    run,
    state,
    submit,
)

DEPENDS = state("FastAPI", "depends_on", "Starlette")


async def test_a_retracted_relationship_is_one_version_higher_and_keeps_its_history(
    database: Database, team: Caller
) -> None:
    outcome = await remember(database, team, DEPENDS)
    changed = await retract(database, team, outcome.relationship_id, "It was a mistake.")
    assert changed == (Changed(outcome.relationship_id or "", "retracted", 2),)
    assert await story(database, team, outcome.relationship_id) == [
        ("remembered", "validated_claim", "active"),
        ("retracted", "validated_claim", "retracted"),
    ]
    assert not await is_eligible(database, team, outcome.relationship_id)
    events = await rows(
        database, team, "SELECT event, reason FROM support_events WHERE team_id = %(team_id)s ORDER BY id"
    )
    assert [row["event"] for row in events] == ["granted", "revoked"]
    [note] = await rows(
        database,
        team,
        "SELECT note FROM relationship_transitions WHERE team_id = %(team_id)s AND version = 2",
    )
    assert note["note"] == "It was a mistake."


async def test_retracting_again_changes_nothing(database: Database, team: Caller) -> None:
    outcome = await remember(database, team, DEPENDS)
    await retract(database, team, outcome.relationship_id)
    assert await retract(database, team, outcome.relationship_id) == ()
    assert (await relationship(database, team, outcome.relationship_id))["version"] == 2


async def test_only_the_owner_retracts(
    database: Database, team: Caller, make_profile: MakeProfile, make_team: MakeTeam
) -> None:
    outcome = await remember(database, team, DEPENDS)
    [evidence_id] = await evidence_of(database, team, outcome.relationship_id)
    colleague, stranger = await make_profile(team, "Second"), await make_team()
    with pytest.raises(Forbidden) as refused:
        await retract(database, colleague, outcome.relationship_id)
    assert refused.value.code == "not_owner"
    with pytest.raises(Forbidden) as refused:
        await retract_text(database, colleague, evidence_id)
    assert refused.value.code == "not_owner"
    for unknown in (outcome.relationship_id, "rel_x", "", "rel_00000000000000000000000000"):
        with pytest.raises(NotFound, match="No such Relationship"):
            await retract(database, stranger, unknown)
    for unknown in (evidence_id, "evd_x", "", "evd_00000000000000000000000000"):
        with pytest.raises(NotFound, match="No such evidence"):
            await retract_text(database, stranger, unknown)
    assert (await relationship(database, team, outcome.relationship_id))["version"] == 1


async def test_new_evidence_reinstates_and_counts_alone(database: Database, team: Caller) -> None:
    first = await remember(database, team, said_by("a"))
    await retract(database, team, first.relationship_id)
    again = await remember(database, team, said_by("b"))
    assert again.relationship_id == first.relationship_id
    # The support that was taken back does not make it a fact together with the new one.
    assert (again.tier, again.status) == ("validated_claim", "active")
    assert (await relationship(database, team, again.relationship_id))["version"] == 3
    assert await is_eligible(database, team, again.relationship_id)


async def test_retracted_evidence_lowers_the_tier_to_what_is_left(database: Database, team: Caller) -> None:
    outcome = await remember(database, team, said_by("a"))
    await remember(database, team, said_by("b"))
    assert (await relationship(database, team, outcome.relationship_id))["tier"] == "fact"
    for evidence_id in await evidence_of(database, team, outcome.relationship_id):
        await retract_text(database, team, evidence_id)
    assert (await story(database, team, outcome.relationship_id))[2:] == [
        ("evidence_retracted", "validated_claim", "active"),
        ("evidence_retracted", "candidate", "pending_evidence"),
    ]
    assert not await is_eligible(database, team, outcome.relationship_id)


async def test_retracting_evidence_says_all_that_changed_and_again_nothing(
    database: Database, team: Caller
) -> None:
    ingest_id = await submit(database, team, DEPENDS)
    placed = await place(database, team, ingest_id)
    evidence_id = placed.evidence[0].evidence_id
    changed = await retract_text(database, team, evidence_id)
    relationship_id = placed.relationship_outcomes[0].relationship_id or ""
    assert changed == (
        Changed(evidence_id, "retracted", None),
        Changed(relationship_id, "pending_evidence", 2),
    )
    assert await retract_text(database, team, evidence_id) == ()


async def test_evidence_that_is_retracted_before_it_is_placed_supports_nothing(
    database: Database, team: Caller
) -> None:
    ingest_id = await submit(database, team, DEPENDS)
    [item] = await rows(database, team, "SELECT id FROM evidence WHERE team_id = %(team_id)s")
    await retract_text(database, team, item["id"])
    placed = await place(database, team, ingest_id)
    [outcome] = placed.relationship_outcomes
    assert (outcome.category, outcome.reason) == ("relationship_rejected", "evidence_retracted")


@pytest.mark.parametrize("by", ["relationship", "evidence"])
async def test_what_was_guessed_from_it_is_stale_in_the_same_transaction(
    database: Database, team: Caller, by: str
) -> None:
    outcome = await remember(database, team, DEPENDS)
    guess = await guess_from(database, team, outcome.relationship_id)
    assert await guess_status(database, team, guess) == "proposed"
    if by == "relationship":
        await retract(database, team, outcome.relationship_id)
    else:
        [evidence_id] = await evidence_of(database, team, outcome.relationship_id)
        await retract_text(database, team, evidence_id)
    assert await guess_status(database, team, guess) == "stale"


async def test_the_loss_of_one_support_of_two_stales_nothing(database: Database, team: Caller) -> None:
    outcome = await remember(database, team, said_by("a"))
    await remember(database, team, said_by("b"))
    guess = await guess_from(database, team, outcome.relationship_id)
    [evidence_id, _] = await evidence_of(database, team, outcome.relationship_id)
    await retract_text(database, team, evidence_id)
    assert await guess_status(database, team, guess) == "proposed"


async def test_a_correction_of_the_right_version_supersedes_and_dates_the_old_one(
    database: Database, team: Caller
) -> None:
    old = await remember(database, team, state("FastAPI", "licensed_under", "BSD"))
    target = CorrectionTarget(old.relationship_id or "", 1)
    new = await remember(database, team, state("FastAPI", "licensed_under", "MIT", correction_target=target))
    closed = await relationship(database, team, old.relationship_id)
    assert (closed["status"], closed["version"]) == ("superseded", 2)
    assert closed["valid_to"] is not None
    assert new.status == "active"


async def test_a_retracted_target_is_no_target(database: Database, team: Caller) -> None:
    old = await remember(database, team, state("FastAPI", "licensed_under", "BSD"))
    await retract(database, team, old.relationship_id)
    target = CorrectionTarget(old.relationship_id or "", 2)
    new = await remember(database, team, state("FastAPI", "licensed_under", "MIT", correction_target=target))
    assert (new.category, new.reason) == ("relationship_rejected", "correction_target_closed")


async def test_retracting_withdraws_the_open_review(database: Database, team: Caller) -> None:
    await remember(database, team, state("FastAPI", "licensed_under", "BSD"))
    held = await remember(database, team, state("FastAPI", "licensed_under", "MIT"))
    await retract(database, team, held.relationship_id)
    [review] = await rows(
        database, team, "SELECT status, choice FROM review_tasks WHERE team_id = %(team_id)s"
    )
    assert review == {"status": "resolved", "choice": {"choice": "withdrawn"}}


async def test_a_support_that_was_revoked_is_reinstated_when_its_citation_is_judged_anew(
    database: Database, unruled: Database, team: Caller
) -> None:
    ingest_id = await submit(database, team, DEPENDS)
    placed = await place(database, team, ingest_id)
    await retract(database, team, placed.relationship_outcomes[0].relationship_id)
    await run(
        unruled,
        team,
        """UPDATE placement_outcomes SET category = NULL, placed_at = NULL
           WHERE team_id = %(team_id)s RETURNING ingest_id""",
    )
    await run(
        unruled,
        team,
        """UPDATE ingests SET processing_state = 'queued', finished_at = NULL
           WHERE team_id = %(team_id)s RETURNING id""",
    )
    await run(
        database,
        team,
        "UPDATE work_items SET finished_at = NULL, epoch = epoch + 1 WHERE item_id = %(id)s RETURNING item_id",
        id=ingest_id,
    )
    await place(database, team, ingest_id)
    events = await rows(
        database, team, "SELECT event FROM support_events WHERE team_id = %(team_id)s ORDER BY id"
    )
    assert [one["event"] for one in events] == ["granted", "revoked", "reinstated"]
