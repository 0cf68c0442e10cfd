"""A key that sends too much is told when to come back; probes are never limited."""

from collections.abc import Iterator

import pytest

from app.api.app import create_app
from app.coordination.redis_link import RedisLink
from app.kernel.database import Database, Scope
from app.kernel.settings import Settings
from app.tenancy.callers import Caller
from app.tenancy.keys import revoke_key, set_rate
from tests.api.client import Api
from tests.redis_server import RedisServer, redis_server


@pytest.fixture
def strict(database: Database) -> Api:
    """A door that lets three requests of a key through, and one more each minute."""
    settings = Settings.model_validate({"requests_per_minute": 1, "request_burst": 3})
    return Api(create_app(database, settings), database)


@pytest.fixture
def redis() -> Iterator[RedisServer]:
    with redis_server() as server:
        yield server


async def test_what_is_over_the_limit_is_a_429_that_says_when_to_come_back(strict: Api, team: Caller) -> None:
    client, other = await strict.client(team), await strict.client(team)
    assert [(await client.get("/v1/dreams")).status_code for _ in range(3)] == [200] * 3
    refused = await client.get("/v1/dreams")
    problem = refused.json()
    assert (refused.status_code, problem["code"], problem["retryable"]) == (429, "rate_limited", True)
    assert refused.headers["content-type"] == "application/problem+json"
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    assert (await other.get("/v1/dreams")).status_code == 200


async def test_a_request_without_the_scope_counts_as_well(strict: Api, team: Caller) -> None:
    reader = await strict.client(team, scopes=["read"])
    answers = [(await reader.post("/v1/cycle-runs", json={})).status_code for _ in range(4)]
    assert answers == [403, 403, 403, 429]


async def test_probes_and_strangers_are_not_limited(strict: Api) -> None:
    client = strict.anonymous()
    assert {(await client.get("/healthz")).status_code for _ in range(10)} == {200}
    assert {(await client.get("/readyz")).status_code for _ in range(5)} == {200}
    assert {(await client.get("/v1/dreams")).status_code for _ in range(5)} == {401}


async def test_a_key_may_have_a_limit_of_its_own(strict: Api, team: Caller) -> None:
    key = await strict.make_key(team)
    scope = Scope("app", team.team_id)
    await strict.database.unit_of_work(scope, lambda w: set_rate(w, key.key_id, 4))
    client = strict.holding(key.secret)
    answers = [(await client.get("/v1/dreams")).status_code for _ in range(13)]
    assert answers == [200] * 12 + [429]


async def test_a_revoked_key_that_has_tokens_left_is_refused_at_once(strict: Api, team: Caller) -> None:
    key = await strict.make_key(team)
    client = strict.holding(key.secret)
    assert (await client.get("/v1/dreams")).status_code == 200
    await strict.database.unit_of_work(Scope("app", team.team_id), lambda w: revoke_key(w, key.key_id))
    assert (await client.get("/v1/dreams")).status_code == 401


async def test_two_processes_share_a_keys_limit_and_a_dead_redis_is_named(
    database: Database, team: Caller, redis: RedisServer
) -> None:
    settings = Settings.model_validate({"requests_per_minute": 1, "request_burst": 4})
    links = [RedisLink(redis.url) for _ in range(2)]
    doors = [Api(create_app(database, settings, redis=link), database) for link in links]
    secret = (await doors[0].make_key(team)).secret
    clients = [door.holding(secret) for door in doors]
    answers = [(await clients[turn % 2].get("/v1/dreams")).status_code for turn in range(6)]
    assert answers == [200] * 4 + [429] * 2
    assert (await clients[0].get("/readyz")).json()["degraded"] == []
    redis.kill()
    ready = await clients[0].get("/readyz")
    assert ready.status_code == 200
    assert [part["code"] for part in ready.json()["degraded"]] == ["redis_unavailable"]
    for link in links:
        await link.close()
