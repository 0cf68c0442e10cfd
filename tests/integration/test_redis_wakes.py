"""Calls over Redis wake a worker; whatever becomes of Redis costs a poll and nothing else."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from time import monotonic

import pytest

from app.coordination import redis_wakes
from app.coordination.redis_link import RedisLink
from app.coordination.redis_wakes import RedisRinger, hear_calls
from tests.redis_server import RedisServer, redis_server


class Bell:
    """Counts its rings."""

    def __init__(self) -> None:
        self.rings = 0
        self._rung = asyncio.Event()

    def ring(self) -> None:
        self.rings += 1
        self._rung.set()

    async def heard(self) -> None:
        async with asyncio.timeout(20):
            await self._rung.wait()
        self._rung.clear()


@pytest.fixture
def redis(monkeypatch: pytest.MonkeyPatch) -> Iterator[RedisServer]:
    monkeypatch.setattr(redis_wakes, "REST_SECONDS", 0.05)
    with redis_server() as server:
        yield server


@asynccontextmanager
async def hearing(url: str) -> AsyncIterator[tuple[Bell, Callable[[], None]]]:
    """Give a bell that rings once hearing has begun, and a ringer on a connection of its own."""
    bell, links = Bell(), [RedisLink(url), RedisLink(url)]
    task = asyncio.create_task(hear_calls(links[0], bell.ring))
    await bell.heard()
    yield bell, RedisRinger(links[1]).ring
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    for link in links:
        await link.close()


async def test_a_call_is_heard(redis: RedisServer) -> None:
    async with hearing(redis.url) as (bell, ring):
        ring()
        await bell.heard()
        assert bell.rings == 2


async def test_after_a_restart_of_redis_everybody_looks_and_hears_again(redis: RedisServer) -> None:
    async with hearing(redis.url) as (bell, ring):
        redis.kill()
        ring()
        redis.start()
        await bell.heard()
        while bell.rings < 3:
            ring()
            await asyncio.sleep(0.05)


async def test_a_silent_redis_makes_nobody_wait(redis: RedisServer) -> None:
    async with hearing(redis.url) as (bell, ring):
        redis.pause()
        began = monotonic()
        for _ in range(50):
            ring()
        assert monotonic() - began < 1
        redis.resume()
        assert bell.rings == 1
