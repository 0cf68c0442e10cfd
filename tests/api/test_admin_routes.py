"""Teams, profiles and keys over HTTP."""

import asyncio
import itertools
from collections import Counter
from typing import Any, LiteralString

import httpx2
import psycopg
import pytest

from app.api.routes import memory
from app.archive import closing
from app.kernel.database import Scope, Writing
from app.kernel.ids import is_id, new_id
from app.tenancy.callers import Caller
from app.tenancy.keys import revoke_key
from app.worker.loop import Turns
from app.worker.steps import placement_kind
from app.worker.work import work_on
from tests.api.client import NOBODYS_ULID, Api, example_submission, read_problem
from tests.integration.full_team import digests


async def test_an_admin_makes_a_team_whose_key_works_until_it_is_revoked(api: Api) -> None:
    admin = await api.admin()
    name = f"Team {new_id('rec')}"
    team = await admin.post("/v1/teams", json={"name": name})
    assert (team.status_code, team.json()["name"]) == (201, name)
    base = f"/v1/teams/{team.json()['team_id']}"
    profile = await admin.post(f"{base}/profiles", json={"name": "First"})
    assert profile.status_code == 201
    body = {"profile_id": profile.json()["profile_id"], "scopes": ["read"]}
    made = await admin.post(f"{base}/keys", json=body)
    assert (made.status_code, made.headers["cache-control"]) == (201, "no-store")
    assert set(made.json()) == {"key_id", "key"}
    client = api.holding(made.json()["key"])
    assert len((await client.get("/v1/predicates?limit=50")).json()["items"]) > 20
    [listed] = (await admin.get(f"{base}/keys")).json()["items"]
    assert (listed["key_id"], listed["scopes"], listed["revoked_at"]) == (
        made.json()["key_id"],
        ["read"],
        None,
    )
    assert made.json()["key"] not in str(listed)
    revoke = f"/v1/keys/{made.json()['key_id']}/revoke"
    revoked = [await admin.post(revoke) for _ in range(2)]
    assert [answer.status_code for answer in revoked] == [200, 200]
    assert revoked[0].json() == revoked[1].json()
    assert (await client.get("/v1/predicates")).status_code == 401


async def test_teams_and_profiles_are_listed_newest_first(api: Api) -> None:
    admin = await api.admin()
    made = [
        (await admin.post("/v1/teams", json={"name": f"Team {new_id('rec')}"})).json()["team_id"]
        for _ in range(3)
    ]
    first = (await admin.get("/v1/teams?limit=2")).json()
    second = (await admin.get("/v1/teams", params={"limit": 2, "cursor": first["next_cursor"]})).json()
    listed = [item["team_id"] for item in first["items"] + second["items"]]
    assert listed[:3] == made[::-1]
    profiles = f"/v1/teams/{made[0]}/profiles"
    ids = [(await admin.post(profiles, json={"name": name})).json()["profile_id"] for name in ("A", "B")]
    assert [item["profile_id"] for item in (await admin.get(profiles)).json()["items"]] == ids[::-1]


async def test_a_taken_name_is_refused(api: Api) -> None:
    admin = await api.admin()
    body = {"name": f"Team {new_id('rec')}"}
    team_id = (await admin.post("/v1/teams", json=body)).json()["team_id"]
    again = await admin.post("/v1/teams", json=body)
    assert (again.status_code, again.json()["code"]) == (409, "name_taken")
    profiles = [await admin.post(f"/v1/teams/{team_id}/profiles", json={"name": "A"}) for _ in range(2)]
    assert [answer.status_code for answer in profiles] == [201, 409]


@pytest.mark.parametrize("prefix", ["team", "prof"])
async def test_a_key_needs_a_profile_of_that_team(api: Api, team: Caller, prefix: str) -> None:
    admin = await api.admin()
    team_id = team.team_id if prefix == "prof" else f"team_{NOBODYS_ULID}"
    profile_id = team.profile_id if prefix == "team" else f"prof_{NOBODYS_ULID}"
    body = {"profile_id": profile_id, "scopes": ["read"]}
    assert (await admin.post(f"/v1/teams/{team_id}/keys", json=body)).status_code == 404


@pytest.mark.parametrize(
    "changes",
    [
        {"scopes": []},
        {"scopes": ["admin"]},
        {"scopes": ["read", "read", "read", "read"]},
        {"max_authority": "divine"},
        {"expires_at": "tomorrow"},
        {"profile_id": ""},
        {"profile_id": "prof_\0"},
    ],
)
async def test_a_wrong_key_is_refused(api: Api, team: Caller, changes: dict[str, Any]) -> None:
    admin = await api.admin()
    body = {"profile_id": team.profile_id, "scopes": ["read"]} | changes
    assert (await admin.post(f"/v1/teams/{team.team_id}/keys", json=body)).status_code == 422


