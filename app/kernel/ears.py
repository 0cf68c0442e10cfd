"""How a round trip hears what the server says.

psycopg can wait as well, but wakes up ten times a second meanwhile, and arranges with the event loop for each trip
anew what to listen to, which takes longer than to send and to read. An ear is left open between trips and between
those who use a connection. It looks by itself once a second while somebody waits: of a server that ended with
something unread the event loop of uvloop tells nothing.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import psycopg
from psycopg import pq
from psycopg.pq.abc import PGconn, PGresult

LOOK_SECONDS: Final = 1.0


@dataclass(slots=True)
class Ear:
    """What listens to one connection while that lives. Whoever else listens to it closes this before."""

    pgconn: PGconn
    # While it listens. The event loop knows a socket by its number, which is another's once the connection ends.
    _loop: asyncio.AbstractEventLoop | None = None
    _socket: int = -1
    _word: asyncio.Future[None] | None = None
    # Made once a second at most, whatever the number of trips: it is not taken back when one is heard out.
    _look_at: asyncio.TimerHandle | None = None

    async def hear_out(self, heard: list[PGresult]) -> None:
        """Leave the results up to the end of the pipeline with what was heard.

        Raises:
            psycopg.OperationalError: the connection was lost.
        """
        for _ in _take(self.pgconn, heard):
            self._word = self._listen().create_future()
            await self._word
            self.pgconn.consume_input()

    def close(self) -> None:
        """Leave the event loop without the connection's socket; what is waited for next is listened to anew."""
        if self._loop is not None:
            self._loop.remove_reader(self._socket)
            self._loop = None
        if self._look_at is not None:
            self._look_at.cancel()
            self._look_at = None

    def _listen(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop, self._socket = asyncio.get_running_loop(), self.pgconn.socket
            self._loop.add_reader(self._socket, self._settle)
        if self._look_at is None:
            self._look_at = self._loop.call_later(LOOK_SECONDS, self._look)
        return self._loop

    def _look(self) -> None:
        self._look_at = None
        if self._word is not None and not self._word.done():
            self._word.set_result(None)

    def _settle(self) -> None:
        if self._word is None:
            # What nobody waits for would be told again and again.
            self.close()
        elif self._word.done():
            # Told before it was read what the word before was for.
            self._word = None
        else:
            self._word.set_result(None)


def _take(pgconn: PGconn, heard: list[PGresult]) -> Iterator[None]:
    """Take the results that are whole up to the end of the pipeline; stop wherever more has to come."""
    is_between = False
    while True:
        while pgconn.is_busy():
            yield
        result = pgconn.get_result()
        if result is None and is_between:
            # A connection that was lost says no more than that.
            raise psycopg.OperationalError("The connection was lost.")
        is_between = result is None
        if result is not None and result.status == pq.ExecStatus.PIPELINE_SYNC:
            return
        if result is not None:
            heard.append(result)
