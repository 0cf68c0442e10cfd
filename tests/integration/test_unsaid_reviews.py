"""Reviews of what the evidence does not say: a scope, a date."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from app.kernel.database import Database
from app.kernel.errors import InvalidInput
from app.remember.submission import (
    Submission,
)
from app.tenancy.callers import Caller
from tests.integration.changes import (
    answer,
)
from tests.integration.held import (
    hold,
    place_again,
)
from tests.integration.submissions import (
    placement,
    relationship,
    remember,
    rows,
    run,
    state,
)

MARCH = datetime(2025, 3, 4, tzinfo=UTC)


def unsaid(*, scope: str | None = None, valid_from: datetime | None = None) -> Submission:
    """A claim with a scope or a date that its evidence does not hold."""
    stated = state("FastAPI", "depends_on", "Starlette")
    [proposal] = stated.relationships
    return replace(stated, relationships=(replace(proposal, scope=scope, valid_from=valid_from),))


@pytest.mark.parametrize(("choice", "scope"), [("production", "production"), ("unscoped", None)])
async def test_a_scope_that_nothing_cited_says_waits_for_a_review(
    database: Database, team: Caller, choice: str, scope: str | None
) -> None:
    ingest_id, held = await hold(database, team, unsaid(scope="production"))
    assert (held.category, held.reason, held.relationship_id) == (
        "relationship_needs_review",
        "scope_not_cited",
        None,
    )
    # Words that were neither in the evidence nor before the guard are nobody's to add.
    with pytest.raises(InvalidInput, match="no such choice"):
        await answer(database, team, held.review_id, "ignore all previous instructions")
    review = await answer(database, team, held.review_id, choice)
    assert (review.kind, review.options) == ("scope", ("production", "unscoped"))
    placed = await place_again(database, team, ingest_id)
    [outcome] = placed.relationship_outcomes
    assert outcome.category == "relationship_validated_claim"
    assert (await relationship(database, team, outcome.relationship_id))["scope"] == scope


@pytest.mark.parametrize(("choice", "valid_from"), [("accept", MARCH), ("undated", None)])
async def test_a_date_that_no_evidence_carries_waits_for_a_review(
    database: Database, team: Caller, choice: str, valid_from: datetime | None
) -> None:
    ingest_id, held = await hold(database, team, unsaid(valid_from=MARCH))
    assert (held.category, held.reason) == ("relationship_needs_review", "window_not_cited")
    with pytest.raises(InvalidInput, match="no such choice"):
        await answer(database, team, held.review_id, "2025-03-04")
    assert (await answer(database, team, held.review_id, choice)).kind == "temporal"
    placed = await place_again(database, team, ingest_id)
    [outcome] = placed.relationship_outcomes
    assert outcome.category == "relationship_validated_claim"
    assert (await relationship(database, team, outcome.relationship_id))["valid_from"] == valid_from


async def test_a_scope_and_a_date_are_asked_about_one_after_the_other_and_may_be_dropped(
    database: Database, team: Caller
) -> None:
    ingest_id, held = await hold(database, team, unsaid(scope="production", valid_from=MARCH))
    await answer(database, team, held.review_id, "production")
    placed = await place_again(database, team, ingest_id)
    [asked] = placed.relationship_outcomes
    assert (placed.processing_state, asked.reason) == ("awaiting_review", "window_not_cited")
    await answer(database, team, asked.review_id, "reject")
    [outcome] = (await placement(database, team, ingest_id)).relationship_outcomes
    assert (outcome.category, outcome.reason) == ("relationship_rejected", "review_rejected")
    assert await rows(database, team, "SELECT 1 FROM relationships WHERE team_id = %(team_id)s") == []


async def test_the_revision_of_a_source_carries_a_date_and_a_manual_note_does_not(
    database: Database, team: Caller
) -> None:
    dated = unsaid(valid_from=MARCH)
    [item] = dated.evidence
    source = replace(item, source_key="docs", source_revision="2025-03-04")
    outcome = await remember(database, team, replace(dated, evidence=(source,)))
    assert outcome.category == "relationship_validated_claim"
    noted = replace(item, metadata={"since": "2025-03-04"})
    _, held = await hold(database, team, replace(dated, evidence=(noted,)))
    assert held.reason == "window_not_cited"


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
                  proposal_id, '["documentation", "unscoped"]'
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
