"""Which Entity a proposed one is, and what is left to a person."""

import asyncio
from dataclasses import replace

import pytest

from app.kernel.database import Database
from app.ledger.nodes.entities import EntityDraft, create_entities, list_entities
from app.remember.placements import RelationshipOutcome
from app.remember.submission import EntityProposal, Submission
from app.tenancy.callers import Caller
from tests.conftest import MakeTeam
from tests.integration.submissions import place, remember, rows, run, scope, state, submit

GOOD = state("FastAPI", "depends_on", "Starlette")


def about(subject: EntityProposal, object_entity: EntityProposal | None = None) -> Submission:
    return replace(GOOD, entities=(subject, object_entity or GOOD.entities[1]))


async def create(database: Database, caller: Caller, *drafts: EntityDraft) -> list[str]:
    created = await database.unit_of_work(
        scope(caller), lambda w: create_entities(w, caller.team_id, drafts, profile_id=caller.profile_id)
    )
    return [entity.entity_id for entity in created]


async def subject_of(database: Database, caller: Caller, outcome: RelationshipOutcome) -> str:
    [row] = await rows(
        database,
        caller,
        "SELECT subject_entity_id FROM relationships WHERE team_id = %(team_id)s AND id = %(id)s",
        id=outcome.relationship_id,
    )
    subject: str = row["subject_entity_id"]
    return subject


@pytest.mark.parametrize("name", ["FastAPI", "fastapi", " FastAPI ", "fast-api"])
async def test_one_match_is_reused(database: Database, team: Caller, name: str) -> None:
    [known] = await create(database, team, EntityDraft("product", "FastAPI", ("Fast-API",)))
    outcome = await remember(database, team, about(EntityProposal("s", name)))
    assert await subject_of(database, team, outcome) == known


async def test_exact_name_outweighs_folded_name_and_alias(database: Database, team: Caller) -> None:
    exact, _, _ = await create(
        database,
        team,
        EntityDraft("other", "Go"),
        EntityDraft("other", "GO"),
        EntityDraft("other", "Golang", ("Go",)),
    )
    outcome = await remember(database, team, about(EntityProposal("s", "Go")))
    assert await subject_of(database, team, outcome) == exact


async def test_several_matches_open_an_identity_review_and_guess_nothing(
    database: Database, team: Caller
) -> None:
    ids = await create(database, team, EntityDraft("place", "Mercury"), EntityDraft("product", "Mercury"))
    ingest_id = await submit(database, team, about(EntityProposal("s", "Mercury")))
    placed = await place(database, team, ingest_id)
    outcome = placed.relationship_outcomes[0]
    assert placed.processing_state == "awaiting_review"
    assert (outcome.category, outcome.reason) == ("identity_needs_review", "ambiguous_name")
    assert outcome.relationship_id is None
    [review] = await rows(database, team, "SELECT * FROM review_tasks WHERE team_id = %(team_id)s")
    assert (review["id"], review["kind"], review["status"]) == (outcome.review_id, "identity", "open")
    assert review["options"] == [*sorted(ids), "new"]
    assert (review["ingest_id"], review["proposal_id"]) == (ingest_id, "p1")
    assert not await rows(database, team, "SELECT 1 FROM relationships WHERE team_id = %(team_id)s")
    names = await rows(database, team, "SELECT name FROM entities WHERE team_id = %(team_id)s")
    assert {row["name"] for row in names} == {"Mercury"}


async def test_kind_tells_homonyms_apart(database: Database, team: Caller) -> None:
    _, product = await create(
        database, team, EntityDraft("place", "Mercury"), EntityDraft("product", "Mercury")
    )
    outcome = await remember(database, team, about(EntityProposal("s", "Mercury", "product")))
    assert await subject_of(database, team, outcome) == product


async def test_homonym_of_another_kind_is_created(database: Database, team: Caller) -> None:
    [city] = await create(database, team, EntityDraft("place", "Mercury"))
    outcome = await remember(database, team, about(EntityProposal("s", "Mercury", "product")))
    assert await subject_of(database, team, outcome) != city


async def test_hint_is_followed_when_the_name_fits(database: Database, team: Caller) -> None:
    ids = await create(database, team, EntityDraft("other", "Mercury"), EntityDraft("other", "Mercury"))
    hinted = EntityProposal("s", "mercury", known_entity_id=ids[1])
    outcome = await remember(database, team, about(hinted))
    assert await subject_of(database, team, outcome) == ids[1]


