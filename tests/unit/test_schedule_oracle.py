"""Schedules against a minute-by-minute look at the clock, most of it around odd changes of clocks.

DENSEMEM_SCHEDULE_EXAMPLES sets how many schedules are tried; `make schedules` tries many.
"""

import os
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Final
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.dreaming.timing.schedule import LEAST_GAP, check_spacing, read_schedule
from app.kernel.errors import InvalidInput
from tests.unit.schedule_oracle import MINUTE, ZONES, Fields, find_changes, find_due

EXAMPLES: Final = int(os.environ.get("DENSEMEM_SCHEDULE_EXAMPLES", "30"))
DAY: Final = timedelta(days=1)


@st.composite
def places(draw: st.DrawFn) -> tuple[str, datetime]:
    """Draw a zone and a moment of 2020 to 2035, near one of its changes where it has any."""
    zone = draw(st.sampled_from(ZONES))
    changes = find_changes(zone, 2020, 2035)
    anywhere = datetime(2020, 1, 4, tzinfo=UTC) + draw(st.integers(0, 15 * 365)) * DAY
    noon = draw(st.sampled_from(changes)) if changes else anywhere
    return zone, noon - DAY + draw(st.integers(0, 24 * 60)) * MINUTE


def is_apart(minutes: frozenset[int]) -> bool:
    """Say whether the minutes of an hour leave 15 between them, also to the next hour's."""
    around = [*sorted(minutes), min(minutes) + 60]
    return all(later - earlier >= 15 for earlier, later in pairwise(around))


def numbers(first: int, last: int) -> st.SearchStrategy[frozenset[int]]:
    return st.frozensets(st.integers(first, last), min_size=1, max_size=4)


# Half of the hours are those in which clocks change.
hours = numbers(0, 3) | numbers(0, 23)
expressions = st.builds(
    Fields,
    minutes=numbers(0, 59).filter(is_apart),
    hours=hours | st.none(),
    days=st.none() | numbers(1, 31),
    # Always with a long month, so that every expression has its day.
    months=st.none() | st.frozensets(st.integers(1, 12), min_size=5).map(lambda months: months | {3, 10}),
    weekdays=st.none() | numbers(0, 6),
)


@settings(max_examples=EXAMPLES)
@given(place=places(), fields=expressions)
def test_cron_is_due_exactly_when_the_wall_clock_says_so(place: tuple[str, datetime], fields: Fields) -> None:
    zone, begin = place
    end = begin + 2 * DAY
    schedule = read_schedule(local_time="03:00", cron=fields.written(), timezone=zone)
    due = find_due(fields, ZoneInfo(zone), begin, end)
    assert schedule.between(begin, end) == due
    assert schedule.count_between(begin, end) == len(due)
    if due:
        assert schedule.first_after(begin - MINUTE) == due[0]
        assert schedule.last_until(end - timedelta(microseconds=1)) == due[-1]
    else:
        assert schedule.first_after(begin - MINUTE) >= end
        assert schedule.last_until(end - MINUTE) < begin


@settings(max_examples=EXAMPLES)
@given(place=places(), minute=st.integers(0, 24 * 60 - 1))
def test_a_local_time_is_due_exactly_when_the_wall_clock_says_so(
    place: tuple[str, datetime], minute: int
) -> None:
    zone, begin = place
    local_time = f"{minute // 60:02}:{minute % 60:02}"
    schedule = read_schedule(local_time=local_time, cron=None, timezone=zone)
    fields = Fields(frozenset({minute % 60}), frozenset({minute // 60}))
    assert schedule.between(begin, begin + 2 * DAY) == find_due(
        fields, ZoneInfo(zone), begin, begin + 2 * DAY
    )


@settings(max_examples=EXAMPLES)
@given(place=places(), fields=st.builds(Fields, minutes=numbers(0, 59), hours=hours | st.none()))
def test_whatever_is_accepted_never_has_two_windows_within_15_minutes(
    place: tuple[str, datetime], fields: Fields
) -> None:
    zone, begin = place
    due = find_due(fields, ZoneInfo(zone), begin, begin + 2 * DAY)
    is_crowded = any(second - first < LEAST_GAP for first, second in pairwise(due))
    with pytest.raises(InvalidInput) if is_crowded else suppress(InvalidInput):
        schedule = read_schedule(local_time="03:00", cron=fields.written(), timezone=zone)
        check_spacing(schedule, datetime(2020, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize("cron", ["0 3 * * *", "30 * * * *", "*/15 * * * *", "0,30 0,23 * * *"])
def test_apia_skips_a_whole_day_and_nothing_is_due_twice(cron: str) -> None:
    begin = datetime(2011, 12, 29, tzinfo=UTC)
    minutes = {"30": {30}, "0": {0}, "*/15": {0, 15, 30, 45}, "0,30": {0, 30}}[cron.split()[0]]
    hour = cron.split()[1]
    fields = Fields(frozenset(minutes), None if hour == "*" else frozenset(map(int, hour.split(","))))
    schedule = read_schedule(local_time="03:00", cron=cron, timezone="Pacific/Apia")
    expected = find_due(fields, ZoneInfo("Pacific/Apia"), begin, begin + 4 * DAY)
    assert schedule.between(begin, begin + 4 * DAY) == expected
