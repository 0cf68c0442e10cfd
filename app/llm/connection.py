"""The SDK's client for the key of the moment."""

import asyncio
import logging
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Final, Literal

from app.kernel.addresses import require_address
from app.llm.key import Key, NoKey, find_key
from app.llm.model import Unavailable

if TYPE_CHECKING:
    import anthropic


class Connection:
    """Opens a client when it is first needed, and another one once the key has changed. Used in one event loop."""

    def __init__(self, base_url: str | None, *, key: Callable[[], Key | NoKey] = find_key) -> None:
        self._base_url = base_url
        self._find_key = key
        self._client: anthropic.AsyncAnthropic | None = None
        self._secret: str | None = None

    async def open(self) -> "anthropic.AsyncAnthropic | Unavailable":
        """Return a client for the key of now, or why there is none: no key, or a setup that allows no client."""
        found = self._find_key()
        if isinstance(found, NoKey):
            return Unavailable("no_key")
        if self._client is None or found.secret != self._secret:
            try:
                await self.close()
                self._client = await open_client(found, self._base_url)
            except list_setup_errors():
                return Unavailable("setup")
            self._secret = found.secret
        return self._client

    async def close(self) -> None:
        """Leave no connection open."""
        client, self._client, self._secret = self._client, None, None
        if client is not None:
            await client.close()


# What reading an answer of no known form may raise, in the SDK too: it believes the types that it declares.
PROTOCOL_ERRORS: Final = (
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    ArithmeticError,
    AssertionError,
    RecursionError,
)


def list_errors() -> tuple[type[Exception], ...]:
    """Return what a call may raise for whatever is wrong with the provider and its answer."""
    import anthropic
    import httpx2

    return (TimeoutError, anthropic.AnthropicError, httpx2.HTTPError, *PROTOCOL_ERRORS)


def has_left(error: Exception) -> bool:
    """Say whether the call of a connection's error may have reached the provider."""
    import httpx2

    stayed = (
        httpx2.ConnectError,
        httpx2.ConnectTimeout,
        httpx2.PoolTimeout,
        httpx2.ProxyError,
        httpx2.UnsupportedProtocol,
    )
    return not isinstance(error.__cause__ or error, stayed)


def list_setup_errors() -> tuple[type[Exception], ...]:
    """Return what opening a client may raise: of the address, of a proxy's, of certificates that are not there."""
    import httpx2

    return (ImportError, OSError, httpx2.InvalidURL, *list_errors())


async def open_client(key: Key, base_url: str | None) -> "anthropic.AsyncAnthropic":
    """Return a client that neither retries, nor traces, nor logs, nor follows anybody to another address.

    The import is kept off the event loop.

    Raises:
        Exception: one of `list_setup_errors`; nothing was sent.
    """
    if base_url is not None:
        require_address(base_url)
    await asyncio.to_thread(import_module, "anthropic")
    from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient

    from app.llm.bounds import bound_answer

    for name in ("anthropic", "httpx2", "httpcore2"):
        logging.getLogger(name).setLevel(logging.WARNING)
    traces: Literal[False] = False
    return AsyncAnthropic(
        api_key=key.secret,
        base_url=base_url,
        max_retries=0,
        open_telemetry=traces,
        default_headers={"Accept-Encoding": "identity"},
        http_client=DefaultAsyncHttpxClient(follow_redirects=False, event_hooks={"response": [bound_answer]}),
    )
