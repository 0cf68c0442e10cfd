"""Two entities become one and two again: names and positions follow, and nothing is lost."""

from dataclasses import replace

import pytest

from app.kernel.database import Database
from app.kernel.errors import InvalidInput, NotFound, WrongState
from app.ledger.nodes.entities import get_entity
from app.ledger.nodes.merge_suggestions import suggest_merges
from app.tenancy.callers import Caller
from tests.conftest import MakeTeam
from tests.factories import make_entity
from tests.integration.changes import (
    evidence_of,
    license_fastapi,
    said_by,
    standing,
    story,
)
from tests.integration.merging import (
    INSUFFICIENT,
    entity,
    fast_and_api,
    merge,
    positions,
    unmerge,
)
from tests.integration.submissions import (
    ScriptedVerifier,
    is_eligible,
    relationship,
    remember,
    rows,
    scope,
    state,
)


async def test_a_merge_moves_positions_by_successors_and_keeps_the_old_ones(
    database: Database, team: Caller
) -> None:
    old_entity, into, old = await fast_and_api(database, team)
    merged = await merge(database, team, old_entity, into)
    [successor] = await positions(database, team, into)
    assert (successor["tier"], successor["status"]) == ("validated_claim", "active")
    assert await standing(database, team, old) == ("validated_claim", "superseded")
    assert {one.id for one in merged.changed} == {old, successor["id"]}
    assert await is_eligible(database, team, successor["id"])
    assert not await is_eligible(database, team, old)
    assert (await story(database, team, old))[-1][0] == "entity_merged"
    assert await evidence_of(database, team, successor["id"]) == await evidence_of(database, team, old)


async def test_an_unmerge_gives_everything_back(database: Database, team: Caller) -> None:
    old_entity, into, old = await fast_and_api(database, team)
    await merge(database, team, old_entity, into)
    [successor] = await positions(database, team, into)
    await unmerge(database, team, old_entity)
    assert await standing(database, team, old) == ("validated_claim", "active")
    assert await is_eligible(database, team, old)
    assert (await standing(database, team, successor["id"]))[1] == "retracted"
    assert await positions(database, team, into) == []
    assert await entity(database, team, "Fast API") == old_entity
    events = await rows(
        database,
        team,
        "SELECT event, reason FROM entity_merge_events WHERE team_id = %(team_id)s ORDER BY created_at",
    )
    assert [(row["event"], row["reason"]) for row in events] == [
        ("merged", "Same."),
        ("unmerged", "Not the same."),
    ]


async def test_names_of_the_merged_entity_lead_to_the_survivor_for_as_long_as_it_lasts(
    database: Database, team: Caller
) -> None:
    old_entity, into, _ = await fast_and_api(database, team)
    await merge(database, team, old_entity, into)
    assert await entity(database, team, "fast api") == into
    async with database.reading(scope(team)) as reading:
        assert (await get_entity(reading, team.team_id, into)).aliases == ("Fast API",)
        with pytest.raises(NotFound):
            await get_entity(reading, team.team_id, old_entity)
    added = await remember(database, team, state("Fast API", "depends_on", "Pydantic"))
    assert (await relationship(database, team, added.relationship_id))["subject_entity_id"] == into
    await unmerge(database, team, old_entity)
    # What was remembered since stays with the survivor.
    assert [row["id"] for row in await positions(database, team, into)] == [added.relationship_id]


async def test_a_hint_at_the_merged_entity_means_the_survivor(database: Database, team: Caller) -> None:
    old_entity, into, _ = await fast_and_api(database, team)
    await merge(database, team, old_entity, into)
    plain = state("Fast API", "depends_on", "Pydantic")
    hinted = replace(
        plain, entities=(replace(plain.entities[0], known_entity_id=old_entity), plain.entities[1])
    )
    outcome = await remember(database, team, hinted)
    assert (await relationship(database, team, outcome.relationship_id))["subject_entity_id"] == into


async def test_merges_in_a_chain_are_undone_from_the_end(database: Database, team: Caller) -> None:
    first, second, old = await fast_and_api(database, team)
    third = await make_entity(database, team, "fastapi framework", kind="other")
    await merge(database, team, first, second)
    await merge(database, team, second, third)
    assert await entity(database, team, "Fast API") == third
    assert len(await positions(database, team, third)) == 1
    with pytest.raises(WrongState) as refused:
        await unmerge(database, team, first)
    assert refused.value.code == "survivor_merged"
    await unmerge(database, team, second)
    await unmerge(database, team, first)
    assert await standing(database, team, old) == ("validated_claim", "active")
    assert [await positions(database, team, one) for one in (second, third)] == [[], []]


