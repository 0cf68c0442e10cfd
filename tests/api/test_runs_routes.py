"""Cycle runs and the state of dreaming over HTTP."""

from decimal import Decimal
from typing import Any

import pytest

from app.kernel.database import Scope
from app.llm.prices import BUILT_IN
from app.llm.usage import Tokens, Usage
from app.remember.provider.permits import Bound, TeamPurse
from app.tenancy.callers import Caller
from tests.api.client import NOBODYS_ULID, Api
from tests.conftest import MakeTeam


async def test_one_live_run_a_team_whoever_asks(api: Api, team: Caller) -> None:
    client = await api.client(team)
    first = await client.post("/v1/cycle-runs", json={"note": "by hand", "budgets": {"max_outputs": 2}})
    assert first.status_code == 202, first.text
    run = first.json()
    assert (run["status"], run["trigger"], run["note"]) == ("queued", "manual", "by hand")
    assert run["funnel"] == dict.fromkeys(
        [
            "eligible",
            "premises",
            "groups",
            "generated",
            "rejected",
            "deduplicated",
            "reinforced",
            "persisted",
        ],
        0,
    )
    assert (run["error"], run["would_persist"], run["finished_at"]) == (None, None, None)
    second = await client.post("/v1/cycle-runs")
    assert (second.status_code, second.json()["run_id"]) == (200, run["run_id"])
    assert (await client.get(f"/v1/cycle-runs/{run['run_id']}")).json() == run
    listed = (await client.get("/v1/cycle-runs", params={"window": run["window_key"]})).json()
    assert [item["run_id"] for item in listed["items"]] == [run["run_id"]]
    assert (await client.get("/v1/cycle-runs?status=failed&status=missed")).json()["items"] == []


async def test_a_cancelled_run_stays_cancelled_and_makes_room(api: Api, team: Caller) -> None:
    client = await api.client(team)
    run_id = (await client.post("/v1/cycle-runs", json={"dry_run": True})).json()["run_id"]
    for _ in range(2):
        cancelled = await client.post(f"/v1/cycle-runs/{run_id}/cancel")
        assert (cancelled.status_code, cancelled.json()["status"]) == (200, "cancelled")
    assert (await client.post("/v1/cycle-runs")).status_code == 202


async def test_a_repeated_start_gets_its_first_answer_after_the_run_has_ended(api: Api, team: Caller) -> None:
    client = await api.client(team)
    body = {"idempotency_key": "tonight"}
    first = await client.post("/v1/cycle-runs", json=body)
    await client.post(f"/v1/cycle-runs/{first.json()['run_id']}/cancel")
    second = await client.post("/v1/cycle-runs", json=body)
    assert (second.status_code, second.json()) == (202, first.json())
    assert second.headers["idempotency-replayed"] == "true"


async def test_a_run_that_ended_otherwise_cannot_be_cancelled(api: Api, team: Caller) -> None:
    client = await api.client(team)
    run_id = (await client.post("/v1/cycle-runs")).json()["run_id"]
    await api.database.unit_of_work(
        Scope("dreamer", team.team_id),
        lambda writing: writing.execute(
            "UPDATE cycle_runs SET status = 'failed', finished_at = clock_timestamp() WHERE id = %(id)s",
            {"id": run_id},
        ),
    )
    answer = await client.post(f"/v1/cycle-runs/{run_id}/cancel")
    assert (answer.status_code, answer.json()["code"]) == (409, "wrong_state")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"budgets": {"max_outputs": 6}}, "budgets.max_outputs"),
        ({"budgets": {"max_cost_usd": 1.5}}, "budgets.max_cost_usd"),
        ({"budgets": {"max_outputs": -1}}, "budgets.max_outputs"),
        ({"budgets": {"max_outputs": 1.5}}, "budgets.max_outputs"),
        ({"budgets": {"max_outputs": "1"}}, "budgets.max_outputs"),
        ({"budgets": {"max_dreams": 1}}, "budgets.max_dreams"),
        ({"dry_run": "yes"}, "dry_run"),
        ({"note": "x" * 1001}, "note"),
        ({"worker": "me"}, "worker"),
    ],
)
async def test_a_wrong_start_names_its_field_and_queues_nothing(
    api: Api, team: Caller, body: dict[str, Any], field: str
) -> None:
    client = await api.client(team)
    answer = await client.post("/v1/cycle-runs", json=body)
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert (await client.get("/v1/cycle-runs")).json()["items"] == []


