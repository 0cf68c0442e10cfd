"""Spending from blocks: what a process holds, when it asks, what it refuses by itself."""

import asyncio

import pytest

from app.coordination.buckets import Grant, Limit
from app.coordination.limiter import MAX_NAMES, Limiter
from app.kernel.errors import RateLimited, Unavailable

LIMIT = Limit(per_minute=60, burst=50)


class Shelf:
    """Buckets that hand out what they are told to, in order, and count how often they are asked."""

    def __init__(self, *grants: Grant, is_away: bool = False) -> None:
        self.grants = list(grants)
        self.asked = 0
        self.is_away = is_away

    async def take(self, name: str, limit: Limit) -> Grant:
        self.asked += 1
        await asyncio.sleep(0)
        if self.is_away:
            raise Unavailable("away")
        return self.grants.pop(0) if self.grants else Grant(0, 7.0)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


async def test_a_block_serves_as_many_requests_as_it_has_tokens() -> None:
    shelf = Shelf(Grant(5, 0))
    limiter = Limiter([shelf])
    for _ in range(5):
        await limiter.spend("key", LIMIT)
    assert shelf.asked == 1
    with pytest.raises(RateLimited) as refused:
        await limiter.spend("key", LIMIT)
    assert 6.9 < refused.value.retry_after_seconds <= 7.0


async def test_a_spent_key_asks_nobody_until_its_wait_is_over() -> None:
    shelf, clock = Shelf(Grant(1, 0), Grant(0, 2.0), Grant(1, 0)), Clock()
    limiter = Limiter([shelf], clock=clock)
    await limiter.spend("key", LIMIT)
    for _ in range(100):
        with pytest.raises(RateLimited):
            await limiter.spend("key", LIMIT)
    assert (shelf.asked, limiter.refusals) == (2, 100)
    clock.now += 2.0
    await limiter.spend("key", LIMIT)
    assert shelf.asked == 3


async def test_many_requests_at_once_share_one_block() -> None:
    shelf = Shelf(Grant(5, 0), Grant(5, 0))
    limiter = Limiter([shelf])
    outcomes = await asyncio.gather(*(limiter.spend("key", LIMIT) for _ in range(12)), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes].count(RateLimited) == 2
    assert shelf.asked == 3


async def test_whoever_hangs_up_while_a_block_is_taken_takes_it_from_nobody() -> None:
    shelf = Shelf(Grant(5, 0))
    limiter = Limiter([shelf])
    first = asyncio.create_task(limiter.spend("key", LIMIT))
    await asyncio.sleep(0)
    second = asyncio.create_task(limiter.spend("key", LIMIT))
    await asyncio.sleep(0)
    first.cancel()
    await second
    assert shelf.asked == 1


async def test_the_next_buckets_are_asked_while_the_first_are_away() -> None:
    away, shelf = Shelf(is_away=True), Shelf(Grant(1, 0))
    await Limiter([away, shelf]).spend("key", LIMIT)
    with pytest.raises(Unavailable):
        await Limiter([away, away]).spend("key", LIMIT)


async def test_a_name_known_to_be_spent_is_refused_before_anybody_is_asked() -> None:
    limiter = Limiter([Shelf(Grant(1, 0))])
    limiter.refuse_spent("key")
    await limiter.spend("key", LIMIT)
    limiter.refuse_spent("key")
    with pytest.raises(RateLimited):
        await limiter.spend("key", LIMIT)
    with pytest.raises(RateLimited):
        limiter.refuse_spent("key")
    limiter.refuse_spent("another")


async def test_names_that_are_not_used_any_more_are_forgotten() -> None:
    shelf = Shelf(*(Grant(5, 0) for _ in range(MAX_NAMES + 2)))
    limiter = Limiter([shelf])
    for number in range(MAX_NAMES + 1):
        await limiter.spend(str(number), LIMIT)
    await limiter.spend("0", LIMIT)
    assert shelf.asked == MAX_NAMES + 2


def test_a_keys_own_rate_scales_the_burst_along() -> None:
    assert Limit(6000, 1000).scaled_to(60) == Limit(60, 10)
    assert Limit(6000, 1000).scaled_to(1) == Limit(1, 1)
    assert Limit(60, 5).block == 1