@pytest.mark.parametrize("shape", ["missing", "malformed", "foreign", "merged", "other_prefix"])
async def test_hint_that_is_no_entity_of_the_team_is_unknown_whatever_it_is(
    database: Database, unruled: Database, team: Caller, make_team: MakeTeam, shape: str
) -> None:
    [merged] = await create(database, team, EntityDraft("other", "FastAPI"))
    await run(
        unruled,
        team,
        "UPDATE entities SET is_merged = true WHERE team_id = %(team_id)s AND id = %(id)s RETURNING id",
        id=merged,
    )
    [foreign] = await create(database, await make_team(), EntityDraft("other", "FastAPI"))
    hint = {
        "missing": "ent_00000000000000000000000000",
        "malformed": "'; --",
        "foreign": foreign,
        "merged": merged,
        "other_prefix": merged.replace("ent_", "val_"),
    }[shape]
    outcome = await remember(database, team, about(EntityProposal("s", "FastAPI", known_entity_id=hint)))
    assert (outcome.category, outcome.reason) == ("identity_needs_review", "known_entity_unknown")
    [review] = await rows(database, team, "SELECT options FROM review_tasks WHERE team_id = %(team_id)s")
    assert review["options"] == ["new"]


async def test_hint_to_another_name_is_a_mismatch(database: Database, team: Caller) -> None:
    [flask] = await create(database, team, EntityDraft("product", "Flask"))
    outcome = await remember(database, team, about(EntityProposal("s", "FastAPI", known_entity_id=flask)))
    assert (outcome.category, outcome.reason) == ("identity_needs_review", "name_mismatch")


@pytest.mark.parametrize("name", ["the system", "It", "X"])
async def test_generic_name_is_refused(database: Database, team: Caller, name: str) -> None:
    outcome = await remember(database, team, about(EntityProposal("s", name)))
    assert (outcome.category, outcome.reason) == ("identity_needs_review", "generic_name")
    assert not await rows(database, team, "SELECT 1 FROM entities WHERE team_id = %(team_id)s")


async def test_two_refs_of_one_thing_make_a_self_loop_and_one_entity(
    database: Database, team: Caller
) -> None:
    outcome = await remember(
        database, team, about(EntityProposal("s", "FastAPI"), EntityProposal("o", "fastapi"))
    )
    assert (outcome.category, outcome.reason) == ("relationship_rejected", "self_loop")
    assert not await rows(database, team, "SELECT 1 FROM relationships WHERE team_id = %(team_id)s")


async def test_unknown_predicate_names_the_nearest_registered_ones(database: Database, team: Caller) -> None:
    outcome = await remember(database, team, state("FastAPI", "depends_upon", "Starlette"))
    assert (outcome.category, outcome.reason) == ("predicate_needs_review", "predicate_unknown")
    assert outcome.predicate_options[0] == "depends_on"
    assert len(outcome.predicate_options) == 5
    [review] = await rows(database, team, "SELECT kind FROM review_tasks WHERE team_id = %(team_id)s")
    assert review["kind"] == "predicate"
    assert not await rows(database, team, "SELECT 1 FROM entities WHERE team_id = %(team_id)s")


@pytest.mark.parametrize("name", ["requires-dist", "Depends on"])
async def test_alias_and_label_of_a_predicate_are_its_names_too(
    database: Database, team: Caller, name: str
) -> None:
    outcome = await remember(database, team, state("FastAPI", name, "Starlette"))
    [row] = await rows(
        database,
        team,
        "SELECT predicate_key FROM relationships WHERE id = %(id)s",
        id=outcome.relationship_id,
    )
    assert row["predicate_key"] == "depends_on"


async def test_endpoint_of_a_wrong_kind_needs_a_predicate_that_takes_it(
    database: Database, team: Caller
) -> None:
    place_ = EntityProposal("s", "Berlin", "place")
    submission = replace(
        state("Berlin", "licensed_under", "MIT"), entities=(place_, EntityProposal("o", "MIT"))
    )
    outcome = await remember(database, team, submission)
    assert (outcome.category, outcome.reason) == ("predicate_needs_review", "endpoint_kind_invalid")
    assert "licensed_under" not in outcome.predicate_options
    assert outcome.message is not None
    assert outcome.message.startswith(
        "The subject is of kind place, and licensed_under takes these: project, product, document, concept, "
    )


async def test_the_kind_that_does_not_fit_is_the_known_entitys_own(database: Database, team: Caller) -> None:
    await create(database, team, EntityDraft("product", "Starlette"))
    outcome = await remember(database, team, state("FastAPI", "works_for", "Starlette"))
    assert outcome.message is not None
    assert "is of kind product, and works_for takes these" in outcome.message


async def test_concurrent_submissions_of_a_new_name_make_one_entity(database: Database, team: Caller) -> None:
    submissions = [state("FastAPI", "depends_on", f"Package{index}") for index in range(6)]
    await asyncio.gather(*(remember(database, team, submission) for submission in submissions))
    async with database.reading(scope(team)) as reading:
        found = await list_entities(reading, team.team_id, search="fastapi")
    assert [entity.name for entity in found.items] == ["FastAPI"]
