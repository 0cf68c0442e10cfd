"""A process and its database from outside: memory, connections."""

import asyncio
from pathlib import Path
from time import monotonic
from typing import Any, Final, LiteralString

import psycopg

from tests.databases import SERVICE_LOGIN

SETTLE_SECONDS: Final = 20.0
LOOK_SECONDS: Final = 0.2
KIB: Final = 1024


def read_memory_mib(pid: int) -> float:
    """Return how much of the machine's memory the process holds."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    [resident] = [line for line in lines if line.startswith("VmRSS:")]
    return int(resident.split()[1]) / KIB


async def watch_memory(pid: int, seen: list[float], *, every_seconds: float) -> None:
    """Write down the process' memory again and again, until cancelled."""
    while True:
        seen.append(read_memory_mib(pid))
        await asyncio.sleep(every_seconds)


async def wait_for_rest(admin_url: str) -> dict[str, int]:
    """Return the service's connections by state once none of them does anything, or as they are after 20 s."""
    deadline = monotonic() + SETTLE_SECONDS
    with psycopg.connect(admin_url, autocommit=True) as admin:
        while True:
            states: dict[str, Any] = dict(admin.execute(_STATES, [SERVICE_LOGIN]).fetchall())
            if set(states) <= {"idle"} or monotonic() > deadline:
                return states
            await asyncio.sleep(LOOK_SECONDS)


_STATES: LiteralString = """
    SELECT state, count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND usename = %s GROUP BY state
"""
