"""What happens inside a transaction: reading and writing on one connection of a pool."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, LiteralString, Protocol

import psycopg
from psycopg.pq import TransactionStatus

from app.kernel.errors import Unavailable
from app.kernel.round_trips import Ask, Params, Row, Told, Wire
from app.kernel.statements import Statement

Query = LiteralString | Statement
Asks = Sequence[tuple[Query, Params]]
# The rows of what is known; those of the guesses, or what became of them.
Ended = tuple[list[list[Row]], list[list[Row]] | psycopg.Error]

NO_PARAMS: Params = {}
# Of the same statement for many rows, so many go out in one round trip.
MANY: Final = 500


class Reading(Protocol):
    """A transaction that may only be read from."""

    async def fetch_all(self, query: Query, params: Params = NO_PARAMS) -> list[Row]:
        """Return all rows, each a dict by column name."""

    async def fetch_one(self, query: Query, params: Params = NO_PARAMS) -> Row | None:
        """Return the first row, or None."""

    async def fetch_each(self, *asked: tuple[Query, Params]) -> list[list[Row]]:
        """Return the rows of each statement, all sent in one round trip."""

    async def end_reading(self, known: Asks, guesses: Asks, *, timeout_seconds: float) -> Ended:
        """Return the rows of both, all sent with the end of the transaction in one round trip.

        Of the guesses, one that fails or takes longer than its time costs them all, and nothing of what was read:
        their failure is returned instead. That of what is known is raised.
        """

    def stream(self, query: Query, params: Params = NO_PARAMS) -> AsyncIterator[Row]:
        """Give one row after the other, holding few of them; nothing else runs in the transaction meanwhile."""


class Writing(Reading, Protocol):
    """A transaction that may also write; it is committed when its unit of work returns."""

    async def execute(self, query: Query, params: Params = NO_PARAMS) -> int:
        """Run the statement and return the number of rows that it touched."""

    async def execute_many(self, query: Query, params: list[Params]) -> None:
        """Run the statement once for each set of parameters, in one round trip."""


@dataclass(slots=True, eq=False)
class Proof:
    """What is believed of whom a transaction is for, until the database says so.

    The statement goes out together with the first one of the transaction that comes first. `accept` gets the row
    that it returned, and raises if that is not what was believed: nothing of the transaction counts then.
    """

    query: LiteralString
    params: Params
    accept: Callable[[Row | None], None]
    is_given: bool = False

    def take(self, row: Row | None) -> None:
        """Leave the proof given, or raise what `accept` raises."""
        self.accept(row)
        self.is_given = True


# Begins what only reads, and sees one moment.
MOMENT: LiteralString = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
# `true` makes each setting local to the transaction; an empty team matches no row.
ENTER: LiteralString = """
    SELECT set_config('role', %(role)s, true), set_config('densemem.team_id', %(team_id)s, true),
           set_config('statement_timeout', %(statement_timeout)s, true),
           set_config('idle_in_transaction_session_timeout', %(idle_timeout)s, true),
           set_config('plan_cache_mode', %(plans)s, true), set_config('enable_seqscan', %(seqscan)s, true)
