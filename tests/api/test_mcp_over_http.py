"""The agents' door as HTTP sees it: keys, methods, hosts, and what a call leaves behind."""

import gc
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import httpx2
import pytest
from mcp_types import INTERNAL_ERROR
from starlette.applications import Starlette

from app.kernel.database import Scope
from app.kernel.settings import Settings
from app.tenancy.callers import Caller
from app.tenancy.keys import revoke_key
from tests.api.agents import agents_door
from tests.api.client import Api


def initialization(number: int = 1) -> dict[str, Any]:
    return {
        "jsonrpc": "2.0",
        "id": number,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }


async def post(
    app: Starlette, body: Mapping[str, Any], *, method: str = "POST", path: str = "/mcp", **headers: str
) -> httpx2.Response:
    accepted = {"Accept": "application/json, text/event-stream"}
    transport = httpx2.ASGITransport(app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://memory") as http:
        return await http.request(method, path, json=body, headers={**accepted, **headers})


async def test_without_a_valid_key_nothing_is_said(api: Api, settings: Settings, team: Caller) -> None:
    new = await api.make_key(team)
    async with agents_door(api, settings) as app:
        good = await post(app, initialization(), Authorization=f"Bearer {new.secret}")
        for headers in ({}, {"Authorization": "Bearer dm_unknown"}, {"Authorization": "Basic YTpi"}):
            refused = await post(app, initialization(), **headers)
            assert (refused.status_code, refused.json()["id"]) == (401, None)
            assert refused.json()["error"]["data"]["code"] == "unauthenticated"
            assert refused.headers["www-authenticate"] == "Bearer"
    assert good.status_code == 200
    assert good.json()["result"]["serverInfo"]["name"] == "dense-mem"


@pytest.mark.parametrize(
    ("failure", "status", "code"),
    [("query_canceled", 503, "database_slow"), ("raise_exception", 500, "internal_error")],
)
async def test_a_database_that_fails_meanwhile_is_told_of_as_the_protocol_tells(
    api: Api,
    settings: Settings,
    team: Caller,
    monkeypatch: pytest.MonkeyPatch,
    failure: str,
    status: int,
    code: str,
) -> None:
    new = await api.make_key(team)
    monkeypatch.setattr("app.tenancy.keys._AUTHENTICATE", f"DO $$ BEGIN RAISE {failure}; END $$")
    async with agents_door(api, settings) as app:
        refused = await post(app, initialization(), Authorization=f"Bearer {new.secret}")
    error = refused.json()["error"]
    assert (refused.status_code, error["data"]["code"], error["code"]) == (status, code, INTERNAL_ERROR)
    assert error["data"]["next_action"] in error["message"]


async def test_a_call_is_let_in_once_and_counts_once(api: Api, team: Caller) -> None:
    new = await api.make_key(team)
    strict = Settings.model_validate({"requests_per_minute": 1, "request_burst": 3})
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "list_dreams", "arguments": {}},
    }
    async with agents_door(api, strict) as app:
        answers = [await post(app, call, Authorization=f"Bearer {new.secret}") for _ in range(4)]
        assert [one.status_code for one in answers] == [200, 200, 200, 429]
        assert [one.json()["result"]["isError"] for one in answers[:3]] == [False] * 3
        assert answers[3].json()["error"]["data"]["code"] == "rate_limited"
        assert int(answers[3].headers["retry-after"]) >= 1
        await api.database.unit_of_work(
            Scope("app", team.team_id), lambda writing: revoke_key(writing, new.key_id)
        )
        other = await api.make_key(team)
        assert (await post(app, call, Authorization=f"Bearer {other.secret}")).status_code == 200
    # Another process, which knows of no refusal: what one request was let in with is not left to the next.
    async with agents_door(api, strict) as app:
        refused = await post(app, call, Authorization=f"Bearer {new.secret}")
    assert refused.status_code == 401


async def test_only_post_and_no_page_of_another_host_get_through(
    api: Api, settings: Settings, team: Caller
) -> None:
    key = f"Bearer {(await api.make_key(team)).secret}"
    async with agents_door(api, settings) as app:
        for method in ("GET", "DELETE", "PUT"):
            refused = await post(app, {}, method=method, Authorization=key)
            assert (refused.status_code, refused.headers["allow"]) == (405, "POST")
        answers = {
            origin: (
                await post(app, initialization(), Authorization=key, Origin=origin, Host=host)
            ).status_code
            for origin, host in (
                ("https://elsewhere.example", "127.0.0.1:8420"),
                # A name of the attacker's that leads here for now.
                ("http://rebound.example:8420", "rebound.example:8420"),
                ("null", "127.0.0.1:8420"),
                ("http://[::1", "127.0.0.1:8420"),
                ("http://127.0.0.1:8420", "127.0.0.1:8420"),
                ("http://localhost:8420", "localhost:8420"),
            )
        }
    assert list(answers.values()) == [403, 403, 403, 403, 200, 200], answers


async def test_requests_are_counted_under_the_one_address_of_the_door(
    api: Api, settings: Settings, team: Caller
) -> None:
    key = f"Bearer {(await api.make_key(team)).secret}"
    async with agents_door(api, settings) as app:
        await post(app, initialization(), Authorization=key)
        await post(app, initialization(), path="/mcp/", Authorization=key)
        await post(app, initialization(), Authorization="Bearer dm_unknown")
        await post(app, {}, method="GET", Authorization=key)
        counted = app.state.metrics.requests.answered.collect()
    seen = {
        (sample.labels["method"], sample.labels["route"], sample.labels["status"]): sample.value
        for family in counted
        for sample in family.samples
        if sample.name.endswith("_total")
    }
    assert seen == {
        ("POST", "/mcp", "200"): 2.0,
        ("POST", "/mcp", "401"): 1.0,
        ("GET", "/mcp", "405"): 1.0,
    }


async def test_1000_initialisations_leave_nothing_behind(api: Api, settings: Settings, team: Caller) -> None:
    key = f"Bearer {(await api.make_key(team)).secret}"
    alive: list[int] = []
    async with agents_door(api, settings) as app:
        for number in range(1000):
            assert (await post(app, initialization(number), Authorization=key)).status_code == 200
            if number % 200 == 199:
                gc.collect()
                alive.append(len(gc.get_objects()))
    grown = [later - earlier for earlier, later in pairwise(alive)]
    # A session that stays would hold dozens of objects, in each stretch; what else a process does may fill one.
    assert min(grown) < 200, grown
