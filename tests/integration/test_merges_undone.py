"""Several merges into one entity, undone in any order: each takes back what it brought, and nothing else."""

from dataclasses import replace
from datetime import UTC, datetime

import psycopg
import pytest
from psycopg.types.json import Jsonb

from app.kernel.database import Database
from app.remember.submission import CitedSpan, EntityProposal, Submission
from app.tenancy.callers import Caller
from tests.concurrency.ledger_checks import find_broken
from tests.databases import admin_url
from tests.factories import make_entity
from tests.integration.changes import answer, open_reviews, retract, said_by, standing
from tests.integration.merging import INSUFFICIENT, entity, merge, positions, unmerge
from tests.integration.submissions import (
    ScriptedVerifier,
    is_eligible,
    place,
    relationship,
    remember,
    rows,
    state,
    submit,
)

CLAIM = ("validated_claim", "active")
NAMES = ("Fast API", "fast-api")


def both_say(*subjects: str) -> Submission:
    """One sentence of which each of the subjects' claims cites all."""
    first = said_by("both", subjects[0])
    text = f"{' and '.join(subjects)} depend on Starlette."
    entities = (EntityProposal("o", "Starlette"), *(EntityProposal(name, name) for name in subjects))
    proposals = tuple(
        replace(
            first.relationships[0], proposal_id=name, subject_ref=name, evidence=(CitedSpan(0, 0, len(text)),)
        )
        for name in subjects
    )
    return replace(
        first,
        evidence=(replace(first.evidence[0], content=text),),
        entities=entities,
        relationships=proposals,
    )


async def test_a_citation_that_two_merges_brought_stays_until_both_are_undone(
    database: Database, team: Caller
) -> None:
    placed = await place(database, team, await submit(database, team, both_say(*NAMES)))
    olds = [outcome.relationship_id for outcome in placed.relationship_outcomes]
    into = await make_entity(database, team, "FastAPI", kind="other")
    first, second = [await entity(database, team, name) for name in NAMES]
    await merge(database, team, first, into)
    await merge(database, team, second, into)
    [successor] = await positions(database, team, into)
    await unmerge(database, team, first)
    assert await standing(database, team, olds[0]) == CLAIM
    assert await standing(database, team, successor["id"]) == CLAIM
    await unmerge(database, team, second)
    assert await standing(database, team, olds[1]) == CLAIM
    assert await positions(database, team, into) == []
    assert await find_broken(database, team.team_id) == {}


async def test_a_before_image_that_lists_only_what_was_gained_is_read_as_well(
    database: Database, database_name: str, team: Caller
) -> None:
    placed = await place(database, team, await submit(database, team, both_say(*NAMES)))
    into = await make_entity(database, team, "FastAPI", kind="other")
    merged = [await entity(database, team, name) for name in NAMES]
    for one in merged:
        await merge(database, team, one, into)
    with psycopg.connect(admin_url(database_name)) as connection:
        connection.execute("SET session_replication_role = replica")
        for one, citations, is_created in ((merged[0], None, True), (merged[1], [], False)):
            connection.execute(
                _AS_BEFORE, {"id": one, "citations": Jsonb(citations), "is_created": is_created}
            )
    for one, outcome in zip(merged, placed.relationship_outcomes, strict=True):
        await unmerge(database, team, one)
        assert await standing(database, team, outcome.relationship_id) == CLAIM
    assert await positions(database, team, into) == []


async def test_a_citation_that_is_said_of_the_survivor_too_stays_with_it(
    database: Database, team: Caller
) -> None:
    """Which survivor the sentence means is answered only after the merge had lent it the same sentence."""
    into, _ = [await make_entity(database, team, "FastAPI", kind="other") for _ in range(2)]
    placed = await place(database, team, await submit(database, team, both_say("Fast API", "FastAPI")))
    old, held = placed.relationship_outcomes
    merged = await entity(database, team, "Fast API")
    await merge(database, team, merged, into)
    [successor] = await positions(database, team, into)
    await answer(database, team, held.review_id, into)
    await place(database, team, placed.ingest_id)
    await unmerge(database, team, merged)
    assert await standing(database, team, old.relationship_id) == CLAIM
    assert await standing(database, team, successor["id"]) == CLAIM


