"""Spending: most requests cost one subtraction in this process, one in a block costs a round trip."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from app.coordination.buckets import Buckets, Grant, Limit
from app.kernel.errors import RateLimited, Unavailable

# An empty bucket is asked again no sooner than this, so that hammering a spent key costs the shared store nothing.
SHORTEST_REFUSAL_SECONDS: Final = 0.25
MAX_NAMES: Final = 10_000


@dataclass(slots=True)
class _Held:
    tokens: int = 0
    refused_until: float = 0.0
    taking: "asyncio.Task[None] | None" = field(default=None, repr=False)


class Limiter:
    """The tokens that this process holds, by name; an event loop's own, so it needs no lock.

    `refusals` counts what was refused since the process started.
    """

    def __init__(self, buckets: Sequence[Buckets], *, clock: Callable[[], float] = monotonic) -> None:
        """Take from the first of `buckets` that answers; the last one's fault is the caller's."""
        self._buckets = buckets
        self._clock = clock
        self._held: OrderedDict[str, _Held] = OrderedDict()
        self.refusals = 0

    async def spend(self, name: str, limit: Limit) -> None:
        """Leave one token of the name's bucket spent.

        Raises:
            RateLimited: there is none; it says when there will be one.
            Unavailable: no token was held and none could be taken.
        """
        held = _touch(self._held, name)
        while held.tokens == 0:
            self._check(held)
            if held.taking is None:
                held.taking = asyncio.create_task(self._take(name, held, limit))
            # Shielded: whoever hangs up while waiting must not take the block away from the others.
            await asyncio.shield(held.taking)
        held.tokens -= 1

    def spend_held(self, name: str) -> bool:
        """Leave one token of the name's spent if this process holds one, and say whether it did; asks nobody."""
        held = self._held.get(name)
        if held is None or held.tokens == 0:
            return False
        self._held.move_to_end(name)
        held.tokens -= 1
        return True

    def refuse_spent(self, name: str) -> None:
        """Raise RateLimited if it is known that the name has nothing to spend; asks nobody."""
        held = self._held.get(name)
        if held is not None and held.tokens == 0:
            self._check(held)

    def _check(self, held: _Held) -> None:
        left = held.refused_until - self._clock()
        if left > 0:
            self.refusals += 1
            raise RateLimited("This key has sent too many requests.", retry_after_seconds=left)

    async def _take(self, name: str, held: _Held, limit: Limit) -> None:
        try:
            grant = await self._ask(name, limit)
        finally:
            held.taking = None
        held.tokens += grant.tokens
        if grant.tokens == 0:
            held.refused_until = self._clock() + max(grant.wait_seconds, SHORTEST_REFUSAL_SECONDS)

    async def _ask(self, name: str, limit: Limit) -> Grant:
        *preferred, last = self._buckets
        for buckets in preferred:
            try:
                return await buckets.take(name, limit)
            except Unavailable:
                continue
        return await last.take(name, limit)


def _touch(held: OrderedDict[str, _Held], name: str) -> _Held:
    found = held.get(name)
    if found is None:
        found = held[name] = _Held()
        # The one longest unused goes; a whole block of its tokens at most is given up with it.
        if len(held) > MAX_NAMES:
            held.popitem(last=False)
    else:
        held.move_to_end(name)
    return found
