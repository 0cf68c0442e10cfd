"""Changing settings: all or nothing, planned at once, for one team or for all."""

from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime, timedelta

import pytest

from app.dreaming.settings import change_instance_settings, change_team_settings
from app.dreaming.status import dreaming_status
from app.dreaming.timing.planning import enqueue_due
from app.kernel.database import Database, Scope
from app.kernel.errors import InvalidInput, VersionMismatch, WrongState
from app.kernel.settings import Settings
from app.tenancy.audit import list_instance_audit, list_team_audit
from app.tenancy.callers import HOST, Caller
from app.tenancy.configuration import LevelValues, read_instance_values, read_team_values
from tests.cycles import queue_run
from tests.databases import create_database, drop_database, service_url
from tests.integration.test_planning import found_private_team, read_next, read_runs

NOON = datetime(2031, 7, 11, 12, tzinfo=UTC)


@pytest.fixture
async def database(settings: Settings) -> AsyncIterator[Database]:
    """A database of its own: the instance's settings hold for every team in it."""
    name = create_database()
    private = Database(settings, url=service_url(name))
    await private.open()
    yield private
    await private.close()
    drop_database(name)


@pytest.fixture
async def team(database: Database) -> Caller:
    return await found_private_team(database)


async def change(
    database: Database, team: Caller, changes: Mapping[str, object], *, expected_version: int | None = None
) -> LevelValues:
    return await database.unit_of_work(
        Scope("app", team.team_id),
        lambda writing: change_team_settings(
            writing, team, changes, expected_version=expected_version, now=NOON
        ),
    )


async def change_instance(database: Database, changes: Mapping[str, object]) -> LevelValues:
    return await database.unit_of_work(
        Scope("app"),
        lambda writing: change_instance_settings(writing, HOST, changes, expected_version=None, now=NOON),
    )


