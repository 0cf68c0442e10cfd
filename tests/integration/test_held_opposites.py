"""Resolving a review of a position that its owner denies as well: accepted, or disputed until one side ends."""

import pytest

from app.kernel.database import Database
from app.remember.placements import RelationshipOutcome
from app.remember.submission import CorrectionTarget
from app.tenancy.callers import Caller
from tests.integration.changes import answer, guess_from, guess_status, retract, standing, story
from tests.integration.held import DEPENDS, hold
from tests.integration.submissions import is_eligible, remember, state


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
