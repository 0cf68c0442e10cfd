"""What a request tells the database: it goes through the whole door, and each statement is written down."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final, LiteralString, TypeVar, cast

import httpx2

from app.api.app import create_app
from app.cli.bench.http.requests import GREETING, Asked
from app.kernel.database import (
    MOMENT,
    NO_PARAMS,
    Asks,
    Database,
    Ended,
    Params,
    Plans,
    Query,
    Reading,
    Row,
    Scope,
    Writing,
    limit_each,
)
from app.kernel.settings import Settings
from app.kernel.statements import Statement

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Told:
    """One statement as the database was told it, with its parameters by name."""

    sql: LiteralString | bytes
    params: Params


async def record_requests(
    database: Database, settings: Settings, asked: Sequence[Asked]
) -> list[tuple[Told, ...]]:
    """Send each request once, and return what each told the database, transactions included."""
    recorder = _Recorder(database)
    # The door calls no other method of it.
    app = create_app(cast(Database, recorder), settings)
    recorded = []
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://door") as client:
        for one in asked:
            headers = {"Authorization": f"Bearer {one.team.secret}"}
            # A process takes a block of a key's limit with the first request; others are like the second.
            await client.get(GREETING, headers=headers)
            if one.path.endswith("/feedback"):
                # What is told of the first time happened once; a script runs again and again.
                await client.request(one.method, one.path, json=one.body, headers=headers)
            recorder.told.clear()
            answer = await client.request(one.method, one.path, json=one.body, headers=headers)
            assert answer.is_success, answer.text
            recorded.append(tuple(recorder.told))
    return recorded


class _Recorder:
    """A database that writes down what it is told before it does it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.told: list[Told] = []

    async def refuse_crowd(self) -> None:
        await self._database.refuse_crowd()

    @asynccontextmanager
    async def glance(self, scope: Scope) -> AsyncIterator[Reading]:
        async with self._database.glance(scope) as reading:
            self._begin("BEGIN READ ONLY", scope, "kept")
            yield _Recording(cast(Writing, reading), self.told)
            self.told.append(_COMMIT)

    @asynccontextmanager
    async def reading(
        self, scope: Scope, *, plans: Plans = "auto", timeout_seconds: float | None = None
    ) -> AsyncIterator[Reading]:
        async with self._database.reading(scope, plans=plans, timeout_seconds=timeout_seconds) as reading:
            self._begin("BEGIN READ ONLY", scope, plans)
            yield _Recording(cast(Writing, reading), self.told)
            self.told.append(_COMMIT)

    @asynccontextmanager
    async def snapshot(self, scope: Scope, *, plans: Plans = "auto") -> AsyncIterator[Reading]:
        async with self._database.snapshot(scope, plans=plans) as reading:
            self._begin(MOMENT, scope, plans)
            yield _Recording(cast(Writing, reading), self.told)
            self.told.append(_COMMIT)

    async def unit_of_work(self, scope: Scope, work: Callable[[Writing], Awaitable[T]]) -> T:
        async def recorded(writing: Writing) -> T:
            self._begin("BEGIN", scope, "auto")
            result = await work(_Recording(writing, self.told))
            self.told.append(_COMMIT)
            return result

        return await self._database.unit_of_work(scope, recorded)

    def _begin(self, begin: LiteralString, scope: Scope, plans: Plans) -> None:
        self.told += [Told(begin, NO_PARAMS), _tell(*self._database.entry(scope, plans))]


class _Recording:
    """A transaction of the recorder; what only reads is asked to read only."""

    def __init__(self, inner: Writing, told: list[Told]) -> None:
        self._inner = inner
        self._told = told

    async def fetch_all(self, query: Query, params: Params = NO_PARAMS) -> list[Row]:
        self._told.append(_tell(query, params))
        return await self._inner.fetch_all(query, params)

    async def fetch_one(self, query: Query, params: Params = NO_PARAMS) -> Row | None:
        self._told.append(_tell(query, params))
        return await self._inner.fetch_one(query, params)

    async def fetch_each(self, *asked: tuple[Query, Params]) -> list[list[Row]]:
        self._told += [_tell(query, params) for query, params in asked]
        return await self._inner.fetch_each(*asked)

    async def end_reading(self, known: Asks, guesses: Asks, *, timeout_seconds: float) -> Ended:
        self._told += [_tell(*one) for one in (*known, limit_each(timeout_seconds), *guesses)]
        return await self._inner.end_reading(known, guesses, timeout_seconds=timeout_seconds)

    def stream(self, query: Query, params: Params = NO_PARAMS) -> AsyncIterator[Row]:
        self._told.append(_tell(query, params))
        return self._inner.stream(query, params)

    async def execute(self, query: Query, params: Params = NO_PARAMS) -> int:
        self._told.append(_tell(query, params))
        return await self._inner.execute(query, params)

    async def execute_many(self, query: Query, params: list[Params]) -> None:
        self._told += [_tell(query, one) for one in params]
        await self._inner.execute_many(query, params)


def _tell(query: Query, params: Params) -> Told:
    if isinstance(query, Statement):
        return Told(query.sql, {**query.constants, **params})
    return Told(query, params)


_COMMIT: Final = Told("COMMIT", NO_PARAMS)
