"""Finding due teams and queueing their runs: one run a window, whatever the number of schedulers.

`dream_schedules.next_due_at` is indexed, so a tick costs the due teams only. Each team is planned in a
transaction of its own: one team's fault does not stop the others. The run is recorded
before anything is generated, in PostgreSQL alone.
"""

from datetime import datetime, timedelta
from typing import Final, LiteralString

import psycopg
import structlog

from app.dreaming.runs import CYCLE
from app.dreaming.schedule import DailySchedule, read_schedule
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


async def plan_all_teams(writing: Writing) -> None:
    """Leave every team to be planned anew at the next tick; called when a setting of the instance changes.

    What is due at this very moment has no window behind it yet, so the tick plans and queues nothing.
    """
    await writing.execute(_REPLAN)
    await wake_workers(writing, SCHEDULE)


async def enqueue_due(database: Database, *, now: datetime) -> int:
    """Queue one run for each team that is due at `now`, and return how many were queued here.

    After downtime the newest window runs, and one `missed` row says what was left out. A window that meets a
    live run of its team is `skipped`: that run reads what this one would have read.
    """
    async with database.reading(Scope("dreamer")) as reading:
        rows = await reading.fetch_all(_DUE, {"now": now})
    return sum([await _enqueue_apart(database, row["team_id"], now) for row in rows])


async def seconds_until_planned(database: Database, *, now: datetime) -> float | None:
    """Return in how many seconds from `now` the next team is due; None when none is."""
    async with database.reading(Scope("dreamer")) as reading:
        row = await reading.fetch_one(_NEXT)
    next_due_at = None if row is None else row["next_due_at"]
    return None if next_due_at is None else (next_due_at - now).total_seconds()


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
        first, newest = row["next_due_at"], schedule.last_until(now)
        # An earlier one means that the team is new or its settings have changed: nothing is due by these yet.
        if newest >= first:
            await _record_missed(writing, team_id, schedule, first, newest)
            is_queued = await _queue_window(writing, team_id, newest, now)
    next_due_at = None if schedule is None else schedule.first_after(now)
    await writing.execute(_PLAN, {"team_id": team_id, "next_due_at": next_due_at})
    return is_queued


async def _read_schedule(writing: Writing, team_id: str) -> DailySchedule | None:
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
    params = {
        "team_id": team_id,
        "id": new_id("run"),
        "window_key": name_window(due_at),
        "trigger": "catch_up" if now - due_at > LATE_AFTER else "scheduled",
        "scheduled_for": due_at,
        "reason": None,
        "note": None,
    }
    if await writing.execute(_INSERT_QUEUED, params):
        await enqueue(writing, team_id=team_id, kind=CYCLE, item_id=str(params["id"]))
        return True
    await writing.execute(_INSERT_ENDED, params | {"status": "skipped", "reason": "run_in_progress"})
    return False


async def _record_missed(
    writing: Writing, team_id: str, schedule: DailySchedule, first: datetime, newest: datetime
) -> None:
    """Leave one row for the windows from `first` until the newest one, if there are any."""
    count = schedule.count_between(first, newest)
    if count == 0:
        return
    last = schedule.last_until(newest - timedelta(microseconds=1))
    params = {
        "team_id": team_id,
        "id": new_id("run"),
        "window_key": name_window(first),
        "trigger": "scheduled",
        "scheduled_for": first,
        "status": "missed",
        "reason": "no_worker",
        "note": f"{count} from {first:%Y-%m-%dT%H:%M:%SZ} to {last:%Y-%m-%dT%H:%M:%SZ}",
    }
    await writing.execute(_INSERT_ENDED, params)


def name_window(due_at: datetime) -> str:
    """Return the key of a scheduled window, unique in its team; `due_at` is UTC."""
    return f"sched:{due_at:%Y-%m-%dT%H:%M:%SZ}"


def schedule_of(configuration: Configuration) -> DailySchedule:
    """Return the schedule that the settings describe, or raise InvalidInput; nothing is ever defaulted."""
    if configuration.cron is not None:
        raise InvalidInput("Cron expressions are not supported yet.", code="cron_unsupported")
    return read_schedule(configuration.local_time, configuration.timezone)


def _log_fault(team_id: str, error: Exception) -> None:
    log.warning(
        "A team could not be planned.", action="schedule.fault", team_id=team_id, error=type(error).__name__
    )


_DUE: LiteralString = """
    SELECT team_id FROM dream_schedules WHERE next_due_at <= %(now)s ORDER BY next_due_at, team_id
"""

_NEXT: LiteralString = "SELECT min(next_due_at) AS next_due_at FROM dream_schedules"

# Whoever finds the row locked leaves it to the scheduler that holds it.
_LOCK_DUE: LiteralString = """
    SELECT next_due_at FROM dream_schedules
    WHERE team_id = %(team_id)s AND next_due_at <= %(now)s
    FOR UPDATE SKIP LOCKED
"""

_REPLAN: LiteralString = """
    UPDATE dream_schedules SET next_due_at = clock_timestamp(), updated_at = clock_timestamp()
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
        (team_id, id, window_key, trigger, status, reason, note, scheduled_for, finished_at)
    VALUES
        (%(team_id)s, %(id)s, %(window_key)s, %(trigger)s, %(status)s, %(reason)s, %(note)s,
         %(scheduled_for)s, clock_timestamp())
    ON CONFLICT DO NOTHING
"""
