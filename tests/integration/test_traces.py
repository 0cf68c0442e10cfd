"""A trace of any length: bounded page by page, complete over all of them, and as of a moment."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final, LiteralString

import psycopg
import pytest

from app.kernel.database import Database
from app.kernel.errors import InvalidInput, NotFound
from app.ledger.trace import _SUPPORTS
from app.recall.trace import MemoryTrace, TraceQuery, trace_memory
from app.tenancy.callers import Caller
from tests import factories
from tests.conftest import MakeProfile
from tests.databases import admin_url
from tests.factories import Position, make_entity, make_relationship
from tests.integration.changes import cases, decide, evidence_of, license_fastapi, retract, retract_text
from tests.integration.submissions import remember, rows, scope, state

MANY: Final = 5_000
INSTANT: Final = timedelta(microseconds=1)
LISTS: Final = ("supports", "verification_events", "transitions", "equivalent_relationship_ids")


async def read(database: Database, team: Caller, relationship_id: str | None, **asked: Any) -> MemoryTrace:
    async with database.snapshot(scope(team), plans="kept") as reading:
        return await trace_memory(
            reading, team.team_id, relationship_id or "", TraceQuery(**asked), now=datetime.now(UTC)
        )


async def test_a_story_of_5000_of_each_comes_whole_in_bounded_pages(
    database: Database, database_name: str, team: Caller
) -> None:
    ends = [await make_entity(database, team, name) for name in ("FastAPI", "Ice")]
    made = await make_relationship(database, team, ends[0], "caused", ends[1])
    params = {
        "team_id": team.team_id,
        "id": made.relationship_id,
        "profile_id": team.profile_id,
        "many": MANY,
        "evidence_id": made.evidence_id,
    }
    with psycopg.connect(admin_url(database_name)) as connection:
        # Rows as such: what accounts for each of them is not what is asked about here.
        connection.execute("SET LOCAL session_replication_role = replica")
        for statement in _MULTIPLY:
            connection.execute(statement, params)
    seen: dict[str, list[object]] = {name: [] for name in LISTS}
    cursor: str | None = None
    pages = 0
    while True:
        page = await read(database, team, made.relationship_id, cursor=cursor)
        pages += 1
        for name in LISTS:
            part = getattr(page.trace, name)
            assert len(part) <= 100
            seen[name].extend(part)
        cursor = page.next_cursor
        if cursor is None:
            break
    assert pages == MANY // 100 + 1
    assert {name: len(found) for name, found in seen.items()} == dict.fromkeys(LISTS, MANY + 1) | {
        "equivalent_relationship_ids": MANY
    }
    assert all(len(set(found)) == len(found) for found in seen.values())
    assert [one.version for one in seen["transitions"]] == list(range(1, MANY + 2))  # type: ignore[attr-defined]  # Transitions, as named.


async def test_a_kept_plan_of_a_page_goes_by_keys_although_there_is_little_yet(
    database: Database, database_name: str, team: Caller
) -> None:
    outcome = await remember(database, team, state("FastAPI", "depends_on", "Starlette"))
    with psycopg.connect(admin_url(database_name)) as connection:
        connection.execute("ANALYZE supports, citations, evidence")
    params = {"team_id": team.team_id, "id": outcome.relationship_id, "after": "", "limit": 101}
    async with database.snapshot(scope(team), plans="kept") as reading:
        lines = await reading.fetch_all(f"EXPLAIN {_SUPPORTS}", params)
    plan = "\n".join(line["QUERY PLAN"] for line in lines)
    for table in ("supports", "citations", "evidence"):
        assert f"Seq Scan on {table}" not in plan, plan


async def test_a_list_that_has_ended_stays_empty_while_the_others_go_on(
    database: Database, team: Caller
) -> None:
    outcome = await remember(database, team, state("FastAPI", "depends_on", "Starlette"))
    for place in range(3):
        text = f"FastAPI needs Starlette, says paper {place}."
        await remember(
            database, team, state("FastAPI", "depends_on", "Starlette", text=text, source_group=f"p{place}")
        )
    await factories.change_relationship(database, team, outcome.relationship_id or "", effect="harmless")
    first = await read(database, team, outcome.relationship_id, limit=4)
    second = await read(database, team, outcome.relationship_id, limit=4, cursor=first.next_cursor)
    assert (len(first.trace.supports), len(second.trace.supports)) == (4, 0)
    assert [one.version for one in second.trace.transitions] == [5]
    assert second.next_cursor is None
    for wrong in ({"limit": 4, "known_at": datetime.now(UTC)}, {"limit": 4, "valid_at": datetime.now(UTC)}):
        with pytest.raises(InvalidInput):
            await read(database, team, outcome.relationship_id, cursor=first.next_cursor, **wrong)


async def test_a_trace_as_of_a_moment_tells_what_was_known_then(
    database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    other = await make_profile(team, "Other")
    first = await license_fastapi(database, team, "MIT", source_group="one")
    await license_fastapi(database, team, "MIT", source_group="two")
    two_voices = datetime.now(UTC)
    [spoken, *_] = await evidence_of(database, team, first.relationship_id or "")
    await retract_text(database, team, spoken)
    one_voice = datetime.now(UTC)
    theirs = await license_fastapi(database, other, "BSD")
    disputed = datetime.now(UTC)
    [case] = await cases(database, team)
    await decide(database, team, case, theirs.relationship_id)
    decided = datetime.now(UTC)
    await retract(database, team, first.relationship_id)

    async def told(known_at: datetime | None) -> tuple[object, ...]:
        found = (await read(database, team, first.relationship_id, known_at=known_at)).trace
        return (
            found.relationship.position.tier,
            found.relationship.position.status,
            found.holds,
            [one.is_effective for one in found.supports],
            [(one.state, one.preferred_position_id is not None) for one in found.conflicts],
            len(found.transitions) == found.relationship.position.version,
        )

    assert await told(two_voices) == ("fact", "active", True, [True, True], [], True)
    assert await told(one_voice) == ("validated_claim", "active", True, [False, True], [], True)
    assert await told(disputed) == ("validated_claim", "active", True, [False, True], [("open", False)], True)
    assert await told(decided) == (
        *("validated_claim", "active", True, [False, True]),
        *([("resolved", True)], True),
    )
    assert (await told(None))[1:3] == ("retracted", False)


async def test_what_was_not_known_yet_has_no_trace_then(database: Database, team: Caller) -> None:
    outcome = await remember(database, team, state("FastAPI", "depends_on", "Starlette"))
    [first] = await rows(
        database, team, "SELECT created_at FROM relationship_transitions WHERE team_id = %(team_id)s"
    )
    entered: datetime = first["created_at"]
    assert (await read(database, team, outcome.relationship_id, known_at=entered)).trace.holds
    with pytest.raises(NotFound):
        await read(database, team, outcome.relationship_id, known_at=entered - INSTANT)
    with pytest.raises(InvalidInput):
        await read(database, team, outcome.relationship_id, known_at=datetime.now(UTC) + timedelta(days=1))


async def test_a_trace_says_whether_it_holds_at_a_moment(database: Database, team: Caller) -> None:
    ends = [await make_entity(database, team, name) for name in ("FastAPI", "MIT")]
    start, end = datetime(2010, 1, 1, tzinfo=UTC), datetime(2020, 1, 1, tzinfo=UTC)
    made = await make_relationship(
        database, team, ends[0], "licensed_under", ends[1], Position(valid_from=start, valid_to=end)
    )
    asked = {start - INSTANT: False, start: True, end - INSTANT: True, end: False}
    for valid_at, holds in asked.items():
        assert (await read(database, team, made.relationship_id, valid_at=valid_at)).trace.holds is holds


# As many more of each: supports by one evidence item, verdicts, transitions, copies of an event.
_MULTIPLY: Final[tuple[LiteralString, ...]] = (
    """
    INSERT INTO citations (team_id, id, evidence_id, starts, ends, quote)
    SELECT %(team_id)s, 'cit_' || lpad(n::text, 26, '0'), %(evidence_id)s, ARRAY[n], ARRAY[n + 1], 'As written.'
    FROM generate_series(1, %(many)s) AS n
    """,
    """
    INSERT INTO supports (team_id, relationship_id, citation_id, is_granted)
    SELECT %(team_id)s, %(id)s, 'cit_' || lpad(n::text, 26, '0'), true FROM generate_series(1, %(many)s) AS n
    """,
    """
    INSERT INTO verification_events
        (team_id, id, relationship_id, citation_id, verdict, confidence, schema_valid, verifier_kind,
         verifier_version, rationale)
    SELECT %(team_id)s, 'ver_' || lpad(n::text, 26, '0'), %(id)s, 'cit_' || lpad(n::text, 26, '0'), 'entailed', 1,
           true, 'lexical', 'test', 'As written.'
    FROM generate_series(1, %(many)s) AS n
    """,
    """
    INSERT INTO relationship_transitions
        (team_id, relationship_id, version, from_tier, to_tier, from_status, to_status, reason, effect)
    SELECT %(team_id)s, %(id)s, n + 1, 'validated_claim', 'validated_claim', 'active', 'active', 'test', 'harmless'
    FROM generate_series(1, %(many)s) AS n
    """,
    """
    INSERT INTO relationships
        (team_id, id, owner_profile_id, subject_entity_id, predicate_key, predicate_version, object_entity_id,
         polarity, modality, valid_from, semantic_group_key, target_identity, tier, status, version)
    SELECT team_id, 'rel_' || lpad(n::text, 26, '0'), owner_profile_id, subject_entity_id, predicate_key,
           predicate_version, object_entity_id, polarity, modality, '2020-01-01'::timestamptz + n * interval '1 h',
           semantic_group_key, target_identity, tier, status, 1
    FROM relationships, generate_series(1, %(many)s) AS n
    WHERE team_id = %(team_id)s AND id = %(id)s
    """,
)
