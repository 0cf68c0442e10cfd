"""The only way to Redis: every call ends soon, and after a fault Redis is left alone for a while."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from time import monotonic
from typing import Final, TypeVar

import structlog
from redis.asyncio import Redis
from redis.asyncio.client import PubSub
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from app.kernel.errors import SetupError, Unavailable
from app.kernel.settings import Settings

T = TypeVar("T")
CALL_SECONDS: Final = 0.1
REST_SECONDS: Final = 5.0
_log = structlog.get_logger()


class RedisLink:
    """A client with a circuit breaker. Redis away, slow or full: Unavailable, within `CALL_SECONDS`.

    After a fault it rests: every call is refused at once until one is let through, every `REST_SECONDS`.
    """

    def __init__(self, url: str, *, clock: Callable[[], float] = monotonic) -> None:
        """Prepare the client; nothing is connected before the first call.

        Raises:
            ValueError: `url` is no Redis URL.
        """
        self._redis: Redis = Redis.from_url(
            url,
            socket_connect_timeout=CALL_SECONDS,
            socket_timeout=CALL_SECONDS,
            retry=Retry(NoBackoff(), 0),
            max_connections=16,
            decode_responses=True,
        )
        self._listener: Redis = Redis.from_url(
            url, socket_connect_timeout=CALL_SECONDS, retry=Retry(NoBackoff(), 0), decode_responses=True
        )
        self._clock = clock
        self._rests_until = 0.0

    @property
    def is_resting(self) -> bool:
        """Say whether Redis is left alone after a fault."""
        return self._clock() < self._rests_until

    async def call(self, command: Callable[[Redis], Awaitable[T]]) -> T:
        """Return what the command returns; never to be called inside a transaction.

        Raises:
            Unavailable: `redis_unavailable`.
        """
        now = self._clock()
        if now < self._rests_until:
            raise Unavailable("Redis is left alone after a fault.", code="redis_unavailable")
        was_at_fault = self._rests_until > 0
        if was_at_fault:
            # The others keep resting while this call finds out.
            self._rests_until = now + REST_SECONDS
        try:
            async with asyncio.timeout(CALL_SECONDS):
                result = await command(self._redis)
        except (RedisError, OSError, TimeoutError) as error:
            self._rests_until = self._clock() + REST_SECONDS
            if not was_at_fault:
                _log.warning("redis is away", action="redis", error=type(error).__name__)
            raise Unavailable("Redis does not answer.", code="redis_unavailable") from error
        if was_at_fault:
            self._rests_until = 0.0
            _log.info("redis is back", action="redis")
        return result

    async def answers(self) -> bool:
        """Say whether Redis can be written to now."""
        try:
            # Setting finds a full Redis, which still answers a PING.
            await self.call(lambda redis: redis.set("densemem:probe", "1", px=1000))
        except Unavailable:
            return False
        return True

    @asynccontextmanager
    async def hearing(self, channel: str) -> AsyncIterator[PubSub]:
        """Give a subscription on a connection of its own, without a time-out between messages.

        Raises:
            RedisError, OSError, TimeoutError: Redis is away; also while the block runs.
        """
        async with self._listener.pubsub() as subscription:
            await subscription.subscribe(channel)
            yield subscription

    async def close(self) -> None:
        """Close every connection."""
        await self._redis.aclose()
        await self._listener.aclose()


@asynccontextmanager
async def open_redis(settings: Settings) -> AsyncIterator[RedisLink | None]:
    """Give this process's way to Redis; None without a REDIS_URL. Nothing is connected before it is used.

    Raises:
        SetupError: REDIS_URL is no Redis URL.
    """
    if settings.redis_url is None:
        yield None
        return
    try:
        link = RedisLink(settings.redis_url.get_secret_value())
    except ValueError:
        # The driver's own words repeat the URL, password and all.
        raise SetupError("REDIS_URL is no Redis URL.", code="redis_url_invalid") from None
    try:
        yield link
    finally:
        await link.close()
