"""Finding due teams and queueing their runs: one run a window, whatever the number of schedulers.

`dream_schedules.next_due_at` is indexed, so a tick costs the due teams only, in batches. Each team is planned in a
transaction of its own: one team's fault does not stop the others. The run is recorded before anything is
generated, in PostgreSQL alone.

A setting of the team plans the team at once. One of the instance marks all teams as due in one statement, and the
next tick plans each of them by the new settings; windows that have come are served before marks.
"""

import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, LiteralString

import psycopg
import structlog

from app.dreaming.runs.asking import CYCLE
from app.dreaming.timing.schedule import Schedule, read_schedule
from app.kernel.database import Database, Scope, Writing
from app.kernel.errors import DenseMemError, InvalidInput
from app.kernel.ids import new_id
from app.queue.leases import enqueue, wake_workers
from app.tenancy.configuration import Configuration, effective_configuration

log = structlog.get_logger()

# What wakes whoever looks for due teams.
SCHEDULE: Final = "schedule"
# A window that begins later than this is called a catch-up.
LATE_AFTER: Final = timedelta(minutes=15)
# Teams found by one statement, and served until we look again which of them are still due.
BATCH: Final = 500
AT_ONCE: Final = 20


async def plan_team(writing: Writing, team_id: str, now: datetime) -> datetime | None:
    """Leave the team's next due instant as its configuration says, and return it; None while dreaming is off.

    To be called when a setting of the team changes, so that it holds without a restart. A window that was due
    and not yet queued is given up: it belonged to the settings of before.

    Raises:
        InvalidInput: the configuration holds no valid time, zone or rule.
    """
    configuration = await effective_configuration(writing, team_id)
    next_due_at = None
    if configuration.enabled:
        next_due_at = schedule_of(configuration).first_after(now)
    await writing.execute(_PLAN, {"team_id": team_id, "next_due_at": next_due_at})
    await wake_workers(writing, SCHEDULE)
    return next_due_at


async def plan_all_teams(writing: Writing, *, is_off: bool) -> None:
    """Leave every team to be planned anew by the next tick, or due never while the instance is off.

    To be called when a setting of the instance changes. A mark has no window behind it, so the tick only plans
    such a team; a window that is due already, or comes before the tick does, is queued as ever.
    """
    await writing.execute(_PLAN_NONE if is_off else _REPLAN)
    await wake_workers(writing, SCHEDULE)


async def enqueue_due(database: Database, *, now: datetime) -> int:
    """Queue one run for each team that is due at `now`, and return how many were queued here.

    After downtime the newest window runs, and one `missed` row says what was left out. A window that meets a
    live run of its team is `skipped`: that run reads what this one would have read.
    """
    queued, last_due_at, last_team_id = 0, now, ""
    while True:
        params = {"due_at": last_due_at, "team_id": last_team_id, "limit": BATCH}
        async with database.reading(Scope("dreamer")) as reading:
            rows = await reading.fetch_all(FIND_DUE, params)
        queued += await _enqueue_some(database, [row["team_id"] for row in rows], now)
        if len(rows) < BATCH:
            return queued
        last_due_at, last_team_id = rows[-1]["next_due_at"], rows[-1]["team_id"]


async def seconds_until_planned(database: Database, *, now: datetime) -> float | None:
    """Return in how many seconds from `now` the next team is due; None when none is."""
    async with database.reading(Scope("dreamer")) as reading:
        row = await reading.fetch_one(FIND_NEXT)
    next_due_at = None if row is None else row["next_due_at"]
    return None if next_due_at is None else (next_due_at - now).total_seconds()


async def _enqueue_some(database: Database, team_ids: list[str], now: datetime) -> int:
    """Queue runs in an order of our own, and look now and then for what other schedulers have done meanwhile."""
    queued, left = 0, random.sample(team_ids, len(team_ids))
    while left:
        some, left = left[:AT_ONCE], left[AT_ONCE:]
        for team_id in some:
            queued += await _enqueue_apart(database, team_id, now)
        if left:
            async with database.reading(Scope("dreamer")) as reading:
                rows = await reading.fetch_all(_STILL_DUE, {"team_ids": left, "now": now})
            due = {row["team_id"] for row in rows}
            left = [team_id for team_id in left if team_id in due]
    return queued


async def _enqueue_apart(database: Database, team_id: str, now: datetime) -> bool:
    try:
        return await database.unit_of_work(
            Scope("dreamer", team_id), lambda writing: _enqueue_team(writing, team_id, now)
        )
    except (DenseMemError, psycopg.Error) as error:
        _log_fault(team_id, error)
        return False


async def _enqueue_team(writing: Writing, team_id: str, now: datetime) -> bool:
    """Queue the newest window, unless another scheduler has just done it; say whether a run was queued."""
    row = await writing.fetch_one(_LOCK_DUE, {"team_id": team_id, "now": now})
    if row is None:
        return False
    schedule = await _read_schedule(writing, team_id)
    is_queued = False
    if schedule is not None:
        # Empty for a team that is new or whose settings have changed: nothing is due by these yet.
        windows = schedule.between(row["next_due_at"], now + timedelta(microseconds=1))
        if windows:
            await _record_missed(writing, team_id, windows[:-1])
            is_queued = await _queue_window(writing, team_id, windows[-1], now)
    next_due_at = None if schedule is None else schedule.first_after(now)
    await writing.execute(_PLAN, {"team_id": team_id, "next_due_at": next_due_at})
    return is_queued


