"""One idempotency key, one answer: what is sent twice is remembered once."""

from typing import Any

from app.kernel.database import Scope
from app.tenancy.callers import Caller
from app.tenancy.idempotency import find_answer
from tests.api.client import Api, example_submission, with_relationship
from tests.api.placing import place_all
from tests.conftest import MakeProfile


async def test_the_same_key_and_body_is_remembered_once(api: Api, team: Caller) -> None:
    client = await api.client(team)
    body = example_submission(idempotency_key="once")
    first = await client.post("/v1/remember", json=body)
    second = await client.post("/v1/remember", json=body)
    header = {"Idempotency-Key": "once"}
    third = await client.post("/v1/remember", json=example_submission(), headers=header)
    assert [answer.status_code for answer in (first, second, third)] == [202, 202, 202]
    assert first.json() == second.json() == third.json()
    replayed = [answer.headers.get("idempotency-replayed") for answer in (first, second, third)]
    assert replayed == [None, "true", "true"]
    async with api.database.reading(Scope("app", team.team_id)) as reading:
        rows = await reading.fetch_all("SELECT id FROM ingests")
    assert len(rows) == 1


async def test_a_repeated_request_that_waits_says_so_too(api: Api, team: Caller) -> None:
    client = await api.client(team)
    body = example_submission(idempotency_key="once")
    await client.post("/v1/remember", json=body)
    await place_all(api.database, team)
    answer = await client.post("/v1/remember", json=body, headers={"Prefer": "wait=5"})
    assert (answer.status_code, answer.headers.get("idempotency-replayed")) == (200, "true")


async def test_a_secret_for_an_idempotency_key_is_stored_nowhere(api: Api, team: Caller) -> None:
    client = await api.client(team)
    key = "AKIA" + "Q" * 16
    await client.post("/v1/remember", json=example_submission(idempotency_key=key))
    async with api.database.reading(Scope("app", team.team_id)) as reading:
        rows = await reading.fetch_all("SELECT row(r.*)::text AS text FROM idempotency_records AS r")
    assert len(rows) == 1
    assert key not in rows[0]["text"]


async def test_the_same_key_with_another_body_is_refused(api: Api, team: Caller) -> None:
    client = await api.client(team)
    await client.post("/v1/remember", json=example_submission(idempotency_key="once"))
    other = with_relationship(client_comment="another body") | {"idempotency_key": "once"}
    answer = await client.post("/v1/remember", json=other)
    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_conflict")


async def test_a_refused_request_leaves_its_key_free(api: Api, team: Caller) -> None:
    client = await api.client(team)
    wrong = with_relationship(subject_ref="nobody") | {"idempotency_key": "once"}
    assert (await client.post("/v1/remember", json=wrong)).status_code == 422
    right = example_submission(idempotency_key="once")
    assert (await client.post("/v1/remember", json=right)).status_code == 202


async def test_a_key_that_is_being_worked_on_is_in_progress(api: Api, team: Caller) -> None:
    client = await api.client(team)

    async def meanwhile(writing: Any) -> int:  # Writing.
        await find_answer(writing, team, operation="remember", key="once", digest="0" * 64)
        answer = await client.post("/v1/remember", json=example_submission(idempotency_key="once"))
        assert answer.json()["retryable"] is True
        assert answer.json()["code"] == "in_progress"
        return answer.status_code

    assert await api.database.unit_of_work(Scope("app", team.team_id), meanwhile) == 409


async def test_a_key_belongs_to_its_profile(api: Api, team: Caller, make_profile: MakeProfile) -> None:
    other = await make_profile(team, "Second")
    body = example_submission(idempotency_key="once")
    answers = [await (await api.client(caller)).post("/v1/remember", json=body) for caller in (team, other)]
    assert answers[0].json()["ingest_id"] != answers[1].json()["ingest_id"]


async def test_a_key_is_the_same_text_in_the_header_and_in_the_field(api: Api, team: Caller) -> None:
    client = await api.client(team)
    body = example_submission(idempotency_key="Zoë")
    headers = [{b"Idempotency-Key": key} for key in ("Zoë".encode(), "Zoë".encode("latin-1"), b"", b" ")]
    statuses = [(await client.post("/v1/remember", json=body, headers=one)).status_code for one in headers]
    assert statuses == [202, 422, 422, 422]


async def test_header_and_field_may_not_name_different_keys(api: Api, team: Caller) -> None:
    client = await api.client(team)
    body = example_submission(idempotency_key="once")
    answer = await client.post("/v1/remember", json=body, headers={"Idempotency-Key": "twice"})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "idempotency_key"
