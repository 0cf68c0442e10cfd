"""The daily schedule in local time, across gaps and repeats of the clock."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.dreaming.timing.schedule import Schedule, read_schedule
from app.kernel.errors import InvalidInput


def daily(local_time: str, zone: str) -> Schedule:
    return read_schedule(local_time=local_time, cron=None, timezone=zone)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "local_time", "after", "due"),
    [
        ("UTC", "03:00", "2026-07-11 02:59:59", "2026-07-11 03:00"),
        ("UTC", "03:00", "2026-07-11 03:00", "2026-07-12 03:00"),
        ("Asia/Tokyo", "03:00", "2026-07-11 12:00", "2026-07-11 18:00"),
        ("America/New_York", "03:00", "2026-07-11 00:00", "2026-07-11 07:00"),
        # The clock jumps from 02:00 to 03:00: half past two is due at the jump, and only once that day.
        ("America/New_York", "02:30", "2026-03-08 00:00", "2026-03-08 07:00"),
        ("America/New_York", "02:30", "2026-03-08 07:00", "2026-03-09 06:30"),
        ("Europe/Berlin", "02:00", "2026-03-29 00:00", "2026-03-29 01:00"),
        # The hour from 01:00 to 02:00 happens twice: half past one is due at its first instant only.
        ("America/New_York", "01:30", "2026-11-01 00:00", "2026-11-01 05:30"),
        ("America/New_York", "01:30", "2026-11-01 05:30", "2026-11-02 06:30"),
        # Half an hour only.
        ("Australia/Lord_Howe", "02:15", "2026-10-03 00:00", "2026-10-03 15:30"),
        # A whole day that never was: what it skipped is due at the first instant of the next one.
        ("Pacific/Apia", "03:00", "2011-12-29 14:00", "2011-12-30 10:00"),
    ],
)
def test_the_first_due_instant_after_a_moment(zone: str, local_time: str, after: str, due: str) -> None:
    assert daily(local_time, zone).first_after(utc(after)) == utc(due)


def test_a_moment_before_is_not_due_and_the_moment_itself_is() -> None:
    schedule = daily("03:00", "Europe/Berlin")
    due = utc("2026-07-11 01:00")
    assert schedule.last_until(due - timedelta(microseconds=1)) == utc("2026-07-10 01:00")
    assert schedule.last_until(due) == due
    assert schedule.last_until(due + timedelta(hours=23)) == due


def test_windows_are_counted_in_a_half_open_range() -> None:
    schedule = daily("03:00", "UTC")
    assert schedule.count_between(utc("2026-07-01 03:00"), utc("2026-07-04 03:00")) == 3
    assert schedule.count_between(utc("2026-07-01 03:00"), utc("2026-07-01 03:00")) == 0


@given(
    zone=st.sampled_from(
        [
            "UTC",
            "America/New_York",
            "Europe/Berlin",
            "Australia/Lord_Howe",
            "America/St_Johns",
            "Asia/Kolkata",
        ]
    ),
    minutes=st.integers(0, 24 * 60 - 1),
    moment=st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1)),  # noqa: DTZ001  # made aware below
)
def test_every_day_has_one_window_at_or_after_its_local_time(
    zone: str, minutes: int, moment: datetime
) -> None:
    schedule = daily(f"{minutes // 60:02}:{minutes % 60:02}", zone)
    due = schedule.first_after(moment.replace(tzinfo=UTC))
    following = schedule.first_after(due)
    assert schedule.last_until(due) == due
    assert schedule.last_until(following - timedelta(microseconds=1)) == due
    local, next_local = (instant.astimezone(ZoneInfo(zone)) for instant in (due, following))
    assert next_local.date() - local.date() == timedelta(days=1)
    assert (
        timedelta(0)
        <= local.replace(tzinfo=None) - datetime.combine(local.date(), schedule.times[0])
        <= timedelta(hours=1)
    )


@pytest.mark.parametrize("local_time", ["3:00", "24:00", "03:60", "03:00:00", "", "noon", "03:00 "])
def test_an_impossible_time_is_refused(local_time: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        daily(local_time, "UTC")
    assert refusal.value.code == "invalid_local_time"


@pytest.mark.parametrize(
    "zone",
    [
        "Europe/Atlantis",
        "",
        "../etc/passwd",
        "UTC+1",
        "a\0b",
        "localtime",
        "posixrules",
        "right/UTC",
        "posix/UTC",
    ],
)
def test_an_unknown_zone_is_refused(zone: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        daily("03:00", zone)
    assert refusal.value.code == "invalid_timezone"
