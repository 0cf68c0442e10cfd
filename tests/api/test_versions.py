"""Versions and the other aliases of body fields, and the order in which requests are refused."""

from typing import Any

import pytest

from app.tenancy.callers import Caller
from tests.api.client import NOBODYS_ULID, Api, example_submission, read_problem
from tests.api.dreamt import Dreamt, dream


@pytest.fixture
async def dreamt(api: Api, team: Caller) -> Dreamt:
    return await dream(api.database, team)


async def test_a_dream_tells_its_version_in_body_and_header(api: Api, team: Caller, dreamt: Dreamt) -> None:
    client = await api.client(team)
    path = f"/v1/dreams/{dreamt.hypothesis_id}"
    first = await client.get(path)
    assert (first.headers["etag"], first.json()["row_version"]) == ('"1"', 1)
    assert (await client.post(dreamt.feedback, json={"decision": "reinforce"})).status_code == 200
    assert (await client.get(path)).headers["etag"] == '"2"'
    # An answer shows more than its row: nothing is ever "not modified".
    again = await client.get(path, headers={"If-None-Match": '"2"'})
    assert (again.status_code, again.json()["row_version"]) == (200, 2)


@pytest.mark.parametrize("way", ["header", "field", "both"])
async def test_who_decides_about_an_older_version_is_refused(
    api: Api, team: Caller, dreamt: Dreamt, way: str
) -> None:
    client = await api.client(team)

    async def decide(version: int) -> int:
        headers = {} if way == "field" else {"If-Match": f'"{version}"'}
        field = {} if way == "header" else {"expected_version": version}
        body = {"decision": "reinforce"} | field
        answer = await client.post(dreamt.feedback, json=body, headers=headers)
        if answer.status_code == 412:
            assert read_problem(answer)["code"] == "version_mismatch"
        return answer.status_code

    assert [await decide(version) for version in (2, 1, 1, 2)] == [412, 200, 412, 200]


@pytest.mark.parametrize(
    ("tag", "status"),
    [
        ("*", 200),
        ('"1"', 200),
        ('W/"1"', 412),
        ('"01"', 412),
        ('"one"', 412),
        ('""', 412),
        ('"99999999999999999999"', 412),
        ("1", 422),
        ("", 422),
        (" ", 422),
        ('"1", "2"', 422),
        ('"1', 422),
    ],
)
async def test_only_the_strong_tag_of_the_row_matches(
    api: Api, team: Caller, dreamt: Dreamt, tag: str, status: int
) -> None:
    client = await api.client(team)
    answer = await client.post(dreamt.feedback, json={"decision": "reinforce"}, headers={"If-Match": tag})
    assert answer.status_code == status, answer.text


async def test_a_predicate_is_changed_at_the_version_of_its_tag(api: Api, team: Caller) -> None:
    client = await api.client(team)
    draft = {"predicate_key": "knits", "label": "knits", "verb_phrase": "knits"}
    made = await client.post("/v1/predicates", json=draft)
    assert made.headers["etag"] == '"1"'
    changed = await client.patch("/v1/predicates/knits", json={"label": "k"}, headers={"If-Match": '"1"'})
    assert (changed.status_code, changed.headers["etag"]) == (200, '"2"')
    stale = await client.patch("/v1/predicates/knits", json={"label": "l"}, headers={"If-Match": '"1"'})
    assert stale.status_code == 412


@pytest.mark.parametrize(
    ("field", "value", "header"),
    [
        ("expected_version", 1, {"If-Match": '"2"'}),
        ("idempotency_key", "one", {"Idempotency-Key": "two"}),
    ],
)
async def test_a_header_that_contradicts_its_field_is_refused(
    api: Api, team: Caller, dreamt: Dreamt, field: str, value: object, header: dict[str, str]
) -> None:
    client = await api.client(team)
    body = {"decision": "reinforce", field: value}
    answer = await client.post(dreamt.feedback, json=body, headers=header)
    assert answer.status_code == 422
    assert [(one["field"], one["code"]) for one in read_problem(answer)["errors"]] == [
        (field, "alias_differs")
    ]


@pytest.mark.parametrize(
    ("wait", "preference", "status"),
    [(1, "wait=2", 422), (0, "wait=0", 202), (None, "wait=31", 422), (None, "wait=" + "9" * 5000, 422)],
)
async def test_one_wait_is_asked_for(
    api: Api, team: Caller, wait: int | None, preference: str, status: int
) -> None:
    client = await api.client(team)
    body = example_submission(wait_seconds=wait)
    answer = await client.post("/v1/remember", json=body, headers={"Prefer": preference})
    assert answer.status_code == status


async def test_two_keys_in_two_headers_are_refused(api: Api, team: Caller) -> None:
    client = await api.client(team)
    twice = [("Idempotency-Key", "one"), ("Idempotency-Key", "two")]
    answer = await client.post("/v1/remember", json=example_submission(), headers=twice)
    assert [one["code"] for one in read_problem(answer)["errors"]] == ["repeated"]


async def test_another_version_is_another_request(api: Api, team: Caller, dreamt: Dreamt) -> None:
    client = await api.client(team)

    async def decide(tag: str) -> int:
        body = {"decision": "reinforce", "idempotency_key": "once"}
        return (await client.post(dreamt.feedback, json=body, headers={"If-Match": tag})).status_code

    assert [await decide(tag) for tag in ('"1"', '"1"', '"2"')] == [200, 200, 422]


async def test_refusals_come_in_one_order(api: Api, team: Caller, dreamt: Dreamt) -> None:
    """Each request is wrong in every later way too, and each step mends the first wrong thing."""
    client = await api.client(team)
    assert (await client.post(dreamt.feedback, json={"decision": "reject"})).status_code == 200
    missing = f"/v1/dreams/hyp_{NOBODYS_ULID}/feedback"
    wrong = b'{"decision": "perhaps", "expected_version": 7}'
    json_type = {"Content-Type": "application/json"}

    async def send(
        holder: Any, path: str = missing, content: bytes = b"{" + b" " * 1024 * 1024, **more: Any
    ) -> int:  # As httpx2's own.
        answer = await holder.post(path, content=content, **more)
        return int(answer.status_code)

    reader = await api.client(team, scopes=["read"])
    typed: dict[str, Any] = {"headers": json_type}
    stale = b'{"decision": "reinforce", "expected_version": 7}'
    current = b'{"decision": "reinforce", "expected_version": 2}'
    statuses = [
        await send(api.anonymous()),
        await send(reader),
        await send(client),
        await send(client, content=b"{"),
        await send(client, content=b"{", **typed),
        await send(client, content=wrong, **typed),
        await send(client, dreamt.feedback, wrong, **typed),
        await send(client, dreamt.feedback, stale, **typed),
        await send(client, dreamt.feedback, current, **typed),
    ]
    assert statuses == [401, 403, 413, 415, 400, 404, 422, 412, 409]
