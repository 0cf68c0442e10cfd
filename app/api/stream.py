"""Server-sent events: how the feed is written, and how long a client may leave it unread."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Final

import structlog
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.events.feed import Event
from app.events.hub import Hub
from app.kernel.errors import DenseMemError

EVENT_STREAM: Final = "text/event-stream"
# A client whose buffers stay full for so long has stopped reading; it may come back and resume.
PATIENCE_SECONDS: Final = 30.0
_RETRY_MILLISECONDS: Final = 2000
_ID_NAMES: Final = {"rel": "relationship_id", "hyp": "hypothesis_id", "run": "run_id", "ing": "ingest_id"}
_log = structlog.get_logger()


async def open_stream(lines: AsyncIterator[str]) -> AsyncIterator[str]:
    """Return the lines with their beginning taken: what refuses the stream is raised while it can be answered."""
    return _go_on(await anext(lines), lines)


async def _go_on(first: str, lines: AsyncIterator[str]) -> AsyncIterator[str]:
    yield first
    async for line in lines:
        yield line


async def write_stream(
    hub: Hub, *, team_id: str, key_id: str, position: int, head: int
) -> AsyncIterator[str]:
    """Yield the stream after `position` until the key ends, the process ends, or the feed can't be read.

    The first chunk goes out at once, so that a client knows that it is connected.
    """
    with hub.reader(team_id, key_id, position=position, head=head) as reader:
        yield f"retry: {_RETRY_MILLISECONDS}\n: after {position}\n\n"
        try:
            async for batch in hub.follow(reader):
                yield "".join(map(write_event, batch)) or ": still here\n\n"
        except DenseMemError as error:
            reader.end(error.code)
        yield f": end, {reader.ended_because}\n\n"


def write_event(event: Event) -> str:
    """Return one event as its lines; `id` is what `Last-Event-ID` takes."""
    data = {
        "type": event.type,
        "at": event.at.isoformat().replace("+00:00", "Z"),
        _ID_NAMES[event.subject_id.partition("_")[0]]: event.subject_id,
    }
    return f"id: {event.number}\ndata: {json.dumps(data)}\n\n"


class Patience:
    """ASGI middleware that gives up a stream which its client leaves unread; other answers are let through."""

    def __init__(self, app: ASGIApp, *, seconds: float = PATIENCE_SECONDS) -> None:
        self._app = app
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        is_stream = False

        async def send_soon(message: Message) -> None:
            nonlocal is_stream
            if message["type"] == "http.response.start":
                is_stream = Headers(raw=message["headers"]).get("Content-Type", "").startswith(EVENT_STREAM)
            if not is_stream:
                return await send(message)
            try:
                async with asyncio.timeout(self._seconds):
                    await send(message)
            except TimeoutError:
                _log.info("stream left unread", action="events")
                raise ClientDisconnect from None

        await self._app(scope, receive, send_soon)
