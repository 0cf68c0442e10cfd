"""A team goes into a file and comes back equal; a file that is not whole brings nothing."""

import io
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import LiteralString

import psycopg
import pytest
from psycopg import sql

from app.archive.catalogue import LEFT_OUT
from app.archive.erase import erase_team_as_owner
from app.archive.export import export_team
from app.archive.lines import write_row
from app.archive.restore import import_team
from app.kernel.database import Database, Scope
from app.kernel.errors import InvalidInput, NotFound, WrongState
from app.kernel.ids import new_id
from app.kernel.settings import Settings
from app.tenancy.audit import list_team_audit
from app.tenancy.callers import Caller
from app.tenancy.teams import create_team, new_team_id
from tests.conftest import MakeProfile, MakeTeam
from tests.cycles import run_once
from tests.databases import admin_url, create_database, drop_database, service_url
from tests.integration.broken_files import (
    Row,
    changed,
    cut,
    find,
    resealed,
    with_header,
    with_line,
    with_more,
    with_team,
    without_a_row,
    without_last_line,
    without_team,
)
from tests.integration.full_team import STRANGE, digests, make_full_team, owner_of, team_tables

# Filled by what a model costs, by long dreaming and by people; their rows are like any other's.
_MAY_BE_EMPTY = {
    *("spending_permits", "spending_charges", "verifier_permits", "verifier_usage", "provider_exchanges"),
    "verifier_answers",
    "provider_batches",
    *("conflict_events", "premise_assessments", "evidence_decisions", "recall_feedback"),
}
# Their rows are numbered for all teams together.
_NUMBERED = ("support_events", "hypothesis_events", "conflict_events", "team_events")
_NOW = datetime(2026, 1, 2, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Exported:
    """A full team, what it was when it was exported, and its file."""

    team: Caller
    owner: Database
    digests: dict[str, tuple[int, str]]
    content: bytes


@pytest.fixture(scope="module")
async def exported(
    database: Database, database_name: str, settings: Settings, make_team: MakeTeam, make_profile: MakeProfile
) -> AsyncIterator[Exported]:
    team = await make_full_team(database, make_team, make_profile)
    owner = owner_of(settings, database_name)
    await owner.open()
    file = io.BytesIO()
    await export_team(owner, team.team_id, file, now=_NOW)
    yield Exported(team, owner, dict(digests(database_name, team.team_id)), file.getvalue())
    await owner.close()


@pytest.fixture
async def elsewhere(settings: Settings) -> AsyncIterator[tuple[str, Database]]:
    """Another instance: its database's name, and the database for its owner."""
    name = create_database()
    owner = owner_of(settings, name)
    await owner.open()
    yield name, owner
    await owner.close()
    drop_database(name)


async def test_a_team_comes_back_with_equal_content(
    exported: Exported, elsewhere: tuple[str, Database], settings: Settings
) -> None:
    name, owner = elsewhere
    header, counts = await import_team(owner, io.BytesIO(exported.content))
    assert header.team_id == exported.team.team_id
    found = dict(digests(name, header.team_id))
    events = found.pop("audit_events")
    # The act of importing is one more event; keys stay behind, and the team is planned anew.
    assert events[0] == exported.digests["audit_events"][0] + 1
    assert found.pop("dream_schedules")[0] == 1
    expected = {
        table: digest
        for table, digest in exported.digests.items()
        if table not in LEFT_OUT and table != "audit_events"
    }
    assert found == expected
    assert set(counts) == {*expected, "audit_events"}
    # It lives on: what waited is there to be leased, and it dreams.
    database = Database(settings, url=service_url(name))
    await database.open()
    try:
        async with database.reading(Scope("app", header.team_id)) as reading:
            page = await list_team_audit(reading, header.team_id, action=None, limit=2, cursor=None)
        assert [event.action for event in page.items] == ["team_imported", "team_exported"]
        assert (await run_once(database, exported.team)).status in (
            "succeeded",
            "skipped",
            "partially_rejected",
        )
    finally:
        await database.close()


async def test_every_table_is_exported_and_has_rows_here(exported: Exported) -> None:
    tables = {table.name for table in await team_tables(exported.owner)}
    filled = {json.loads(line)["table"] for line in exported.content.splitlines()[1:-1]}
    assert tables - filled <= _MAY_BE_EMPTY
    async with exported.owner.reading(Scope("owner")) as reading:
        rows = await reading.fetch_all(
            "SELECT relname::text AS name FROM pg_class"
            " WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'"
        )
    others = {row["name"] for row in rows} - tables - set(LEFT_OUT)
    # A table without a team in it is the instance's, and must be said to be.
    assert others == {"alembic_version", "instance_settings", "rate_buckets"}


async def test_the_file_is_json_lines_in_the_order_of_the_ledger(exported: Exported) -> None:
    first, *rows, last = [json.loads(line) for line in exported.content.splitlines()]
    assert (first["format"], first["version"], first["exported_at"]) == (
        "densemem-team",
        1,
        "2026-01-02T00:00:00+00:00",
    )
    assert (last["end"], last["rows"]) == (True, len(rows))
    order = list(dict.fromkeys(row["table"] for row in rows))
    for earlier, later in [("teams", "profiles"), ("evidence", "citations"), ("relationships", "supports")]:
        assert order.index(earlier) < order.index(later)
    assert [row["row"]["content"] for row in rows if row["table"] == "evidence"].count(STRANGE) == 2
    assert "api_keys" not in order
    assert b"key_digest" not in exported.content


@pytest.mark.parametrize(
    "spoil",
    [
        cut,
        without_last_line,
        without_a_row,
        changed,
        lambda content: content + b"{}\n",
        lambda content: b"",
        lambda content: b"[1]\n",
        lambda content: content.replace(b'"version":1', b'"version":2', 1),
        lambda content: content.replace(b'"revision":"', b'"revision":"x', 1),
        lambda content: content.replace(b'{"table":"evidence"', b'{"table":"secrets"', 1),
    ],
)
async def test_a_file_that_is_not_whole_leaves_nothing(
    exported: Exported, elsewhere: tuple[str, Database], spoil: Callable[[bytes], bytes]
) -> None:
    name, owner = elsewhere
    with pytest.raises(InvalidInput) as refused:
        await import_team(owner, io.BytesIO(spoil(exported.content)))
    assert refused.value.code == "archive_invalid"
    assert digests(name, exported.team.team_id) == {}


@pytest.mark.parametrize(
    "spoil",
    [
        with_header(team_id="nonsense"),
        with_header(team_id=5),
        with_header(name=5),
        with_header(name="Another"),
        with_header(team_id=new_id("team")),
        with_team(name=" "),
        with_more("teams", id=new_id("team"), name="Second"),
        with_more("relationships", id=new_id("rel"), tier="gospel"),
        with_line(b"[1]"),
        with_line(b"no JSON"),
        with_line(b"{}"),
        with_line(b'{"id": "\\u0000"}'),
        with_line(b'{"id": "\xff"}'),
        resealed(without_team),
    ],
)
async def test_a_file_with_rows_that_no_export_writes_is_refused(
    exported: Exported, elsewhere: tuple[str, Database], spoil: Callable[[bytes], bytes]
) -> None:
    _, owner = elsewhere
    with pytest.raises(InvalidInput) as refused:
        await import_team(owner, io.BytesIO(spoil(exported.content)))
    assert refused.value.code == "archive_invalid"
    async with owner.reading(Scope("owner")) as reading:
        assert await reading.fetch_all("SELECT id FROM teams") == []


async def test_a_file_moves_no_number_that_teams_share(
    exported: Exported, elsewhere: tuple[str, Database]
) -> None:
    def count_from_far(lines: list[bytes]) -> list[bytes]:
        numbered = tuple(b'{"table":"%s"' % table.encode() for table in _NUMBERED)
        return [
            line.replace(b'"row":{', b'"row":{"id":2147483647,', 1) if line.startswith(numbered) else line
            for line in lines
        ]

    name, owner = elsewhere
    content = resealed(count_from_far)(exported.content)
    assert content != exported.content
    header, counts = await import_team(owner, io.BytesIO(content))
    with psycopg.connect(admin_url(name)) as connection:
        for table in _NUMBERED:
            query = sql.SQL("SELECT array_agg(id ORDER BY id) FROM {} WHERE team_id = %s")
            row = connection.execute(query.format(sql.Identifier(table)), [header.team_id]).fetchone()
            assert row == (list(range(1, counts[table] + 1)) or None,)


async def test_a_file_with_other_words_in_evidence_is_refused_by_its_line(
    exported: Exported, elsewhere: tuple[str, Database]
) -> None:
    place = 0

    def edit(lines: list[bytes]) -> list[bytes]:
        nonlocal place
        place, row = find(lines, "evidence")
        return [
            *lines[:place],
            write_row("evidence", json.dumps(row | {"content": "Other words."})),
            *lines[place + 1 :],
        ]

    content = resealed(edit)(exported.content)
    with pytest.raises(InvalidInput, match=f"^Line {place + 1}: the words of this evidence were changed"):
        await import_team(elsewhere[1], io.BytesIO(content))


def _edited(table: str, edit: Callable[[Row], Row]) -> Callable[[list[bytes]], list[bytes]]:
    """Return how to edit the table's first row that it changes."""

    def change(lines: list[bytes]) -> list[bytes]:
        for place, line in enumerate(lines):
            said = json.loads(line)
            if said.get("table") == table and (row := edit(said["row"])) != said["row"]:
                return [*lines[:place], write_row(table, json.dumps(row)), *lines[place + 1 :]]
        raise AssertionError("no row was edited")

    return change


@pytest.mark.parametrize(
    ("table", "edit", "message"),
    [
        ("citations", lambda row: row | {"quote": "It is not so."}, "the evidence does not hold"),
        ("citations", lambda row: row | {"ends": [4_001]}, "the evidence does not hold"),
        ("relationships", lambda row: row | {"semantic_group_key": "f" * 64}, "the keys of this"),
        ("relationships", lambda row: row | {"polarity": "-"}, "the keys of this"),
        ("verification_events", lambda row: row | {"citation_id": new_id("cit")}, "this verdict is on"),
        (
            "verification_events",
            lambda row: row | ({"verdict": "insufficient"} if row["verdict"] == "entailed" else {}),
            "no verdict on its own",
        ),
    ],
)
async def test_a_row_that_does_not_fit_the_others_is_refused_by_its_line(
    exported: Exported,
    elsewhere: tuple[str, Database],
    table: str,
    edit: Callable[[Row], Row],
    message: str,
) -> None:
    whole = exported.content.splitlines(keepends=True)[:-1]
    edited = _edited(table, edit)(whole)
    content = resealed(lambda lines: edited)(exported.content)
    with pytest.raises(InvalidInput, match=r"^Line \d+: ") as refused:
        await import_team(elsewhere[1], io.BytesIO(content))
    said = str(refused.value)
    assert message in said
    number = int(said.split()[1].rstrip(":"))
    if "no verdict" in message:
        # The support is what lacks something.
        assert json.loads(edited[number - 1])["table"] == "supports"
    else:
        assert edited[number - 1] != whole[number - 1]


async def test_what_was_erased_a_moment_ago_leaves_no_statistics_that_say_there_is_nothing(
    exported: Exported, elsewhere: tuple[str, Database]
) -> None:
    name, owner = elsewhere
    await import_team(owner, io.BytesIO(exported.content))
    with psycopg.connect(admin_url(name), autocommit=True) as connection:
        counted: LiteralString = "SELECT reltuples::int FROM pg_class WHERE relname = 'relationships'"
        await erase_team_as_owner(owner, exported.team.team_id)
        connection.execute("ANALYZE")
        assert connection.execute(counted).fetchone() == (0,)
        await import_team(owner, io.BytesIO(exported.content))
        assert connection.execute(counted).fetchone() == (exported.digests["relationships"][0],)


async def test_a_file_brings_nothing_into_another_team(
    exported: Exported, elsewhere: tuple[str, Database]
) -> None:
    name, owner = elsewhere
    other_id = new_team_id()
    scope = Scope("owner", other_id)
    await owner.unit_of_work(scope, lambda writing: create_team(writing, other_id, "Other"))
    before = digests(name, other_id)
    spoil = with_more("profiles", team_id=other_id, id=new_id("prof"), name="Intruder")
    with pytest.raises(InvalidInput) as refused:
        await import_team(owner, io.BytesIO(spoil(exported.content)))
    assert refused.value.code == "archive_invalid"
    assert digests(name, other_id) == before


async def test_a_team_is_imported_where_it_is_not(
    exported: Exported, elsewhere: tuple[str, Database], database_name: str
) -> None:
    with pytest.raises(WrongState) as refused:
        await import_team(exported.owner, io.BytesIO(exported.content))
    assert refused.value.code == "team_exists"
    assert digests(database_name, exported.team.team_id) == exported.digests
    _, owner = elsewhere
    await import_team(owner, io.BytesIO(exported.content), name="Renamed")
    async with owner.reading(Scope("owner")) as reading:
        row = await reading.fetch_one("SELECT name FROM teams")
    assert row == {"name": "Renamed"}


async def test_a_missing_team_is_not_exported(exported: Exported) -> None:
    file = io.BytesIO()
    with pytest.raises(NotFound):
        await export_team(exported.owner, "nobody", file, now=_NOW)
    assert file.getvalue() == b""