async def test_an_entity_may_be_merged_again_after_it_was_unmerged(database: Database, team: Caller) -> None:
    old_entity, into, old = await fast_and_api(database, team)
    for _ in range(2):
        await merge(database, team, old_entity, into)
        await unmerge(database, team, old_entity)
    assert await standing(database, team, old) == ("validated_claim", "active")
    await merge(database, team, old_entity, into)
    [successor] = await positions(database, team, into)
    assert successor["status"] == "active"


async def test_equal_positions_of_one_owner_become_one_with_both_supports(
    database: Database, team: Caller
) -> None:
    own = await remember(database, team, said_by("a"))
    old = await remember(database, team, said_by("b", "Fast API"))
    old_entity, into = [await entity(database, team, name) for name in ("Fast API", "FastAPI")]
    await merge(database, team, old_entity, into)
    assert await standing(database, team, own.relationship_id) == ("fact", "active")
    assert len(await positions(database, team, into)) == 1
    await unmerge(database, team, old_entity)
    assert await standing(database, team, own.relationship_id) == ("validated_claim", "active")
    assert await standing(database, team, old.relationship_id) == ("validated_claim", "active")


async def test_candidates_stay_candidates_with_their_verdict(database: Database, team: Caller) -> None:
    text = "Fast API depends on Starlette."
    old = await remember(
        database,
        team,
        state("Fast API", "depends_on", "Starlette"),
        verifier=ScriptedVerifier({text: INSUFFICIENT}),
    )
    assert await is_eligible(database, team, old.relationship_id)
    into = await make_entity(database, team, "FastAPI", kind="other")
    old_entity = await entity(database, team, "Fast API")
    await merge(database, team, old_entity, into)
    [successor] = await positions(database, team, into)
    assert (successor["tier"], successor["status"]) == ("candidate", "pending_evidence")
    assert await is_eligible(database, team, successor["id"])
    await unmerge(database, team, old_entity)
    assert await is_eligible(database, team, old.relationship_id)
    assert not await is_eligible(database, team, successor["id"])


async def test_a_merge_that_cannot_be_is_refused(
    database: Database, team: Caller, make_team: MakeTeam
) -> None:
    old_entity, into, _ = await fast_and_api(database, team)
    person = await make_entity(database, team, "Ada Lovelace", kind="person")
    product = await make_entity(database, team, "Engine", kind="product")
    foreign = await make_entity(database, await make_team(), "FastAPI")
    for one, other in ((old_entity, old_entity), (person, product)):
        with pytest.raises(InvalidInput):
            await merge(database, team, one, other)
    for one, other in ((old_entity, foreign), (foreign, into), (old_entity, "ent_x"), ("x", into)):
        with pytest.raises(NotFound, match="No such entity"):
            await merge(database, team, one, other)
    with pytest.raises(WrongState) as refused:
        await unmerge(database, team, old_entity)
    assert refused.value.code == "not_merged"
    await merge(database, team, old_entity, into)
    for one, other in ((old_entity, person), (product, old_entity)):
        with pytest.raises(WrongState) as refused:
            await merge(database, team, one, other)
        assert refused.value.code == "entity_merged"


async def test_an_entity_with_a_position_under_review_is_not_merged(database: Database, team: Caller) -> None:
    await license_fastapi(database, team, "BSD")
    await license_fastapi(database, team, "MIT")
    into = await make_entity(database, team, "Fast API", kind="other")
    with pytest.raises(WrongState) as refused:
        await merge(database, team, await entity(database, team, "FastAPI"), into)
    assert refused.value.code == "review_open"


async def test_suggestions_are_only_suggestions(
    database: Database, team: Caller, make_team: MakeTeam
) -> None:
    fastapi = await make_entity(database, team, "FastAPI", kind="product", aliases=["fast-api"])
    homonym = await make_entity(database, team, "fastapi", kind="other")
    spaced = await make_entity(database, team, "Fast API", kind="product")
    alike = await make_entity(database, team, "FastAPI Users", kind="product")
    await make_entity(database, team, "FastAPI", kind="person")
    await make_entity(database, team, "Starlette", kind="product")
    await make_entity(database, await make_team(), "FastAPI", kind="product")
    before = await rows(database, team, "SELECT * FROM entities WHERE team_id = %(team_id)s ORDER BY id")
    async with database.reading(scope(team)) as reading:
        found = await suggest_merges(reading, team.team_id, fastapi)
    likeness = {one.entity.entity_id: one.likeness for one in found}
    assert likeness == {homonym: "same_name", spaced: "same_letters", alike: "alike"}
    assert found[0].entity.entity_id == homonym
    assert (
        await rows(database, team, "SELECT * FROM entities WHERE team_id = %(team_id)s ORDER BY id") == before
    )