async def refused(database: Database, team: Caller, changes: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return field and code of each refusal; nothing of the change remains."""
    async with database.reading(Scope("app", team.team_id)) as reading:
        before = await read_team_values(reading, team.team_id)
    due = await read_next(database, team)
    with pytest.raises(InvalidInput) as refusal:
        await change(database, team, changes)
    async with database.reading(Scope("app", team.team_id)) as reading:
        assert await read_team_values(reading, team.team_id) == before
    assert await read_next(database, team) == due
    return [(error.field, error.code) for error in refusal.value.errors]


async def test_a_change_is_stored_planned_and_on_record_in_one_step(database: Database, team: Caller) -> None:
    first = await change(database, team, {"local_time": "04:30", "timezone": "Asia/Tokyo", "max_outputs": 7})
    assert first.values == {"local_time": "04:30", "timezone": "Asia/Tokyo", "max_outputs": 7}
    assert await read_next(database, team) == datetime(2031, 7, 11, 19, 30, tzinfo=UTC)

    second = await change(database, team, {"local_time": None, "cron": "0 */6 * * *"})
    assert second.values == {"cron": "0 */6 * * *", "timezone": "Asia/Tokyo", "max_outputs": 7}
    assert second.version > first.version
    assert await read_next(database, team) == datetime(2031, 7, 11, 15, tzinfo=UTC)

    # Nothing changes, so nothing is on record.
    assert await change(database, team, {"max_outputs": 7, "enabled": None}) == second
    async with database.reading(Scope("app", team.team_id)) as reading:
        events = await list_team_audit(
            reading, team.team_id, action="settings_changed", limit=10, cursor=None
        )
    assert [dict(event.details) for event in events.items] == [
        {"local_time": None, "cron": "0 */6 * * *"},
        {"local_time": "04:30", "timezone": "Asia/Tokyo", "max_outputs": 7},
    ]


async def test_a_change_that_is_about_no_time_leaves_a_due_window_alone(
    database: Database, team: Caller
) -> None:
    await change(database, team, {"local_time": "03:00"})
    due = await read_next(database, team)
    await change(database, team, {"max_outputs": 3})
    assert await read_next(database, team) == due


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"local_time": "25:00"}, [("local_time", "invalid_local_time")]),
        ({"timezone": "Europe/Atlantis"}, [("timezone", "invalid_timezone")]),
        ({"cron": "every day"}, [("cron", "invalid_cron")]),
        ({"cron": "every day", "enabled": False}, [("cron", "invalid_cron")]),
        ({"cron": "*/5 * * * *"}, [("cron", "cron_too_frequent")]),
        ({"cron": "10,40 2,3 * * *", "timezone": "Europe/Berlin"}, [("cron", "cron_too_frequent")]),
        ({"cron": "0 3 * * *", "local_time": "03:00"}, [("cron", "cron_and_local_time")]),
        (
            {"max_outputs": 51, "colour": "blue"},
            [("max_outputs", "out_of_range"), ("colour", "unknown_setting")],
        ),
        ({"max_groups": 3, "retention_days": 0}, [("retention_days", "out_of_range")]),
    ],
)
async def test_what_is_wrong_is_refused_whole_and_never_defaulted(
    database: Database, team: Caller, changes: Mapping[str, object], expected: list[tuple[str, str]]
) -> None:
    assert await refused(database, team, changes) == expected


async def test_a_cron_expression_and_a_zone_are_judged_together_whichever_comes_last(
    database: Database, team: Caller
) -> None:
    await change(database, team, {"cron": "10,40 2,3 * * *"})
    assert await refused(database, team, {"timezone": "Europe/Berlin"}) == [("cron", "cron_too_frequent")]
    assert await refused(database, team, {"local_time": "04:00"}) == [("cron", "cron_and_local_time")]


async def test_only_the_version_that_was_decided_about_is_changed(database: Database, team: Caller) -> None:
    first = await change(database, team, {"max_outputs": 7}, expected_version=1)
    with pytest.raises(VersionMismatch):
        await change(database, team, {"max_outputs": 8}, expected_version=1)
    with pytest.raises(InvalidInput):
        await change(database, team, {"max_outputs": -8}, expected_version=1)
    second = await change(database, team, {"max_outputs": 8}, expected_version=first.version)
    third = await change(database, team, {"max_outputs": None}, expected_version=second.version)
    assert third.values == {}
    assert first.version < second.version < third.version


async def test_the_instance_bounds_what_teams_may_set_now_and_later(database: Database, team: Caller) -> None:
    await change(database, team, {"max_outputs": 20})
    await change_instance(database, {"max_outputs": 8, "max_daily_cost_usd": 2})
    assert await refused(database, team, {"max_outputs": 9, "max_daily_cost_usd": 2.01}) == [
        ("max_outputs", "above_instance"),
        ("max_daily_cost_usd", "above_instance"),
    ]
    async with database.reading(Scope("app", team.team_id)) as reading:
        status = await dreaming_status(reading, team.team_id, NOON)
    assert (status.settings["max_outputs"].value, status.settings["max_outputs"].source) == (8, "instance")
    # What the team had before is in force again when the instance lets go.
    await change_instance(database, {"max_outputs": None})
    async with database.reading(Scope("app", team.team_id)) as reading:
        status = await dreaming_status(reading, team.team_id, NOON)
    assert (status.settings["max_outputs"].value, status.settings["max_outputs"].source) == (20, "team")


async def test_the_kill_switch_leaves_no_team_due_and_letting_go_plans_them_again(
    database: Database, team: Caller
) -> None:
    other = await found_private_team(database)
    for caller in (team, other):
        await change(database, caller, {"local_time": "05:00"})
    await change(database, other, {"enabled": False})
    await change_instance(database, {"enabled": False, "force_enabled": True})
    for caller in (team, other):
        assert await read_next(database, caller) is None
        with pytest.raises(WrongState) as refusal:
            await queue_run(database, caller)
        assert refusal.value.code == "dreaming_disabled"
        assert "of the instance" in str(refusal.value)
        # Not even a team's own change brings it back.
        await change(database, caller, {"timezone": "UTC"})
        assert await read_next(database, caller) is None

    await change_instance(database, {"enabled": None, "force_enabled": None})
    now = datetime.now(UTC)
    assert await enqueue_due(database, now=now) == 0
    due = await read_next(database, team)
    assert due is not None
    assert (now < due <= now + timedelta(days=1), due.hour) == (True, 5)
    assert await read_next(database, other) is None

    await change_instance(database, {"force_enabled": True})
    await enqueue_due(database, now=datetime.now(UTC))
    assert await read_next(database, other) == due
    assert await read_runs(database, other) == []


async def test_a_changed_time_of_the_instance_holds_for_teams_without_their_own(
    database: Database, team: Caller
) -> None:
    own = await found_private_team(database)
    await change(database, own, {"local_time": "05:00"})
    changed = await change_instance(database, {"cron": "0 7 * * *", "timezone": "Etc/GMT-2"})
    assert changed.values == {"cron": "0 7 * * *", "timezone": "Etc/GMT-2"}
    await enqueue_due(database, now=datetime.now(UTC))
    hours = [(await read_next(database, caller)) for caller in (team, own)]
    assert [due is not None and due.hour for due in hours] == [5, 3]

    with pytest.raises(InvalidInput) as refusal:
        await change_instance(database, {"timezone": "Nowhere"})
    assert refusal.value.errors[0].field == "timezone"
    async with database.reading(Scope("app")) as reading:
        assert await read_instance_values(reading) == changed
        events = await list_instance_audit(reading, action="settings_changed", limit=10, cursor=None)
    assert [event.actor.kind for event in events.items] == ["host"]
