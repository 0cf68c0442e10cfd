"""Statements on their way to PostgreSQL and rows on their way back: what is asked together is one round trip.

psycopg's own pipeline sends each statement by itself, so that the server wakes up for each, and makes a cursor
with its adapters for each. Here statements leave together, each is prepared once a connection, and what has been
learnt of types is kept.
"""

import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from psycopg import pq
from psycopg.abc import Buffer, PQGen, Transformer
from psycopg.adapt import PyFormat
from psycopg.errors import error_from_result
from psycopg.generators import fetch_many, send
from psycopg.pq.abc import PGconn, PGresult

from app.kernel.pools import Connection

Row = dict[str, Any]  # Column types are the schema's; naming each row's shape again would be a second schema.
Params = Mapping[str, object]

# A list has as many statements as combinations of its filters, and each plan takes memory of the server's.
MAX_PREPARED: Final = 200
_PLACEHOLDER: Final = re.compile(rb"%(?:%|\((\w+)\)s)")
_Key = tuple[bytes, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Ask:
    """One statement: SQL with `%(name)s` placeholders and values for them; without values `%` means itself."""

    sql: bytes
    params: Params


@dataclass(frozen=True, slots=True)
class Told:
    """What came of a statement: its rows, how many rows it touched, the server's word for what it did."""

    rows: list[Row]
    count: int
    word: bytes


@dataclass(slots=True)
class Prepared:
    """The statements that one connection knows by name, the one longest unused first."""

    names: OrderedDict[_Key, bytes] = field(default_factory=OrderedDict)
    count: int = 0


@dataclass(frozen=True, slots=True)
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
        sent = [self._write(one) for one in asked]
        async with self.connection.lock:
            results = await self.connection.wait(_carry_out(self.connection.pgconn, self.prepared, sent))
        for result in results:
            if result.status == pq.ExecStatus.FATAL_ERROR:
                raise error_from_result(result)
        return [self._read(result) for result in results[unread:]]

    def _write(self, one: Ask) -> "_Sent":
        sql, names = _number(one.sql) if one.params else (one.sql, ())
        values = self.transformer.dump_sequence(
            [one.params[name] for name in names], [PyFormat.AUTO] * len(names)
        )
        return _Sent((sql, self.transformer.types or ()), values, self.transformer.formats)

    def _read(self, result: PGresult) -> Told:
        rows: list[Row] = []
        if result.ntuples:
            names = [(result.fname(place) or b"").decode() for place in range(result.nfields)]
            self.transformer.set_pgresult(result)
            rows = self.transformer.load_rows(
                0, result.ntuples, lambda values: dict(zip(names, values, strict=True))
            )
        return Told(rows, result.command_tuples or 0, result.command_status or b"")


@dataclass(frozen=True, slots=True)
class _Sent:
    """One statement as it goes out; by its key, text and types, the server tells it from others."""

    key: _Key
    values: Sequence[Buffer | None]
    formats: Sequence[pq.Format] | None


def _carry_out(pgconn: PGconn, prepared: Prepared, sent: Sequence[_Sent]) -> PQGen[list[PGresult]]:
    """Return the results of the statements, among them that of a preparation that failed."""
    pgconn.enter_pipeline_mode()
    try:
        new = [_send_one(pgconn, prepared, one) for one in sent]
        spare = _forget(pgconn, prepared)
        pgconn.pipeline_sync()
        yield from send(pgconn)
        results: list[PGresult] = []
        for one, is_new in zip(sent, new, strict=True):
            if is_new:
                [result] = yield from fetch_many(pgconn)
                if result.status != pq.ExecStatus.COMMAND_OK:
                    del prepared.names[one.key]
                    results.append(result)
            results += yield from fetch_many(pgconn)
        # One answer for each that was forgotten, and one to the end of the pipeline.
        for _ in range(spare + 1):
            yield from fetch_many(pgconn)
    finally:
        # Of a connection that was lost in between there is nothing left to end.
        if pgconn.status == pq.ConnStatus.OK:
            pgconn.exit_pipeline_mode()
    return results


def _send_one(pgconn: PGconn, prepared: Prepared, one: _Sent) -> bool:
    """Send one statement; return whether it has to be prepared first."""
    name = prepared.names.get(one.key)
    is_new = name is None
    if name is None:
        prepared.count += 1
        name = prepared.names[one.key] = b"densemem_%d" % prepared.count
        pgconn.send_prepare(name, one.key[0], param_types=one.key[1])
    prepared.names.move_to_end(one.key)
    pgconn.send_query_prepared(name, one.values, param_formats=one.formats)
    return is_new


def _forget(pgconn: PGconn, prepared: Prepared) -> int:
    """Let go of the statements that are too many, longest unused first; return how many."""
    spare = max(0, len(prepared.names) - MAX_PREPARED)
    for _ in range(spare):
        _, name = prepared.names.popitem(last=False)
        pgconn.send_query_params(b"DEALLOCATE " + name, None)
    return spare


@lru_cache(maxsize=1024)
def _number(sql: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Return the statement with `$1` and so on for its placeholders, and their names in that order."""
    places: dict[bytes, int] = {}

    def place(found: re.Match[bytes]) -> bytes:
        if found[1] is None:
            return b"%"
        return b"$%d" % places.setdefault(found[1], len(places) + 1)

    return _PLACEHOLDER.sub(place, sql), tuple(name.decode() for name in places)
