"""Statements on their way to PostgreSQL and rows on their way back: what is asked together is one round trip.

psycopg's own pipeline sends each statement by itself, so that the server wakes up for each, and makes a cursor
with its adapters for each. Here statements leave together, each is prepared once a connection, and what has been
learnt of types is kept.
"""

import asyncio
import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice, takewhile
from typing import Any, Final

import psycopg
from psycopg import pq
from psycopg.abc import Buffer, PQGen, Transformer
from psycopg.adapt import PyFormat
from psycopg.errors import error_from_result
from psycopg.generators import send
from psycopg.pq.abc import PGconn, PGresult
from psycopg.waiting import Wait

from app.kernel.pools import Connection

Row = dict[str, Any]  # Column types are the schema's; naming each row's shape again would be a second schema.
Params = Mapping[str, object]

# A list has as many statements as combinations of its filters, and each plan takes memory of the server's.
MAX_PREPARED: Final = 200
# A server that is told to stop does so within this time, or is left alone.
GIVE_UP_SECONDS: Final = 5.0
_PLACEHOLDER: Final = re.compile(rb"%(?:%|\((\w+)\)s)")
_FAILED: Final = (pq.ExecStatus.FATAL_ERROR, pq.ExecStatus.PIPELINE_ABORTED)
_Key = tuple[bytes, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Ask:
    """One statement: SQL with `%(name)s` placeholders and values for them; without values `%` means itself."""

    sql: bytes
    params: Params


@dataclass(slots=True)
class Told:
    """What came of a statement: its rows, how many rows it touched, the server's word for what it did."""

    rows: list[Row]
    count: int
    word: bytes


@dataclass(slots=True)
class _Known:
    """A statement that a connection knows by name, and what its columns are called, once it has returned rows."""

    name: bytes
    columns: tuple[str, ...] = ()


@dataclass(slots=True)
class Prepared:
    """The statements that one connection knows, the one longest unused first."""

    known: OrderedDict[_Key, _Known] = field(default_factory=OrderedDict)
    count: int = 0


@dataclass(slots=True)
class _Written:
    """One statement as it goes out; by its key, text and types, the server tells it from others."""

    key: _Key
    values: Sequence[Buffer | None]
    formats: Sequence[pq.Format] | None


# As what a statement went out, and whether it had to be prepared first.
_Sent = tuple[_Key, _Known, bool]


@dataclass(slots=True)
class Wire:
    """A connection in use. The transformer writes values and reads rows of any connection, one at a time."""

    connection: Connection
    prepared: Prepared
    transformer: Transformer

    async def ask(self, *asked: Ask, unread: int = 0) -> list[Told]:
        """Send all statements at once and return what came of each, in order, but for the first `unread`.

        Outside of a transaction they are one. What follows a failure is not carried out.

        Raises:
            psycopg.Error: the first failure.
        """
        told, failure = await self.attempt(*asked, unread=unread)
        if failure is not None:
            raise failure
        return told

    async def attempt(
        self, *asked: Ask, unread: int = 0, early: int = 0
    ) -> tuple[list[Told], psycopg.Error | None]:
        """Send all statements at once and return what `ask` does of those before the first failure, and that.

        A connection that is lost on the way is such a failure: what was heard before has been carried out. What
        comes of the first `early` is sent as soon as it is known, so that a server that dies of the others has
        told it.
        """
        # All are written before the first is sent: of a value that can't be, nothing is left on the way.
        written = [self._write(one) for one in asked]
        pgconn = self.connection.pgconn
        sent: list[_Sent] = []
        heard: list[PGresult] = []
        lost: psycopg.OperationalError | None = None
        async with self.connection.lock:
            pgconn.enter_pipeline_mode()
            try:
                sent = [self._send(one) for one in written[:early]]
                if early:
                    pgconn.send_flush_request()
                sent += [self._send(one) for one in written[early:]]
                self._forget()
                pgconn.pipeline_sync()
                await self._hear(heard)
            except psycopg.OperationalError as error:
                lost = error
            finally:
                # Whatever became of it, what was prepared is known, and nothing else.
                results = self._sort_out(sent, heard)
                # Of a connection that was lost in between there is nothing left to end.
                if pgconn.status == pq.ConnStatus.OK:
                    pgconn.exit_pipeline_mode()
        failed = next((one for one in heard if one.status == pq.ExecStatus.FATAL_ERROR), None)
        carried_out = takewhile(lambda one: one[1].status not in _FAILED, results)
        told = [self._read(*one) for one in islice(carried_out, unread, None)]
        return told, lost if failed is None else error_from_result(failed)

    def _write(self, one: Ask) -> _Written:
        sql, names, formats = _number(one.sql) if one.params else (one.sql, (), ())
        values = self.transformer.dump_sequence([one.params[name] for name in names], formats)
        return _Written((sql, self.transformer.types or ()), values, self.transformer.formats)

    def _send(self, one: _Written) -> _Sent:
        """Send one statement; return as what, and whether it has to be prepared first."""
        pgconn, prepared = self.connection.pgconn, self.prepared
        known = prepared.known.get(one.key)
        is_new = known is None
        if known is None:
            prepared.count += 1
            known = prepared.known[one.key] = _Known(b"densemem_%d" % prepared.count)
            pgconn.send_prepare(known.name, one.key[0], param_types=one.key[1])
        prepared.known.move_to_end(one.key)
        pgconn.send_query_prepared(known.name, one.values, param_formats=one.formats)
        return one.key, known, is_new

    def _forget(self) -> None:
        """Let go of the statements that are too many, longest unused first."""
        for _ in range(len(self.prepared.known) - MAX_PREPARED):
            _, known = self.prepared.known.popitem(last=False)
            self.connection.pgconn.send_query_params(b"DEALLOCATE " + known.name, None)

    async def _hear(self, heard: list[PGresult]) -> None:
        """Leave all that the server says to what was sent with what was heard."""
        pgconn = self.connection.pgconn
        if not pgconn.flush():
            try:
                await _wait_for_word(pgconn.socket)
            except asyncio.CancelledError:
                await self._give_up(heard)
                raise
        await self.connection.wait(_fetch(pgconn, heard))

    async def _give_up(self, heard: list[PGresult]) -> None:
        """Have the server stop and hear that it did, or leave the connection closed: nobody knows its state."""
        try:
            async with asyncio.timeout(GIVE_UP_SECONDS):
                await self.connection.cancel_safe()
                await self.connection.wait(_fetch(self.connection.pgconn, heard))
        except BaseException as error:
            self.connection.pgconn.finish()
            # Whoever was stopped is not to be told of that instead.
            if not isinstance(error, Exception):
                raise

    def _sort_out(self, sent: Sequence[_Sent], heard: Sequence[PGresult]) -> list[tuple[_Known, PGresult]]:
        """Return the statements with their results, as far as they were heard; unlearn what was not prepared."""
        said = iter(heard)
        results = []
        for key, known, is_new in sent:
            if is_new:
                word = next(said, None)
                if word is None or word.status != pq.ExecStatus.COMMAND_OK:
                    self.prepared.known.pop(key, None)
            result = next(said, None)
            if result is not None:
                results.append((known, result))
        return results

    def _read(self, known: _Known, result: PGresult) -> Told:
        rows: list[Row] = []
        if result.ntuples:
            names = known.columns = known.columns or _name_columns(result)
            self.transformer.set_pgresult(result)
            values = self.transformer.load_rows(0, result.ntuples, tuple)
            rows = [dict(zip(names, one, strict=True)) for one in values]
        return Told(rows, result.command_tuples or 0, result.command_status or b"")


def _name_columns(result: PGresult) -> tuple[str, ...]:
    return tuple((result.fname(place) or b"").decode() for place in range(result.nfields))


async def _wait_for_word(socket: int) -> None:
    """Return when there is something to read.

    psycopg can wait as well, but wakes up ten times a second meanwhile, and to arrange that takes longer than to
    send and read.
    """
    loop = asyncio.get_running_loop()
    word = loop.create_future()
    loop.add_reader(socket, _settle, word)
    try:
        await word
    finally:
        loop.remove_reader(socket)


def _settle(word: asyncio.Future[None]) -> None:
    if not word.done():
        word.set_result(None)


def _fetch(pgconn: PGconn, heard: list[PGresult]) -> PQGen[None]:
    """Leave the results up to the end of the pipeline with what was heard."""
    yield from send(pgconn)
    is_between = False
    # Most often all of it is there.
    pgconn.consume_input()
    while True:
        while pgconn.is_busy():
            yield Wait.R
            pgconn.consume_input()
        result = pgconn.get_result()
        if result is None and is_between:
            # A connection that was lost says no more than that.
            raise psycopg.OperationalError("The connection was lost.")
        is_between = result is None
        if result is not None and result.status == pq.ExecStatus.PIPELINE_SYNC:
            return
        if result is not None:
            heard.append(result)


@lru_cache(maxsize=1024)
def _number(sql: bytes) -> tuple[bytes, tuple[str, ...], tuple[PyFormat, ...]]:
    """Return the statement with `$1` and so on for its placeholders, their names in that order, and formats."""
    places: dict[bytes, int] = {}

    def place(found: re.Match[bytes]) -> bytes:
        if found[1] is None:
            return b"%"
        return b"$%d" % places.setdefault(found[1], len(places) + 1)

    numbered = _PLACEHOLDER.sub(place, sql)
    return numbered, tuple(name.decode() for name in places), (PyFormat.AUTO,) * len(places)
