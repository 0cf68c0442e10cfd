"""The SDK's client for the key of the moment."""

import asyncio
import logging
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Final, Literal

from app.llm.key import Key, NoKey, find_key

if TYPE_CHECKING:
    import anthropic


class Connection:
    """Opens a client when it is first needed, and another one once the key has changed. Used in one event loop."""

    def __init__(self, base_url: str | None, *, key: Callable[[], Key | NoKey] = find_key) -> None:
        self._base_url = base_url
        self._find_key = key
        self._client: anthropic.AsyncAnthropic | None = None
        self._secret: str | None = None

    async def open(self) -> "anthropic.AsyncAnthropic | None":
        """Return a client for the key of now, or None without one."""
        found = self._find_key()
        if isinstance(found, NoKey):
            return None
        if self._client is None or found.secret != self._secret:
            await self.close()
            self._client = await open_client(found, self._base_url)
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


async def open_client(key: Key, base_url: str | None) -> "anthropic.AsyncAnthropic":
    """Return a client that neither retries, nor traces, nor logs, nor follows anybody to another address.

    The import is kept off the event loop.
    """
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
