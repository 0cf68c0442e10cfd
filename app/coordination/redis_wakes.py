"""Wake-ups over Redis, for workers that can't hear PostgreSQL's notifications, as behind a pooler."""

import asyncio
from collections.abc import Callable
from typing import Final

import structlog
from redis.exceptions import RedisError

from app.coordination.redis_link import REST_SECONDS, RedisLink
from app.kernel.errors import Unavailable

CHANNEL: Final = "densemem:work"
_log = structlog.get_logger()


class RedisRinger:
    """Tells every worker of the instance that there is work, without making anybody wait for Redis."""

    def __init__(self, link: RedisLink) -> None:
        self._link = link
        self._calls: set[asyncio.Task[None]] = set()

    def ring(self) -> None:
        """Return at once; the call goes out by itself, or is lost when Redis is away."""
        call = asyncio.create_task(self._publish())
        self._calls.add(call)
        call.add_done_callback(self._calls.discard)

    async def _publish(self) -> None:
        try:
            await self._link.call(lambda redis: redis.publish(CHANNEL, ""))
        except Unavailable:
            return


async def hear_calls(link: RedisLink, ring: Callable[[], None]) -> None:
    """Ring at each call, and whenever hearing begins anew, for ever; what is missed costs a poll."""
    is_away = False
    while True:
        try:
            async with link.hearing(CHANNEL) as calls:
                is_away = False
                ring()
                async for call in calls.listen():
                    if call["type"] == "message":
                        ring()
        except (RedisError, OSError, TimeoutError) as error:
            if not is_away:
                _log.warning("calls over redis are not heard", action="wake", error=type(error).__name__)
            is_away = True
        await asyncio.sleep(REST_SECONDS)
