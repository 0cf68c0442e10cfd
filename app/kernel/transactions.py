"""What happens inside a transaction: reading and writing on one connection of a pool."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, LiteralString, Protocol

import psycopg

from app.kernel.errors import Unavailable
from app.kernel.pools import Connection
from app.kernel.statements import Statement

Row = dict[str, Any]  # Column types are the schema's; naming each row's shape again would be a second schema.
Params = Mapping[str, object]
Query = LiteralString | Statement

NO_PARAMS: Params = {}


class Reading(Protocol):
    """A transaction that may only be read from."""

    async def fetch_all(self, query: Query, params: Params = NO_PARAMS) -> list[Row]:
        """Return all rows, each a dict by column name."""

    async def fetch_one(self, query: Query, params: Params = NO_PARAMS) -> Row | None:
        """Return the first row, or None."""

    async def fetch_each(self, *asked: tuple[Query, Params]) -> list[list[Row]]:
        """Return the rows of each statement, all sent in one round trip."""

    def stream(self, query: Query, params: Params = NO_PARAMS) -> AsyncIterator[Row]:
        """Give one row after the other, holding few of them; nothing else runs in the transaction meanwhile."""


class Writing(Reading, Protocol):
    """A transaction that may also write; it is committed when its unit of work returns."""

    async def execute(self, query: Query, params: Params = NO_PARAMS) -> int:
        """Run the statement and return the number of rows that it touched."""

    async def execute_many(self, query: Query, params: list[Params]) -> None:
        """Run the statement once for each set of parameters, in one round trip."""


# `true` makes each setting local to the transaction; an empty team matches no row.
ENTER: LiteralString = """
    SELECT set_config('role', %(role)s, true), set_config('densemem.team_id', %(team_id)s, true),
           set_config('statement_timeout', %(statement_timeout)s, true),
           set_config('idle_in_transaction_session_timeout', %(idle_timeout)s, true)
"""
# A few statements that are sent together are one transaction, without its being begun and committed.
_GLANCE: LiteralString = f"{ENTER}, set_config('transaction_read_only', 'on', true)"


@asynccontextmanager
async def cleaned(connection: Connection) -> AsyncIterator[None]:
    """Leave no transaction behind when the block fails."""
    try:
        yield
    except BaseException:
        # A broken connection has lost its transaction already; the pool throws it away.
        if not connection.broken and not connection.closed:
            await connection.rollback()
        raise


class Glance:
    """Reading for one statement."""

    def __init__(self, connection: Connection, entry: tuple[LiteralString, Params]) -> None:
        self._connection = connection
        self._entry = entry
        self._is_over = False

    async def fetch_all(self, query: Query, params: Params = NO_PARAMS) -> list[Row]:
        return await (await self._run(query, params)).fetchall()

    async def fetch_one(self, query: Query, params: Params = NO_PARAMS) -> Row | None:
        return await (await self._run(query, params)).fetchone()

    async def fetch_each(self, *asked: tuple[Query, Params]) -> list[list[Row]]:
        [(query, params)] = asked
        return [await self.fetch_all(query, params)]

    async def stream(self, query: Query, params: Params = NO_PARAMS) -> AsyncIterator[Row]:
        for row in await self.fetch_all(query, params):
            yield row

    async def _run(self, query: Query, params: Params) -> psycopg.AsyncCursor[Row]:
        assert not self._is_over, "a glance takes one statement"
        self._is_over = True
        async with self._connection.pipeline():
            await self._connection.execute(_GLANCE, self._entry[1])
            return await _execute(self._connection, query, params)


class Transaction:
    """Reading and Writing on one psycopg connection. It begins with its first statement, in one round trip."""

    def __init__(
        self, connection: Connection, begin: LiteralString, entry: tuple[LiteralString, Params]
    ) -> None:
        self._connection = connection
        self._begin = begin
        self._entry = entry
        self._has_begun = False

    async def commit(self) -> None:
        """End it; whatever was done stays."""
        if not self._has_begun:
            return
        ended = await self._connection.execute("COMMIT")
        # A transaction in which an error was swallowed "commits" by rolling back, without an error.
        if ended.statusmessage != "COMMIT":
            raise Unavailable("The transaction was rolled back.", code="rolled_back")

    async def fetch_all(self, query: Query, params: Params = NO_PARAMS) -> list[Row]:
        cursor = await self._run(query, params)
        return await cursor.fetchall()

    async def fetch_one(self, query: Query, params: Params = NO_PARAMS) -> Row | None:
        cursor = await self._run(query, params)
        return await cursor.fetchone()

    async def fetch_each(self, *asked: tuple[Query, Params]) -> list[list[Row]]:
        async with self._connection.pipeline():
            if not self._has_begun:
                await self._send_entry()
            cursors = [await _execute(self._connection, query, params) for query, params in asked]
        return [await cursor.fetchall() for cursor in cursors]

    async def stream(self, query: Query, params: Params = NO_PARAMS) -> AsyncIterator[Row]:
        sql, constants = _parts(query)
        await self._enter()
        async with self._connection.cursor() as cursor:
            async for row in cursor.stream(sql, {**constants, **params}):
                yield row

    async def execute(self, query: Query, params: Params = NO_PARAMS) -> int:
        cursor = await self._run(query, params)
        return cursor.rowcount

    async def execute_many(self, query: Query, params: list[Params]) -> None:
        sql, constants = _parts(query)
        await self._enter()
        async with self._connection.cursor() as cursor:
            await cursor.executemany(sql, [{**constants, **one} for one in params])

    async def _run(self, query: Query, params: Params) -> psycopg.AsyncCursor[Row]:
        if self._has_begun:
            return await _execute(self._connection, query, params)
        async with self._connection.pipeline():
            await self._send_entry()
            return await _execute(self._connection, query, params)

    async def _enter(self) -> None:
        if not self._has_begun:
            async with self._connection.pipeline():
                await self._send_entry()

    async def _send_entry(self) -> None:
        self._has_begun = True
        await self._connection.execute(self._begin)
        await self._connection.execute(*self._entry)


async def _execute(connection: Connection, query: Query, params: Params) -> psycopg.AsyncCursor[Row]:
    sql, constants = _parts(query)
    return await connection.execute(sql, {**constants, **params} if constants or params else None)


def _parts(query: Query) -> tuple[bytes, Params]:
    if isinstance(query, Statement):
        return query.sql, query.constants
    return query.encode(), {}
