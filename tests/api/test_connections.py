"""What clients and the database do at the wrong moment: hang up, run out, fail at the last instant."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from time import monotonic

import httpx2
import psycopg
import pytest

from app.api.app import create_app
from app.kernel.database import Database, Scope
from app.kernel.settings import Settings
from app.ledger.founding import found_team
from app.tenancy.callers import Caller
from app.tenancy.teams import create_profile, new_team_id
from tests.api.client import ALL_SCOPES, Api, example_submission
from tests.api.serving import serve
from tests.databases import admin_url, create_database, drop_database, service_url


@pytest.fixture
def private_name() -> Iterator[str]:
    name = create_database()
    yield name
    drop_database(name)


@pytest.fixture
async def narrow(private_name: str) -> AsyncIterator[Api]:
    """A door of its own, with a pool of two connections."""
    settings = Settings.model_validate({"pool_size": 2, "pool_timeout_seconds": 0.5})
    database = Database(settings, url=service_url(private_name))
    await database.open()
    yield Api(create_app(database, settings), database)
    await database.close()


async def _found(api: Api) -> Caller:
    team_id = new_team_id()
    scope = Scope("app", team_id)
    await api.database.unit_of_work(scope, lambda writing: found_team(writing, team_id, "A team"))
    profile = await api.database.unit_of_work(
        scope, lambda writing: create_profile(writing, team_id, "First")
    )
    return Caller("key_0", team_id, profile.profile_id, frozenset(ALL_SCOPES), "primary")


async def _ask_and_hang_up(port: int, request: bytes) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    await writer.drain()
    writer.transport.abort()


async def test_500_aborted_requests_leave_the_pool_usable(narrow: Api) -> None:
    team = await _found(narrow)
    key = (await narrow.make_key(team)).secret
    head = f"Host: door\r\nAuthorization: Bearer {key}\r\n"
    half_a_body = "Content-Type: application/json\r\nContent-Length: 900\r\n\r\n{"
    requests = [
        f"GET /v1/predicates HTTP/1.1\r\n{head}\r\n".encode(),
        f"POST /v1/remember HTTP/1.1\r\n{head}{half_a_body}".encode(),
    ]
    async with serve(narrow.app) as port:
        for _ in range(10):
            await asyncio.gather(*(_ask_and_hang_up(port, requests[turn % 2]) for turn in range(50)))
        async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
            headers = {"Authorization": f"Bearer {key}"}
            answers: list[int] = []
            while len(answers) < 20:
                answer = await client.get("/v1/predicates", headers=headers)
                # While the aborted ones still hold both connections, a retryable refusal is the right answer.
                if answer.status_code == 503 and answer.json()["retryable"]:
                    continue
                answers.append(answer.status_code)
    assert answers == [200] * 20


async def test_an_exhausted_pool_is_a_retryable_503_in_bounded_time(narrow: Api) -> None:
    team = await _found(narrow)
    client = await narrow.client(team)
    async with narrow.database.reading(Scope("app")), narrow.database.reading(Scope("app")):
        began = monotonic()
        answer = await client.get("/v1/dreams")
        assert monotonic() - began < 5
    assert (answer.status_code, answer.json()["code"]) == (503, "database_busy")
    assert (answer.json()["retryable"], answer.headers["retry-after"]) == (True, "1")
    assert (await client.get("/v1/dreams")).status_code == 200


async def test_a_queue_for_connections_has_an_end(narrow: Api) -> None:
    team = await _found(narrow)
    client = await narrow.client(team)
    async with narrow.database.reading(Scope("app")), narrow.database.reading(Scope("app")):
        began = monotonic()
        answers = await asyncio.gather(*(client.get("/v1/dreams") for _ in range(60)))
        assert monotonic() - began < 5
    assert {(one.status_code, one.json()["code"], one.headers["retry-after"]) for one in answers} == {
        (503, "database_busy", "1")
    }
    assert {one.json()["detail"] for one in answers} == {
        "No database connection became free in time.",
        "Too many wait for a database connection.",
    }


async def test_what_a_server_does_not_live_to_answer_is_a_retryable_503(private_name: str) -> None:
    settings = Settings.model_validate({"pool_size": 2, "pool_timeout_seconds": 60})
    database = Database(settings, url=service_url(private_name))
    await database.open()
    held = database.reading(Scope("app")), database.reading(Scope("app"))
    async with held[0], held[1], httpx2.AsyncClient(timeout=30) as client:
        async with serve(create_app(database, settings), grace=1) as port:
            url, headers = f"http://127.0.0.1:{port}/v1/dreams", {"Authorization": f"Bearer dm_{43 * 'x'}"}
            asking = asyncio.create_task(client.get(url, headers=headers))
            while not database.pool_statistics()["app"].get("requests_waiting"):
                await asyncio.sleep(0.01)
        answer = await asking
    await database.close()
    assert (answer.status_code, answer.json()["code"]) == (503, "server_ending")
    assert (answer.json()["retryable"], answer.headers["retry-after"]) == (True, "1")


async def test_a_commit_that_fails_late_is_seen_by_the_client_and_leaves_nothing(
    narrow: Api, private_name: str
) -> None:
    client = await narrow.client(await _found(narrow))
    body = example_submission(idempotency_key="late")
    with psycopg.connect(admin_url(private_name), autocommit=True) as admin:
        admin.execute("""
            CREATE FUNCTION refuse_late() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'refused: %', NEW.proposal; END $$
        """)
        admin.execute("""
            CREATE CONSTRAINT TRIGGER refuse_late AFTER INSERT ON ingests
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse_late()
        """)
        failed = await client.post("/v1/remember", json=body)
        admin.execute("DROP TRIGGER refuse_late ON ingests")
        assert admin.execute("SELECT count(*) FROM ingests").fetchone() == (0,)
    assert (failed.status_code, failed.json()["code"]) == (500, "internal_error")
    assert (await client.post("/v1/remember", json=body)).status_code == 202


async def test_a_fault_is_logged_without_what_it_was_about(
    narrow: Api, private_name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    client = await narrow.client(await _found(narrow))
    with psycopg.connect(admin_url(private_name), autocommit=True) as admin:
        admin.execute("ALTER TABLE evidence ADD CONSTRAINT nothing CHECK (content = '')")
    answer = await client.post("/v1/remember", json=example_submission())
    assert answer.status_code == 500
    captured = capsys.readouterr()
    written = captured.out + captured.err
    assert "CheckViolation" in written
    assert answer.json()["correlation_id"] in written
    assert "Starlette" not in written + answer.text


async def test_a_database_that_takes_too_long_is_a_retryable_503(private_name: str) -> None:
    settings = Settings.model_validate({"pool_size": 2, "statement_timeout_seconds": 0.2})
    database = Database(settings, url=service_url(private_name))
    await database.open()
    api = Api(create_app(database, settings), database)
    client = await api.client(await _found(api))
    with psycopg.connect(admin_url(private_name)) as admin:
        admin.execute("LOCK TABLE hypotheses")
        answer = await client.get("/v1/dreams")
        admin.rollback()
    await database.close()
    assert (answer.status_code, answer.json()["code"]) == (503, "database_slow")
    assert answer.json()["retryable"] is True
