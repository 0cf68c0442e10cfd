"""Whether what reads a text takes time in proportion to it, whatever the machine."""

import time
from collections.abc import Callable

LONG = 100_000


def grows_evenly(read: Callable[[str], object], piece: str, *, longest: int = LONG) -> bool:
    """Say whether so long a text takes less than three times what half of it takes; the constant forgives the
    clock's grain."""
    pairs = ((_seconds(read, piece, longest // 2), _seconds(read, piece, longest)) for _ in range(3))
    return any(whole < 3 * half + 0.05 for half, whole in pairs)


def _seconds(read: Callable[[str], object], piece: str, length: int) -> float:
    text = (piece * (length // len(piece) + 1))[:length]
    start = time.process_time()
    read(text)
    return time.process_time() - start
