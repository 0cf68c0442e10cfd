"""Whatever is sent to the agents' door, each refusal says why, and nothing that was not meant gets through."""

import json
import os
import sys
from contextlib import AsyncExitStack
from typing import Any, Final

import httpx2
import hypothesis
import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from app.kernel.settings import Settings
from app.mcp.tools import derive_tools
from app.tenancy.callers import Caller
from tests.api.agents import agents_door, connected, content_of, dream_of, text_of
from tests.api.client import Api
from tests.api.serving import serve
from tests.conftest import MakeTeam

EXAMPLES: Final = int(os.environ.get("DENSEMEM_FUZZ_EXAMPLES", "4"))
JUNK: Final = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**30), 10**30),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["", "\0", "../..", "%2e%2e/", "<|endoftext|>", "x" * 100_000, "💥", "1e999"]),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)


def arguments_of(schema: Any, definitions: Any) -> st.SearchStrategy[Any]:
    """Return what draws values of a schema of ours, and now and then something else in place of one."""
    if "$ref" in schema:
        return arguments_of(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "anyOf" in schema:
        return st.one_of(*(arguments_of(one, definitions) for one in schema["anyOf"]))
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema.get("type"):
        case "object" if "properties" in schema:
            required = set(schema.get("required", ()))
            fields = {name: arguments_of(one, definitions) for name, one in schema["properties"].items()}
            return st.fixed_dictionaries(
                {name: fields[name] for name in required},
                optional={name: fields[name] for name in fields.keys() - required},
            )
        case "object":
            return st.dictionaries(st.text(max_size=8), st.integers(), max_size=2)
        case "array":
            return st.lists(
                arguments_of(schema.get("items", {}), definitions),
                min_size=schema.get("minItems", 0),
                max_size=min(schema.get("maxItems", 3), 3),
            )
        case "string" if schema.get("format") == "date-time":
            return st.datetimes().map(lambda moment: moment.isoformat() + "Z")
        case "string" if "pattern" in schema:
            return st.from_regex(schema["pattern"], fullmatch=True)
        case "string":
            return st.text(min_size=schema.get("minLength", 0), max_size=min(schema.get("maxLength", 30), 30))
        case "integer":
            return st.integers(schema.get("minimum", -5), schema.get("maximum", 2**31))
        case "number":
            return st.floats(schema.get("minimum", -1.0), schema.get("maximum", 2.0), allow_nan=False)
        case "boolean":
            return st.booleans()
        case "null":
            return st.none()
    return JUNK


@st.composite
def spoilt(draw: st.DrawFn, arguments: st.SearchStrategy[Any]) -> dict[str, Any]:
    drawn: dict[str, Any] = dict(draw(arguments))
    if draw(st.booleans()):
        names = [*sorted(drawn), "unheard_of"]
        drawn[draw(st.sampled_from(names))] = draw(JUNK)
    # Nobody places here, so waiting is in vain.
    drawn.pop("wait_seconds", None)
    return drawn


async def test_generated_calls_are_answered_by_the_schema_or_refused_with_a_reason(
    api: Api, settings: Settings, make_team: MakeTeam
) -> None:
    team = await make_team()
    [hypothesis_id] = await dream_of(api, team)
    key = (await api.make_key(team)).secret
    outcomes: dict[str, set[str]] = {}
    async with agents_door(api, settings) as app, connected(app, key) as client:
        for tool in derive_tools(app.state.contract):
            checks = jsonschema_rs.validator_for(tool.output_schema)
            definitions = tool.input_schema.get("$defs", {})
            drawing = spoilt(arguments_of(tool.input_schema, definitions))
            for arguments in draw_some(drawing):
                if "hypothesis_id" in arguments and len(outcomes) % 2:
                    arguments["hypothesis_id"] = hypothesis_id
                result = await client.call_tool(tool.name, arguments)
                if result.is_error:
                    told = json.loads(text_of(result))
                    assert told["code"] not in ("internal_error", "unreachable", "error"), (
                        tool.name,
                        arguments,
                    )
                    assert told["detail"]
                    outcomes.setdefault(tool.name, set()).add(told["code"])
                else:
                    checks.validate(result.structured_content)
                    outcomes.setdefault(tool.name, set()).add("answered")
    assert set(outcomes) == {tool.name for tool in derive_tools(app.state.contract)}
    assert {"answered", "invalid_input", "not_found"} <= set().union(*outcomes.values()), outcomes


def draw_some(drawing: st.SearchStrategy[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return some draws: a client lives in one event loop, which no generated test could share."""
    drawn: list[dict[str, Any]] = []

    @hypothesis.settings(max_examples=EXAMPLES, database=None, deadline=None)
    @given(drawing)
    def collect(arguments: dict[str, Any]) -> None:
        drawn.append(arguments)

    collect()
    return drawn


CALL: Final = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "recall_memory", "arguments": {"query": "FastAPI"}},
}
ONCE: Final = json.dumps(CALL)


@pytest.mark.parametrize(
    ("raw", "headers", "status", "code"),
    [
        (ONCE[:-1] + ',"id":2}', {}, 422, "duplicate_key"),
        (ONCE.replace('"query"', '"query":"x","query"'), {}, 422, "duplicate_key"),
        (ONCE.replace("FastAPI", "\\ud800"), {}, 422, "text_invalid"),
        (f"[{ONCE},{ONCE}]", {}, 400, "batches are not taken"),
        ("[]", {}, 400, "batches are not taken"),
        ('"x"', {}, 400, "Send one request"),
        ("null", {}, 400, "Send one request"),
        ("{", {}, 400, "body_invalid"),
        ("", {}, 400, "body_invalid"),
        ("[" * 100_000, {}, 400, "body_invalid"),
        ('{"a":' * 5_000 + "1" + "}" * 5_000, {}, 400, "body_invalid"),
        (ONCE.replace("FastAPI", "x" * 1_100_000), {}, 413, "too_large"),
        (ONCE, {"Content-Type": "text/plain"}, 415, "unsupported"),
        (ONCE, {"Content-Type": "application/json; charset=latin-1"}, 415, "unsupported"),
        (ONCE, {"Content-Type": "application/x-www-form-urlencoded"}, 415, "unsupported"),
        (ONCE, {"Content-Encoding": "gzip"}, 415, "unsupported"),
        (ONCE, {"Accept": "text/html"}, 406, "Not Acceptable"),
    ],
)
async def test_a_body_that_no_route_would_read_is_refused_with_its_reason(
    api: Api, settings: Settings, team: Caller, raw: str, headers: dict[str, str], status: int, code: str
) -> None:
    key = (await api.make_key(team)).secret
    async with agents_door(api, settings) as app, bare_client(app, key) as http:
        refused = await http.post("/mcp", content=raw, headers=headers)
        assert refused.status_code == status, refused.text
        assert code in refused.text
        assert refused.json()["error"]["message"]
        assert (await http.post("/mcp", content=ONCE)).json()["result"]["isError"] is False


def bare_client(app: Any, key: str) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app),
        base_url="http://127.0.0.1:8420",
        headers={
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
            "Authorization": f"Bearer {key}",
        },
    )


async def test_an_argument_that_fits_into_no_address_is_refused_as_such(
    api: Api, settings: Settings, team: Caller
) -> None:
    key = (await api.make_key(team)).secret
    async with agents_door(api, settings) as app, connected(app, key) as client:
        refused = await client.call_tool("list_dreams", {"cursor": "x" * 200_000})
    assert refused.is_error
    assert json.loads(text_of(refused))["code"] == "invalid_input"


async def test_a_bridge_outlives_its_server(api: Api, team: Caller) -> None:
    key = (await api.make_key(team)).secret
    async with AsyncExitStack() as stack:
        async with serve(api.app) as port:
            bridge = StdioServerParameters(
                command=sys.executable,
                args=["-m", "app.cli.main", "mcp"],
                env={"DENSEMEM_URL": f"http://127.0.0.1:{port}", "DENSEMEM_KEY": key, "PYTHONPATH": "."},
            )
            client = await stack.enter_async_context(Client(bridge))
            content_of(await client.call_tool("recall_memory", {"query": "FastAPI"}))
        lost = await client.call_tool("recall_memory", {"query": "FastAPI"})
        assert lost.is_error
        told = json.loads(text_of(lost))
        assert (told["code"], told["retryable"]) == ("unreachable", True)
        assert told["next_action"]
        assert len((await client.list_tools()).tools) == 8
        async with serve(api.app, port=port):
            content_of(await client.call_tool("recall_memory", {"query": "FastAPI"}))
