"""A process knows whose a key is; that it still lives is said by the database, with the request's own work."""

import pytest

from app.kernel.database import Scope
from app.tenancy.callers import Caller
from app.tenancy.keys import revoke_key, set_rate
from tests.api.client import Api, example_submission, read_problem, revoke_keys

READS = ("/v1/dreams", "/v1/predicates", f"/v1/dreams/hyp_{'0' * 26}")


def count_uses(api: Api) -> int:
    """Return how often a connection has been taken from the pool."""
    return api.database.pool_statistics()["app"]["requests_num"]


@pytest.mark.parametrize("path", READS)
async def test_reading_takes_one_connection_once(api: Api, team: Caller, path: str) -> None:
    client = await api.client(team)
    await client.get(path)
    before = count_uses(api)
    await client.get(path)
    assert count_uses(api) == before + 1


async def test_nothing_is_written_for_a_key_that_was_revoked_since(api: Api, team: Caller) -> None:
    _, known = await revoke_keys(api, team)
    answer = await api.holding(known).post("/v1/remember", json=example_submission(idempotency_key="once"))
    assert (answer.status_code, read_problem(answer)["code"]) == (401, "unauthenticated")
    scope = Scope("app", team.team_id)
    async with api.database.reading(scope) as reading:
        for table in ("ingests", "evidence", "idempotency_records"):
            assert await reading.fetch_all(f"SELECT FROM {table}") == []


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/v1/remember", {"nothing": "here"}, 422),
        ("/v1/dreams/x/feedback", {}, 404),
        ("/v1/entities/x/merge", {}, 403),
    ],
)
async def test_what_a_living_key_is_refused_for_is_not_told_to_a_dead_one(
    api: Api, team: Caller, path: str, body: dict[str, str], status: int
) -> None:
    living = await api.client(team, scopes=["read", "write"])
    assert (await living.post(path, json=body)).status_code == status
    for dead in await revoke_keys(api, team):
        assert (await api.holding(dead).post(path, json=body)).status_code == 401


async def test_a_known_keys_new_limit_is_learnt_with_its_next_request(api: Api, team: Caller) -> None:
    key = await api.make_key(team)
    client = api.holding(key.secret)
    await client.get("/v1/predicates")
    await api.database.unit_of_work(Scope("app", team.team_id), lambda w: set_rate(w, key.key_id, 7))
    await client.get("/v1/predicates")
    admission = api.app.state.door.admission
    assert (await admission.recognise(key.secret)).requests_per_minute == 7


async def test_a_dead_key_takes_no_tokens_and_is_told_of_no_limit(api: Api, team: Caller) -> None:
    key = await api.make_key(team)
    client = api.holding(key.secret)
    scope = Scope("app", team.team_id)
    await api.database.unit_of_work(scope, lambda w: set_rate(w, key.key_id, 1))
    assert (await client.get("/v1/predicates")).status_code == 200
    # The only token is spent, which the process finds out with the next request at the earliest.
    await api.database.unit_of_work(scope, lambda w: revoke_key(w, key.key_id))
    assert (await client.get("/v1/predicates")).status_code == 401


async def test_a_raised_limit_counts_once_the_tokens_of_the_old_one_are_spent(api: Api, team: Caller) -> None:
    key = await api.make_key(team)
    client = api.holding(key.secret)
    scope = Scope("app", team.team_id)
    await api.database.unit_of_work(scope, lambda w: set_rate(w, key.key_id, 1))
    await client.get("/v1/predicates")
    await api.database.unit_of_work(scope, lambda w: set_rate(w, key.key_id, 1_000_000))
    assert (await client.get("/v1/predicates")).status_code == 200


@pytest.mark.parametrize("path", ["/v1/predicates", "/v1/dreams/x", "/v1/dreams?nothing=here"])
async def test_a_database_that_cannot_say_whether_a_key_lives_is_an_outage(
    api: Api, team: Caller, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    client = await api.client(team)
    assert (await client.get("/v1/predicates")).status_code == 200
    # A statement that fails as one does whose time is over.
    failing = "DO $$ BEGIN RAISE query_canceled; END $$"
    monkeypatch.setattr("app.tenancy.keys._AUTHENTICATE", failing)
    answer = await client.get(path)
    assert (answer.status_code, read_problem(answer)["code"]) == (503, "database_slow")
