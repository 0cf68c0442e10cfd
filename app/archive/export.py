"""A team as it stands at one moment, written to a file row by row."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import BinaryIO, LiteralString

from psycopg import sql

from app.archive.catalogue import TeamTable, read_team_tables
from app.archive.lines import Header, Tally, write_header, write_row, write_trailer
from app.kernel.database import Database, Reading, Scope
from app.kernel.statements import Statement
from app.tenancy.audit import record_audit
from app.tenancy.callers import HOST
from app.tenancy.teams import find_team


async def export_team(owner: Database, name_or_id: str, file: BinaryIO, *, now: datetime) -> Counter[str]:
    """Leave the team in the file, and that it was exported in its audit; return the rows of each table.

    Args:
        owner: a database whose login may act as the owner.
        name_or_id: of the team.
        file: open for writing, empty.
        now: written into the header.

    Raises:
        NotFound: there is no such team.
    """
    async with owner.reading(Scope("owner")) as reading:
        team = await find_team(reading, name_or_id)
    scope = Scope("owner", team.team_id)
    # First, so that no export goes unrecorded; the event is part of what is exported.
    await owner.unit_of_work(scope, lambda writing: record_audit(writing, HOST, "team_exported"))
    tally = Tally()
    async with owner.snapshot(scope) as reading:
        await reading.fetch_one(NO_TIME_LIMIT)
        revision = await read_revision(reading)
        header = Header(team.team_id, team.name, revision, now.isoformat())
        file.write(tally.add(write_header(header)))
        for table in await read_team_tables(reading):
            await _write_table(reading, table, team.team_id, file, tally)
    file.write(write_trailer(tally))
    return tally.counts


async def read_revision(reading: Reading) -> str:
    """Return the revision of the schema."""
    row = await reading.fetch_one("SELECT version_num FROM alembic_version")
    assert row is not None
    revision: str = row["version_num"]
    return revision


async def _write_table(
    reading: Reading, table: TeamTable, team_id: str, file: BinaryIO, tally: Tally
) -> None:
    async for row in reading.stream(_choose_rows(table), {"team_id": team_id}):
        file.write(tally.add(write_row(table.name, row["line"]), table.name))


def _choose_rows(table: TeamTable) -> Statement:
    line: sql.Composable = sql.SQL("to_jsonb(t)")
    if table.json_columns:
        # A JSON null and no JSON at all would be one null in a row's JSON; the latter is left out instead.
        missing = [
            sql.SQL("CASE WHEN t.{} IS NULL THEN {} END").format(sql.Identifier(column), sql.Literal(column))
            for column in table.json_columns
        ]
        line = sql.SQL("to_jsonb(t) - array_remove(ARRAY[{}]::text[], NULL)").format(
            sql.SQL(", ").join(missing)
        )
    query = sql.SQL(
        "SELECT ({line})::text AS line FROM public.{table} AS r CROSS JOIN LATERAL (SELECT {columns}) AS t"
        " WHERE r.{team} = %(team_id)s ORDER BY {key}"
    ).format(
        line=line,
        columns=_name_in_row(table.columns),
        table=sql.Identifier(table.name),
        team=sql.Identifier(table.team_column),
        key=_name_in_row(table.key),
    )
    return Statement(query.as_string().encode(), {})


def _name_in_row(columns: Sequence[str]) -> sql.Composed:
    return sql.SQL(", ").join(sql.Identifier("r", column) for column in columns)


# A whole team takes as long as it takes; the transaction's own limits are for requests.
NO_TIME_LIMIT: LiteralString = """
    SELECT set_config('statement_timeout', '0', true),
           set_config('idle_in_transaction_session_timeout', '0', true)
"""
