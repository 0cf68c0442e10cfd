"""Transactions: the only place that begins, commits or rolls back.

Each transaction's first statement sets role, team and timeouts for that transaction only, so a pooled connection
keeps nothing of its last user. It goes out with BEGIN and with the first statement of whoever asked for the
transaction: all three are one round trip. `glance`, `reading` and `snapshot` are read only; `unit_of_work` is all
or nothing and is run again from the start when PostgreSQL asks for it.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal, LiteralString, Protocol, TypeVar

import psycopg
from psycopg_pool import AsyncConnectionPool, PoolTimeout, TooManyRequests

from app.kernel.errors import Unavailable
from app.kernel.pools import Connection, make_pool
from app.kernel.settings import Settings
from app.kernel.statements import Statement

T = TypeVar("T")
Role = Literal["app", "dreamer", "owner"]
Row = dict[str, Any]  # Column types are the schema's; naming each row's shape again would be a second schema.
Params = Mapping[str, object]
Query = LiteralString | Statement

MAX_ATTEMPTS = 3
NO_PARAMS: Params = {}


@dataclass(frozen=True, slots=True)
class Scope:
    """Who a transaction acts as. Without a team it sees instance tables only.

    The owner sees everything; only a login that migrates can act as it.
    """

    role: Role
    team_id: str | None = None


class Reading(Protocol):
    """A transaction that may only be read from."""

    async def fetch_all(self, query: Query, params: Params = NO_PARAMS) -> list[Row]:
        """Return all rows, each a dict by column name."""

    async def fetch_one(self, query: Query, params: Params = NO_PARAMS) -> Row | None:
        """Return the first row, or None."""

    def stream(self, query: Query, params: Params = NO_PARAMS) -> AsyncIterator[Row]:
        """Give one row after the other, holding few of them; nothing else runs in the transaction meanwhile."""


class Writing(Reading, Protocol):
    """A transaction that may also write; it is committed when its unit of work returns."""

    async def execute(self, query: Query, params: Params = NO_PARAMS) -> int:
        """Run the statement and return the number of rows that it touched."""

    async def execute_many(self, query: Query, params: list[Params]) -> None:
        """Run the statement once for each set of parameters, in one round trip."""


class Database:
    """The pools of one process. Open it once in a door, close it at the end."""

    def __init__(self, settings: Settings, *, url: str, dreamer_url: str | None = None) -> None:
        """Prepare the pools; `url` and `dreamer_url` are libpq connection strings."""
        self._settings = settings
        self._pool = make_pool(settings, url)
        self._dreamer_pool = self._pool if dreamer_url is None else make_pool(settings, dreamer_url)

    async def open(self) -> None:
        """Connect, or raise Unavailable within the pool's time-out."""
        try:
            for pool in {self._pool, self._dreamer_pool}:
                await pool.open(wait=True, timeout=self._settings.pool_timeout_seconds)
        except PoolTimeout as error:
            await self.close()
            raise Unavailable("PostgreSQL does not answer.", code="database_unavailable") from error

    async def close(self) -> None:
        """Close every connection."""
        for pool in {self._pool, self._dreamer_pool}:
            await pool.close()

    def pool_statistics(self) -> dict[str, dict[str, int]]:
        """Return what each pool of connections has counted since it was opened, by role."""
        pools = {"app": self._pool} | (
            {} if self._dreamer_pool is self._pool else {"dreamer": self._dreamer_pool}
        )
        return {name: pool.get_stats() for name, pool in pools.items()}

    @asynccontextmanager
    async def glance(self, scope: Scope) -> AsyncIterator[Reading]:
        """Give a read-only transaction of one statement, which is over when its rows are there: one round trip."""
        async with self._connection(self._pool_of(scope)) as connection, _cleaned(connection):
            yield _Glance(connection, self.entry(scope))

    @asynccontextmanager
    async def reading(self, scope: Scope) -> AsyncIterator[Reading]:
        """Give a read-only transaction in which every statement sees what is committed when it starts."""
        async with self._transaction(scope, "BEGIN READ ONLY") as transaction:
            yield transaction

    @asynccontextmanager
    async def snapshot(self, scope: Scope) -> AsyncIterator[Reading]:
        """Give a read-only transaction in which every statement sees one and the same moment."""
        async with self._transaction(scope, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") as transaction:
            yield transaction

    async def unit_of_work(self, scope: Scope, work: Callable[[Writing], Awaitable[T]]) -> T:
        """Run `work` in one transaction and commit it; on any exception nothing of it remains.

        A serialization failure or a deadlock runs the whole of `work` again, at most 3 times in all; so
        `work` must not have effects outside its transaction.
        """
        for attempt in range(1, MAX_ATTEMPTS + 1):
            try:
                async with self._transaction(scope, "BEGIN") as transaction:
                    result = await work(transaction)
            except (psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected):
                if attempt == MAX_ATTEMPTS:
                    raise
            else:
                return result
        raise AssertionError("unreachable")

    @asynccontextmanager
    async def listening(self, channel: LiteralString) -> AsyncIterator[psycopg.AsyncConnection[Row]]:
        """Give a connection of its own, outside every transaction, that hears notifications on `channel`."""
        async with self._connection(self._pool) as connection:
            await connection.execute(f"LISTEN {channel}")
            try:
                yield connection
            finally:
                if not connection.broken:
                    await connection.execute("UNLISTEN *")

    def entry(self, scope: Scope) -> tuple[LiteralString, Params]:
        """Return the statement that follows each BEGIN, with its parameters."""
        milliseconds = int(self._settings.statement_timeout_seconds * 1000)
        return ENTER, {
            "role": f"{self._settings.role_prefix}_{scope.role}",
            "team_id": scope.team_id or "",
            "statement_timeout": str(milliseconds),
            "idle_timeout": str(3 * milliseconds),
        }

    @asynccontextmanager
    async def _transaction(self, scope: Scope, begin: LiteralString) -> "AsyncIterator[_Transaction]":
        async with self._connection(self._pool_of(scope)) as connection, _cleaned(connection):
            transaction = _Transaction(connection, begin, self.entry(scope))
            yield transaction
            await transaction.commit()

    def _pool_of(self, scope: Scope) -> AsyncConnectionPool[Connection]:
        return self._dreamer_pool if scope.role == "dreamer" else self._pool

    @asynccontextmanager
    async def _connection(self, pool: AsyncConnectionPool[Connection]) -> AsyncIterator[Connection]:
        try:
            connection = await pool.getconn(timeout=self._settings.pool_timeout_seconds)
        except PoolTimeout as error:
            raise Unavailable("No database connection became free in time.", code="database_busy") from error
        except TooManyRequests as error:
            # Refused at once, whoever asks again at once would take this process' time from those who wait.
            await asyncio.sleep(self._settings.pool_timeout_seconds)
            raise Unavailable("Too many wait for a database connection.", code="database_busy") from error
        try:
            yield connection
        finally:
            await pool.putconn(connection)


# `true` makes each setting local to the transaction; an empty team matches no row.
ENTER: LiteralString = """
    SELECT set_config('role', %(role)s, true), set_config('densemem.team_id', %(team_id)s, true),
           set_config('statement_timeout', %(statement_timeout)s, true),
           set_config('idle_in_transaction_session_timeout', %(idle_timeout)s, true)
"""


# A few statements that are sent together are one transaction, without its being begun and committed.
_GLANCE: LiteralString = f"{ENTER}, set_config('transaction_read_only', 'on', true)"


@asynccontextmanager
async def _cleaned(connection: Connection) -> AsyncIterator[None]:
    """Leave no transaction behind when the block fails."""
    try:
        yield
    except BaseException:
        # A broken connection has lost its transaction already; the pool throws it away.
        if not connection.broken and not connection.closed:
            await connection.rollback()
        raise


class _Glance:
    """Reading for one statement."""

    def __init__(self, connection: Connection, entry: tuple[LiteralString, Params]) -> None:
        self._connection = connection
        self._entry = entry
        self._is_over = False

    async def fetch_all(self, query: Query, params: Params = NO_PARAMS) -> list[Row]:
        return await (await self._run(query, params)).fetchall()

    async def fetch_one(self, query: Query, params: Params = NO_PARAMS) -> Row | None:
        return await (await self._run(query, params)).fetchone()

    async def stream(self, query: Query, params: Params = NO_PARAMS) -> AsyncIterator[Row]:
        for row in await self.fetch_all(query, params):
            yield row

    async def _run(self, query: Query, params: Params) -> psycopg.AsyncCursor[Row]:
        assert not self._is_over, "a glance takes one statement"
        self._is_over = True
        async with self._connection.pipeline():
            await self._connection.execute(_GLANCE, self._entry[1])
            return await _execute(self._connection, query, params)


class _Transaction:
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
