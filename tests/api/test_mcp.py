"""The agents' door, asked with the official client."""

import json
import sys
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult

from app.api.app import build_openapi
from app.kernel.settings import Settings
from app.tenancy.callers import Caller
from tests.api.agents import agents_door, connected, content_of, dream_of, text_of
from tests.api.client import Api, example_submission
from tests.api.placing import place_all
from tests.api.serving import serve
from tests.conftest import MakeTeam

TOOLS = [
    *("recall_memory", "remember", "get_memory_placement", "trace_memory"),
    *("list_dreams", "get_dream", "resolve_dream_feedback", "submit_recall_feedback"),
]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
async def test_a_client_of_either_protocol_generation_sees_eight_described_tools(
    api: Api, settings: Settings, team: Caller, mode: str, path: str
) -> None:
    key = (await api.make_key(team)).secret
    async with agents_door(api, settings) as app, connected(app, key, mode=mode, path=path) as client:
        assert client.instructions is not None
        tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == TOOLS
    for tool in tools:
        assert tool.description
        assert tool.output_schema is not None
        assert tool.annotations is not None
        reads = tool.name.startswith(("recall", "get", "list", "trace"))
        assert tool.annotations.read_only_hint is reads, tool.name
        assert tool.annotations.destructive_hint is (tool.name == "resolve_dream_feedback")