async def _read_schedule(writing: Writing, team_id: str) -> Schedule | None:
    """Return the team's schedule; None while dreaming is off, and where the settings cannot be followed.

    Such a team is planned again when its settings change, and not looked at until then.
    """
    configuration = await effective_configuration(writing, team_id)
    if not configuration.enabled:
        return None
    try:
        return schedule_of(configuration)
    except InvalidInput as error:
        _log_fault(team_id, error)
        return None


async def _queue_window(writing: Writing, team_id: str, due_at: datetime, now: datetime) -> bool:
    params: dict[str, object] = {
        "team_id": team_id,
        "id": new_id("run"),
        "window_key": name_window(due_at),
        "trigger": "catch_up" if now - due_at > LATE_AFTER else "scheduled",
        "scheduled_for": due_at,
    }
    if await writing.execute(_INSERT_QUEUED, params):
        await enqueue(writing, team_id=team_id, kind=CYCLE, item_id=str(params["id"]))
        return True
    await writing.execute(_INSERT_ENDED, params | _SKIPPED)
    return False


async def _record_missed(writing: Writing, team_id: str, windows: Sequence[datetime]) -> None:
    """Leave one row for these windows, if there are any."""
    if not windows:
        return
    first, last = windows[0], windows[-1]
    params = {
        "team_id": team_id,
        "id": new_id("run"),
        "window_key": name_window(first),
        "trigger": "scheduled",
        "scheduled_for": first,
        "status": "missed",
        "reason": "no_scheduler",
        "summary": _summarise_gap(windows),
        "missed_until": last,
        "missed_count": len(windows),
    }
    await writing.execute(_INSERT_ENDED, params)


def _summarise_gap(windows: Sequence[datetime]) -> str:
    first, last = windows[0], windows[-1]
    if first == last:
        return f"Missed: no scheduler ran when the window of {first:%Y-%m-%d %H:%M} UTC was due."
    return (
        f"Missed: no scheduler ran when {len(windows)} windows were due,"
        f" from {first:%Y-%m-%d %H:%M} to {last:%Y-%m-%d %H:%M} UTC."
    )


def name_window(due_at: datetime) -> str:
    """Return the key of a scheduled window, unique in its team; `due_at` is UTC."""
    return f"sched:{due_at:%Y-%m-%dT%H:%M:%SZ}"


def schedule_of(configuration: Configuration) -> Schedule:
    """Return the schedule that the settings describe, or raise InvalidInput; nothing is ever defaulted."""
    return read_schedule(
        local_time=configuration.local_time, cron=configuration.cron, timezone=configuration.timezone
    )


def _log_fault(team_id: str, error: Exception) -> None:
    log.warning(
        "A team could not be planned.", action="schedule.fault", team_id=team_id, error=type(error).__name__
    )


_SKIPPED: Final[dict[str, object]] = {
    "status": "skipped",
    "reason": "run_in_progress",
    "summary": "Skipped: another run of the team was under way.",
    "missed_until": None,
    "missed_count": None,
}

# From the latest on: windows that have just come stand before what a changed setting of the instance has marked.
FIND_DUE: LiteralString = """
    SELECT team_id, next_due_at FROM dream_schedules
    WHERE next_due_at <= %(due_at)s AND (next_due_at < %(due_at)s OR team_id > %(team_id)s)
    ORDER BY next_due_at DESC, team_id
    LIMIT %(limit)s
"""

_STILL_DUE: LiteralString = """
    SELECT team_id FROM dream_schedules WHERE team_id = ANY (%(team_ids)s) AND next_due_at <= %(now)s
"""

FIND_NEXT: LiteralString = "SELECT min(next_due_at) AS next_due_at FROM dream_schedules"

# Whoever finds the row locked leaves it to the scheduler that holds it.
_LOCK_DUE: LiteralString = """
    SELECT next_due_at FROM dream_schedules
    WHERE team_id = %(team_id)s AND next_due_at <= %(now)s
    FOR UPDATE SKIP LOCKED
"""

# One moment for all, so that marks stay together in the index.
_REPLAN: LiteralString = """
    UPDATE dream_schedules SET next_due_at = statement_timestamp(), updated_at = clock_timestamp()
    WHERE next_due_at IS NULL OR next_due_at > statement_timestamp()
"""

_PLAN_NONE: LiteralString = """
    UPDATE dream_schedules SET next_due_at = NULL, updated_at = clock_timestamp()
    WHERE next_due_at IS NOT NULL
"""

_PLAN: LiteralString = """
    INSERT INTO dream_schedules (team_id, next_due_at) VALUES (%(team_id)s, %(next_due_at)s)
    ON CONFLICT (team_id)
    DO UPDATE SET next_due_at = excluded.next_due_at, updated_at = clock_timestamp()
"""

_INSERT_QUEUED: LiteralString = """
    INSERT INTO cycle_runs (team_id, id, window_key, trigger, status, scheduled_for)
    VALUES (%(team_id)s, %(id)s, %(window_key)s, %(trigger)s, 'queued', %(scheduled_for)s)
    ON CONFLICT DO NOTHING
"""

_INSERT_ENDED: LiteralString = """
    INSERT INTO cycle_runs
        (team_id, id, window_key, trigger, status, reason, summary, scheduled_for, missed_until,
         missed_count, finished_at)
    VALUES
        (%(team_id)s, %(id)s, %(window_key)s, %(trigger)s, %(status)s, %(reason)s, %(summary)s,
         %(scheduled_for)s, %(missed_until)s, %(missed_count)s, clock_timestamp())
    ON CONFLICT DO NOTHING
"""
