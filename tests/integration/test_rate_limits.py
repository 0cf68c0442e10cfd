"""Shared buckets in PostgreSQL and Redis: exact between processes, and what happens while Redis is in trouble."""

import asyncio
from collections.abc import Iterator
from time import monotonic

import pytest

from app.coordination.buckets import Buckets, Limit
from app.coordination.limiter import Limiter
from app.coordination.postgres_buckets import PostgresBuckets
from app.coordination.redis_buckets import RedisBuckets
from app.coordination.redis_link import REST_SECONDS, RedisLink
from app.kernel.database import Database, Scope
from app.kernel.errors import RateLimited, Unavailable
from app.kernel.ids import new_id
from tests.redis_server import RedisServer, redis_server

# Next to nothing flows in while a test runs.
LIMIT = Limit(per_minute=1, burst=40)


@pytest.fixture
def redis() -> Iterator[RedisServer]:
    with redis_server() as server:
        yield server


async def spend_all(limiters: list[Limiter], name: str, *, attempts: int) -> int:
    """Return how many of the attempts, spread over the limiters and all at once, went through."""
    outcomes = await asyncio.gather(
        *(limiters[turn % len(limiters)].spend(name, LIMIT) for turn in range(attempts)),
        return_exceptions=True,
    )
    assert {type(outcome) for outcome in outcomes} <= {type(None), RateLimited}
    return outcomes.count(None)


async def test_processes_share_one_bucket_in_postgresql(database: Database) -> None:
    limiters = [Limiter([PostgresBuckets(database)]) for _ in range(4)]
    assert await spend_all(limiters, new_id("key"), attempts=200) == LIMIT.burst


async def test_processes_share_one_bucket_in_redis(redis: RedisServer, database: Database) -> None:
    links = [RedisLink(redis.url) for _ in range(4)]
    limiters = [Limiter([RedisBuckets(link)]) for link in links]
    assert await spend_all(limiters, new_id("key"), attempts=200) == LIMIT.burst
    for link in links:
        await link.close()


@pytest.mark.parametrize("kind", ["postgresql", "redis"])
async def test_tokens_flow_in_at_the_rate_and_not_above_the_burst(
    kind: str, redis: RedisServer, database: Database
) -> None:
    link = RedisLink(redis.url)
    buckets: Buckets = PostgresBuckets(database) if kind == "postgresql" else RedisBuckets(link)
    name, limit = new_id("key"), Limit(per_minute=60, burst=2)
    for _ in range(2):
        assert (await buckets.take(name, limit)).tokens == 1
    empty = await buckets.take(name, limit)
    assert empty.tokens == 0
    assert 0.5 < empty.wait_seconds <= 1
    # The hour that passes is written down instead of waited for.
    if kind == "postgresql":
        await database.unit_of_work(
            Scope("app"),
            lambda w: w.execute(
                "UPDATE rate_buckets SET refilled_at = refilled_at - interval '1 hour' WHERE name = %(name)s",
                {"name": name},
            ),
        )
    else:
        with redis.client() as client:
            client.hincrbyfloat(f"densemem:rate:{name}", "at", -3600)
    assert [(await buckets.take(name, limit)).tokens for _ in range(3)] == [1, 1, 0]
    await link.close()


async def test_a_dead_redis_is_found_out_once_and_postgresql_takes_over(
    redis: RedisServer, database: Database
) -> None:
    link = RedisLink(redis.url)
    limiter = Limiter([RedisBuckets(link), PostgresBuckets(database)])
    await limiter.spend(new_id("key"), LIMIT)
    redis.kill()
    began = monotonic()
    for _ in range(20):
        await limiter.spend(new_id("key"), LIMIT)
    assert monotonic() - began < 2
    assert not await link.answers()
    await link.close()


async def test_a_silent_redis_costs_one_timeout_until_it_is_tried_again(
    redis: RedisServer, database: Database
) -> None:
    now = 0.0
    link = RedisLink(redis.url, clock=lambda: now)
    limiter = Limiter([RedisBuckets(link), PostgresBuckets(database)])
    await limiter.spend(new_id("key"), LIMIT)
    redis.pause()
    began = monotonic()
    for _ in range(20):
        await limiter.spend(new_id("key"), LIMIT)
    assert 0.1 <= monotonic() - began < 1.5
    redis.resume()
    with pytest.raises(Unavailable):
        await link.call(lambda client: client.ping())
    now += REST_SECONDS
    assert await link.answers()
    await limiter.spend(new_id("key"), LIMIT)
    await link.close()


async def test_a_full_redis_is_passed_by(redis: RedisServer, database: Database) -> None:
    redis.fill()
    link = RedisLink(redis.url)
    limiter = Limiter([RedisBuckets(link), PostgresBuckets(database)])
    name = new_id("key")
    assert await spend_all([limiter], name, attempts=60) == LIMIT.burst
    async with database.reading(Scope("app")) as reading:
        row = await reading.fetch_one(
            "SELECT tokens < 1 AS spent FROM rate_buckets WHERE name = %(n)s", {"n": name}
        )
    assert row == {"spent": True}
    assert not await link.answers()
    await link.close()


async def test_a_flushed_redis_gives_at_most_one_more_burst(redis: RedisServer, database: Database) -> None:
    link = RedisLink(redis.url)
    limiter, name = Limiter([RedisBuckets(link), PostgresBuckets(database)]), new_id("key")
    assert await spend_all([limiter], name, attempts=60) == LIMIT.burst
    with redis.client() as client:
        client.flushall()
    other = Limiter([RedisBuckets(link), PostgresBuckets(database)])
    assert await spend_all([other], name, attempts=60) == LIMIT.burst
    await link.close()
