"""An owner may dispute two things beside a third one: what merely comes to stand there is not held for it."""

from app.kernel.database import Database
from app.ledger.predicates.changes import change_predicate, register_predicate
from app.ledger.predicates.draft import PredicateChanges, PredicateDraft
from app.tenancy.callers import Caller
from tests.factories import make_entity
from tests.integration.changes import answer, license_fastapi, open_reviews, standing
from tests.integration.held import dispute_license, hold
from tests.integration.merging import entity, merge, positions, unmerge
from tests.integration.submissions import relationship, remember, scope, state


async def test_what_stands_beside_a_dispute_stands_there_through_a_merge_and_its_undoing(
    database: Database, team: Caller
) -> None:
    held = await license_fastapi(database, team, "ISC")
    await dispute_license(database, team, "MIT")
    old, into = await entity(database, team, "ISC"), await make_entity(database, team, "Bind", kind="other")
    await merge(database, team, old, into)
    assert [row["status"] for row in await positions(database, team, into)] == ["active"]
    await unmerge(database, team, old)
    assert await standing(database, team, held.relationship_id) == ("validated_claim", "active")
    assert await open_reviews(database, team) == []


async def test_what_a_merge_held_is_let_go_beside_a_dispute(database: Database, team: Caller) -> None:
    disputed = await dispute_license(database, team, "MIT")
    await remember(database, team, state("fast-api", "licensed_under", "BSD"))
    held = await remember(database, team, state("Fast API", "licensed_under", "ISC"))
    first, second, into = [await entity(database, team, name) for name in ("fast-api", "Fast API", "FastAPI")]
    await merge(database, team, first, into)
    await merge(database, team, second, into)
    [review] = await open_reviews(database, team)
    assert await standing(database, team, review.relationship_id) == ("validated_claim", "needs_review")
    await unmerge(database, team, first)
    assert await open_reviews(database, team) == []
    assert await standing(database, team, review.relationship_id) == ("validated_claim", "active")
    assert (await standing(database, team, held.relationship_id))[1] == "superseded"
    for outcome in disputed:
        assert (await standing(database, team, outcome.relationship_id))[1] == "disputed"


async def test_a_predicate_that_lets_one_hold_only_changes_nothing_beside_a_dispute(
    database: Database, team: Caller
) -> None:
    await database.unit_of_work(
        scope(team), lambda w: register_predicate(w, team, PredicateDraft("hosts", "Hosts", "hosts"))
    )
    await remember(database, team, state("Rack", "hosts", "Mail", polarity="-"))
    _, said = await hold(database, team, state("Rack", "hosts", "Mail"))
    await answer(database, team, said.review_id, "dispute")
    stands = await remember(database, team, state("Rack", "hosts", "News"))
    before = await relationship(database, team, stands.relationship_id)
    only_one = PredicateChanges(current_cardinality="one")
    await database.unit_of_work(scope(team), lambda w: change_predicate(w, team, "hosts", only_one))
    assert await relationship(database, team, stands.relationship_id) == before
    assert await open_reviews(database, team) == []
