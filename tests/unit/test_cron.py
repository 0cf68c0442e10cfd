"""Cron expressions: what they mean in local time, and what is refused."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.dreaming.timing.schedule import Schedule, check_spacing, read_schedule
from app.kernel.errors import InvalidInput

SINCE = datetime(2026, 1, 1, tzinfo=UTC)


def read(cron: str, zone: str = "UTC") -> Schedule:
    return read_schedule(local_time="03:00", cron=cron, timezone=zone)


def due_on(cron: str, zone: str, day: str) -> list[str]:
    """Return the due instants of a day in UTC, as HH:MM."""
    begin = datetime.fromisoformat(day).replace(tzinfo=UTC)
    return [f"{due:%H:%M}" for due in read(cron, zone).between(begin, begin + timedelta(days=1))]


def test_fixed_hours_follow_the_rules_for_local_times() -> None:
    # New York's clock goes from 02:00 to 03:00, at 07:00 in UTC.
    assert due_on("30 2 * * *", "America/New_York", "2026-03-08") == ["07:00"]
    assert due_on("*/30 2 * * *", "America/New_York", "2026-03-08") == ["07:00"]
    assert due_on("0,30 2,3 * * *", "America/New_York", "2026-03-08") == ["07:00", "07:30"]
    # It goes from 02:00 back to 01:00, at 06:00 in UTC.
    assert due_on("30 1,2 * * *", "America/New_York", "2026-11-01") == ["05:30", "07:30"]


def test_wildcard_hours_go_by_elapsed_time() -> None:
    assert due_on("30 * * * *", "America/New_York", "2026-03-08")[5:9] == ["05:30", "06:30", "07:30", "08:30"]
    assert due_on("30 * * * *", "America/New_York", "2026-11-01")[4:8] == ["04:30", "05:30", "06:30", "07:30"]
    # Half past: Lord Howe's clock goes from 02:00 to 02:30, at 15:30 in UTC, so the hour is short.
    assert due_on("15 * * * *", "Australia/Lord_Howe", "2026-10-03")[14:18] == [
        "14:45",
        "16:15",
        "17:15",
        "18:15",
    ]


def test_day_of_month_and_weekday_are_alternatives_unless_one_is_a_star() -> None:
    begin = datetime(2026, 7, 1, tzinfo=UTC)
    month = timedelta(days=31)
    assert len(read("0 0 13 * FRI").between(begin, begin + month)) == 6
    assert len(read("0 0 * * FRI").between(begin, begin + month)) == 5
    assert len(read("0 0 L * *").between(begin, begin + month)) == 1


@pytest.mark.parametrize(
    "cron",
    [
        "",
        "* * * *",
        "0 3 * * * *",
        "60 3 * * *",
        "0 24 * * *",
        "0 3 * * 8",
        "0 3 32 * *",
        "a b c d e",
        "0 3 * * *" * 20,
    ],
)
def test_what_cannot_be_read_is_refused(cron: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        read(cron)
    assert refusal.value.code == "invalid_cron"


@given(st.text(alphabet="0123456789*/,-#LW ", max_size=40) | st.text(max_size=20))
def test_any_text_is_either_a_schedule_or_refused(text: str) -> None:
    with suppress(InvalidInput):
        assert read(text).times


def test_a_day_that_never_comes_is_refused_and_one_that_seldom_does_is_found() -> None:
    with pytest.raises(InvalidInput) as refusal:
        read("0 3 31 2,4 *")
    assert refusal.value.code in {"invalid_cron", "cron_never_due"}
    # A Sunday the 29th of February, before and after the year 2100.
    seldom = read("0 3 29 2 */7")
    assert seldom.first_after(SINCE) == datetime(2032, 2, 29, 3, tzinfo=UTC)
    assert seldom.first_after(datetime(2089, 1, 1, tzinfo=UTC)) == datetime(2128, 2, 29, 3, tzinfo=UTC)
    assert seldom.last_until(datetime(2128, 2, 1, tzinfo=UTC)) == datetime(2088, 2, 29, 3, tzinfo=UTC)


@pytest.mark.parametrize(
    ("cron", "zone"),
    [
        ("* * * * *", "UTC"),
        ("*/14 * * * *", "UTC"),
        ("0,10 3 * * *", "UTC"),
        # The last window of a day and the first of the next.
        ("5,55 0,23 * * *", "UTC"),
        # Twenty to three and ten past three meet only where the clock skips what lies between.
        ("10,40 2,3 * * *", "Europe/Berlin"),
        # On the one day of the one month in which the clock changes.
        ("10,40 2,3 8 3 *", "America/New_York"),
    ],
)
def test_windows_less_than_15_minutes_apart_are_refused(cron: str, zone: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        check_spacing(read(cron, zone), SINCE)  # The first of them are refused by `read` already.
    assert refusal.value.code == "cron_too_frequent"
    assert "15 minutes apart" in str(refusal.value)


@pytest.mark.parametrize(
    ("cron", "zone"),
    [
        ("*/15 * * * *", "Australia/Lord_Howe"),
        ("*/15 * * * *", "Antarctica/Troll"),
        ("0 3 * * *", "Europe/Berlin"),
        # The clock of UTC skips nothing, and Berlin's does so in the night only.
        ("10,40 2,3 * * *", "UTC"),
        ("10,40 12,13 * * *", "Europe/Berlin"),
        # Two times that fall on one instant are one window.
        ("0,30 2,3 * * *", "Europe/Berlin"),
    ],
)
def test_windows_15_minutes_apart_are_accepted(cron: str, zone: str) -> None:
    check_spacing(read(cron, zone), SINCE)
