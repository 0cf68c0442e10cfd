"""Statements on their way to PostgreSQL and rows on their way back: what is asked together is one round trip.

psycopg's own pipeline sends each statement by itself, so that the server wakes up for each, and makes a cursor
with its adapters for each. Here statements leave together, each is prepared once a connection, and what has been
learnt of types is kept.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from typing import Any, Final

import psycopg
from psycopg import pq
from psycopg.abc import Buffer, Transformer
from psycopg.adapt import PyFormat
from psycopg.errors import error_from_result
from psycopg.generators import send
from psycopg.pq.abc import PGresult

from app.kernel.connections import Connection, Key, Known

Row = dict[str, Any]  # Column types are the schema's; naming each row's shape again would be a second schema.
Params = Mapping[str, object]

# A list has as many statements as combinations of its filters, and each plan takes memory of the server's.
MAX_PREPARED: Final = 200
# A server that is told to stop does so within this time, or is left alone.
GIVE_UP_SECONDS: Final = 5.0
_PLACEHOLDER: Final = re.compile(rb"%(?:%|\((\w+)\)s)")
_FAILED: Final = (pq.ExecStatus.FATAL_ERROR, pq.ExecStatus.PIPELINE_ABORTED)


# Of what a round trip has dozens of, nothing is frozen: to freeze it takes longer than to make it.
@dataclass(slots=True)
class Ask:
    """One statement: SQL with `%(name)s` placeholders and values for them; without values `%` means itself."""

    sql: bytes
    params: Params


@dataclass(slots=True)
class Told:
    """What came of a statement. Rows are made when they are read: of most statements there are none to read."""

    _known: Known
    _result: PGresult
    _transformer: Transformer

    def read_rows(self) -> list[Row]:
        """Return the rows, each a dict by column name."""
        result, known = self._result, self._known
        if not result.ntuples:
            return []
        names = known.columns = known.columns or _name_columns(result)
        self._transformer.set_pgresult(result)
        values = self._transformer.load_rows(0, result.ntuples, tuple)
        return list(map(dict, map(zip, repeat(names), values)))

    @property
    def count(self) -> int:
        """How many rows it touched."""
        return self._result.command_tuples or 0

    @property
    def word(self) -> bytes:
        """The server's word for what it did."""
        return self._result.command_status or b""


@dataclass(slots=True)
class _Written:
    """One statement as it goes out; by its key, text and types, the server tells it from others."""

    key: Key
    values: Sequence[Buffer | None] | None
    formats: Sequence[pq.Format] | None


# As what a statement went out, and whether it had to be prepared first.
_Sent = tuple[Key, Known, bool]


@dataclass(slots=True)
class Wire:
    """A connection in use. The transformer writes values and reads rows of any connection, one at a time."""

    connection: Connection
    transformer: Transformer

    async def ask(self, *asked: Ask) -> list[Told]:
        """Send all statements at once and return what came of each, in order.

        Outside of a transaction they are one. What follows a failure is not carried out.

        Raises:
            psycopg.Error: the first failure.
        """
        told, failure = await self.attempt(*asked)
        if failure is not None:
            raise failure
        return told

    async def attempt(self, *asked: Ask, early: int = 0) -> tuple[list[Told], psycopg.Error | None]:
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
                self.connection.ear.close()
            finally:
                # Whatever became of it, what was prepared is known, and nothing else.
                results = self._sort_out(sent, heard)
                # Of a connection that was lost in between there is nothing left to end.
                if pgconn.status == pq.ConnStatus.OK:
                    pgconn.exit_pipeline_mode()
        told = []
        for known, result in results:
            if result.status in _FAILED:
                break
            told.append(Told(known, result, self.transformer))
        failed = [one for one in heard if one.status == pq.ExecStatus.FATAL_ERROR]
        return told, error_from_result(failed[0]) if failed else lost

    def _write(self, one: Ask) -> _Written:
        if not one.params:
            return _Written((one.sql, ()), None, None)
        sql, names, formats = _number(one.sql)
        values = self.transformer.dump_sequence([one.params[name] for name in names], formats)
        return _Written((sql, self.transformer.types or ()), values, self.transformer.formats)

    def _send(self, one: _Written) -> _Sent:
        """Send one statement; return as what, and whether it has to be prepared first."""
        pgconn, prepared = self.connection.pgconn, self.connection.prepared
        known = prepared.known.get(one.key)
        is_new = known is None
        if known is None:
            prepared.count += 1
            known = prepared.known[one.key] = Known(b"densemem_%d" % prepared.count)
            pgconn.send_prepare(known.name, one.key[0], param_types=one.key[1])
        prepared.known.move_to_end(one.key)
        pgconn.send_query_prepared(known.name, one.values, param_formats=one.formats)
        return one.key, known, is_new

    def _forget(self) -> None:
        """Let go of the statements that are too many, longest unused first."""
        for _ in range(len(self.connection.prepared.known) - MAX_PREPARED):
            _, known = self.connection.prepared.known.popitem(last=False)
            self.connection.pgconn.send_query_params(b"DEALLOCATE " + known.name, None)

    async def _hear(self, heard: list[PGresult]) -> None:
        """Leave all that the server says to what was sent with what was heard."""
        try:
            if self.connection.pgconn.flush():
                # The rest of what is much is sent by psycopg, and what comes meanwhile is read.
                await self.connection.wait(send(self.connection.pgconn))
            await self.connection.ear.hear_out(heard)
        except asyncio.CancelledError:
            await self._give_up(heard)
            raise

    async def _give_up(self, heard: list[PGresult]) -> None:
        """Have the server stop and hear that it did, or leave the connection closed: nobody knows its state."""
        try:
            async with asyncio.timeout(GIVE_UP_SECONDS):
                await self.connection.cancel_safe()
                await self.connection.ear.hear_out(heard)
        except BaseException as error:
            self.connection.ear.close()
            self.connection.pgconn.finish()
            # Whoever was stopped is not to be told of that instead.
            if not isinstance(error, Exception):
                raise

    def _sort_out(self, sent: Sequence[_Sent], heard: Sequence[PGresult]) -> list[tuple[Known, PGresult]]:
        """Return the statements with their results, as far as they were heard; unlearn what was not prepared."""
        said = iter(heard)
        results = []
        for key, known, is_new in sent:
            if is_new:
                word = next(said, None)
                if word is None or word.status != pq.ExecStatus.COMMAND_OK:
                    self.connection.prepared.known.pop(key, None)
            result = next(said, None)
            if result is not None:
                results.append((known, result))
        return results


def _name_columns(result: PGresult) -> tuple[str, ...]:
    return tuple((result.fname(place) or b"").decode() for place in range(result.nfields))


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
