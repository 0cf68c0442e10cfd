"""The predicates of a team, as an agent reads them."""

import json
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import TextResourceContents

from app.kernel.database import Scope
from app.kernel.settings import Settings
from app.ledger.predicates.changes import register_predicate
from app.ledger.predicates.draft import PredicateDraft
from app.ledger.predicates.seed import SEEDED_PREDICATES
from app.mcp.resources import PREDICATE_WORDS
from app.tenancy.callers import Caller
from tests.api.agents import agents_door, connected
from tests.api.client import Api
from tests.conftest import MakeTeam

ADDRESS = "densemem://predicates"


async def register(api: Api, caller: Caller, key: str) -> None:
    draft = PredicateDraft(key, key, key)
    await api.database.unit_of_work(
        Scope("app", caller.team_id), lambda writing: register_predicate(writing, caller, draft)
    )


async def read(client: Client, address: str = ADDRESS) -> dict[str, Any]:  # JSON.
    (contents,) = (await client.read_resource(address)).contents
    assert isinstance(contents, TextResourceContents)
    assert len(contents.text.encode()) < 20_000
    listed: dict[str, Any] = json.loads(contents.text)
    return listed


def shown(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{word: item[word] for word in PREDICATE_WORDS if item[word] not in (None, [])} for item in items]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_an_agent_reads_the_predicates_that_http_lists(
    api: Api, settings: Settings, team: Caller, make_team: MakeTeam, mode: str
) -> None:
    await register(api, team, "mentors")
    await register(api, await make_team(), "sews")
    key = (await api.make_key(team, scopes=["read"])).secret
    over_http = (await api.holding(key).get("/v1/predicates", params={"limit": 100})).json()
    async with agents_door(api, settings) as app, connected(app, key, mode=mode) as client:
        assert [one.uri for one in (await client.list_resources()).resources] == [ADDRESS]
        listed = await read(client)
    assert listed == {"items": shown(over_http["items"])}
    # Every word that a proposal may name a predicate by.
    assert all({"predicate_key", "label", "verb_phrase"} <= item.keys() for item in listed["items"])
    assert {item["predicate_key"] for item in listed["items"]} == {
        *(one.key for one in SEEDED_PREDICATES),
        "mentors",
    }


async def test_more_than_100_predicates_come_in_pages(
    api: Api, settings: Settings, team: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.mcp.resources._LIMIT", 40)
    key = (await api.make_key(team)).secret
    async with agents_door(api, settings) as app, connected(app, key) as client:
        (template,) = (await client.list_resource_templates()).resource_templates
        assert template.uri_template == ADDRESS + "{?cursor}"
        first = await read(client)
        rest = await read(client, f"{ADDRESS}?cursor={first['next_cursor']}")
    keys = [item["predicate_key"] for item in first["items"] + rest["items"]]
    assert keys == [predicate.key for predicate in SEEDED_PREDICATES]
    assert "next_cursor" not in rest


REFUSED = (
    ("write", ADDRESS, "missing_scope"),
    ("read", f"{ADDRESS}?cursor=forged", "invalid_cursor"),
    ("read", f"{ADDRESS}?cursor=", "no such resource"),
    ("read", f"{ADDRESS}?cursor=a&limit=1", "no such resource"),
    ("read", f"{ADDRESS}/../teams", "no such resource"),
    ("read", "file:///etc/hosts", "no such resource"),
)


async def test_what_may_not_be_read_says_why(api: Api, settings: Settings, team: Caller) -> None:
    keys = {
        "read": (await api.make_key(team, scopes=["read"])).secret,
        "write": (await api.make_key(team, scopes=["write"])).secret,
    }
    async with agents_door(api, settings) as app:
        for scope, address, reason in REFUSED:
            async with connected(app, keys[scope]) as client:
                with pytest.raises(MCPError, match=reason):
                    await client.read_resource(address)


async def test_the_tools_that_take_a_proposal_name_the_seeded_predicates(
    api: Api, settings: Settings, team: Caller
) -> None:
    key = (await api.make_key(team)).secret
    async with agents_door(api, settings) as app, connected(app, key) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    for name in ("remember", "resolve_dream_feedback"):
        described = tools[name].input_schema["$defs"]["RelationshipBody"]["properties"]["predicate"]
        for predicate in SEEDED_PREDICATES:
            assert f" {predicate.key}" in described["description"]
