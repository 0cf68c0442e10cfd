"""What was done, over HTTP: every act of an admin or an operator is listed with the key that did it."""

import httpx2

from app.kernel.ids import new_id
from app.tenancy.callers import Caller
from tests.api.client import Api


async def _newest(client: httpx2.AsyncClient, limit: int) -> list[tuple[str, str | None]]:
    items = (await client.get(f"/v1/audit?limit={limit}")).json()["items"]
    return [(item["action"], item["target_id"]) for item in reversed(items)]


async def test_each_act_of_an_admin_is_listed_for_admins(api: Api) -> None:
    admin = await api.admin()
    name = f"Team {new_id('rec')}"
    team_id = (await admin.post("/v1/teams", json={"name": name})).json()["team_id"]
    base = f"/v1/teams/{team_id}"
    profile_id = (await admin.post(f"{base}/profiles", json={"name": "Author"})).json()["profile_id"]
    body = {"profile_id": profile_id, "scopes": ["operate"]}
    made = (await admin.post(f"{base}/keys", json=body)).json()
    for _ in range(2):
        await admin.post(f"/v1/keys/{made['key_id']}/revoke")
    # A refused act is none.
    assert (await admin.post("/v1/teams", json={"name": name})).status_code == 409
    listed = (await admin.get("/v1/audit?limit=100")).json()
    acts = [item for item in listed["items"] if item["team_id"] == team_id]
    assert [(item["action"], item["target_id"]) for item in reversed(acts)] == [
        ("team_created", team_id),
        ("profile_created", profile_id),
        ("key_created", made["key_id"]),
        ("key_revoked", made["key_id"]),
    ]
    assert {item["actor"]["kind"] for item in acts} == {"admin"}
    assert len({item["actor"]["key_id"] for item in acts}) == 1
    assert not [word for word in (made["key"], name, "Author") if word in str(listed)]


async def test_each_act_of_an_operator_is_listed_for_the_team_alone(api: Api, team: Caller) -> None:
    client = await api.client(team)
    draft = {"predicate_key": "knits", "label": "knits", "verb_phrase": "knits"}
    assert (await client.post("/v1/predicates", json=draft)).status_code == 201
    for _ in range(2):  # The second changes nothing.
        answer = await client.patch("/v1/predicates/knits", json={"label": "is knitting"})
        assert answer.status_code == 200
    started = [(await client.post("/v1/cycle-runs", json={"dry_run": True})).json() for _ in range(2)]
    run_id = started[0]["run_id"]
    assert started[1]["run_id"] == run_id
    for _ in range(2):
        assert (await client.post(f"/v1/cycle-runs/{run_id}/cancel")).status_code == 200
    expected: list[tuple[str, str | None]] = [
        ("predicate_registered", "knits"),
        ("predicate_changed", "knits"),
        ("cycle_started", run_id),
        ("cycle_cancelled", run_id),
    ]
    assert await _newest(client, 4) == expected
    items = (await client.get("/v1/audit?action=predicate_changed")).json()["items"]
    assert [item["details"] for item in items] == [{"version": 2, "fields": ["label"]}]
    assert items[0]["actor"]["profile_id"] == team.profile_id
    assert not set(await _newest(await api.admin(), 100)) & set(expected)


async def test_a_repeated_request_is_one_act(api: Api, team: Caller) -> None:
    client = await api.client(team)
    draft = {"predicate_key": "knits", "label": "k", "verb_phrase": "knits", "idempotency_key": "once"}
    answers = [await client.post("/v1/predicates", json=draft) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    acts = await _newest(client, 100)
    assert acts.count(("predicate_registered", "knits")) == 1


async def test_acts_are_paged(api: Api, team: Caller) -> None:
    client = await api.client(team)
    for _ in range(3):
        await api.make_key(team)
    whole = (await client.get("/v1/audit?limit=100")).json()["items"]
    walked, cursor = [], None
    while True:
        params = {"limit": "2"} | ({} if cursor is None else {"cursor": cursor})
        page = (await client.get("/v1/audit", params=params)).json()
        walked += page["items"]
        if (cursor := page["next_cursor"]) is None:
            break
    assert walked == whole
    assert len(walked) == 6