async def test_what_its_owner_took_back_two_merges_on_stays_taken_back(
    database: Database, team: Caller
) -> None:
    """Through the position between, which no later merge brings back either."""
    old = await remember(database, team, said_by("a", "Fast API"))
    await remember(database, team, said_by("b", "fast-api"))
    first, other = [await entity(database, team, name) for name in NAMES]
    second, third = [await make_entity(database, team, name, kind="other") for name in ("FastAPI", "Fast")]
    await merge(database, team, first, second)
    [between] = await positions(database, team, second)
    await merge(database, team, second, third)
    [successor] = await positions(database, team, third)
    await retract(database, team, successor["id"])
    await remember(database, team, said_by("c", "Fast"))
    await unmerge(database, team, second)
    assert (await standing(database, team, between["id"]))[1] == "retracted"
    await merge(database, team, other, second)
    assert (await standing(database, team, between["id"]))[1] == "retracted"
    await unmerge(database, team, other)
    await unmerge(database, team, first)
    assert (await standing(database, team, old.relationship_id))[1] == "retracted"
    assert await standing(database, team, successor["id"]) == CLAIM


async def test_what_only_a_merge_had_held_goes_on_when_that_is_undone(
    database: Database, team: Caller
) -> None:
    """Undoing the first merge meets what the second one brought; undoing that lets it go on."""
    old = await remember(database, team, state("FastAPI", "licensed_under", "MIT"))
    await remember(database, team, state("Fast API", "licensed_under", "BSD"))
    license_id, other_license, name, into = [
        await entity(database, team, one) for one in ("MIT", "BSD", "Fast API", "FastAPI")
    ]
    await merge(database, team, license_id, other_license)
    await merge(database, team, name, into)
    await unmerge(database, team, license_id)
    [review] = await open_reviews(database, team)
    assert (review.relationship_id, review.reason) == (old.relationship_id, "entity_unmerged")
    await unmerge(database, team, name)
    assert await open_reviews(database, team) == []
    assert await standing(database, team, old.relationship_id) == CLAIM
    assert await find_broken(database, team.team_id) == {}


async def test_what_an_undone_merge_left_behind_does_not_speak_for_its_owner(
    database: Database, team: Caller
) -> None:
    await remember(database, team, said_by("a", "Fast API"))
    into = await make_entity(database, team, "FastAPI", kind="other")
    old = await entity(database, team, "Fast API")
    await merge(database, team, old, into)
    await unmerge(database, team, old)
    said = said_by("b")
    weak = ScriptedVerifier({said.evidence[0].content: INSUFFICIENT})
    placed = await remember(database, team, said, verifier=weak)
    assert placed.category == "relationship_pending_evidence"
    assert await standing(database, team, placed.relationship_id) == ("candidate", "pending_evidence")
    assert await is_eligible(database, team, placed.relationship_id)


async def test_a_window_that_an_undone_merge_left_behind_is_nobodys(database: Database, team: Caller) -> None:
    end = datetime(2024, 1, 1, tzinfo=UTC)
    await remember(database, team, state("Fast API", "depends_on", "Starlette", valid_to=end))
    into = await make_entity(database, team, "FastAPI", kind="other")
    old = await entity(database, team, "Fast API")
    await merge(database, team, old, into)
    await unmerge(database, team, old)
    placed = await remember(database, team, said_by("b"))
    assert (await relationship(database, team, placed.relationship_id))["valid_to"] is None


async def test_what_comes_back_with_another_merge_has_the_window_of_that(
    database: Database, team: Caller
) -> None:
    end = datetime(2024, 1, 1, tzinfo=UTC)
    await remember(database, team, state("Fast API", "depends_on", "Starlette", valid_to=end))
    await remember(database, team, said_by("b", "fast-api"))
    into = await make_entity(database, team, "FastAPI", kind="other")
    first, second = [await entity(database, team, name) for name in NAMES]
    windows = []
    for one in (first, second, first):
        await merge(database, team, one, into)
        [successor] = await positions(database, team, into)
        windows.append((await relationship(database, team, successor["id"]))["valid_to"])
        await unmerge(database, team, one)
    assert windows == [end, None, end]


