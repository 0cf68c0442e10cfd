"""The sweep over all teams: it finds what should be stale and is not, whether or not a team's cycles run.

A lost event, a window that opened or closed by itself, and age stale nothing by themselves. A cycle sweeps its own
team when it ends; this goes from team to team between the cycles, so many teams and Hypotheses a call at most, and
says where to go on. Workers need not agree: whoever finds a row locked leaves it to the one that holds it.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, LiteralString

from app.hypotheses.staleness import HYPOTHESES_AT_ONCE, Sweep, stale_ended_among
from app.kernel.database import Database, Scope, Writing
from app.tenancy.configuration import effective_configuration

TEAMS_AT_ONCE: Final = 20
# After every id.
LAST_ID: Final = "~"


@dataclass(frozen=True, slots=True)
class Place:
    """How far the sweep has come: everything before this Hypothesis of this team has been looked at."""

    team_id: str
    hypothesis_id: str = ""


@dataclass(frozen=True, slots=True)
class Swept:
    """How many Hypotheses became stale, and where the next call goes on; None: it begins anew."""

    staled: int
    next_place: Place | None


async def sweep_some(database: Database, *, after: Place | None, now: datetime) -> Swept:
    """Leave stale what should be, of at most 20 teams and 200 Hypotheses of each, from `after` on.

    Each team is a transaction of its own. A team with more open Hypotheses is gone on with in the next call.
    """
    start = after or Place("")
    async with database.reading(Scope("dreamer")) as reading:
        rows = await reading.fetch_all(_TEAMS, {"from_team": start.team_id, "limit": TEAMS_AT_ONCE})
    staled = 0
    for row in rows:
        team_id: str = row["team_id"]
        first = start.hypothesis_id if team_id == start.team_id else ""
        count, last = await _sweep_apart(database, team_id, first, now)
        staled += count
        if last is not None:
            return Swept(staled, Place(team_id, last))
    is_end = len(rows) < TEAMS_AT_ONCE
    return Swept(staled, None if is_end else Place(rows[-1]["team_id"], LAST_ID))


async def sweep_team(
    writing: Writing, team_id: str, *, after: str, now: datetime, limit: int = HYPOTHESES_AT_ONCE
) -> tuple[int, str | None]:
    """Leave stale what should be among the next open Hypotheses of the team, by id.

    Rows that somebody holds are passed by: whoever it is decides what becomes of them.

    Returns:
        How many became stale, and the last id looked at; None when there are no more.
    """
    params = {"team_id": team_id, "after": after, "limit": limit}
    ids = [row["id"] for row in await writing.fetch_all(_LOCK_NEXT, params)]
    if not ids:
        return 0, None
    configuration = await effective_configuration(writing, team_id)
    expired_before = now - timedelta(days=configuration.retention_days)
    staled = await stale_ended_among(writing, team_id, ids, Sweep(expired_before))
    return staled, ids[-1] if len(ids) == limit else None


async def _sweep_apart(database: Database, team_id: str, after: str, now: datetime) -> tuple[int, str | None]:
    return await database.unit_of_work(
        Scope("dreamer", team_id), lambda writing: sweep_team(writing, team_id, after=after, now=now)
    )


_TEAMS: LiteralString = """
    SELECT team_id FROM dream_schedules WHERE team_id >= %(from_team)s ORDER BY team_id LIMIT %(limit)s
"""

# In id order, like every other lock on Hypotheses.
_LOCK_NEXT: LiteralString = """
    SELECT id FROM hypotheses
    WHERE team_id = %(team_id)s AND status IN ('proposed', 'reinforced') AND id > %(after)s
    ORDER BY id LIMIT %(limit)s FOR UPDATE SKIP LOCKED
"""
