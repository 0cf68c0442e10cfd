"""A limit is a token bucket that refills evenly; every process of the instance takes from the same one."""

from dataclasses import dataclass
from typing import Final, Protocol

_BLOCKS_PER_BURST: Final = 10


@dataclass(frozen=True, slots=True)
class Limit:
    """`per_minute` tokens flow in, evenly; at most `burst` gather. Both are at least 1."""

    per_minute: int
    burst: int

    @property
    def per_second(self) -> float:
        return self.per_minute / 60

    @property
    def block(self) -> int:
        """How many tokens a process takes at once.

        What an idle process holds is out of the others' reach, hence a tenth of the burst.
        """
        return max(1, self.burst // _BLOCKS_PER_BURST)

    def scaled_to(self, per_minute: int) -> "Limit":
        """Return the limit with another rate and a burst in the same proportion."""
        return Limit(per_minute, max(1, round(self.burst * per_minute / self.per_minute)))


@dataclass(frozen=True, slots=True)
class Grant:
    """Tokens that were taken; with none, the seconds until there is one."""

    tokens: int
    wait_seconds: float


class Buckets(Protocol):
    """Where the instance's buckets are kept."""

    async def take(self, name: str, limit: Limit) -> Grant:
        """Take up to a block from the bucket of that name, or raise Unavailable."""
