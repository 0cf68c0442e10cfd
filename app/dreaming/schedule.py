"""When a team is due: a local time of its zone, once a calendar day. Pure; instants are aware and UTC.

A time that a spring change skips is due at the first valid instant after it; a time that an autumn change repeats
is due at its first instant only.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from app.kernel.errors import InvalidInput

_LOCAL_TIME = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])")
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class DailySchedule:
    """Each day at `at` in `zone`."""

    at: time
    zone: ZoneInfo

    def first_after(self, moment: datetime) -> datetime:
        """Return the first due instant later than `moment`."""
        return next(due for due in self._from(moment) if due > moment)

    def last_until(self, moment: datetime) -> datetime:
        """Return the last due instant that is not later than `moment`."""
        day = moment.astimezone(self.zone).date() + _DAY
        while (due := self._on(day)) > moment:
            day -= _DAY
        return due

    def count_between(self, first: datetime, last: datetime) -> int:
        """Return how many due instants lie in the half-open range from `first` to `last`."""
        count = 0
        for due in self._from(first):
            if due >= last:
                return count
            count += due >= first
        raise AssertionError("unreachable")

    def _from(self, moment: datetime) -> Iterator[datetime]:
        """Yield due instants in ascending order, from a day before `moment` on."""
        day = moment.astimezone(self.zone).date() - _DAY
        while True:
            yield self._on(day)
            day += _DAY

    def _on(self, day: date) -> datetime:
        wall = datetime.combine(day, self.at)
        # In a gap the two readings lie on either side of the change, the earlier one by the later offset.
        first, second = (wall.replace(tzinfo=self.zone, fold=fold).astimezone(UTC) for fold in (0, 1))
        return first if first <= second else _find_change(second, first, self.zone)


def read_schedule(local_time: str, timezone: str) -> DailySchedule:
    """Return the schedule of `HH:MM` in an IANA zone.

    Raises:
        InvalidInput: `invalid_local_time` or `invalid_timezone`; nothing is ever replaced by a default.
    """
    match = _LOCAL_TIME.fullmatch(local_time)
    if match is None:
        raise InvalidInput("A local time is written HH:MM, from 00:00 to 23:59.", code="invalid_local_time")
    try:
        zone = ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InvalidInput("There is no such IANA time zone.", code="invalid_timezone") from error
    return DailySchedule(time(int(match[1]), int(match[2])), zone)


def _find_change(before: datetime, after: datetime, zone: ZoneInfo) -> datetime:
    """Return the first whole second after `before` that has the offset of `after`."""
    offset = after.astimezone(zone).utcoffset()
    low, high = before, after
    while high - low > timedelta(seconds=1):
        middle = low + timedelta(seconds=int((high - low).total_seconds()) // 2)
        if middle.astimezone(zone).utcoffset() == offset:
            high = middle
        else:
            low = middle
    return high
