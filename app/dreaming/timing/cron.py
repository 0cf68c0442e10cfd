"""Reading a cron expression: minute, hour, day of month, month, day of week. Pure.

cronsim reads the fields and says which days match, as Debian's cron does; which instant a local time is, is the
schedule's question, for its rules hold for plain local times too.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import pairwise
from typing import Final

from cronsim import CronSim, CronSimError

from app.kernel.errors import InvalidInput

MAX_LENGTH: Final = 128
LEAST_GAP_MINUTES: Final = 15
_FIELDS: Final = 5
_ANY_MOMENT: Final = datetime(2000, 1, 1)  # noqa: DTZ001  # Only read for its lack of a zone: fields are plain numbers.
# A Sunday the 29th of February comes after 28 years, and after 40 where the year 2100 lies between.
CYCLE_DAYS: Final = 40 * 366


@dataclass(frozen=True, slots=True)
class Cron:
    """`times` of each matching day, ascending. `has_wildcard_hours`: the hour field begins with `*`."""

    times: tuple[time, ...]
    is_due_on: Callable[[date], bool]
    has_wildcard_hours: bool


def read_cron(expression: str) -> Cron:
    """Return what the expression says.

    Raises:
        InvalidInput: `invalid_cron`; `cron_never_due` where no day ever matches; `cron_too_frequent` for times of
            one day less than 15 minutes apart.
    """
    fields = expression.split()
    if len(expression) > MAX_LENGTH or len(fields) != _FIELDS:
        raise _refuse("a cron expression has five fields")
    try:
        rule = CronSim(expression, _ANY_MOMENT)
    except CronSimError as error:
        raise _refuse(str(error)) from error

    def is_due_on(day: date) -> bool:
        return day.month in rule.months and rule.match_day(day)

    first = _ANY_MOMENT.date()
    if not any(is_due_on(first + timedelta(days=number)) for number in range(CYCLE_DAYS)):
        raise InvalidInput("No day ever matches this cron expression.", code="cron_never_due")
    times = tuple(time(hour, minute) for hour in sorted(rule.hours) for minute in sorted(rule.minutes))
    if any(later - at < LEAST_GAP_MINUTES for at, later in pairwise(map(_minute_of_day, times))):
        raise InvalidInput("Windows lie at least 15 minutes apart.", code="cron_too_frequent")
    return Cron(times, is_due_on, has_wildcard_hours=fields[1].startswith("*"))


def _minute_of_day(at: time) -> int:
    return at.hour * 60 + at.minute


def _refuse(why: str) -> InvalidInput:
    return InvalidInput(f"The cron expression cannot be read: {why}.", code="invalid_cron")
