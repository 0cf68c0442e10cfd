"""Settings over HTTP: closed, bounded, versioned, in force at once."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from app.api.app import create_app
from app.kernel.database import Database, Scope
from app.kernel.settings import Settings
from app.tenancy.callers import Caller
from app.tenancy.configuration import SETTING_NAMES
from tests.api.client import Api, read_problem
from tests.cycles import lease_run, queue_run
from tests.databases import create_database, drop_database, service_url
from tests.integration.test_planning import found_private_team
from tests.integration.test_usage import permit_for, purse_of

SETTINGS = "/v1/dreaming/settings"
INSTANCE = "/v1/instance/settings"


@pytest.fixture(scope="module")
async def private(settings: Settings) -> AsyncIterator[Api]:
    """A door over a database of its own: the instance's settings hold for every team in it."""
    name = create_database()
    database = Database(settings, url=service_url(name))
    await database.open()
    yield Api(create_app(database, settings), database)
    await database.close()
    drop_database(name)


async def test_a_teams_settings_are_null_until_it_sets_them(api: Api, team: Caller) -> None:
    client = await api.client(team)
    first = await client.get(SETTINGS)
    assert first.json() == dict.fromkeys(SETTING_NAMES) | {"row_version": 1}
    assert first.headers["etag"] == '"1"'

    changes = {"cron": "0 */6 * * *", "timezone": "Europe/Berlin", "max_cost_usd": 2, "max_outputs": 0}
    changed = await client.patch(SETTINGS, json=changes)
    assert changed.status_code == 200, changed.text
    assert changed.json() == first.json() | changes | {"row_version": changed.json()["row_version"]}
    assert changed.headers["etag"] == f'"{changed.json()["row_version"]}"'
    assert (await client.get(SETTINGS)).json() == changed.json()

    status = (await client.get("/v1/dreaming/status")).json()
    assert status["settings"]["cron"] == {"value": "0 */6 * * *", "source": "team"}
    assert status["settings"]["max_outputs"] == {"value": 0, "source": "team"}
    assert status["settings"]["local_time"] == {"value": "03:00", "source": "built_in"}
    assert status["next_due_at"].endswith(":00:00Z")

    inherited = await client.patch(SETTINGS, json={"cron": None})
    assert inherited.json()["cron"] is None
    off = await client.patch(SETTINGS, json={"enabled": False})
    assert off.status_code == 200
    assert (await client.get("/v1/dreaming/status")).json()["next_due_at"] is None
    assert read_problem(await client.post("/v1/cycle-runs"))["code"] == "dreaming_disabled"


@pytest.mark.parametrize(
    ("body", "field", "code"),
    [
        ({"max_outputs": 51}, "max_outputs", "out_of_range"),
        ({"max_outputs": -1}, "max_outputs", "out_of_range"),
        ({"max_outputs": "5"}, "max_outputs", "int_type"),
        ({"max_cost_usd": True}, "max_cost_usd", "float_type"),
        ({"local_time": "3:00"}, "local_time", "invalid_local_time"),
        ({"timezone": "Mars/Olympus"}, "timezone", "invalid_timezone"),
        ({"timezone": "../../etc/passwd"}, "timezone", "invalid_timezone"),
        ({"cron": "* * * * *"}, "cron", "cron_too_frequent"),
        ({"cron": "0 0 * *"}, "cron", "invalid_cron"),
        ({"cron": "0 3 * * *", "local_time": "03:00"}, "cron", "cron_and_local_time"),
        ({"generator": "magic"}, "generator", "unknown_choice"),
        ({"force_enabled": True}, "force_enabled", "extra_forbidden"),
        ({"team_id": "team_1"}, "team_id", "extra_forbidden"),
    ],
)
async def test_what_is_wrong_is_a_422_that_names_the_field(
    api: Api, team: Caller, body: dict[str, object], field: str, code: str
) -> None:
    client = await api.client(team)
    refused = await client.patch(SETTINGS, json={"retention_days": 30} | body)
    assert refused.status_code == 422
    assert [(error["field"], error["code"]) for error in read_problem(refused)["errors"]] == [(field, code)]
    assert (await client.get(SETTINGS)).json()["row_version"] == 1