async def test_dreaming_that_is_off_starts_nothing_and_still_lists(api: Api, team: Caller) -> None:
    client = await api.client(team)
    await api.database.unit_of_work(
        Scope("app", team.team_id),
        lambda writing: writing.execute(
            "INSERT INTO team_settings (team_id, name, value) VALUES (%(team_id)s, 'enabled', 'false')",
            {"team_id": team.team_id},
        ),
    )
    answer = await client.post("/v1/cycle-runs")
    assert (answer.status_code, answer.json()["code"]) == (409, "dreaming_disabled")
    assert (await client.get("/v1/dreams")).status_code == 200
    status = (await client.get("/v1/dreaming/status")).json()
    assert status["settings"]["enabled"] == {"value": False, "source": "team"}
    assert status["next_due_at"] is None


async def test_the_status_shows_each_setting_with_its_source(api: Api, team: Caller) -> None:
    client = await api.client(team)
    run_id = (await client.post("/v1/cycle-runs")).json()["run_id"]
    status = (await client.get("/v1/dreaming/status")).json()
    assert status["settings"]["local_time"] == {"value": "03:00", "source": "built_in"}
    assert status["settings"]["cron"] == {"value": None, "source": "built_in"}
    assert status["settings"]["max_outputs"]["value"] == 5
    assert status["latest_run"]["run_id"] == run_id
    assert status["seconds_since_last_finished"] is None
    assert status["open_hypotheses"] == {"proposed": 0, "reinforced": 0, "stale": 0, "submitted": 0}
    assert status["cost_today_usd"] == 0


async def test_another_teams_run_is_not_there(api: Api, team: Caller, make_team: MakeTeam) -> None:
    run_id = (await (await api.client(team)).post("/v1/cycle-runs")).json()["run_id"]
    stranger = await api.client(await make_team())
    for method, suffix in (("GET", ""), ("POST", "/cancel")):
        answers = [
            await stranger.request(method, f"/v1/cycle-runs/{one}{suffix}")
            for one in (run_id, f"run_{NOBODYS_ULID}")
        ]
        assert [answer.status_code for answer in answers] == [404, 404]
        bodies = [answer.json() | {"correlation_id": None} for answer in answers]
        assert bodies[0] == bodies[1]
    own = (await (await api.client(team)).get(f"/v1/cycle-runs/{run_id}")).json()
    assert own["status"] == "queued"


async def test_what_verifying_costs_is_shown_reserved_and_charged(api: Api, team: Caller) -> None:
    client = await api.client(team)
    purse = TeamPurse(api.database, team.team_id, BUILT_IN)
    bound = Bound(model="claude-opus-5-5", input_tokens=1000, output_tokens=4000, cost_usd=Decimal("0.3"))
    open_permit, settled = await purse.reserve(bound), await purse.reserve(bound)
    assert open_permit is not None
    assert settled is not None
    await purse.settle(settled, Usage({"claude-opus-5-5": Tokens(input=1000, output=100)}, turns=1))

    costs = (await client.get("/v1/dreaming/costs")).json()
    [item] = costs["items"]
    assert (item["purpose"], item["input_tokens"], item["output_tokens"]) == ("verify", 2000, 4100)
    assert (item["cost_usd"], item["unsettled_usd"]) == (0.306, 0.3)
    assert (costs["verifying_today_usd"], costs["today_usd"]) == (0.306, 0)
    status = (await client.get("/v1/dreaming/status")).json()
    assert (status["verifying_today_usd"], status["cost_today_usd"]) == (0.306, 0)
