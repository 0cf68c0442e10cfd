"""Submissions that a review holds, and their way on."""

from app.kernel.database import Database
from app.remember.claim import Judgement
from app.remember.placements import Placement, RelationshipOutcome
from app.remember.submission import (
    Submission,
)
from app.tenancy.callers import Caller
from tests.factories import make_entity
from tests.integration.changes import answer
from tests.integration.submissions import (
    ScriptedVerifier,
    place,
    placement,
    remember,
    state,
    submit,
)

Pair = tuple[RelationshipOutcome, RelationshipOutcome]
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


async def deny_license(database: Database, team: Caller, name: str) -> RelationshipOutcome:
    return await remember(database, team, state("FastAPI", "licensed_under", name, polarity="-"))


async def dispute_license(database: Database, team: Caller, name: str) -> Pair:
    """Leave both `FastAPI licensed_under …` and its denial disputed; return them."""
    denied = await deny_license(database, team, name)
    _, said = await hold(database, team, state("FastAPI", "licensed_under", name))
    await answer(database, team, said.review_id, "dispute")
    return said, denied