async def test_only_the_version_that_was_decided_about_is_changed(api: Api, team: Caller) -> None:
    client = await api.client(team)
    one = await client.patch(SETTINGS, json={"max_groups": 9}, headers={"If-Match": '"1"'})
    assert one.status_code == 200
    late = await client.patch(SETTINGS, json={"max_groups": 8}, headers={"If-Match": '"1"'})
    assert (late.status_code, read_problem(late)["code"]) == (412, "version_mismatch")
    named = {"max_groups": 8, "expected_version": one.json()["row_version"]}
    assert (await client.patch(SETTINGS, json=named)).json()["max_groups"] == 8


async def test_reading_needs_read_changing_operate_and_the_instance_an_admin(api: Api, team: Caller) -> None:
    reader = await api.client(team, scopes=["read"])
    assert (await reader.get(SETTINGS)).status_code == 200
    assert (await reader.patch(SETTINGS, json={"max_groups": 1})).status_code == 403
    operator = await api.client(team)
    for refused in (await operator.get(INSTANCE), await operator.patch(INSTANCE, json={"enabled": False})):
        assert (refused.status_code, read_problem(refused)["code"]) == (403, "missing_scope")
    admin = await api.admin()
    assert (await admin.get(SETTINGS)).status_code == 403


async def test_the_instance_has_the_last_word(private: Api) -> None:
    team = await found_private_team(private.database)
    client, admin = await private.client(team), await private.admin()
    assert (await client.patch(SETTINGS, json={"enabled": False})).status_code == 200
    forced = await admin.patch(
        INSTANCE, json={"force_enabled": True, "max_outputs": 3}, headers={"If-Match": '"1"'}
    )
    assert forced.status_code == 200, forced.text
    assert (forced.json()["force_enabled"], forced.json()["max_outputs"]) == (True, 3)
    assert (await admin.get(INSTANCE)).json() == forced.json()

    status = (await client.get("/v1/dreaming/status")).json()
    assert status["settings"]["enabled"] == {"value": True, "source": "instance"}
    assert status["next_due_at"] is not None
    above = await client.patch(SETTINGS, json={"max_outputs": 4})
    assert read_problem(above)["errors"][0]["code"] == "above_instance"

    assert (await admin.patch(INSTANCE, json={"enabled": False})).status_code == 200
    status = (await client.get("/v1/dreaming/status")).json()
    assert (status["settings"]["enabled"]["value"], status["next_due_at"]) == (False, None)
    async with private.database.reading(Scope("dreamer")) as reading:
        rows = await reading.fetch_all("SELECT next_due_at FROM dream_schedules")
    assert {row["next_due_at"] for row in rows} == {None}


async def test_costs_are_told_by_day_and_model_also_for_a_run_that_was_cancelled(
    api: Api, team: Caller
) -> None:
    client = await api.client(team)
    empty = (await client.get("/v1/dreaming/costs")).json()
    assert empty == {
        "items": [],
        "total_usd": 0,
        "today_usd": 0,
        "verifying_today_usd": 0,
        "max_daily_cost_usd": 5,
    }

    lease = await lease_run(api.database, await queue_run(api.database, team))
    status = (await client.get("/v1/dreaming/status")).json()
    assert status["cost_today_usd"] == 0
    await permit_for(purse_of(api.database, lease, now=datetime.now(UTC)))
    await client.post(f"/v1/cycle-runs/{lease.item_id}/cancel")
    answer = (await client.get("/v1/dreaming/costs", params={"days": 1})).json()
    assert [(item["purpose"], item["model"], item["cost_usd"]) for item in answer["items"]] == [
        ("dream", "model-1", 0.4)
    ]
    assert answer["items"][0]["unsettled_usd"] == 0.4
    assert (answer["today_usd"], answer["total_usd"]) == (0.4, 0.4)
    assert (await client.get("/v1/dreaming/status")).json()["cost_today_usd"] == 0.4
