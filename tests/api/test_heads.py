"""The head of a request is bounded before anybody is asked for a key."""

import asyncio
import re
import socket
from collections.abc import AsyncIterator, Iterable

import pytest

from app.cli.bench.http.bare import make_bare_app
from app.cli.heads import MAX_HEAD_BYTES
from app.cli.server import make_server

BEGIN = b"GET /bare HTTP/1.1\r\nHost: here\r\n"


@pytest.fixture
async def port() -> AsyncIterator[int]:
    listener = socket.create_server(("127.0.0.1", 0))
    server = make_server(make_bare_app())
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        await serving


async def send(port: int, pieces: Iterable[bytes]) -> list[int]:
    """Send the pieces on one connection and return the statuses of what is answered until it is closed."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
        told = await asyncio.wait_for(reader.read(), 20)
    except ConnectionError:
        # What was still on its way when the server hung up resets the connection.
        told = await reader.read() if not reader.at_eof() and reader.exception() is None else b""
    finally:
        writer.close()
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3})", told)]


def headers(count: int, size: int) -> bytes:
    return b"".join(b"X-%d: %s\r\n" % (number, b"v" * size) for number in range(count))


@pytest.mark.parametrize(
    "pieces",
    [
        [BEGIN + headers(90, 1000) + b"\r\n"],
        [BEGIN, *(b"X-%d: v\r\n" % number for number in range(MAX_HEAD_BYTES // 4))],
        [BEGIN + b"X-Long: ", *[b"v" * 16_384] * 5],
        [b"GET /bare?" + b"q" * MAX_HEAD_BYTES + b" HTTP/1.1\r\nHost: here\r\n\r\n"],
        [b"GET /bare?", *[b"q" * 16_384] * 5],
    ],
    ids=["many", "one after the other", "one without an end", "a query", "a query without an end"],
)
async def test_a_head_beyond_the_bound_is_refused_and_the_connection_closed(
    port: int, pieces: list[bytes]
) -> None:
    # It is closed, or `send` would not end; what is sent on meanwhile may take the answer away.
    assert await send(port, pieces) in ([431], [])


async def test_each_request_of_a_connection_has_its_own_bound_and_a_body_has_none_of_it(port: int) -> None:
    large = BEGIN + headers(50, 1000)
    body = b"b" * (3 * MAX_HEAD_BYTES)
    posted = b"POST /bare HTTP/1.1\r\nHost: here\r\nContent-Length: %d\r\n\r\n" % len(body)
    last = large + b"Connection: close\r\n\r\n"
    answers = await send(port, [large + b"\r\n", posted, body + large + b"\r\n", last])
    assert answers == [200, 405, 200, 200]


async def test_what_is_no_request_is_still_refused_as_such(port: int) -> None:
    assert await send(port, [b"NONSENSE\r\n\r\n"]) == [400]


async def test_the_refusal_says_what_is_wrong(port: int) -> None:
    assert await send(port, [BEGIN + headers(65, 1000)]) == [431]
