"""The server itself: HTTP/1.1 by hand, because a framework would mend the faults that we need."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from tests.provider_server.batches import Batches
from tests.provider_server.replies import Reply, Said, error, streamed, whole

Answer = Reply | Said
KEY = "sk-test-0123456789abcdef"


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it came in."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Any]:  # Whatever the client sent.
        document: dict[str, Any] = json.loads(self.body)
        return document


@dataclass(slots=True)
class ProviderServer:
    """What is said to messages comes from `script`, in order, the last one again and again; or from `speak`.

    `tokens` is what counting answers, `models` what `GET /v1/models/<id>` knows. `requests` keeps all that came.
    """

    script: list[Answer] = field(default_factory=list)
    speak: Callable[[dict[str, Any]], Answer] | None = None
    tokens: Reply | int = 100
    key: str = KEY
    model: Reply | Mapping[str, object] = field(default_factory=lambda: dict(KNOWN_MODEL))
    requests: list[Request] = field(default_factory=list)
    batches: Batches = field(default_factory=Batches)
    url: str = ""
    _said: int = 0

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The bodies of the calls that asked for an answer."""
        return [each.json for each in self.requests if each.path == "/v1/messages"]

    def answer(self, request: Request) -> Reply:
        if request.headers.get("authorization") != f"Bearer {self.key}":
            return error(401, "authentication_error")
        match request.method, request.path.partition("?")[0]:
            case "POST", "/v1/messages":
                return self._speak(request.json)
            case "POST", "/v1/messages/count_tokens":
                if isinstance(self.tokens, Reply):
                    return self.tokens
                return Reply(body=json.dumps({"input_tokens": self.tokens}).encode())
            case "GET", path if path.startswith("/v1/models/"):
                return self._describe(path.removeprefix("/v1/models/"))
            case method, path if path.startswith("/v1/messages/batches"):
                return self.batches.answer(method, path, request.body, self.url)
        return error(404, "not_found_error")

    def _speak(self, body: dict[str, Any]) -> Reply:
        if self.speak is not None:
            answer = self.speak(body)
        else:
            answer = self.script[min(self._said, len(self.script) - 1)]
            self._said += 1
        if isinstance(answer, Reply):
            return answer
        return streamed(answer) if body.get("stream") else whole(answer)

    def _describe(self, name: str) -> Reply:
        if isinstance(self.model, Reply):
            return self.model
        if self.model["id"] != name:
            return error(404, "not_found_error")
        return Reply(body=json.dumps(self.model).encode())


KNOWN_MODEL: Mapping[str, object] = {
    "type": "model",
    "id": "claude-opus-5-5",
    "display_name": "A model",
    "created_at": "2026-09-01T00:00:00Z",
    "lifecycle": "active",
    "capabilities": {"structured_outputs": {"supported": True}},
}


@asynccontextmanager
async def provider() -> AsyncIterator[ProviderServer]:
    """Serve until the block is left; what is still open then is cut."""
    server = ProviderServer()
    open_writers: set[asyncio.StreamWriter] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        open_writers.add(writer)
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            request = await _read(reader)
            server.requests.append(request)
            await _write(reader, writer, server.answer(request))
        writer.close()
        open_writers.discard(writer)

    listener = await asyncio.start_server(handle, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    try:
        yield server
    finally:
        listener.close()
        for writer in open_writers.copy():
            writer.transport.abort()
        await listener.wait_closed()


async def _read(reader: asyncio.StreamReader) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _ = head[0].split(" ")
    headers = {
        name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)
    }
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(method, path, headers, body)


async def _write(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, reply: Reply) -> None:
    if reply.hangs:
        await reader.read()
        return
    if reply.waits_for is not None:
        await reply.waits_for.wait()
    headers = {"content-type": reply.content_type, "connection": "close", **reply.headers}
    if reply.is_chunked:
        headers["transfer-encoding"] = "chunked"
    elif reply.content_type != "text/event-stream":
        headers["content-length"] = str(len(reply.body))
    lines = [f"HTTP/1.1 {reply.status} Reason", *(f"{name}: {value}" for name, value in headers.items())]
    writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
    body = reply.body if reply.cut_after is None else reply.body[: reply.cut_after]
    if reply.is_chunked:
        body = b"%x\r\n%b\r\n" % (len(body), body)
    if reply.trickle_seconds:
        for place in range(len(body)):
            writer.write(body[place : place + 1])
            await writer.drain()
            await asyncio.sleep(reply.trickle_seconds)
    else:
        writer.write(body)
        await writer.drain()
    if reply.stalls:
        await reader.read()
    if reply.cut_after is not None:
        writer.transport.abort()
