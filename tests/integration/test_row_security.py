"""Row security by trying: each role on each team table, as its own team, as another, and with no team set.

Every table gets a row of two teams each, whatever its checks and references say, in a transaction that is rolled
back; so a table of tomorrow is tried as well, and none is empty.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Literal, LiteralString

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import Column

from app.kernel.database import Database, Scope
from app.kernel.settings import Settings
from app.tables import metadata
from tests.conftest import MakeTeam
from tests.databases import admin_url, service_url
from tests.integration.submissions import remember, state
from tests.invariants.catalogue import TEAM_TABLES

Connection = psycopg.Connection[tuple[object, ...]]
ROLES: Final = ("app", "dreamer")
MINE, THEIRS, NOBODYS = "team_mine", "team_theirs", "team_nobodys"
_VALUES: Final[tuple[tuple[str, LiteralString], ...]] = (
    ("^vector ", "ARRAY[1]::real[]"),
    ("ARRAY|\\[\\]", "'{{}}'"),
    ("TIMESTAMP", "clock_timestamp()"),
    ("JSON", "'{{}}'"),
    ("BOOL", "false"),
    ("TSVECTOR|BYTEA", "''"),
    ("INT|FLOAT|DOUBLE|NUMERIC", "1"),
    ("DATE", "current_date"),
    ("INTERVAL", "'1 day'"),
    ("", "'profile'"),
)


@contextmanager
def one_row_each(database_name: str, table: str) -> Iterator[Connection]:
    """Give a superuser's transaction in which the table holds one row of each of two teams; nothing is kept."""
    with psycopg.connect(admin_url(database_name)) as connection:
        try:
            connection.execute("SET LOCAL session_replication_role = replica")
            for (check,) in connection.execute(
                "SELECT conname FROM pg_constraint WHERE conrelid = %s::regclass AND contype = 'c'", [table]
            ).fetchall():
                dropped = sql.SQL("ALTER TABLE {} DROP CONSTRAINT {}")
                connection.execute(dropped.format(sql.Identifier(table), sql.Identifier(str(check))))
            for team_id in (MINE, THEIRS):
                connection.execute(insert(table, team_id))
            yield connection
        finally:
            connection.rollback()


def insert(table: str, team_id: str) -> sql.Composed:
    """Return the statement that adds a row of the team with something in every column that needs it."""
    columns = [
        column
        for column in metadata.tables[table].columns
        if column.computed is None and (column.primary_key or not column.nullable)
        # These are the database's to fill.
        if column.identity is None and column.name not in ("created_at", "opened_at")
    ]
    values = [sql.Literal(team_id) if one.name == "team_id" else value_of(one) for one in columns]
    if "team_id" not in [one.name for one in columns]:
        columns, values = (
            [metadata.tables[table].columns["team_id"], *columns],
            [sql.Literal(team_id), *values],
        )
    # Keys must differ where the team is not the first part of them.
    values = [
        sql.Literal(f"{team_id} {one.name}") if one.name == "id" and _is_text(one) else value
        for one, value in zip(columns, values, strict=True)
    ]
    return sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
        sql.Identifier(table),
        sql.SQL(", ").join(sql.Identifier(one.name) for one in columns),
        sql.SQL(", ").join(values),
    )


def value_of(column: "Column[object]") -> sql.Composable:
    text = f"{column.name} {column.type}"
    return next(sql.SQL(value).format() for pattern, value in _VALUES if re.search(pattern, text))


def _is_text(column: "Column[object]") -> bool:
    return "TEXT" in str(column.type) or "VARCHAR" in str(column.type)


def act(connection: Connection, role: Literal["app", "dreamer"], team_id: str | None) -> None:
    connection.execute("SELECT set_config('densemem.team_id', %s, true)", [team_id])
    connection.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(f"densemem_{role}")))


def seen(connection: Connection, table: str) -> set[object] | None:
    """Return the teams whose rows the current role sees, None if it may not read which team a row is of."""
    try:
        with connection.transaction():
            found = connection.execute(sql.SQL("SELECT team_id FROM {}").format(sql.Identifier(table)))
            return {team_id for (team_id,) in found.fetchall()}
    except psycopg.errors.InsufficientPrivilege:
        return None


def changed(connection: Connection, statement: sql.Composed) -> int:
    """Return how many rows the statement touched; none if it was refused. Nothing of it is kept."""
    try:
        with connection.transaction(force_rollback=True):
            return connection.execute(statement).rowcount
    except psycopg.errors.InsufficientPrivilege:
        return 0


def test_the_team_tables_are_those_that_the_database_protects(database_name: str) -> None:
    with psycopg.connect(admin_url(database_name)) as connection:
        rows = connection.execute(
            "SELECT c.relname FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid"
            " WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND a.attname = 'team_id'"
            " AND NOT a.attisdropped AND c.relrowsecurity AND c.relforcerowsecurity"
        ).fetchall()
    # Acts on the instance have no team, keys and work are looked up before it is known: other rules are theirs.
    assert {name for (name,) in rows} == {*TEAM_TABLES, "api_keys", "audit_events", "work_items"}


@pytest.mark.parametrize("table", TEAM_TABLES)
def test_each_role_meets_the_rows_of_its_transactions_team_only(database_name: str, table: str) -> None:
    name = sql.Identifier(table)
    with one_row_each(database_name, table) as connection:
        for role in ROLES:
            for team_id in (MINE, THEIRS, NOBODYS, "", None):
                with connection.transaction(force_rollback=True):
                    act(connection, role, team_id)
                    assert seen(connection, table) in (None, {team_id} & {MINE, THEIRS}), (role, team_id)
            with connection.transaction(force_rollback=True):
                act(connection, role, MINE)
                assert changed(connection, insert(table, THEIRS)) == 0
                assert changed(connection, sql.SQL("DELETE FROM {}").format(name)) == 0
                for column in metadata.tables[table].columns:
                    if column.identity is not None or column.computed is not None:
                        continue
                    update = sql.SQL("UPDATE {} SET {} = {} WHERE team_id <> {}").format(
                        name, sql.Identifier(column.name), value_of(column), sql.Literal(MINE)
                    )
                    assert changed(connection, update) == 0, (role, column.name)


async def test_a_pooled_connection_carries_nothing_over_to_the_next_team(
    database_name: str, make_team: MakeTeam, settings: Settings, database: Database
) -> None:
    first, second = await make_team(), await make_team()
    await remember(database, first, state("FastAPI", "depends_on", "Starlette"))
    single = Database(settings.model_copy(update={"pool_size": 1}), url=service_url(database_name))
    await single.open()
    try:
        pids = set()
        for team, count in ((first, 1), (second, 0), (None, 0), (first, 1)):
            scope = Scope("app", None if team is None else team.team_id)
            async with single.reading(scope) as reading:
                [row] = await reading.fetch_all(
                    "SELECT pg_backend_pid() AS pid, (SELECT count(*) FROM relationships) AS count"
                )
            assert row["count"] == count
            pids.add(row["pid"])
        assert len(pids) == 1
    finally:
        await single.close()
