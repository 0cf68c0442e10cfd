"""How dreaming stands for one team: settings with their source, what comes next, what was last, what it cost."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString

from app.dreaming.runs.history import Run, RunFilter, list_runs
from app.dreaming.spending.usage import local_day, read_cost_of_day
from app.dreaming.timing.planning import schedule_of
from app.hypotheses.lifecycle import HypothesisStatus
from app.hypotheses.outcomes import OutcomeCounts, read_outcomes
from app.kernel.database import Reading
from app.kernel.errors import InvalidInput
from app.tenancy.configuration import (
    Configuration,
    Effective,
    effective_configuration,
    effective_settings,
)


@dataclass(frozen=True, slots=True)
class DreamingStatus:
    """`seconds_since_last_finished` counts from the newest run that did its work, so it rises while none does.

    None means that none ever has. `cost_today_usd` is that of the calendar day in the team's zone, `outcomes` the
    track record of the team's guesses.
    """

    settings: Mapping[str, Effective]
    next_due_at: datetime | None
    latest_run: Run | None
    seconds_since_last_finished: float | None
    open_hypotheses: Mapping[HypothesisStatus, int]
    cost_today_usd: float
    outcomes: tuple[OutcomeCounts, ...]


async def dreaming_status(reading: Reading, team_id: str, now: datetime) -> DreamingStatus:
    """Return the team's status as of `now`.

    `next_due_at` is the next window that has not begun; None while dreaming is off or its settings name none.
    """
    settings = await effective_settings(reading, team_id)
    params = {"team_id": team_id}
    row = await reading.fetch_one(_STATUS, params)
    assert row is not None
    counts = await reading.fetch_all(_OPEN, params)
    latest = await list_runs(reading, team_id, RunFilter(), limit=1)
    open_hypotheses: dict[HypothesisStatus, int] = {
        "proposed": 0,
        "reinforced": 0,
        "stale": 0,
        "submitted": 0,
    }
    open_hypotheses.update({one["status"]: one["count"] for one in counts})
    finished_at = row["last_finished_at"]
    return DreamingStatus(
        settings=settings,
        next_due_at=_find_next_window(await effective_configuration(reading, team_id), now),
        latest_run=latest.items[0] if latest.items else None,
        seconds_since_last_finished=None if finished_at is None else (now - finished_at).total_seconds(),
        open_hypotheses=open_hypotheses,
        cost_today_usd=await read_cost_of_day(
            reading, team_id, local_day(now, str(settings["timezone"].value))
        ),
        outcomes=await read_outcomes(reading, team_id),
    )


def _find_next_window(configuration: Configuration, now: datetime) -> datetime | None:
    if not configuration.enabled:
        return None
    try:
        return schedule_of(configuration).first_after(now)
    except InvalidInput:
        return None


# Runs that were given up, missed or skipped for another one did no work.
_STATUS: LiteralString = """
    SELECT
        (SELECT max(finished_at) FROM cycle_runs
         WHERE team_id = %(team_id)s
           AND (status IN ('succeeded', 'partially_rejected')
                OR status = 'skipped' AND reason IN ('no_eligible_inputs', 'inputs_unchanged'))
        ) AS last_finished_at
"""

_OPEN: LiteralString = """
    SELECT status, count(*) AS count FROM hypotheses
    WHERE team_id = %(team_id)s
      AND (status IN ('proposed', 'reinforced', 'stale') OR status = 'submitted' AND submission_is_open)
    GROUP BY status
"""
