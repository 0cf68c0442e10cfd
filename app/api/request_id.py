"""Every request has an id: the client's if it is printable and no secret, else ours.

It is the correlation id of log lines and problems.
"""

import re
import secrets
from collections.abc import Awaitable
from typing import Final

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.remember.guard.mask import mask_text

HEADER: Final = "X-Request-Id"
# Of an id of ours; it need not be in order, as ids of what is stored are.
_BYTES: Final = 16
_ACCEPTED: Final = re.compile(r"[\x20-\x7e]{1,128}")


class RequestIds:
    """ASGI middleware that names each request, binds the name to its log lines and returns it in a header."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on under its id."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _choose(Headers(scope=scope).get(HEADER, ""))
        scope.setdefault("state", {})["request_id"] = request_id

        def send_named(message: Message) -> Awaitable[None]:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[HEADER] = request_id
            return send(message)

        before = structlog.contextvars.bind_contextvars(correlation_id=request_id)
        try:
            await self._app(scope, receive, send_named)
        finally:
            structlog.contextvars.reset_contextvars(**before)


def request_id_of(request: Request) -> str:
    """Return the id that the middleware gave this request."""
    request_id: str = request.scope["state"]["request_id"]
    return request_id


def _choose(offered: str) -> str:
    is_accepted = _ACCEPTED.fullmatch(offered) is not None and not mask_text(offered).counts
    return offered if is_accepted else secrets.token_hex(_BYTES)