async def test_an_expired_key_is_refused(api: Api, team: Caller) -> None:
    admin = await api.admin()
    body = {"profile_id": team.profile_id, "scopes": ["read"], "expires_at": "2020-01-01T00:00:00Z"}
    made = (await admin.post(f"/v1/teams/{team.team_id}/keys", json=body)).json()
    assert is_id(made["key_id"], "key")
    assert (await api.holding(made["key"]).get("/v1/dreams")).status_code == 401


async def test_an_admin_erases_over_http_by_saying_the_name_again(
    api: Api, database_name: str, team: Caller
) -> None:
    admin = await api.admin()
    client = await api.client(team)
    path = f"/v1/teams/{team.team_id}/erase"
    wrong = await admin.post(path, json={"name": "Another"})
    assert (wrong.status_code, wrong.json()["errors"][0]["code"]) == (422, "name_differs")
    done = await admin.post(path, json={"name": f"Team {team.team_id}"})
    assert done.status_code == 200, done.text
    assert done.json()["team_id"] == team.team_id
    assert digests(database_name, team.team_id) == {}
    assert (await client.get("/v1/dreams")).status_code == 401
    assert (await admin.post(path, json={"name": f"Team {team.team_id}"})).status_code == 404


async def test_a_request_whose_team_is_erased_meanwhile_is_refused_as_one_without_a_key(
    api: Api, team: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It waits for us, so it would be waited for in vain.
    monkeypatch.setattr(closing, "WAIT_SECONDS", 0)
    admin, client = await api.admin(), await api.client(team)
    body = example_submission()
    body["evidence"][0] |= {"source_key": "held-up"}
    turn = f"{team.team_id}/{team.profile_id}/held-up"

    async def hold_up(writing: Writing) -> asyncio.Task[httpx2.Response]:
        # The lock that submissions of one source take turns by: the request has been let in when it waits here.
        await writing.fetch_one("SELECT pg_advisory_xact_lock(hashtextextended(%(turn)s, 4))", {"turn": turn})
        request = asyncio.ensure_future(client.post("/v1/remember", json=body))
        while not await writing.fetch_all(_WAITS_FOR_US):
            await asyncio.sleep(0.01)
        path = f"/v1/teams/{team.team_id}/erase"
        erased = await admin.post(path, json={"name": f"Team {team.team_id}"})
        assert erased.status_code == 200, erased.text
        return request

    request = await api.database.unit_of_work(Scope("app", team.team_id), hold_up)
    answer = await request
    assert (answer.status_code, read_problem(answer)["code"]) == (401, "unauthenticated")


@pytest.mark.parametrize(
    "fault", [AssertionError, psycopg.errors.RestrictViolation, psycopg.errors.QueryCanceled]
)
async def test_what_fails_for_a_key_that_has_ended_meanwhile_is_no_fault(
    api: Api, team: Caller, monkeypatch: pytest.MonkeyPatch, fault: type[Exception]
) -> None:
    key = await api.make_key(team)

    async def fail(*_: object, **__: object) -> None:
        await api.database.unit_of_work(Scope("app", team.team_id), lambda w: revoke_key(w, key.key_id))
        raise fault

    monkeypatch.setattr(memory, "accept", fail)
    answer = await api.holding(key.secret).post("/v1/remember", json=example_submission())
    assert (answer.status_code, read_problem(answer)["code"]) == (401, "unauthenticated")


async def test_a_team_that_is_written_to_is_erased_at_once(
    api: Api, database_name: str, team: Caller
) -> None:
    admin, answers = await api.admin(), Counter[tuple[int, str | None]]()
    key = await api.make_key(team)
    is_over, has_begun = False, asyncio.Event()

    async def write(number: int) -> None:
        client = api.holding(key.secret)
        for count in itertools.count():
            if is_over:
                return
            body = example_submission()
            body["evidence"][0]["source_key"] = f"{number}-{count % 3}"
            path, said = ("/v1/recall", {"query": "FastAPI"}) if count % 4 == 3 else ("/v1/remember", body)
            answer = await client.post(path, json=said)
            answers[answer.status_code, answer.json().get("code")] += 1
            if answers.total() > 20:
                has_begun.set()

    async def place() -> None:
        kind = placement_kind(api.database, slots=2, lease_seconds=30)
        while not is_over:
            leases, _ = await Turns(api.database, kind, 30).take(free_slots=2)
            await asyncio.gather(*(work_on(api.database, kind, lease) for lease in leases))
            await asyncio.sleep(0.01)

    async with asyncio.TaskGroup() as tasks:
        for number in range(4):
            tasks.create_task(write(number))
        tasks.create_task(place())
        await has_begun.wait()
        done = await admin.post(f"/v1/teams/{team.team_id}/erase", json={"name": f"Team {team.team_id}"})
        is_over = True
    assert done.status_code == 200, done.text
    assert digests(database_name, team.team_id) == {}
    assert set(answers) <= {(202, None), (200, None), (401, "unauthenticated"), (409, "busy")}
    assert answers[401, "unauthenticated"] > 0


_WAITS_FOR_US: LiteralString = """
    SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))
"""
