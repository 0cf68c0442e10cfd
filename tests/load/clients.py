"""Clients that ask without a pause, each on a connection of its own, some of which hang up before the answer."""

import asyncio
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

# Nothing may take longer: a wait for a connection and the longest statement are half of it.
HANG_SECONDS: Final = 30.0
ABORTED: Final = 0.1
LONGEST_PATIENCE_SECONDS: Final = 0.05
MOST_ON_ONE_CONNECTION: Final = 50
_REFUSALS_FOR_NOW: Final = frozenset({429, 503})


@dataclass(slots=True)
class Tally:
    """What clients got, added up. `seconds` are those of each answer."""

    answers: Counter[int] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    without_retry_after: int = 0
    aborted: int = 0
    hung: int = 0
    cut_off: int = 0


async def ask_until(port: int, requests: Iterator[bytes], until: float, tally: Tally, seed: int) -> None:
    """Ask one request after the other until the time (as `monotonic` tells it) has come.

    Every second client comes back as late as it is told to, the others at once.
    """
    chance = random.Random(seed)
    obeys = seed % 2 == 0
    while monotonic() < until:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            for _ in range(chance.randint(1, MOST_ON_ONE_CONNECTION)):
                if monotonic() >= until:
                    break
                pause = await _ask(reader, writer, next(requests), tally, chance)
                if pause is None:
                    break
                if obeys:
                    await asyncio.sleep(min(pause, max(until - monotonic(), 0)))
        except (ConnectionError, asyncio.IncompleteReadError):
            tally.cut_off += 1
        except TimeoutError:
            tally.hung += 1
        finally:
            writer.close()


async def _ask(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    request: bytes,
    tally: Tally,
    chance: random.Random,
) -> int | None:
    """Send it, read the answer, and return after how many seconds to come back; None after hanging up instead."""
    began = monotonic()
    writer.write(request)
    if chance.random() < ABORTED:
        await asyncio.sleep(chance.uniform(0, LONGEST_PATIENCE_SECONDS))
        writer.transport.abort()
        tally.aborted += 1
        return None
    async with asyncio.timeout(HANG_SECONDS):
        status, headers = await read_answer(reader)
    tally.answers[status] += 1
    tally.seconds.append(monotonic() - began)
    pause = headers.get("retry-after", "")
    if status in _REFUSALS_FOR_NOW and not pause.isdigit():
        tally.without_retry_after += 1
    return int(pause) if pause.isdigit() else 0


async def read_answer(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    """Return status and headers of an answer, read to its end."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
    await reader.readexactly(int(headers["content-length"]))
    return int(head[0].split()[1]), headers
