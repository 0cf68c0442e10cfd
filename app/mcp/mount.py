"""`/mcp` beside the routes of an application, with and without the trailing slash."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from app.mcp.server import Context, build_server
from app.mcp.tools import Schema

PATHS: Final = ("/mcp", "/mcp/")
MAX_BODY_BYTES: Final = 1024 * 1024
# What a call inherits from the request that carries it.
_PASSED_ON: Final = ("authorization", "x-request-id")
Admit = Callable[[Request], Awaitable[None]]


def mount_mcp(app: Starlette, *, contract: Schema, version: str, admit: Admit) -> None:
    """Leave the application with `/mcp`, open while its lifespan runs.

    Args:
        app: also answers the calls; a request never leaves the process.
        contract: the application's OpenAPI document.
        version: of the product, for clients to read.
        admit: raises for a request without a valid key; each call is checked again by its route.
    """
    http = httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app, raise_app_exceptions=False), base_url="http://mcp"
    )
    server = build_server(http, contract, version=version, headers=_inherit)
    manager = StreamableHTTPSessionManager(
        server, json_response=True, stateless=True, max_request_body_size=MAX_BODY_BYTES
    )
    endpoint = _Endpoint(manager, admit)
    app.router.routes.extend(Route(path, endpoint, methods=None) for path in PATHS)
    before = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(started: Starlette) -> AsyncIterator[Mapping[str, Any]]:
        async with before(started) as state, manager.run(), http:
            yield state or {}

    app.router.lifespan_context = lifespan


class _Endpoint:
    """Lets requests with a valid key through to the protocol."""

    def __init__(self, manager: StreamableHTTPSessionManager, admit: Admit) -> None:
        self._manager = manager
        self._admit = admit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request of the protocol."""
        request = Request(scope)
        if request.method != "POST":
            # Without sessions there is no stream to open and none to end; the protocol asks for this answer.
            refusal = PlainTextResponse("Send POST.", 405, {"Allow": "POST"})
            return await refusal(scope, receive, send)
        if _is_foreign(request):
            return await PlainTextResponse("Foreign origin.", 403)(scope, receive, send)
        await self._admit(request)
        return await self._manager.handle_request(scope, receive, send)


def _is_foreign(request: Request) -> bool:
    """Say whether a browser sends this for a page of another host."""
    origin = request.headers.get("origin")
    return origin is not None and urlsplit(origin).netloc != request.headers.get("host")


def _inherit(context: Context) -> dict[str, str]:
    request = context.request
    assert isinstance(request, Request), "each message of this transport comes with its request"
    return {name: request.headers[name] for name in _PASSED_ON if name in request.headers}
