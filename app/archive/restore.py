"""A file back into an instance that does not have its team: all of it, or nothing."""

import json
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import BinaryIO, Final, LiteralString

import psycopg
from psycopg import sql

from app.archive.catalogue import TeamTable, read_team_tables
from app.archive.doubts import refuse_doubtful
from app.archive.export import NO_TIME_LIMIT, read_revision
from app.archive.lines import Header, Tally, read_header, read_rows, refuse_file
from app.kernel.database import Database, Scope, Writing
from app.kernel.errors import NotFound, WrongState
from app.kernel.statements import Statement
from app.ledger.identity import digest
from app.tenancy.audit import record_audit
from app.tenancy.callers import HOST
from app.tenancy.teams import check_name, find_team

_ROWS_AT_ONCE: Final = 500
_BYTES_AT_ONCE: Final = 4 * 1024 * 1024
# A lease belongs to a process of the instance that the file came from, and there a team was closed.
_NOT_TAKEN_ALONG: Final = {
    ("work_items", "worker"),
    ("work_items", "lease_expires_at"),
    ("teams", "closed_at"),
}


async def import_team(
    owner: Database, file: BinaryIO, *, name: str | None = None
) -> tuple[Header, Counter[str]]:
    """Leave the file's team in the instance, under its own ids, and return what it is and its rows by table.

    One transaction: the file's rows wait in temporary tables until its last line has said that they are all
    there, and go into the real ones in the order in which these refer to each other. It has no key afterwards.

    Args:
        owner: a database whose login may act as the owner.
        file: open for reading, and able to go back to its start.
        name: the team's new name, None for the one that it had.

    Raises:
        InvalidInput: `archive_invalid` for a file that is none, cut or changed, of another schema, with rows of
            another team, with evidence whose words are not those that were digested, or with rows that do not fit
            each other.
        WrongState: `team_exists`, `name_taken`.
    """
    if name is not None:
        check_name(name)
    file.seek(0)
    team_id = read_header(file, Tally()).team_id
    try:
        return await owner.unit_of_work(Scope("owner", team_id), lambda writing: _import(writing, file, name))
    except (psycopg.DataError, psycopg.IntegrityError, UnicodeDecodeError):
        # The digest finds accidents, not editors; what these errors say could quote a row.
        raise refuse_file("The file holds rows that no export writes.") from None


async def _import(writing: Writing, file: BinaryIO, name: str | None) -> tuple[Header, Counter[str]]:
    file.seek(0)
    tally = Tally()
    header = read_header(file, tally)
    revision = await read_revision(writing)
    if header.revision != revision:
        raise refuse_file(
            f"The file is of schema {header.revision} and the database of {revision}: import it with the version "
            "that exported it, then migrate."
        )
    check_name(header.name)
    await _refuse_taken(writing, header.team_id, "team_exists", "The instance has this team already.")
    await _refuse_taken(writing, name or header.name, "name_taken", "There is a team of that name already.")
    await writing.fetch_one(NO_TIME_LIMIT)
    await writing.fetch_one(_REWRITE, {"team_id": header.team_id})
    tables = {table.name: table for table in await read_team_tables(writing)}
    for table in tables.values():
        await writing.execute(_make_waiting_room(table))
    await _take_in(writing, tables, file, tally)
    await _check_whose(writing, list(tables.values()), header)
    await refuse_doubtful(writing)
    if name is not None:
        await writing.execute("UPDATE pg_temp.incoming_teams SET name = %(name)s", {"name": name})
    for _, group in groupby(tables.values(), key=lambda table: table.group):
        await _move_in(writing, list(group), tally.counts)
    await record_audit(writing, HOST, "team_imported", details={"rows": tally.counts.total()})
    return header, tally.counts


async def _refuse_taken(writing: Writing, name_or_id: str, code: str, message: str) -> None:
    try:
        await find_team(writing, name_or_id)
    except NotFound:
        return
    raise WrongState(message, code=code)


async def _take_in(writing: Writing, tables: dict[str, TeamTable], file: BinaryIO, tally: Tally) -> None:
    waiting: list[bytes] = []
    current, size, first = "", 0, 0
    # The header is the first line.
    for number, (name, row) in enumerate(read_rows(file, tally), start=2):
        if waiting and (name != current or len(waiting) == _ROWS_AT_ONCE or size > _BYTES_AT_ONCE):
            await _store(writing, tables[current], waiting, first)
            waiting, size = [], 0
        if name not in tables:
            raise refuse_file("The file holds rows of an unknown table.")
        if name == "evidence":
            _check_words(row, number)
        current = name
        first = first if waiting else number
        waiting.append(row)
        size += len(row)
    if waiting:
        await _store(writing, tables[current], waiting, first)


