"""When a team is due: local times on the days that its rule names, in an IANA zone. Pure; instants are aware, UTC.

A local time that a clock change skips is due at the first valid instant after it, one that a change repeats at its
first instant only. A cron expression with wildcard hours goes by elapsed time instead: it is due at each instant
at which the clock on the wall shows a time that matches, so twice in a repeated hour and never in a skipped one.
Two times that fall on one instant are one window. Source: Design, section 6, "Schedule"; "Clock changes".
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from app.dreaming.timing.cron import CYCLE_DAYS, LEAST_GAP_MINUTES, Cron, read_cron
from app.kernel.errors import InvalidInput

LEAST_GAP: Final = timedelta(minutes=LEAST_GAP_MINUTES)
_LOCAL_TIME: Final = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])")
# Files beside the zones: what this machine calls local, and the zones over again, once with leap seconds.
_OF_THE_MACHINE: Final = re.compile("localtime|posixrules|(posix|right)/.*")
_DAY: Final = timedelta(days=1)
# No zone is further from another, so a local day lies within so many days around its name in UTC.
_SLACK: Final = timedelta(days=2)
_LONGEST_CHUNK_DAYS: Final = 256


@dataclass(frozen=True, slots=True)
class Schedule:
    """At `times` of each local day for which `is_due_on` holds.

    `by_elapsed_time`: wildcard hours; otherwise skipped and repeated times follow the rules for local times.
    """

    zone: ZoneInfo
    times: tuple[time, ...]
    is_due_on: Callable[[date], bool]
    by_elapsed_time: bool = False

    def first_after(self, moment: datetime) -> datetime:
        """Return the first due instant later than `moment`."""
        begin = moment + timedelta(microseconds=1)
        for days in _growing_chunks():
            end = begin + days * _DAY
            if due := self.between(begin, end):
                return due[0]
            begin = end
        raise AssertionError("a schedule without a due day is refused when it is read")

    def last_until(self, moment: datetime) -> datetime:
        """Return the last due instant that is not later than `moment`."""
        end = moment + timedelta(microseconds=1)
        for days in _growing_chunks():
            begin = end - days * _DAY
            if due := self.between(begin, end):
                return due[-1]
            end = begin
        raise AssertionError("a schedule without a due day is refused when it is read")

    def count_between(self, first: datetime, last: datetime) -> int:
        """Return how many due instants lie in the half-open range from `first` to `last`."""
        return len(self.between(first, last))

    def between(self, begin: datetime, end: datetime) -> list[datetime]:
        """Return the due instants of a half-open range, ascending and distinct."""
        day, last = (begin - _SLACK).astimezone(self.zone).date(), (end + _SLACK).astimezone(self.zone).date()
        found: set[datetime] = set()
        while day <= last:
            if self.is_due_on(day):
                found.update(due for due in self._on(day) if begin <= due < end)
            day += _DAY
        return sorted(found)

    def _on(self, day: date) -> Iterator[datetime]:
        """Yield the due instants of one local day."""
        if (offset := _constant_offset(day, self.zone)) is not None:
            midnight = datetime.combine(day, time(), UTC) - offset
            yield from (midnight + timedelta(hours=at.hour, minutes=at.minute) for at in self.times)
            return
        for at in self.times:
            wall = datetime.combine(day, at)
            first, second = _readings(wall, self.zone)
            if first > second:
                # Skipped: the two readings lie on either side of the change, the earlier one by the later offset.
                if not self.by_elapsed_time:
                    yield _find_change(second, first, self.zone)
                continue
            yield first
            if self.by_elapsed_time:
                yield second


def read_schedule(*, local_time: str, cron: str | None, timezone: str) -> Schedule:
    """Return the schedule of a cron expression, or of `HH:MM` each day where there is none, in an IANA zone.

    Raises:
        InvalidInput: `invalid_local_time`, `invalid_timezone`, or what `read_cron` says; nothing is ever
            replaced by a default.
    """
    zone = read_zone(timezone)
    if cron is None:
        return Schedule(zone, (read_local_time(local_time),), lambda _: True)
    rule: Cron = read_cron(cron)
    return Schedule(zone, rule.times, rule.is_due_on, by_elapsed_time=rule.has_wildcard_hours)


def read_local_time(local_time: str) -> time:
    """Return the time of day that `HH:MM` names, or raise InvalidInput `invalid_local_time`."""
    match = _LOCAL_TIME.fullmatch(local_time)
    if match is None:
        raise InvalidInput("A local time is written HH:MM, from 00:00 to 23:59.", code="invalid_local_time")
    return time(int(match[1]), int(match[2]))


def read_zone(timezone: str) -> ZoneInfo:
    """Return the zone of an IANA name, or raise InvalidInput `invalid_timezone`."""
    try:
        if _OF_THE_MACHINE.fullmatch(timezone):
            raise ZoneInfoNotFoundError(timezone)
        return ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InvalidInput("There is no such IANA time zone.", code="invalid_timezone") from error


def check_spacing(schedule: Schedule, since: datetime) -> None:
    """Return if no two windows lie less than 15 minutes apart from `since` on, not even around a clock change.

    Raises:
        InvalidInput: `cron_too_frequent`, with the first such pair.
    """
    for begin, end in _crowded_ranges(schedule, since):
        due = schedule.between(begin, end)
        for first, second in pairwise(due):
            if second - first < LEAST_GAP:
                local = first.astimezone(schedule.zone)
                minutes = (second - first) // timedelta(minutes=1)
                message = (
                    f"Windows lie at least 15 minutes apart; after {local:%Y-%m-%d %H:%M} {schedule.zone.key}"
                    f" the next would follow in {minutes}."
                )
                raise InvalidInput(message, code="cron_too_frequent")


def _crowded_ranges(schedule: Schedule, since: datetime) -> Iterator[tuple[datetime, datetime]]:
    """Yield ranges that hold every kind of gap but those within a usual day."""
    today = since.astimezone(schedule.zone).date()
    due = [today + number * _DAY for number in range(CYCLE_DAYS) if schedule.is_due_on(today + number * _DAY)]
    for day in [day for before, day in pairwise(due) if day - before == _DAY][:1]:
        noon = datetime.combine(day, time(12), UTC)
        yield noon - _SLACK, noon + _SLACK
    noon = datetime.combine(today, time(12), UTC)
    offset = noon.astimezone(schedule.zone).utcoffset()
    for _ in range(CYCLE_DAYS):
        noon += _DAY
        before, offset = offset, noon.astimezone(schedule.zone).utcoffset()
        if before != offset:
            yield noon - _SLACK, noon + _SLACK


def _growing_chunks() -> Iterator[int]:
    """Yield lengths in days: short ones first, for most schedules are due within a day."""
    days, total = 1, 0
    while total < CYCLE_DAYS:
        yield days
        total += days
        days = min(2 * days, _LONGEST_CHUNK_DAYS)


def _constant_offset(day: date, zone: ZoneInfo) -> timedelta | None:
    """Return the zone's offset if the clock does not change on that local day, else None."""
    ends = (datetime.combine(day, at, zone) for at in (time.min, time.max))
    offsets = {end.replace(fold=fold).utcoffset() for end in ends for fold in (0, 1)}
    return offsets.pop() if len(offsets) == 1 else None


def _readings(wall: datetime, zone: ZoneInfo) -> tuple[datetime, datetime]:
    first, second = (wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    return first, second


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
