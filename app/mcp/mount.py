"""`/mcp` beside the routes of an application, with and without the trailing slash."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import INVALID_REQUEST
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from app.mcp.server import Context, build_server
from app.mcp.tools import Schema

PATHS: Final = ("/mcp", "/mcp/")
MAX_BODY_BYTES: Final = 1024 * 1024
# What a call inherits from the request that carries it.
_PASSED_ON: Final = ("authorization", "x-request-id")
Admit = Callable[[Request], AbstractAsyncContextManager[None]]
ReadBody = Callable[[Request], Awaitable[bytes]]


def mount_mcp(app: Starlette, *, contract: Schema, version: str, admit: Admit, read_body: ReadBody) -> None:
    """Leave the application with `/mcp`, open while its lifespan runs.

    Args:
        app: also answers the calls; a request never leaves the process.
        contract: the application's OpenAPI document.
        version: of the product, for clients to read.
        admit: raises for a request without a valid key; what is called in its block is let in with it.
        read_body: returns the body, or raises for one that the routes would not read either: too large, no JSON, a
            name twice in one object.
    """
    http = httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app, raise_app_exceptions=False), base_url="http://mcp"
    )
    server = build_server(http, contract, version=version, headers=_inherit)
    manager = StreamableHTTPSessionManager(
        server, json_response=True, stateless=True, max_request_body_size=MAX_BODY_BYTES
    )
    endpoint = _Endpoint(manager, admit, read_body)
    routes = [Route(path, endpoint, methods=None) for path in PATHS]
    endpoint.route = routes[0]
    app.router.routes.extend(routes)
    before = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(started: Starlette) -> AsyncIterator[Mapping[str, Any]]:
        async with before(started) as state, manager.run(), http:
            yield state or {}

    app.router.lifespan_context = lifespan


class _Endpoint:
    """Lets requests with a valid key through to the protocol.

    Attributes:
        route: what all its requests are counted under, with and without the slash.
    """

    route: Route

    def __init__(self, manager: StreamableHTTPSessionManager, admit: Admit, read_body: ReadBody) -> None:
        self._manager = manager
        self._admit = admit
        self._read_body = read_body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request of the protocol."""
        # The routes of the HTTP door say which one they are; one of Starlette's does not.
        scope["route"] = self.route
        request = Request(scope, receive)
        if request.method != "POST":
            # Without sessions there is no stream to open and none to end; the protocol asks for this answer.
            refusal = PlainTextResponse("Send POST.", 405, {"Allow": "POST"})
            return await refusal(scope, receive, send)
        if _is_foreign(request):
            return await PlainTextResponse("Foreign origin.", 403)(scope, receive, send)
        async with self._admit(request):
            body = await self._read_body(request)
            if not body.lstrip().startswith(b"{"):
                return await _refuse_batch(scope, receive, send)
            return await self._manager.handle_request(scope, _replay(body, receive), send)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return what gives the body that was read, and then what else comes, such as the end of the connection."""
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return waiting.pop() if waiting else await receive()

    return replayed


async def _refuse_batch(scope: Scope, receive: Receive, send: Send) -> None:
    error = {"code": INVALID_REQUEST, "message": "Send one request as an object; batches are not taken."}
    await JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, 400)(scope, receive, send)


def _is_foreign(request: Request) -> bool:
    """Say whether a browser sends this for a page of another host, or for one that borrowed this address.

    A name that an attacker makes lead here is the page's host and the request's as well, so names count for
    nothing but `localhost`. Programs send no origin.
    """
    origin = request.headers.get("origin")
    if origin is None:
        return False
    try:
        split = urlsplit(origin)
        return split.netloc != request.headers.get("host") or not _is_address(split.hostname or "")
    except ValueError:
        return True


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return host == "localhost"
    return True


def _inherit(context: Context) -> dict[str, str]:
    request = context.request
    assert isinstance(request, Request), "each message of this transport comes with its request"
    return {name: request.headers[name] for name in _PASSED_ON if name in request.headers}
