"""The feed over HTTP: what a client sees, from where on, and until when."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx2
import pytest
from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive, Scope, Send

from app.api.app import create_app
from app.api.stream import Patience
from app.events.hub import MAX_READERS_PER_KEY
from app.kernel.database import Database
from app.kernel.database import Scope as DatabaseScope
from app.kernel.settings import Settings
from app.tenancy.callers import Caller
from app.tenancy.keys import revoke_key
from tests.api.client import Api, example_submission
from tests.api.serving import serve
from tests.conftest import MakeTeam
from tests.databases import service_url


@pytest.fixture
def quick(database: Database) -> Api:
    """A door that looks for news often."""
    settings = Settings.model_validate({"poll_seconds": 0.05})
    return Api(create_app(database, settings), database)


class Stream:
    """The lines of an open stream."""

    def __init__(self, response: httpx2.Response) -> None:
        self._lines = response.aiter_lines()

    async def read_until(self, beginning: str) -> str:
        """Return the next line that begins so."""
        async with asyncio.timeout(20):
            async for line in self._lines:
                if line.startswith(beginning):
                    return line
        raise AssertionError("the stream has ended")

    async def read_event(self) -> tuple[int, dict[str, Any]]:  # An event's data.
        number = int((await self.read_until("id: ")).removeprefix("id: "))
        return number, json.loads((await self.read_until("data: ")).removeprefix("data: "))


@asynccontextmanager
async def listening(port: int, secret: str, after: str | None = None) -> AsyncIterator[Stream]:
    headers = {"Authorization": f"Bearer {secret}"} | ({} if after is None else {"Last-Event-ID": after})
    async with (
        httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=30) as client,
        client.stream("GET", "/v1/events") as response,
    ):
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        stream = Stream(response)
        await stream.read_until(": after")
        yield stream


async def test_one_stream_too_many_is_refused_before_it_begins(
    quick: Api, team: Caller, caplog: pytest.LogCaptureFixture
) -> None:
    secret = (await quick.make_key(team)).secret
    async with serve(quick.app) as port, AsyncExitStack() as stack:
        for _ in range(MAX_READERS_PER_KEY):
            stream = await stack.enter_async_context(listening(port, secret))
        async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
            refused = await client.get("/v1/events", headers={"Authorization": f"Bearer {secret}"})
        assert refused.status_code == 429
        assert refused.json()["code"] == "rate_limited"
        assert int(refused.headers["Retry-After"]) >= 1
        assert quick.app.state.door.events.readers == MAX_READERS_PER_KEY
        client = await quick.client(team)
        await client.post("/v1/cycle-runs", json={})
        await stream.read_event()
    assert not caplog.records


async def test_a_stream_starts_with_what_comes_next_and_resumes_after_an_event(
    quick: Api, team: Caller, make_team: MakeTeam
) -> None:
    client, other = await quick.client(team), await quick.client(await make_team())
    secret = (await quick.make_key(team)).secret
    before = (await client.post("/v1/cycle-runs", json={})).json()["run_id"]
    async with serve(quick.app) as port:
        async with listening(port, secret) as stream:
            await other.post("/v1/cycle-runs", json={})
            await client.post(f"/v1/cycle-runs/{before}/cancel")
            number, data = await stream.read_event()
            assert (number, data["type"], data["run_id"]) == (2, "run.cancelled", before)
            assert data.keys() == {"type", "at", "run_id"}
            assert data["at"].endswith("Z")
        async with listening(port, secret, after="0") as stream:
            assert [(await stream.read_event())[0] for _ in range(2)] == [1, 2]
        async with listening(port, secret, after="1") as stream:
            assert (await stream.read_event())[1]["type"] == "run.cancelled"
    assert quick.app.state.door.events.readers == 0


async def test_a_client_that_comes_and_goes_misses_and_repeats_nothing(quick: Api, team: Caller) -> None:
    client = await quick.client(team)
    secret = (await quick.make_key(team)).secret
    submission = example_submission()

    async def submit(count: int) -> None:
        for _ in range(count):
            assert (await client.post("/v1/remember", json=submission)).status_code == 202

    seen: list[int] = []
    async with serve(quick.app) as port, asyncio.TaskGroup() as writers:
        for _ in range(3):
            writers.create_task(submit(8))
        while len(seen) < 24:
            async with listening(port, secret, after=str(seen[-1] if seen else 0)) as stream:
                # It leaves in the midst of what has been sent, once after one event, once after some.
                some = range(min(1 + len(seen) % 5, 24 - len(seen)))
                seen += [(await stream.read_event())[0] for _ in some]
    assert seen == list(range(1, 25))


@pytest.mark.parametrize("wrong", ["1", "-1", "x", "", " ", "+0", "1.0", "9" * 30, "٣"])
async def test_an_event_that_there_is_not_is_refused(quick: Api, team: Caller, wrong: str) -> None:
    client = await quick.client(team)
    refused = await client.get("/v1/events", headers={b"Last-Event-ID": wrong.encode()})
    assert refused.status_code == 422


async def test_idle_streams_hold_no_connection(database_name: str, team: Caller) -> None:
    settings = Settings.model_validate({"pool_size": 2, "pool_timeout_seconds": 2})
    narrow = Database(settings, url=service_url(database_name))
    await narrow.open()
    api = Api(create_app(narrow, settings), narrow)
    secret = (await api.make_key(team)).secret
    async with serve(api.app) as port, AsyncExitStack() as streams:
        for _ in range(8):
            await streams.enter_async_context(listening(port, secret))
        client = await api.client(team)
        answers = await asyncio.gather(*(client.get("/v1/dreams") for _ in range(8)))
        assert {answer.status_code for answer in answers} == {200}
    await narrow.close()


async def test_a_revoked_keys_stream_ends_with_a_comment(quick: Api, team: Caller) -> None:
    key = await quick.make_key(team)
    async with serve(quick.app) as port, listening(port, key.secret) as stream:
        scope = DatabaseScope("app", team.team_id)
        await quick.database.unit_of_work(scope, lambda w: revoke_key(w, key.key_id))
        assert await stream.read_until(": end") == ": end, key ended"


async def test_a_stream_that_nobody_reads_is_given_up() -> None:
    async def stream(scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(b"content-type", b"text/event-stream; charset=utf-8")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"x", "more_body": True})

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.body":
            await asyncio.Event().wait()

    with pytest.raises(ClientDisconnect):
        await Patience(stream, seconds=0.01)({"type": "http"}, receive, send)
