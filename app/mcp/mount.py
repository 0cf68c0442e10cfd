"""`/mcp` beside the routes of an application, with and without the trailing slash."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from http import HTTPStatus
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from app.mcp.server import Context, build_server
from app.mcp.tools import Schema

PATHS: Final = ("/mcp", "/mcp/")
MAX_BODY_BYTES: Final = 1024 * 1024
# What a call inherits from the request that carries it.
_PASSED_ON: Final = ("authorization", "x-request-id")
# What a refusal says besides.
_HEADERS_KEPT: Final = ("www-authenticate", "retry-after")
_BATCH: Final = {"code": INVALID_REQUEST, "message": "Send one request as an object; batches are not taken."}
Admit = Callable[[Request], AbstractAsyncContextManager[None]]
ReadBody = Callable[[Request], Awaitable[bytes]]
Explain = Callable[[Request, Exception], Awaitable[Response]]


def mount_mcp(
    app: Starlette, *, contract: Schema, version: str, admit: Admit, read_body: ReadBody, explain: Explain
) -> None:
    """Leave the application with `/mcp`, open while its lifespan runs.

    Args:
        app: also answers the calls; a request never leaves the process.
        contract: the application's OpenAPI document.
        version: of the product, for clients to read.
        admit: raises for a request without a valid key; what is called in its block is let in with it.
        read_body: returns the body, or raises for one that the routes would not read either: too large, no JSON, a
            name twice in one object.
        explain: returns what a route would answer, a problem document, where one of these refused or failed.
    """
    http = httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app, raise_app_exceptions=False), base_url="http://mcp"
    )
    server = build_server(http, contract, version=version, headers=_inherit)
    manager = StreamableHTTPSessionManager(
        server, json_response=True, stateless=True, max_request_body_size=MAX_BODY_BYTES
    )
    endpoint = _Endpoint(manager, admit, read_body, explain)
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

    def __init__(
        self, manager: StreamableHTTPSessionManager, admit: Admit, read_body: ReadBody, explain: Explain
    ) -> None:
        self._manager = manager
        self._admit = admit
        self._read_body = read_body
        self._explain = explain

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
        async with AsyncExitStack() as let_in:
            try:
                await let_in.enter_async_context(self._admit(request))
                body = await self._read_body(request)
            except ClientDisconnect:
                raise
            except Exception as error:  # noqa: BLE001  # What clients show is an error of the protocol only.
                refused = _refuse(await self._explain(request, error))
                return await refused(scope, receive, send)
            if not body.lstrip().startswith(b"{"):
                return await _answer_error(_BATCH, 400)(scope, receive, send)
            return await self._manager.handle_request(scope, _replay(body, receive), send)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return what gives the body that was read, and then what else comes, such as the end of the connection."""
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return waiting.pop() if waiting else await receive()

    return replayed


def _refuse(explained: Response) -> Response:
    """Return the problem document as an error of the protocol: clients tell of no other body what it says."""
    problem = json.loads(bytes(explained.body))
    error = {
        "code": _code_of(explained.status_code),
        "message": f"{problem['detail']} {problem['next_action']}",
        "data": problem,
    }
    kept = {name: explained.headers[name] for name in _HEADERS_KEPT if name in explained.headers}
    return _answer_error(error, explained.status_code, kept)


def _code_of(status: int) -> int:
    if status == HTTPStatus.BAD_REQUEST:
        return PARSE_ERROR
    return INTERNAL_ERROR if status >= HTTPStatus.INTERNAL_SERVER_ERROR else INVALID_REQUEST


def _answer_error(
    error: Mapping[str, Any], status: int, headers: Mapping[str, str] | None = None
) -> Response:
    body = {"jsonrpc": "2.0", "id": None, "error": error}
    return JSONResponse(body, status, headers)


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
