"""When to try again: jittered, growing pauses that respect what the provider asks for and the deadline. Pure."""

from dataclasses import dataclass
from typing import Final

FIRST_PAUSE_SECONDS: Final = 1.0
LONGEST_PAUSE_SECONDS: Final = 60.0
MOST_TRIES: Final = 5


@dataclass(frozen=True, slots=True)
class Try:
    """How a try that may be repeated ended. `number` counts from 1."""

    number: int
    retry_after_seconds: float | None = None


def pause_before_next(ended: Try, *, seconds_left: float, jitter: float) -> float | None:
    """Return how long to wait before the next try, or None when there should be none.

    Args:
        seconds_left: until the deadline; a pause that leaves nothing of it is no use.
        jitter: 0..1, drawn by the caller. It shortens the pause by up to a half, but never below what the provider
            asked for.
    """
    if ended.number >= MOST_TRIES:
        return None
    pause = min(FIRST_PAUSE_SECONDS * 2.0 ** (ended.number - 1), LONGEST_PAUSE_SECONDS)
    pause *= 1 - jitter / 2
    if ended.retry_after_seconds is not None:
        pause = max(pause, ended.retry_after_seconds * (1 + jitter / 10))
    return pause if pause < seconds_left else None
