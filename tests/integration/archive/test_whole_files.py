"""A team goes into a file and comes back equal."""

import io
import json
from typing import LiteralString

import psycopg
import pytest

from app.archive.catalogue import LEFT_OUT
from app.archive.erase import erase_team_as_owner
from app.archive.export import export_team
from app.archive.restore import import_team
from app.kernel.database import Database, Scope
from app.kernel.errors import InvalidInput, NotFound, WrongState
from app.kernel.ids import new_id
from app.kernel.settings import Settings
from app.tenancy.audit import list_team_audit
from app.tenancy.teams import create_team, new_team_id
from tests.cycles import run_once
from tests.databases import admin_url, service_url
from tests.integration.archive.broken_files import with_more
from tests.integration.archive.conftest import NOW, Exported
from tests.integration.full_team import STRANGE, digests, team_tables

# Filled by what a model costs, by long dreaming and by people; their rows are like any other's.
_MAY_BE_EMPTY = {
    *("spending_permits", "spending_charges", "verifier_permits", "verifier_usage", "provider_exchanges"),
    "verifier_answers",
    "provider_batches",
    *("conflict_events", "premise_assessments", "evidence_decisions", "recall_feedback"),
}


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
        await export_team(exported.owner, "nobody", file, now=NOW)
    assert file.getvalue() == b""
