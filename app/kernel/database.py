"""Transactions: the only place that begins, commits or rolls back.

Each transaction's first statement sets role, team and timeouts for that transaction only, so a pooled connection
keeps nothing of its last user. It goes out with BEGIN and with the first statement of whoever asked for the
transaction: all three are one round trip. `glance`, `reading` and `snapshot` are read only; `unit_of_work` is all
or nothing and is run again from the start when PostgreSQL asks for it.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Final, Literal, LiteralString, TypeVar

import psycopg
from psycopg.adapt import Transformer
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from app.kernel.connections import Connection
from app.kernel.errors import Unavailable
from app.kernel.pools import adaptation, make_pool
from app.kernel.round_trips import Params, Row, Wire
from app.kernel.settings import Settings
from app.kernel.transactions import (
    ENTER,
    MOMENT,
    NO_PARAMS,
    Asks,
    Ended,
    Glance,
    Proof,
    Query,
    Reading,
    Transaction,
    Writing,
    limit_each,
    roll_back,
)

# What a transaction is for those who use one; how it is done is the other module's.
__all__ = [
    "ENTER",
    "MOMENT",
    "NO_PARAMS",
    "Asks",
    "Database",
    "Ended",
    "Params",
    "Plans",
    "Proof",
    "Query",
    "Reading",
    "Role",
    "Row",
    "Scope",
    "Writing",
    "limit_each",
]

T = TypeVar("T")
Role = Literal["app", "dreamer", "owner"]
# What becomes of a statement's plan: PostgreSQL decides when to make a new one, or the first is kept, whatever the
# values. A kept plan goes by indexes alone: a table that is small when it is made may have grown since.
Plans = Literal["auto", "kept"]

MAX_ATTEMPTS: Final = 3
# For each connection. A longer queue would keep everybody waiting in vain.
MAX_WAITING: Final = 10


@dataclass(frozen=True, slots=True)
class Scope:
    """Who a transaction acts as. Without a team it sees instance tables only.

    The owner sees everything; only a login that migrates can act as it. A `proof` is asked for by the transaction
    that comes first, which fails without it.
    """

    role: Role
    team_id: str | None = None
    proof: Proof | None = field(default=None, compare=False, repr=False)


class Database:
    """The pools of one process. Open it once in a door, close it at the end."""

    def __init__(self, settings: Settings, *, url: str, dreamer_url: str | None = None) -> None:
        """Prepare the pools; `url` and `dreamer_url` are libpq connection strings."""
        self._settings = settings
        self._pool = make_pool(settings, url)
        self._dreamer_pool = self._pool if dreamer_url is None else make_pool(settings, dreamer_url)
        self._waiting = 0
        self._transformer = Transformer(adaptation())

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

    async def refuse_crowd(self) -> None:
        """Raise Unavailable where too many wait for a connection already.

        To be asked before anything has been done for a request: one that was let in has its place, and is not
        refused later because of those who came after it.
        """
        if self._waiting >= MAX_WAITING * self._settings.pool_size:
            # Refused at once, whoever asks again at once would take this process' time from those who wait.
            await asyncio.sleep(self._settings.pool_timeout_seconds)
            raise Unavailable("Too many wait for a database connection.", code="database_busy")

    @asynccontextmanager
    async def glance(self, scope: Scope) -> AsyncIterator[Reading]:
        """Give a read-only transaction that asks once, of one moment, and is over when the rows are there.

        That is one round trip, of one statement or of several by `fetch_each`. It is for what requests ask
        again and again, so statements are planned once, whatever their values.
        """
        async with self._wire(self._pool_of(scope)) as wire:
            _, params = self.entry(scope, "kept")
            yield Glance(wire, params, scope.proof)

    def reading(
        self, scope: Scope, *, plans: Plans = "auto", timeout_seconds: float | None = None
    ) -> AbstractAsyncContextManager[Reading]:
        """Give a read-only transaction in which every statement sees what is committed when it starts.

        A statement that takes longer than `timeout_seconds`, by default the settings' time, fails.
        """
        return self._transaction(scope, "BEGIN READ ONLY", plans, timeout_seconds)

    def snapshot(self, scope: Scope, *, plans: Plans = "auto") -> AbstractAsyncContextManager[Reading]:
        """Give a read-only transaction in which every statement sees one and the same moment."""
        return self._transaction(scope, MOMENT, plans)

    async def unit_of_work(self, scope: Scope, work: Callable[[Writing], Awaitable[T]]) -> T:
        """Run `work` in one transaction and commit it; on any exception nothing of it remains.

        A serialization failure or a deadlock runs the whole of `work` again, at most 3 times in all; so
        `work` must not have effects outside its transaction.
        """
        for attempt in range(1, MAX_ATTEMPTS + 1):
            try:
                async with self._transaction(scope, "BEGIN", "auto") as transaction:
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
        async with self._wire(self._pool) as wire:
            connection = wire.connection
            await connection.execute(f"LISTEN {channel}")
            try:
                yield connection
            finally:
                if not connection.broken:
                    await connection.execute("UNLISTEN *")

    def entry(
        self, scope: Scope, plans: Plans = "auto", timeout_seconds: float | None = None
    ) -> tuple[LiteralString, Params]:
        """Return the statement that follows each BEGIN, with its parameters."""
        milliseconds = int(1000 * (timeout_seconds or self._settings.statement_timeout_seconds))
        return ENTER, {
            "role": f"{self._settings.role_prefix}_{scope.role}",
            "team_id": scope.team_id or "",
            "statement_timeout": str(milliseconds),
            "idle_timeout": str(3 * milliseconds),
            "plans": "force_generic_plan" if plans == "kept" else "auto",
            "seqscan": "off" if plans == "kept" else "on",
        }

    @asynccontextmanager
    async def _transaction(
        self, scope: Scope, begin: LiteralString, plans: Plans, timeout_seconds: float | None = None
    ) -> AsyncIterator[Transaction]:
        async with self._wire(self._pool_of(scope)) as wire:
            _, params = self.entry(scope, plans, timeout_seconds)
            transaction = Transaction(wire, begin, params, scope.proof)
            yield transaction
            await transaction.commit()

    def _pool_of(self, scope: Scope) -> AsyncConnectionPool[Connection]:
        return self._dreamer_pool if scope.role == "dreamer" else self._pool

    @asynccontextmanager
    async def _wire(self, pool: AsyncConnectionPool[Connection]) -> AsyncIterator[Wire]:
        """Give a connection that is left without a transaction, whatever happens."""
        connection = await self._take(pool)
        wire = Wire(connection, self._transformer)
        try:
            yield wire
        except BaseException:
            await roll_back(wire)
            raise
        finally:
            await pool.putconn(connection)

    async def _take(self, pool: AsyncConnectionPool[Connection]) -> Connection:
        """Return a connection, which is to be given back."""
        asking = asyncio.current_task()
        stops = asking.cancelling() if asking else 0
        self._waiting += 1
        try:
            connection = await pool.getconn(timeout=self._settings.pool_timeout_seconds)
        except PoolTimeout as error:
            raise Unavailable("No database connection became free in time.", code="database_busy") from error
        finally:
            self._waiting -= 1
        if asking and asking.cancelling() > stops:
            # Until Python 3.12 the pool forgets a cancellation that comes together with the connection.
            await pool.putconn(connection)
            raise asyncio.CancelledError
        return connection
