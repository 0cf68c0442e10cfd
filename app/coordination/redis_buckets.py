"""Buckets in Redis: one script takes a block, by Redis's own clock."""

from typing import Final

from redis.asyncio import Redis

from app.coordination.buckets import Grant, Limit
from app.coordination.redis_link import RedisLink

# A bucket that was flushed or evicted is full again: one more burst, and never less than what is due.
_TAKE: Final = """
local now = redis.call('TIME')
local at = now[1] + now[2] / 1e6
local burst, rate, block = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = burst
if bucket[1] and bucket[2] then
    tokens = math.min(burst, bucket[1] + rate * math.max(0, at - bucket[2]))
end
local granted = math.min(block, math.floor(tokens))
tokens = tokens - granted
redis.call('HSET', KEYS[1], 'tokens', string.format('%.6f', tokens), 'at', string.format('%.6f', at))
redis.call('PEXPIRE', KEYS[1], math.ceil(1000 * (burst - tokens) / rate) + 1000)
return {granted, string.format('%.6f', tokens)}
"""


class RedisBuckets:
    """The instance's buckets in Redis, each gone by itself once it is full again."""

    def __init__(self, link: RedisLink) -> None:
        self._link = link

    async def take(self, name: str, limit: Limit) -> Grant:
        """Take up to a block, or raise Unavailable."""

        async def run(redis: Redis) -> tuple[int, float]:
            granted, tokens = await redis.eval(
                _TAKE,
                1,
                f"densemem:rate:{name}",
                str(limit.burst),
                f"{limit.per_second:.9f}",
                str(limit.block),
            )
            return int(granted), float(tokens)

        granted, tokens = await self._link.call(run)
        return Grant(granted, max(0.0, 1 - tokens) / limit.per_second)
