"""Reading the feed: where it stands, and what comes after a number."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString

from app.kernel.database import Reading

PAGE_SIZE = 500


@dataclass(frozen=True, slots=True)
class Event:
    """`type` is `<kind>.<state that it is in now>`; `subject_id` is that of a Relationship, run and so on."""

    number: int
    type: str
    subject_id: str
    at: datetime


async def read_heads(reading: Reading, team_ids: Iterable[str]) -> dict[str, int]:
    """Return each team's last number; a team without events is left out. No team need be set."""
    rows = await reading.fetch_all(_HEADS, {"team_ids": list(team_ids)})
    return {row["team_id"]: row["last"] for row in rows}


async def read_all_heads(reading: Reading) -> dict[str, int]:
    """Return the last number of every team that is not closed, 0 before its first event. No team need be set."""
    return {row["team_id"]: row["last"] for row in await reading.fetch_all(_ALL_HEADS)}


async def read_after(reading: Reading, team_id: str, number: int) -> list[Event]:
    """Return up to `PAGE_SIZE` events after the number, in order."""
    rows = await reading.fetch_all(_AFTER, {"team_id": team_id, "number": number, "limit": PAGE_SIZE})
    return [Event(**row) for row in rows]


_HEADS: LiteralString = "SELECT team_id, last FROM event_counters WHERE team_id = ANY(%(team_ids)s)"

_ALL_HEADS: LiteralString = """
    SELECT teams.id AS team_id, coalesce(counter.last, 0) AS last
    FROM teams LEFT JOIN event_counters AS counter ON counter.team_id = teams.id
    WHERE teams.closed_at IS NULL ORDER BY teams.id
"""

_AFTER: LiteralString = """
    SELECT number, type, subject_id, at FROM team_events
    WHERE team_id = %(team_id)s AND number > %(number)s ORDER BY number LIMIT %(limit)s
"""
