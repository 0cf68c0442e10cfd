"""No answer leaves before the key of its request is proven to live.

Work that goes through the door proves it on the way. This is for what does not: refusals before there was any
work, and routes that ask the database themselves.
"""

from typing import Final

import psycopg
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.door import open_door
from app.api.problems import answer_problem
from app.kernel.errors import DenseMemError
from app.tenancy.callers import Admin, Caller

# What the server could not do says nothing that a key would let one know, and asking again would fail again.
_FAULTS_BEGIN: Final = 500


class Proofs:
    """ASGI middleware that has the key of a request proven where nothing else has, or answers with the refusal."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        is_refused = False

        async def send_proven(message: Message) -> None:
            nonlocal is_refused
            identity = scope["state"].get("identity") if _tells(message) else None
            if identity is not None and not _is_proven(identity):
                request = Request(scope)
                try:
                    await open_door(request).admission.prove(identity)
                except (DenseMemError, psycopg.Error) as refusal:
                    # Raised from here, it would be the fault of whoever sends.
                    is_refused = True
                    answer = await answer_problem(request, refusal)
                    await answer(scope, receive, send)
            # What would have been answered is for nobody.
            if not is_refused:
                await send(message)

        await self._app(scope, receive, send_proven)


def _tells(message: Message) -> bool:
    return message["type"] == "http.response.start" and int(message["status"]) < _FAULTS_BEGIN


def _is_proven(identity: Caller | Admin) -> bool:
    return identity.proof is None or identity.proof.is_given
