"""Feeds of a team: some that nobody reads, with buffers that are soon full, and one that is read."""

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import cycle, islice
from time import monotonic
from typing import Final

SMALL_BUFFER: Final = 4096


@dataclass(slots=True)
class Heard:
    """The numbers of the events that came, and when the last one did."""

    numbers: list[int] = field(default_factory=list)
    last_at: float = 0.0

    @property
    def is_whole(self) -> bool:
        """Say whether none was left out and none came twice."""
        return self.numbers == list(range(self.numbers[0], self.numbers[0] + len(self.numbers)))


@asynccontextmanager
async def unread_feeds(port: int, secrets: Sequence[str], count: int) -> AsyncIterator[None]:
    """Hold so many feeds open, of the keys in turn, and read nothing of them."""
    loop = asyncio.get_running_loop()
    sockets = []
    try:
        for secret in islice(cycle(secrets), count):
            feed = socket.socket()
            sockets.append(feed)
            feed.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL_BUFFER)
            feed.setblocking(False)
            await loop.sock_connect(feed, ("127.0.0.1", port))
            await loop.sock_sendall(feed, _request(secret))
        yield
    finally:
        for feed in sockets:
            feed.close()


@asynccontextmanager
async def read_feed(port: int, secret: str) -> AsyncIterator[Heard]:
    """Read a feed while the block runs; it is open when the block begins."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(_request(secret))
    await reader.readuntil(b": after ")
    heard = Heard()
    reading = asyncio.create_task(_read(reader, heard))
    try:
        yield heard
    finally:
        reading.cancel()
        writer.close()


async def _read(reader: asyncio.StreamReader, heard: Heard) -> None:
    while line := await reader.readline():
        if line.startswith(b"id: "):
            heard.numbers.append(int(line[4:]))
            heard.last_at = monotonic()


def _request(secret: str) -> bytes:
    return f"GET /v1/events HTTP/1.1\r\nHost: door\r\nAuthorization: Bearer {secret}\r\n\r\n".encode()