def _check_words(row: bytes, number: int) -> None:
    """Refuse evidence whose words are not those that its digest was made of."""
    try:
        said = json.loads(row)
        is_whole = said["content_digest"] == digest(said["content"])
    except (ValueError, KeyError, TypeError, RecursionError):
        is_whole = False
    if not is_whole:
        raise refuse_file(
            f"Line {number}: the words of this evidence were changed, they don't fit their digest."
        )


async def _check_whose(writing: Writing, tables: Sequence[TeamTable], header: Header) -> None:
    """Refuse a file with a row of any other team than its header's: the owner's row security lets all in."""
    others = sql.SQL(" UNION ALL ").join(
        sql.SQL("SELECT 1 AS one FROM pg_temp.{} WHERE {} IS DISTINCT FROM %(team_id)s").format(
            _room(table), sql.Identifier(table.team_column)
        )
        for table in tables
    )
    stray = await writing.fetch_one(_statement(others), {"team_id": header.team_id})
    teams = await writing.fetch_all("SELECT name FROM pg_temp.incoming_teams")
    if stray is not None or teams != [{"name": header.name}]:
        raise refuse_file("The file holds rows that are not its team's.")


async def _store(writing: Writing, table: TeamTable, rows: Sequence[bytes], first: int) -> None:
    await writing.execute(
        _take_rows(table), {"rows": (b"[" + b",".join(rows) + b"]").decode(), "first": first}
    )


def _make_waiting_room(table: TeamTable) -> Statement:
    query = sql.SQL(
        "CREATE TEMPORARY TABLE {} ON COMMIT DROP AS SELECT {}, 0 AS line_of_file FROM public.{} WITH NO DATA"
    )
    return _statement(query.format(_room(table), _names(table), sql.Identifier(table.name)))


def _take_rows(table: TeamTable) -> Statement:
    # JSON columns are taken as they are: populating a record would make a JSON null none at all.
    columns = [
        sql.SQL("one -> {}").format(sql.Literal(column))
        if column in table.json_columns
        else sql.SQL("row.{}").format(sql.Identifier(column))
        for column in table.columns
    ]
    query = sql.SQL(
        "INSERT INTO pg_temp.{room} ({names}, line_of_file) SELECT {columns}, %(first)s + place - 1"
        " FROM jsonb_array_elements(%(rows)s::jsonb) WITH ORDINALITY AS each (one, place),"
        " jsonb_populate_record(NULL::public.{table}, one - {json}::text[]) AS row"
    ).format(
        room=_room(table),
        names=_names(table),
        columns=sql.SQL(", ").join(columns),
        table=sql.Identifier(table.name),
        json=sql.Literal(list(table.json_columns)),
    )
    return _statement(query)


async def _move_in(writing: Writing, group: Sequence[TeamTable], counts: Counter[str]) -> None:
    """Leave the rows in tables that refer to each other: one statement, as references are checked when it ends.

    Where any came, the statistics are made anew before anything refers to them: those of tables that were emptied
    a moment ago would have each reference looked up among all rows of the team.
    """
    await writing.execute(_move_rows(group))
    for table in group:
        if counts[table.name]:
            await writing.execute(_statement(sql.SQL("ANALYZE public.{}").format(sql.Identifier(table.name))))


def _move_rows(tables: Sequence[TeamTable]) -> Statement:
    moves = []
    for table in tables:
        columns = [
            sql.SQL("NULL") if (table.name, column) in _NOT_TAKEN_ALONG else sql.Identifier(column)
            for column in table.columns
        ]
        moves.append(
            sql.SQL(
                "{} AS (INSERT INTO public.{} ({}) SELECT {} FROM pg_temp.{} ORDER BY line_of_file)"
            ).format(
                sql.Identifier(f"moved_{table.name}"),
                sql.Identifier(table.name),
                _names(table),
                sql.SQL(", ").join(columns),
                _room(table),
            )
        )
    return _statement(sql.SQL("WITH {} SELECT").format(sql.SQL(", ").join(moves)))


def _room(table: TeamTable) -> sql.Identifier:
    return sql.Identifier(f"incoming_{table.name}")


def _names(table: TeamTable) -> sql.Composed:
    return sql.SQL(", ").join(map(sql.Identifier, table.columns))


def _statement(query: sql.Composed) -> Statement:
    return Statement(query.as_string().encode(), {})


# What is restored happened already: triggers that stale dependents leave this team's rows alone.
_REWRITE: LiteralString = "SELECT set_config('densemem.rewriting', %(team_id)s, true)"
