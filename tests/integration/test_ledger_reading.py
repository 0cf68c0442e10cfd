"""Reading the ledger back: entities, traces, pages."""

from datetime import UTC, datetime, timedelta

import pytest

from app.kernel.database import Database
from app.kernel.errors import InvalidInput, NotFound
from app.ledger.conflicts.cases import list_conflicts
from app.ledger.evidence.detail import get_evidence_detail
from app.ledger.nodes.entities import EntityDraft, create_entities, get_entity, list_entities
from app.ledger.reviews import list_reviews
from app.ledger.trace import get_relationship, trace
from app.ledger.traced import TraceView
from app.ledger.vocabulary import Span
from app.tenancy.callers import Caller
from tests.conftest import MakeProfile, MakeTeam
from tests.integration.submissions import remember, rows, scope, state

NOW = datetime.now(UTC)


async def create(database: Database, caller: Caller, *drafts: EntityDraft) -> list[str]:
    created = await database.unit_of_work(
        scope(caller), lambda w: create_entities(w, caller.team_id, drafts, profile_id=caller.profile_id)
    )
    return [entity.entity_id for entity in created]


async def test_entities_of_one_moment_are_walked_without_gap_or_repeat(
    database: Database, team: Caller
) -> None:
    await create(database, team, *(EntityDraft("other", f"Package{index}") for index in range(25)))
    seen: list[str] = []
    cursor = None
    async with database.reading(scope(team)) as reading:
        while True:
            page = await list_entities(reading, team.team_id, limit=10, cursor=cursor)
            seen += [entity.name for entity in page.items]
            cursor = page.next_cursor
            if cursor is None:
                break
    assert sorted(seen) == sorted(f"Package{index}" for index in range(25))


async def test_entities_are_searched_by_part_of_name_or_alias(database: Database, team: Caller) -> None:
    await create(
        database,
        team,
        EntityDraft("product", "C++"),
        EntityDraft("product", "100%_real"),
        EntityDraft("place", "München", ("Munich",)),
    )

    async def found(search: str, kind: str | None = None) -> list[str]:
        async with database.reading(scope(team)) as reading:
            page = await list_entities(reading, team.team_id, search=search, kind=kind)  # type: ignore[arg-type]  # Tests give the word as text.
        return [entity.name for entity in page.items]

    assert await found("c+") == ["C++"]
    assert await found("%_R") == ["100%_real"]
    assert await found("%") == ["100%_real"]
    assert await found("MUNIC") == ["München"]
    assert await found("mu\u0308nchen") == ["München"]
    assert await found("c+", "place") == []


async def test_cursor_of_another_list_is_refused(database: Database, team: Caller) -> None:
    await create(database, team, EntityDraft("other", "A1"), EntityDraft("other", "A2"))
    async with database.reading(scope(team)) as reading:
        page = await list_entities(reading, team.team_id, limit=1)
        assert page.next_cursor is not None
        with pytest.raises(InvalidInput):
            await list_entities(reading, team.team_id, limit=1, kind="place", cursor=page.next_cursor)
        with pytest.raises(InvalidInput):
            await list_reviews(reading, team.team_id, cursor=page.next_cursor)
        with pytest.raises(InvalidInput):
            await list_conflicts(reading, team.team_id, now=NOW, cursor="x")


async def test_trace_tells_the_whole_story(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    second = await make_profile(team, "Second")
    first = await remember(database, team, state("FastAPI", "licensed_under", "MIT"))
    again = "FastAPI is licensed under MIT."
    await remember(database, team, state("FastAPI", "licensed_under", "MIT", text=again, source_group="wiki"))
    copy = await remember(database, second, state("FastAPI", "licensed_under", "MIT"))
    third = await make_profile(team, "Third")
    await remember(database, third, state("FastAPI", "licensed_under", "BSD"))
    async with database.reading(scope(team)) as reading:
        story = await trace(reading, team.team_id, first.relationship_id or "", TraceView(NOW), now=NOW)
    detail = story.relationship
    assert (detail.position.tier, detail.position.status, detail.position.version) == ("fact", "active", 3)
    assert detail.subject is not None
    assert detail.object_entity is not None
    assert (detail.subject.name, detail.predicate_label, detail.object_entity.name) == (
        "FastAPI",
        "Licensed under",
        "MIT",
    )
    assert [(one.quote, one.spans, one.is_effective) for one in story.supports] == [
        (quote, (Span(0, len(quote)),), True) for quote in ("FastAPI licensed under MIT.", again)
    ]
    assert [one.verdict for one in story.verification_events] == ["entailed", "entailed"]
    assert [one.reason for one in story.transitions] == ["remembered", "remembered", "conflict_opened"]
    assert story.equivalent_relationship_ids == (copy.relationship_id,)
    [conflict] = story.conflicts
    assert {len(position.relationship_ids) for position in conflict.positions} == {1, 2}


async def test_overdue_case_is_a_matter_of_the_clock(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    await remember(database, team, state("FastAPI", "licensed_under", "MIT"))
    second = await make_profile(team, "Second")
    await remember(database, second, state("FastAPI", "licensed_under", "BSD"))
    later = NOW + timedelta(days=8)
    async with database.reading(scope(team)) as reading:
        [case] = (await list_conflicts(reading, team.team_id, now=later)).items
        assert case.state == "overdue"
        assert (await list_conflicts(reading, team.team_id, now=later, state="open")).items == ()
        assert len((await list_conflicts(reading, team.team_id, now=NOW, state="open")).items) == 1


@pytest.mark.parametrize("shape", ["missing", "malformed", "foreign"])
async def test_ids_that_are_not_the_teams_are_not_found_alike(
    database: Database, team: Caller, make_team: MakeTeam, shape: str
) -> None:
    other = await make_team()
    outcome = await remember(database, other, state("FastAPI", "depends_on", "Starlette"))
    [evidence] = await rows(database, other, "SELECT id FROM evidence WHERE team_id = %(team_id)s")
    [entity] = await rows(
        database, other, "SELECT id FROM entities WHERE team_id = %(team_id)s AND name = 'FastAPI'"
    )
    relationship_id = outcome.relationship_id or ""
    if shape == "missing":
        relationship_id = "rel_00000000000000000000000000"
        entity, evidence = {"id": "ent_00000000000000000000000000"}, {"id": "evd_00000000000000000000000000"}
    elif shape == "malformed":
        relationship_id, entity, evidence = "rel_1", {"id": "\ud800"}, {"id": "EVD_"}
    async with database.reading(scope(team)) as reading:
        with pytest.raises(NotFound, match=r"^No such Relationship\.$"):
            await get_relationship(reading, team.team_id, relationship_id)
        with pytest.raises(NotFound, match=r"^No such entity\.$"):
            await get_entity(reading, team.team_id, entity["id"])
        with pytest.raises(NotFound, match=r"^No such evidence\.$"):
            await get_evidence_detail(reading, team, evidence["id"])
