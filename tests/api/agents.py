"""The agents' door opened in a test, and what comes through it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent
from starlette.applications import Starlette

from app import __version__
from app.api.app import create_app
from app.api.auth import admit
from app.api.bodies import read_body
from app.api.problems import answer_problem
from app.kernel.settings import Settings
from app.ledger.identity import Edge
from app.mcp.mount import mount_mcp
from app.tenancy.callers import Caller
from tests.api.client import Api
from tests.factories import make_entity, make_relationship
from tests.hypothesis_factories import make_hypothesis


@asynccontextmanager
async def agents_door(api: Api, settings: Settings) -> AsyncIterator[Starlette]:
    app = create_app(api.database, settings)
    mount_mcp(
        app,
        contract=app.state.contract,
        version=__version__,
        admit=admit,
        read_body=read_body,
        explain=answer_problem,
    )
    async with app.router.lifespan_context(app):
        yield app


@asynccontextmanager
async def connected(
    app: Starlette, key: str, *, mode: Any = "auto", path: str = "/mcp"
) -> AsyncIterator[Client]:
    async with httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app),
        base_url="http://memory",
        headers={"Authorization": f"Bearer {key}"},
    ) as http:
        transport = streamable_http_client(f"http://memory{path}", http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


async def dream_of(api: Api, caller: Caller, *, count: int = 1) -> list[str]:
    """Leave the team with Hypotheses that rest on one Relationship."""
    subject_id, object_id = [
        await make_entity(api.database, caller, name) for name in ("FastAPI", "Starlette")
    ]
    source = await make_relationship(api.database, caller, subject_id, "depends_on", object_id)
    ends = [await make_entity(api.database, caller, f"python-library-{number}") for number in range(count)]
    return [
        await make_hypothesis(api.database, caller, Edge(subject_id, "depends_on", end), [source])
        for end in ends
    ]


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def content_of(result: CallToolResult) -> dict[str, Any]:  # JSON.
    assert not result.is_error, text_of(result)
    content: dict[str, Any] = result.structured_content
    return content
