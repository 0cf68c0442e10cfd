"""Who is calling: a bearer key becomes a Caller with the scope that the route asks for, or an Admin.

A missing, malformed, unknown, expired and revoked key are refused with one and the same body. That a known key
still lives is asked together with the first statement of the request's work: `Door` sees to that, and whatever
works elsewhere goes through `Caller.scope`. No answer leaves before it is so: see `proofs`.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Annotated, Any, Final, Generic, TypeVar

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from fastapi.security.utils import get_authorization_scheme_param

from app.api.door import open_door
from app.kernel.errors import Forbidden
from app.tenancy.callers import Admin, Caller, KeyScope

Who = TypeVar("Who", bound=Caller | Admin)
_SCHEME: Final[Mapping[str, Any]] = {
    "scheme_name": "key",
    "bearerFormat": "dm_…",
    "description": "A key of one profile of one team, or an admin key.",
    "auto_error": False,
}
_BEARER: Final = HTTPBearer(**_SCHEME)

Presented = Annotated[HTTPAuthorizationCredentials | None, Depends(_BEARER)]


# Of the request that is being answered, its key and who that belongs to: what it asks of other routes for the same
# key is part of it, and is let in with it.
_LET_IN: Final[ContextVar[tuple[str, Caller | Admin] | None]] = ContextVar("let_in", default=None)


async def identify(request: Request) -> Caller | Admin:
    """Return whose the request's key is, as far as is known; raise Unauthenticated or RateLimited."""
    secret = _read_secret(request)
    let_in = _LET_IN.get()
    if let_in is not None and let_in[0] == secret:
        identity = let_in[1]
    else:
        identity = await open_door(request).admission.recognise(secret)
    # Whoever refuses the request later needs to know whose it is, and whoever answers it that its key lives.
    request.state.identity = identity
    return identity


def _read_secret(request: Request) -> str | None:
    """Return what stands for a key, read as FastAPI's scheme reads it into a model of its own."""
    scheme, secret = get_authorization_scheme_param(request.headers.get("Authorization"))
    return secret if secret and scheme.lower() == "bearer" else None


@asynccontextmanager
async def admit(request: Request) -> AsyncIterator[None]:
    """Let a request in, with all that it asks of routes until the block ends; for doors mounted beside these.

    Raises:
        Unauthenticated: it carries no valid key.
        RateLimited: its key has sent too many.
    """
    identity = await identify(request)
    await open_door(request).admission.prove(identity)
    secret = _read_secret(request)
    assert secret is not None
    token = _LET_IN.set((secret, identity))
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


class _KeyFor(HTTPBearer, Generic[Who]):
    """What a route asks of a key, as one dependency: FastAPI documents it for what inherits from its scheme."""

    def __init__(self, accept: Callable[[Caller | Admin], Who], *, is_proven: bool = False) -> None:
        """Return what `accept` returns or raises; with `is_proven`, of a key that lives."""
        super().__init__(**_SCHEME)
        self._accept = accept
        self._is_proven = is_proven

    async def __call__(self, request: Request) -> Who:  # type: ignore[override]  # The credentials become who has them.
        """Return who the request is."""
        accepted = self._accept(await identify(request))
        if self._is_proven:
            await open_door(request).admission.prove(accepted)
        return accepted


def _accept_scope(scope: KeyScope) -> Callable[[Caller | Admin], Caller]:
    def accept(identity: Caller | Admin) -> Caller:
        if isinstance(identity, Admin):
            raise Forbidden("An admin key reads and writes no team's content.", code="missing_scope")
        if scope not in identity.scopes:
            raise Forbidden(f"The key lacks the scope {scope}.", code="missing_scope")
        return identity

    return accept


def _accept_admin(identity: Caller | Admin) -> Admin:
    if not isinstance(identity, Admin):
        raise Forbidden("The key lacks the scope admin.", code="missing_scope")
    return identity


def _accept_overseer(identity: Caller | Admin) -> Caller | Admin:
    if isinstance(identity, Caller) and "operate" not in identity.scopes:
        raise Forbidden("The key lacks the scope operate.", code="missing_scope")
    return identity


Reader = Annotated[Caller, Depends(_KeyFor(_accept_scope("read")))]
Writer = Annotated[Caller, Depends(_KeyFor(_accept_scope("write")))]
Operator = Annotated[Caller, Depends(_KeyFor(_accept_scope("operate")))]
# Transactions of an admin are of no team, or of one that is not its own.
Administrator = Annotated[Admin, Depends(_KeyFor(_accept_admin, is_proven=True))]
# An operator of a team, who sees the team's acts, or an admin, who sees those of admins and the host.
Overseer = Annotated[Caller | Admin, Depends(_KeyFor(_accept_overseer, is_proven=True))]
