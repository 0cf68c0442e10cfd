"""Who is calling: a bearer key becomes a Caller with the scope that the route asks for, or an Admin.

A missing, malformed, unknown, expired and revoked key are refused with one and the same body. That a known key
still lives is asked together with the first statement of the request's work: `Door` sees to that, and whatever
works elsewhere goes through `Caller.scope`. No answer leaves before it is so: see `proofs`.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Annotated, Final

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from app.api.door import open_door
from app.kernel.errors import Forbidden
from app.tenancy.callers import Admin, Caller, KeyScope

_BEARER: Final = HTTPBearer(
    scheme_name="key",
    bearerFormat="dm_…",
    description="A key of one profile of one team, or an admin key.",
    auto_error=False,
)


Presented = Annotated[HTTPAuthorizationCredentials | None, Depends(_BEARER)]


# Of the request that is being answered, its key and who that belongs to: what it asks of other routes for the same
# key is part of it, and is let in with it.
_LET_IN: Final[ContextVar[tuple[str, Caller | Admin] | None]] = ContextVar("let_in", default=None)


async def identify(request: Request, presented: Presented) -> Caller | Admin:
    """Return whose the request's key is, as far as is known; raise Unauthenticated or RateLimited."""
    secret = None if presented is None else presented.credentials
    let_in = _LET_IN.get()
    if let_in is not None and let_in[0] == secret:
        identity = let_in[1]
    else:
        identity = await open_door(request).admission.recognise(secret)
    # Whoever refuses the request later needs to know whose it is, and whoever answers it that its key lives.
    request.state.identity = identity
    return identity


@asynccontextmanager
async def admit(request: Request) -> AsyncIterator[None]:
    """Let a request in, with all that it asks of routes until the block ends; for doors mounted beside these.

    Raises:
        Unauthenticated: it carries no valid key.
        RateLimited: its key has sent too many.
    """
    presented = await _BEARER(request)
    identity = await identify(request, presented)
    await open_door(request).admission.prove(identity)
    assert presented is not None
    token = _LET_IN.set((presented.credentials, identity))
    try:
        yield
    finally:
        _LET_IN.reset(token)


async def _present(
    presented: Annotated[HTTPAuthorizationCredentials | None, Depends(_BEARER)],
) -> str:
    # Asked for after the identity only, which there is none of without a key.
    assert presented is not None
    return presented.credentials


Secret = Annotated[str, Depends(_present)]
Identity = Annotated[Caller | Admin, Depends(identify)]


def _require(scope: KeyScope) -> Callable[[Caller | Admin], Awaitable[Caller]]:
    async def require(identity: Identity) -> Caller:
        if isinstance(identity, Admin):
            raise Forbidden("An admin key reads and writes no team's content.", code="missing_scope")
        if scope not in identity.scopes:
            raise Forbidden(f"The key lacks the scope {scope}.", code="missing_scope")
        return identity

    return require


async def _require_admin(request: Request, identity: Identity) -> Admin:
    if not isinstance(identity, Admin):
        raise Forbidden("The key lacks the scope admin.", code="missing_scope")
    # Its transactions are of no team, or of one that is not its own.
    await open_door(request).admission.prove(identity)
    return identity


async def _require_oversight(request: Request, identity: Identity) -> Caller | Admin:
    if isinstance(identity, Caller) and "operate" not in identity.scopes:
        raise Forbidden("The key lacks the scope operate.", code="missing_scope")
    await open_door(request).admission.prove(identity)
    return identity


Reader = Annotated[Caller, Depends(_require("read"))]
Writer = Annotated[Caller, Depends(_require("write"))]
Operator = Annotated[Caller, Depends(_require("operate"))]
Administrator = Annotated[Admin, Depends(_require_admin)]
# An operator of a team, who sees the team's acts, or an admin, who sees those of admins and the host.
Overseer = Annotated[Caller | Admin, Depends(_require_oversight)]