async def test_a_question_about_it_waits_as_one_about_anything_new(database: Database, team: Caller) -> None:
    await remember(database, team, said_by("a", "Fast API"))
    into = await make_entity(database, team, "FastAPI", kind="other")
    old = await entity(database, team, "Fast API")
    await merge(database, team, old, into)
    await unmerge(database, team, old)
    placed = await remember(database, team, state("FastAPI", "depends_on", "Starlette", modality="question"))
    assert placed.category == "relationship_pending_evidence"
    assert await standing(database, team, placed.relationship_id) == ("candidate", "pending_evidence")
    assert (await relationship(database, team, placed.relationship_id))["modality"] == "question"


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
async def test_no_position_without_evidence_is_left_whatever_the_order(
    database: Database, team: Caller, order: tuple[int, int]
) -> None:
    olds = [await remember(database, team, said_by(*one)) for one in zip("ab", NAMES, strict=True)]
    into = await make_entity(database, team, "FastAPI", kind="other")
    merged = [await entity(database, team, name) for name in NAMES]
    for one in merged:
        await merge(database, team, one, into)
    [successor] = await positions(database, team, into)
    assert await standing(database, team, successor["id"]) == ("fact", "active")
    await unmerge(database, team, merged[order[0]])
    assert await standing(database, team, successor["id"]) == CLAIM
    await unmerge(database, team, merged[order[1]])
    assert [await standing(database, team, one.relationship_id) for one in olds] == [CLAIM, CLAIM]
    assert (await standing(database, team, successor["id"]))[1] == "retracted"


async def test_what_was_said_of_the_survivor_meanwhile_keeps_its_position_without_evidence(
    database: Database, team: Caller
) -> None:
    await remember(database, team, said_by("a", "Fast API"))
    into = await make_entity(database, team, "FastAPI", kind="other")
    old = await entity(database, team, "Fast API")
    await merge(database, team, old, into)
    said = said_by("b")
    await remember(database, team, said, verifier=ScriptedVerifier({said.evidence[0].content: INSUFFICIENT}))
    await unmerge(database, team, old)
    [left] = await positions(database, team, into)
    assert (left["tier"], left["status"]) == ("candidate", "pending_evidence")
    assert await is_eligible(database, team, left["id"])


async def test_what_its_owner_took_back_stays_taken_back_though_the_survivor_says_it_anew(
    database: Database, team: Caller
) -> None:
    old = await remember(database, team, said_by("a", "Fast API"))
    into = await make_entity(database, team, "FastAPI", kind="other")
    merged = await entity(database, team, "Fast API")
    await merge(database, team, merged, into)
    [successor] = await positions(database, team, into)
    await retract(database, team, successor["id"])
    await remember(database, team, said_by("b"))
    assert await standing(database, team, successor["id"]) == CLAIM
    await unmerge(database, team, merged)
    assert (await standing(database, team, old.relationship_id))[1] == "retracted"
    assert await standing(database, team, successor["id"]) == CLAIM
    supports = await rows(
        database,
        team,
        "SELECT is_granted FROM supports WHERE team_id = %(team_id)s AND relationship_id = %(id)s",
        id=old.relationship_id,
    )
    assert supports == [{"is_granted": False}]


_AS_BEFORE = """
    UPDATE entity_merge_events SET before_image = jsonb_set(
        before_image, '{positions,0}', before_image -> 'positions' -> 0
            || jsonb_build_object('is_created', %(is_created)s::boolean)
            || CASE WHEN %(citations)s = 'null'::jsonb THEN '{}'
                    ELSE jsonb_build_object('citation_ids', %(citations)s::jsonb) END)
    WHERE entity_id = %(id)s
"""
