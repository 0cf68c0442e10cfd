"""One poller for all readers of a process: two statements a poll, and one for each team that has news.

A reader is slow alone: what it has not read yet lies in its team's recent events, which are bounded, or in the
database, where it reads page by page. Nothing is pushed at it.
"""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

import psycopg
import structlog

from app.events.feed import PAGE_SIZE, Event, read_after, read_heads
from app.kernel.database import Database, Reading, Scope
from app.kernel.errors import DenseMemError, RateLimited
from app.tenancy.keys import find_live_keys

HEARTBEAT_SECONDS: Final = 15.0
MAX_READERS_PER_KEY: Final = 20
_log = structlog.get_logger()


@dataclass(slots=True, eq=False)
class Reader:
    """One open stream. `ended_because` is set when it must end, and says so to the client."""

    team_id: str
    key_id: str
    position: int
    news: asyncio.Event = field(default_factory=asyncio.Event)
    ended_because: str | None = None

    def end(self, why: str) -> None:
        """Let the stream end as soon as its client takes what is under way."""
        self.ended_because = why
        self.news.set()


@dataclass(slots=True)
class _Team:
    """What this process knows of a team's feed: its last number, and its latest events."""

    head: int
    recent: deque[Event] = field(default_factory=lambda: deque(maxlen=2 * PAGE_SIZE))


class Hub:
    """The open streams of one process. Nothing runs, and no connection is held, while there is none."""

    def __init__(self, database: Database, *, poll_seconds: float) -> None:
        self._database = database
        self._poll_seconds = poll_seconds
        self._readers: set[Reader] = set()
        self._teams: dict[str, _Team] = {}
        self._poller: asyncio.Task[None] | None = None
        self._is_closed = False

    @property
    def readers(self) -> int:
        return len(self._readers)

    @contextmanager
    def reader(self, team_id: str, key_id: str, *, position: int, head: int) -> Iterator[Reader]:
        """Register a stream that has seen everything up to `position`, for as long as the block runs.

        `head` is the team's last number as just read.

        Raises:
            RateLimited: the key has too many streams open in this process.
        """
        if Counter(reader.key_id for reader in self._readers)[key_id] >= MAX_READERS_PER_KEY:
            raise RateLimited("This key has too many streams open.", retry_after_seconds=HEARTBEAT_SECONDS)
        reader = Reader(team_id, key_id, position)
        self._readers.add(reader)
        self._teams.setdefault(team_id, _Team(head))
        if self._is_closed:
            reader.end("closing")
        elif self._poller is None:
            self._poller = asyncio.create_task(self._poll_on())
        try:
            yield reader
        finally:
            self._readers.remove(reader)
            if all(other.team_id != team_id for other in self._readers):
                del self._teams[team_id]
            if not self._readers and self._poller is not None:
                self._poller.cancel()
                self._poller = None

    async def follow(self, reader: Reader) -> AsyncIterator[list[Event]]:
        """Yield the events after the reader's position in order, batch by batch, until it must end.

        An empty batch means that nothing has happened for `HEARTBEAT_SECONDS`.
        """
        while reader.ended_because is None:
            reader.news.clear()
            batch = await self._next(reader)
            if batch:
                reader.position = batch[-1].number
                yield batch
                continue
            try:
                async with asyncio.timeout(HEARTBEAT_SECONDS):
                    await reader.news.wait()
            except TimeoutError:
                yield []

    def close(self) -> None:
        """End every stream, and those that are still to come."""
        self._is_closed = True
        for reader in self._readers:
            reader.end("closing")

    async def _next(self, reader: Reader) -> list[Event]:
        team = self._teams[reader.team_id]
        if reader.position >= team.head:
            return []
        if team.recent and team.recent[0].number <= reader.position + 1:
            return [event for event in team.recent if event.number > reader.position][:PAGE_SIZE]
        return await self._read_after(reader.team_id, reader.position)

    async def _poll_on(self) -> None:
        is_away = False
        while True:
            try:
                await self.poll()
                is_away = False
            except (DenseMemError, psycopg.Error) as error:
                if not is_away:
                    _log.warning("the feed can't be read", action="events", code=type(error).__name__)
                is_away = True
            await asyncio.sleep(self._poll_seconds)

    async def poll(self) -> None:
        """Look once: wake the readers of teams that have news, end those whose key has ended."""
        keys = {reader.key_id for reader in self._readers}
        async with self._database.reading(Scope("app")) as reading:
            heads = await read_heads(reading, list(self._teams))
            live = await find_live_keys(reading, keys)
        self._tell(lambda reader: reader.key_id in keys - live, lambda reader: reader.end("key ended"))
        for team_id, head in heads.items():
            while (team := self._teams.get(team_id)) is not None and team.head < head:
                events = await self._read_after(team_id, team.head)
                if not events:
                    break
                team.recent.extend(events)
                team.head = events[-1].number
                self._tell(
                    lambda reader, team_id=team_id: reader.team_id == team_id,  # type: ignore[misc]  # mypy can't infer a lambda with a default.
                    lambda reader: reader.news.set(),
                )

    def _tell(self, is_meant: Callable[[Reader], bool], say: Callable[[Reader], None]) -> None:
        for reader in self._readers:
            if is_meant(reader):
                say(reader)

    async def _read_after(self, team_id: str, number: int) -> list[Event]:
        async with self._database.reading(Scope("app", team_id)) as reading:
            return await read_after(reading, team_id, number)


async def find_head(reading: Reading, team_id: str) -> int:
    """Return the last number of the team's feed; 0 before the first event."""
    return (await read_heads(reading, [team_id])).get(team_id, 0)