def fields_of(name: str) -> set[str]:
    """Return the parameters of an operation and the fields of its body, as the contract names them."""
    contract = build_openapi()
    route = next(
        described
        for methods in contract["paths"].values()
        for described in methods.values()
        if described["operationId"] == name
    )
    fields = {parameter["name"] for parameter in route.get("parameters", ()) if parameter["in"] != "header"}
    if "requestBody" in route:
        reference = route["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        fields |= set(contract["components"]["schemas"][reference.rpartition("/")[2]]["properties"])
    return fields


async def test_a_tool_takes_every_parameter_of_its_route_and_no_other(
    api: Api, settings: Settings, team: Caller
) -> None:
    key = (await api.make_key(team)).secret
    async with agents_door(api, settings) as app, connected(app, key) as client:
        for tool in (await client.list_tools()).tools:
            assert set(tool.input_schema["properties"]) == fields_of(tool.name)
            assert tool.input_schema["additionalProperties"] is False
            required = dict.fromkeys(tool.input_schema["required"], "nothing")
            refused = await client.call_tool(tool.name, {**required, "unheard_of": 1})
            assert wrong_fields(refused) == [("unheard_of", "extra_forbidden")]
            for name in set(required) & {"ingest_id", "relationship_id", "hypothesis_id"}:
                for value in (None, 7, ["nothing"]):
                    untyped = await client.call_tool(tool.name, {**required, name: value})
                    assert wrong_fields(untyped) == [(name, "string_type")]
            misspelt = await client.call_tool(tool.name, {"id": "nothing"})
            assert wrong_fields(misspelt) == [
                *((name, "missing") for name in required),
                ("id", "extra_forbidden"),
            ]


def wrong_fields(refused: CallToolResult) -> list[tuple[str, str]]:
    told = json.loads(text_of(refused))
    assert (refused.is_error, told["code"], told["retryable"]) == (True, "invalid_input", False)
    assert told["next_action"]
    return [(wrong["field"], wrong["code"]) for wrong in told["errors"]]


async def test_a_wrong_name_is_named_the_same_at_both_doors_and_never_at_length(
    api: Api, settings: Settings, team: Caller
) -> None:
    key = (await api.make_key(team)).secret
    async with agents_door(api, settings) as app, connected(app, key) as client:
        over_mcp = await client.call_tool("recall_memory", {"text": "FastAPI"})
        over_http = await api.holding(key).post("/v1/recall", json={"text": "FastAPI"})
        endless = await client.call_tool("recall_memory", {"query": "FastAPI", "x" * 100_000: 1})
    problem = over_http.json()
    told = ("code", "detail", "errors", "next_action", "retryable")
    assert json.loads(text_of(over_mcp)) == {name: problem[name] for name in told}
    assert len(text_of(endless)) < 1000


async def test_an_agent_remembers_recalls_traces_and_judges(
    api: Api, settings: Settings, team: Caller
) -> None:
    key = (await api.make_key(team)).secret
    async with agents_door(api, settings) as app, connected(app, key) as client:
        stored = content_of(await client.call_tool("remember", example_submission()))
        await place_all(api.database, team)
        placement = content_of(
            await client.call_tool("get_memory_placement", {"ingest_id": stored["ingest_id"]})
        )
        relationship_id = placement["relationship_outcomes"][0]["relationship_id"]
        recalled = content_of(await client.call_tool("recall_memory", {"query": "FastAPI"}))
        assert [result["relationship_id"] for result in recalled["results"]] == [relationship_id]
        traced = content_of(await client.call_tool("trace_memory", {"relationship_id": relationship_id}))
        assert traced["supports"][0]["quote"] == "FastAPI depends on Starlette."
        judged = await client.call_tool(
            "submit_recall_feedback",
            {"recall_id": recalled["recall_id"], "rating": "helpful", "useful_ids": [relationship_id]},
        )
        assert content_of(judged)["recall_id"] == recalled["recall_id"]


async def test_a_dream_is_read_and_rejected_by_an_agent(api: Api, settings: Settings, team: Caller) -> None:
    (hypothesis_id,) = await dream_of(api, team)
    key = (await api.make_key(team)).secret
    async with agents_door(api, settings) as app, connected(app, key) as client:
        dream = content_of(await client.call_tool("get_dream", {"hypothesis_id": hypothesis_id}))
        judged = await client.call_tool(
            "resolve_dream_feedback",
            {"hypothesis_id": hypothesis_id, "decision": "reject", "reason": "It can't be."},
        )
        assert content_of(judged)["status"] == "rejected"
        again = await client.call_tool(
            "resolve_dream_feedback", {"hypothesis_id": hypothesis_id, "decision": "reinforce"}
        )
    assert dream["explanation"]["premises"]
    assert again.is_error
    assert "wrong_state" in text_of(again)


FILTERS: list[dict[str, Any]] = [
    {},
    {"status": ["proposed", "stale"]},
    {"status": ["rejected"]},
    {"predicate": "depends_on"},
    {"entity_id": "ent_nothing"},
    {"run_id": "run_nothing"},
    {"generator_kind": "rules"},
    {"min_likelihood": 0.99},
    {"created_after": "2000-01-01T00:00:00Z"},
    {"created_before": "2000-01-01T00:00:00Z"},
    {"sort": "likelihood", "limit": 1},
    {"limit": 0},
    {"sort": "fame"},
    {"cursor": "forged"},
]


async def test_both_doors_answer_the_same(api: Api, settings: Settings, team: Caller) -> None:
    await dream_of(api, team, count=2)
    key = (await api.make_key(team)).secret
    kept = set[int]()
    async with agents_door(api, settings) as app, connected(app, key) as client:
        for arguments in FILTERS:
            over_http = await api.holding(key).get("/v1/dreams", params=arguments)
            over_mcp = await client.call_tool("list_dreams", arguments)
            if over_http.is_success:
                assert content_of(over_mcp) == over_http.json(), arguments
                kept.add(len(over_http.json()["items"]))
            else:
                assert over_mcp.is_error, arguments
                assert over_http.json()["code"] in text_of(over_mcp)
    assert kept == {0, 1, 2}


async def test_25_dreams_stay_under_20_kilobytes(api: Api, settings: Settings, team: Caller) -> None:
    await dream_of(api, team, count=25)
    key = (await api.make_key(team)).secret
    async with agents_door(api, settings) as app, connected(app, key) as client:
        listed = await client.call_tool("list_dreams", {"limit": 25})
    assert len(content_of(listed)["items"]) == 25
    assert len(text_of(listed).encode()) < 20_000


async def test_that_nothing_was_found_is_said_to_a_model(api: Api, settings: Settings, team: Caller) -> None:
    key = (await api.make_key(team)).secret
    async with agents_door(api, settings) as app, connected(app, key) as client:
        listed = json.loads(text_of(await client.call_tool("list_dreams", {})))
        recalled = json.loads(text_of(await client.call_tool("recall_memory", {"query": "FastAPI"})))
    assert listed == {"items": []}
    assert recalled["results"] == recalled["related_hypotheses"] == []


async def test_foreign_and_missing_ids_are_told_apart_by_nobody(
    api: Api, settings: Settings, team: Caller, make_team: MakeTeam
) -> None:
    (foreign,) = await dream_of(api, await make_team())
    key = (await api.make_key(team)).secret
    async with agents_door(api, settings) as app, connected(app, key) as client:
        answers = [
            text_of(await client.call_tool("get_dream", {"hypothesis_id": wrong}))
            for wrong in (foreign, "hyp_00000000000000000000000000", "../teams", "")
        ]
    assert len(set(answers)) == 1


async def test_a_key_without_the_scope_reads_and_writes_nothing(
    api: Api, settings: Settings, team: Caller
) -> None:
    key = (await api.make_key(team, scopes=["read"])).secret
    async with agents_door(api, settings) as app, connected(app, key) as client:
        assert not (await client.call_tool("recall_memory", {"query": "FastAPI"})).is_error
        for name, arguments in (
            ("remember", example_submission()),
            ("submit_recall_feedback", {"recall_id": "rec_1", "rating": "helpful"}),
            ("resolve_dream_feedback", {"hypothesis_id": "hyp_1", "decision": "reject"}),
        ):
            assert "missing_scope" in text_of(await client.call_tool(name, arguments))


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_client_with_a_wrong_key_is_told_so(api: Api, settings: Settings, mode: str) -> None:
    told = pytest.RaisesExc(MCPError, match=r"valid bearer key is needed\..*neither expired nor revoked")
    with pytest.RaisesGroup(told, flatten_subgroups=True):
        async with agents_door(api, settings) as app, connected(app, "dm_unknown", mode=mode):
            pass


async def test_a_program_bridges_the_protocol_to_a_server(api: Api, team: Caller) -> None:
    key = (await api.make_key(team)).secret
    async with serve(api.app) as port:
        bridge = StdioServerParameters(
            command=sys.executable,
            args=["-m", "app.cli.main", "mcp"],
            env={"DENSEMEM_URL": f"http://127.0.0.1:{port}", "DENSEMEM_KEY": key, "PYTHONPATH": "."},
        )
        async with Client(bridge) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
            recalled = content_of(await client.call_tool("recall_memory", {"query": "FastAPI"}))
            refused = await client.call_tool("get_dream", {"hypothesis_id": "hyp_1"})
            (predicates,) = (await client.read_resource("densemem://predicates")).contents
    assert recalled["results"] == []
    assert "depends_on" in predicates.model_dump()["text"]
    assert "not_found" in text_of(refused)