"""
_LIMIT: LiteralString = "SELECT set_config('statement_timeout', %(statement_timeout)s, true)"
# What is sent together is one transaction, without its being begun and committed.
_GLANCE: Final = f"{ENTER}, set_config('transaction_read_only', 'on', true)".encode()
_MOMENT: Final = Ask(MOMENT.encode(), NO_PARAMS)
_COMMIT: Final = Ask(b"COMMIT", NO_PARAMS)


def limit_each(seconds: float) -> tuple[LiteralString, Params]:
    """Return what limits the time of each statement that follows in the transaction."""
    return _LIMIT, {"statement_timeout": str(int(1000 * seconds))}


async def roll_back(wire: Wire) -> None:
    """Leave no transaction behind. A broken connection has lost its own already; the pool throws it away."""
    if wire.connection.pgconn.transaction_status in (TransactionStatus.INTRANS, TransactionStatus.INERROR):
        await wire.ask(Ask(b"ROLLBACK", NO_PARAMS))


class Glance:
    """Reading for what is asked at once."""

    def __init__(self, wire: Wire, params: Params, proof: Proof | None) -> None:
        self._wire = wire
        self._params = params
        self._proof = proof
        self._is_over = False

    async def fetch_all(self, query: Query, params: Params = NO_PARAMS) -> list[Row]:
        [rows] = await self.fetch_each((query, params))
        return rows

    async def fetch_one(self, query: Query, params: Params = NO_PARAMS) -> Row | None:
        return next(iter(await self.fetch_all(query, params)), None)

    async def fetch_each(self, *asked: tuple[Query, Params]) -> list[list[Row]]:
        assert not self._is_over, "a glance asks once"
        self._is_over = True
        statements = [_ask(query, params) for query, params in asked]
        if len(statements) == 1:
            told = await _enter(self._wire, [Ask(_GLANCE, self._params)], self._proof, statements)
        else:
            # By themselves, each would see a moment of its own.
            begin = [_MOMENT, Ask(_encode(ENTER), self._params)]
            told = await _enter(self._wire, begin, self._proof, [*statements, _COMMIT])
        return [one.read_rows() for one in told[: len(asked)]]

    async def end_reading(self, known: Asks, guesses: Asks, *, timeout_seconds: float) -> Ended:
        raise AssertionError("a glance asks once")

    async def stream(self, query: Query, params: Params = NO_PARAMS) -> AsyncIterator[Row]:
        for row in await self.fetch_all(query, params):
            yield row


class Transaction:
    """Reading and Writing on one connection. It begins with its first statement, in one round trip."""

    def __init__(self, wire: Wire, begin: LiteralString, params: Params, proof: Proof | None) -> None:
        self._wire = wire
        self._entry = (Ask(_encode(begin), NO_PARAMS), Ask(_encode(ENTER), params))
        self._proof = proof
        self._has_begun = False
        self._has_ended = False

    async def commit(self) -> None:
        """End it; whatever was done stays."""
        if self._has_begun and not self._has_ended:
            [ended] = await self._wire.ask(_COMMIT)
            _check_ended(ended)

    async def end_reading(self, known: Asks, guesses: Asks, *, timeout_seconds: float) -> Ended:
        assert self._has_begun, "what has not begun has no end"
        self._has_ended = True
        asked = [*(_ask(*one) for one in (*known, limit_each(timeout_seconds), *guesses)), _COMMIT]
        told, failure = await self._wire.attempt(*asked, early=len(known))
        if failure is not None:
            await roll_back(self._wire)
            if len(told) < len(known):
                raise failure
        else:
            _check_ended(told[-1])
        rows = [one.read_rows() for one in told[: len(known)]]
        return rows, failure or [one.read_rows() for one in told[len(known) + 1 : -1]]

    async def fetch_all(self, query: Query, params: Params = NO_PARAMS) -> list[Row]:
        [told] = await self._tell(_ask(query, params))
        return told.read_rows()

    async def fetch_one(self, query: Query, params: Params = NO_PARAMS) -> Row | None:
        return next(iter(await self.fetch_all(query, params)), None)

    async def fetch_each(self, *asked: tuple[Query, Params]) -> list[list[Row]]:
        return [told.read_rows() for told in await self._tell(*(_ask(*one) for one in asked))]

    async def stream(self, query: Query, params: Params = NO_PARAMS) -> AsyncIterator[Row]:
        one = _ask(query, params)
        await self._tell()
        async with self._wire.connection.cursor() as cursor:
            async for row in cursor.stream(one.sql, one.params or None):
                yield row

    async def execute(self, query: Query, params: Params = NO_PARAMS) -> int:
        [told] = await self._tell(_ask(query, params))
        return told.count

    async def execute_many(self, query: Query, params: list[Params]) -> None:
        for begin in range(0, len(params), MANY):
            await self._tell(*(_ask(query, one) for one in params[begin : begin + MANY]))

    async def _tell(self, *asked: Ask) -> list[Told]:
        if self._has_begun:
            return await self._wire.ask(*asked)
        self._has_begun = True
        return await _enter(self._wire, self._entry, self._proof, asked)


def _check_ended(ended: Told) -> None:
    # A transaction in which an error was swallowed "commits" by rolling back, without an error.
    if ended.word != b"COMMIT":
        raise Unavailable("The transaction was rolled back.", code="rolled_back")


async def _enter(wire: Wire, begin: Sequence[Ask], proof: Proof | None, asked: Sequence[Ask]) -> list[Told]:
    """Begin a transaction by what is asked first; return what came of that alone."""
    if proof is None or proof.is_given:
        return (await wire.ask(*begin, *asked))[len(begin) :]
    proven, *told = (await wire.ask(*begin, Ask(_encode(proof.query), proof.params), *asked))[len(begin) :]
    proof.take(next(iter(proven.read_rows()), None))
    return told


def _ask(query: Query, params: Params) -> Ask:
    if isinstance(query, Statement):
        return Ask(query.sql, {**query.constants, **params})
    return Ask(_encode(query), params)


# Most are constants: encoded anew, each would be hashed anew to be found among what is prepared.
_encode: Final = lru_cache(maxsize=1024)(str.encode)
