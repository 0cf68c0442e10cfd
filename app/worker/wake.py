"""What ends a loop's sleep early: bells, and who rings them."""

import asyncio
import random
from typing import Final, LiteralString, Protocol

import psycopg
import structlog

from app.kernel.database import Database
from app.kernel.errors import DenseMemError
from app.kernel.ids import new_id
from app.queue.leases import WAKE_CHANNEL

LONGEST_SLEEP_SECONDS: Final = 60.0
RECONNECT_SECONDS: Final = 2.0
ANSWER_SECONDS: Final = 5.0
log = structlog.get_logger()


class Wake(Protocol):
    """Something to sleep on."""

    async def wait(self, seconds: float) -> None:
        """Return at the next wake-up, or after `seconds`. One that came since the last return counts."""


class Bell:
    """A Wake that whoever holds it can ring."""

    def __init__(self) -> None:
        self._rung = asyncio.Event()

    def ring(self) -> None:
        """Let the sleeper wake, or not fall asleep."""
        self._rung.set()

    async def wait(self, seconds: float) -> None:
        """Return at the next ring, or after `seconds`."""
        try:
            async with asyncio.timeout(seconds):
                await self._rung.wait()
        except TimeoutError:
            return
        finally:
            self._rung.clear()


class WakeUps:
    """The bells of one process by the kind of work that each is for. `is_heard`: new work rings them by itself."""

    def __init__(self, *, poll_seconds: float) -> None:
        self.is_heard = False
        self._poll_seconds = poll_seconds
        self._bells: dict[str, Bell] = {}

    def bell(self, kind: str) -> Bell:
        """Return the one bell for the kind."""
        return self._bells.setdefault(kind, Bell())

    def ring(self, kind: str) -> None:
        """Wake who works on the kind; nobody else."""
        if kind in self._bells:
            self._bells[kind].ring()

    def ring_all(self) -> None:
        """Wake everybody: something may have been missed."""
        for bell in self._bells.values():
            bell.ring()

    def note_heard(self, is_heard: bool) -> None:
        """Leave on record whether wake-ups arrive; at a change everybody looks again."""
        if is_heard != self.is_heard:
            self.is_heard = is_heard
            self.ring_all()

    def longest_sleep(self) -> float:
        """Return how long to sleep at most; it varies a little, so that processes don't march in step."""
        seconds = LONGEST_SLEEP_SECONDS if self.is_heard else self._poll_seconds
        return seconds * random.uniform(0.8, 1.0)

    def sleep_until_due(self, seconds: float | None) -> float:
        """Return how long to sleep when the next thing is due in so many seconds; None: nothing is.

        What is due already could not be taken just now, so somebody else has it: it is looked at one poll later.
        """
        longest = self.longest_sleep()
        if seconds is None:
            return longest
        if seconds <= 0:
            return min(longest, self._poll_seconds)
        return min(longest, seconds + self._poll_seconds * random.uniform(0, 0.2))


async def hear_notifications(database: Database, wake_ups: WakeUps) -> None:
    """Ring at each notification, for ever; without a connection the polls go on by themselves.

    Whether notifications arrive is tried, not assumed: a pooler between us and PostgreSQL may swallow them, and a
    connection may be dead without either end knowing.
    """
    while True:
        try:
            async with database.listening(WAKE_CHANNEL) as connection:
                while True:
                    await _hear_for_a_while(connection, wake_ups)
        except (DenseMemError, psycopg.Error, TimeoutError) as error:
            log.warning("wake-ups are not heard", action="wake", code=type(error).__name__)
        finally:
            wake_ups.note_heard(False)
        await asyncio.sleep(RECONNECT_SECONDS)


async def _hear_for_a_while(
    connection: psycopg.AsyncConnection[dict[str, object]], wake_ups: WakeUps
) -> None:
    """Call out once, listen for the length of the longest sleep, and note whether the call came back."""
    call = new_id("req")
    async with asyncio.timeout(ANSWER_SECONDS):
        await connection.execute(_CALL, {"channel": WAKE_CHANNEL, "call": call})
    is_back = False
    async for notification in connection.notifies(timeout=LONGEST_SLEEP_SECONDS):
        if notification.payload == call:
            is_back = True
            wake_ups.note_heard(True)
        else:
            wake_ups.ring(notification.payload)
    wake_ups.note_heard(is_back)


_CALL: LiteralString = "SELECT pg_notify(%(channel)s, %(call)s)"
