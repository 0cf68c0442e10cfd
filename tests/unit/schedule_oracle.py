"""Which instants are due, by looking at the clock on the wall once a minute: slow, and too simple to be wrong."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

MINUTE = timedelta(minutes=1)
ZONES = (
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "America/St_Johns",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Pacific/Chatham",
    "Africa/Casablanca",
    "Africa/Cairo",
    "Antarctica/Troll",
    "Antarctica/Casey",
    "America/Asuncion",
    "America/Havana",
    "Asia/Beirut",
    "Asia/Tehran",
)


@dataclass(frozen=True)
class Fields:
    """A cron expression as it is meant: sets of numbers, None where the field is a star. Sunday is 0."""

    minutes: frozenset[int]
    hours: frozenset[int] | None
    days: frozenset[int] | None = None
    months: frozenset[int] | None = None
    weekdays: frozenset[int] | None = None

    def written(self) -> str:
        parts = (self.minutes, self.hours, self.days, self.months, self.weekdays)
        return " ".join("*" if part is None else ",".join(map(str, sorted(part))) for part in parts)

    def matches(self, wall: datetime) -> bool:
        if wall.minute not in self.minutes or not (self.hours is None or wall.hour in self.hours):
            return False
        if not (self.months is None or wall.month in self.months):
            return False
        named = [
            part
            for part in (
                None if self.days is None else wall.day in self.days,
                None if self.weekdays is None else wall.isoweekday() % 7 in self.weekdays,
            )
            if part is not None
        ]
        # Both fields restricted: either will do, as cron has it.
        return any(named) if named else True


def find_due(fields: Fields, zone: ZoneInfo, begin: datetime, end: datetime) -> list[datetime]:
    """Return the due instants of the half-open range."""
    if fields.hours is None:
        return [now for now in minutes_of(begin, end) if fields.matches(wall_of(now, zone))]
    # A local time is due when the wall first shows it or a later one; so skipped and repeated times need no case.
    start = begin - timedelta(days=3)
    seen, due = wall_of(start, zone), set()
    for now in minutes_of(start + MINUTE, end):
        wall = wall_of(now, zone)
        while seen < wall:
            seen += MINUTE
            if fields.matches(seen) and now >= begin:
                due.add(now)
    return sorted(due)


@cache
def find_changes(name: str, first_year: int, last_year: int) -> tuple[datetime, ...]:
    """Return noons, in UTC, of the days on which the zone's clock had changed since the noon before."""
    zone, noon = ZoneInfo(name), datetime(first_year, 1, 1, 12, tzinfo=UTC)
    found = []
    while noon.year <= last_year:
        if noon.astimezone(zone).utcoffset() != (noon - timedelta(days=1)).astimezone(zone).utcoffset():
            found.append(noon)
        noon += timedelta(days=1)
    return tuple(found)


def minutes_of(begin: datetime, end: datetime) -> Iterator[datetime]:
    """Yield the whole minutes of the half-open range."""
    while begin < end:
        yield begin
        begin += MINUTE


def wall_of(now: datetime, zone: ZoneInfo) -> datetime:
    return now.astimezone(zone).replace(tzinfo=None)
