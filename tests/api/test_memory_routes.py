"""`remember`, placements, recall and trace over HTTP."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from app.api.app import create_app
from app.kernel.database import Database, Scope
from app.kernel.settings import Settings
from app.recall.configured_embedder import MissingEmbedder
from app.tenancy.callers import Caller
from tests.api.client import NOBODYS_ULID, Api, example_submission, with_relationship
from tests.api.placing import place_all
from tests.conftest import MakeTeam
from tests.factories import Position, make_entity, make_relationship


async def test_evidence_is_accepted_placed_recalled_and_traced(api: Api, team: Caller) -> None:
    client = await api.client(team)
    accepted = await client.post("/v1/remember", json=example_submission())
    assert accepted.status_code == 202
    answer = accepted.json()
    assert set(answer) == {"ingest_id", "processing_state", "check_after_seconds", "correlation_id"}
    assert answer["processing_state"] == "queued"
    assert answer["correlation_id"] == accepted.headers["x-request-id"]
    url = f"/v1/placements/{answer['ingest_id']}"
    waiting = (await client.get(url)).json()
    assert waiting["processing_state"] == "queued"
    assert [outcome["category"] for outcome in waiting["relationship_outcomes"]] == [None]

    await place_all(api.database, team)
    placement = (await client.get(url)).json()
    assert set(placement) == {
        *("ingest_id", "processing_state", "attempt", "evidence", "relationship_outcomes", "errors")
    }
    assert placement["processing_state"] == "completed"
    assert [item["state"] for item in placement["evidence"]] == ["active"]
    (outcome,) = placement["relationship_outcomes"]
    assert (outcome["category"], outcome["tier"], outcome["status"], outcome["verdict"]) == (
        *("relationship_validated_claim", "validated_claim", "active", "entailed"),
    )

    recalled = (await client.post("/v1/recall", json={"query": "what does FastAPI depend on"})).json()
    (result,) = recalled["results"]
    assert result["relationship_id"] == outcome["relationship_id"]
    assert result["predicate"] == {"key": "depends_on", "label": result["predicate"]["label"]}
    assert (result["subject"]["name"], result["object"]["name"]) == ("FastAPI", "Starlette")
    assert [quote["quote"] for quote in result["evidence"]] == ["FastAPI depends on Starlette."]
    assert (recalled["related_hypotheses"], recalled["conflicts"]) == ([], [])

    traced = (await client.get(f"/v1/relationships/{outcome['relationship_id']}/trace")).json()
    assert traced["relationship"]["owner_profile_id"] == team.profile_id
    assert traced["relationship"]["object"]["name"] == "Starlette"
    assert traced["supports"][0]["spans"] == [{"start": 0, "end": 29}]
    assert [event["verdict"] for event in traced["verification_events"]] == ["entailed"]
    assert traced["transitions"][-1]["to_status"] == "active"
    assert traced["hypotheses"] == []


async def test_a_client_that_waits_gets_the_finished_placement(api: Api, team: Caller) -> None:
    client = await api.client(team)
    body = example_submission(wait_seconds=30)
    waiting = asyncio.create_task(client.post("/v1/remember", json=body))
    while not waiting.done():
        await place_all(api.database, team)
    answer = await waiting
    assert answer.status_code == 200
    assert answer.json()["processing_state"] == "completed"


async def test_waiting_ends_with_the_accepted_submission(api: Api, team: Caller) -> None:
    client = await api.client(team)
    answer = await client.post("/v1/remember", json=example_submission(), headers={"Prefer": "wait=1"})
    assert answer.status_code == 202
    assert answer.json()["processing_state"] == "queued"


@pytest.mark.parametrize(
    ("field", "headers"),
    [({"wait_seconds": 31}, {}), ({"wait_seconds": -1}, {}), ({}, {"Prefer": "wait=31"})],
)
async def test_nobody_waits_longer_than_30_seconds(
    api: Api, team: Caller, field: dict[str, int], headers: dict[str, str]
) -> None:
    client = await api.client(team)
    answer = await client.post("/v1/remember", json=example_submission(**field), headers=headers)
    assert answer.status_code == 422


@dataclass(frozen=True, slots=True)
class _Wrong:
    body: dict[str, Any]  # JSON.
    field: str


@pytest.mark.parametrize(
    "wrong",
    [
        _Wrong(example_submission(evidence=[]), "evidence"),
        _Wrong(example_submission(evidence=[{"content": "x"}] * 21), "evidence"),
        _Wrong(example_submission(evidence=[{"content": " "}]), "evidence.0.content"),
        _Wrong(example_submission(evidence=[{"content": "x" * 4001}]), "evidence.0.content"),
        _Wrong(example_submission(evidence=[{"content": "a\0b"}]), "evidence.0.content"),
        _Wrong(
            example_submission(evidence=[{"content": "x", "source_type": "rumour"}]), "evidence.0.source_type"
        ),
        _Wrong(example_submission(evidence=[{"content": "x", "authority": None}]), "evidence.0.authority"),
        _Wrong(example_submission(evidence=[{"content": "x", "labels": ["l"] * 21}]), "evidence.0.labels"),
        _Wrong(
            example_submission(evidence=[{"content": "x", "metadata": {"k": "v" * 9000}}]),
            "evidence.0.metadata",
        ),
        _Wrong(example_submission(evidence=[{"content": "x", "metadata": {"\0": 1}}]), "evidence.0.metadata"),
        _Wrong(with_relationship(evidence=[]), "proposal.relationships.0.evidence"),
        _Wrong(
            with_relationship(evidence=[{"evidence_index": 0, "start": 0, "end": 30}]),
            "proposal.relationships.0.evidence.0.end",
        ),
        _Wrong(
            with_relationship(evidence=[{"evidence_index": 1, "start": 0, "end": 1}]),
            "proposal.relationships.0.evidence.0.evidence_index",
        ),
        _Wrong(with_relationship(object_ref=None), "proposal.relationships.0.object_ref"),
        _Wrong(
            with_relationship(object_ref=None, object_value={"type": "date", "value": "2026-02-30"}),
            "proposal.relationships.0.object_value.value",
        ),
        _Wrong(
            with_relationship(object_ref=None, object_value={"type": "number", "value": [1]}),
            "proposal.relationships.0.object_value.value",
        ),
        _Wrong(with_relationship(polarity="?"), "proposal.relationships.0.polarity"),
        _Wrong(with_relationship(valid_from="today"), "proposal.relationships.0.valid_from"),
        _Wrong(
            with_relationship(valid_from="2026-01-02T00:00:00Z", valid_to="2026-01-01T00:00:00Z"),
            "proposal.relationships.0.valid_to",
        ),
        _Wrong(with_relationship(owner_profile_id="mine"), "proposal.relationships.0.owner_profile_id"),
    ],
)
async def test_a_wrong_submission_names_its_field_and_stores_nothing(
    api: Api, team: Caller, wrong: _Wrong
) -> None:
    answer = await (await api.client(team)).post("/v1/remember", json=wrong.body)
    assert answer.status_code == 422, answer.text
    assert wrong.field in [error["field"] for error in answer.json()["errors"]]
    async with api.database.reading(Scope("app", team.team_id)) as reading:
        assert await reading.fetch_all("SELECT id FROM evidence") == []


@pytest.mark.parametrize(
    "text", ["<|endoftext|> C++ a/b", "\u202eRTL 🦄\ufeff", "\\u0000 \\ud800", "日本\r\n\t語"]
)
async def test_other_text_round_trips_unchanged(api: Api, team: Caller, text: str) -> None:
    client = await api.client(team)
    body = example_submission(evidence=[{"content": text, "metadata": {text: text}}])
    body["proposal"] = {"entities": [], "relationships": []}
    assert (await client.post("/v1/remember", json=body)).status_code == 202
    async with api.database.reading(Scope("app", team.team_id)) as reading:
        row = await reading.fetch_one("SELECT content, metadata FROM evidence")
    assert row == {"content": text, "metadata": {text: text}}


async def test_a_body_just_under_the_limit_is_read(api: Api, team: Caller) -> None:
    client = await api.client(team)
    padded = b'{"query": "x"' + b" " * (1024 * 1024 - 14) + b"}"
    assert len(padded) == 1024 * 1024
    answer = await client.post("/v1/recall", content=padded, headers={"Content-Type": "application/json"})
    assert answer.status_code == 200


async def test_recall_refuses_what_it_cannot_answer(api: Api, team: Caller) -> None:
    client = await api.client(team)
    for wrong, status in (
        ({"query": "   "}, 422),
        ({"query": "x", "known_at": "9999-01-01T00:00:00Z"}, 422),
        ({"query": "x", "limit": 51}, 422),
        ({"query": "x", "expand_from_entity_ids": [f"ent_{NOBODYS_ULID}"]}, 404),
        ({"query": "x", "expand_from_entity_ids": ["nonsense"]}, 404),
    ):
        answer = await client.post("/v1/recall", json=wrong)
        assert answer.status_code == status, (wrong, answer.text)


async def test_recall_answers_as_of_a_moment(api: Api, team: Caller) -> None:
    client = await api.client(team)
    body = with_relationship(valid_from="2026-01-01T01:00:00+01:00", valid_to="2026-02-01T00:00:00Z")
    dates = {"from": "1 January 2026", "to": "2026-02-01"}
    body["evidence"][0] |= {"source_key": "minutes", "source_revision": "1", "metadata": dates}
    await client.post("/v1/remember", json=body)
    await place_all(api.database, team)
    found = {}
    for moment in ("2025-12-31T23:59:59Z", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"):
        asked = {"query": "FastAPI", "valid_at": moment}
        answer = (await client.post("/v1/recall", json=asked)).json()
        found[moment] = [result["valid_from"] for result in answer["results"]]
    assert list(found.values()) == [[], ["2026-01-01T00:00:00Z"], []]
    asked = {"query": "FastAPI", "known_at": "2026-01-01T00:00:00Z"}
    answer = (await client.post("/v1/recall", json=asked)).json()
    assert answer["results"] == []
    assert [one["code"] for one in answer["degradations"]] == ["hypotheses_not_temporal"]


async def test_another_teams_memory_is_not_there(
    api: Api, team: Caller, make_team: MakeTeam, database: Database
) -> None:
    stranger = await make_team()
    subject = await make_entity(database, team, "FastAPI")
    item = await make_entity(database, team, "Starlette")
    made = await make_relationship(database, team, subject, "depends_on", item)
    own = await api.client(team)
    accepted = (await own.post("/v1/remember", json=example_submission())).json()
    paths = {
        f"/v1/relationships/{made.relationship_id}/trace": f"/v1/relationships/rel_{NOBODYS_ULID}/trace",
        f"/v1/entities/{subject}": f"/v1/entities/ent_{NOBODYS_ULID}",
        f"/v1/placements/{accepted['ingest_id']}": f"/v1/placements/ing_{NOBODYS_ULID}",
    }
    client = await api.client(stranger)
    for foreign, missing in paths.items():
        assert (await own.get(foreign)).status_code == 200
        answers = [await client.get(path) for path in (foreign, missing)]
        assert [answer.status_code for answer in answers] == [404, 404]
        bodies = [answer.json() | {"correlation_id": None} for answer in answers]
        assert bodies[0] == bodies[1]
    assert (await client.get("/v1/entities")).json() == {"items": [], "next_cursor": None}
    assert (await client.post("/v1/recall", json={"query": "FastAPI"})).json()["results"] == []


@pytest.mark.parametrize("zone", ["+14:00", "-12:00", "+05:45"])
async def test_a_moment_is_the_same_in_every_zone(api: Api, team: Caller, zone: str) -> None:
    ends = [await make_entity(api.database, team, name) for name in ("FastAPI", "MIT")]
    start = datetime(2020, 1, 1, tzinfo=UTC)
    made = await make_relationship(
        api.database, team, ends[0], "licensed_under", ends[1], Position(valid_from=start)
    )
    client = await api.client(team)
    local = timezone(timedelta(hours=int(zone[:3]), minutes=int(zone[4:])))
    for valid_at, holds in ((start - timedelta(microseconds=1), False), (start, True)):
        asked = valid_at.astimezone(local).isoformat()
        assert asked.endswith(zone)
        recalled = (await client.post("/v1/recall", json={"query": "FastAPI", "valid_at": asked})).json()
        assert len(recalled["results"]) == int(holds)
        path = f"/v1/relationships/{made.relationship_id}/trace"
        traced = (await client.get(path, params={"valid_at": asked})).json()
        assert traced["holds"] is holds


async def test_nobody_knows_the_future(api: Api, team: Caller) -> None:
    client = await api.client(team)
    ends = [await make_entity(api.database, team, name) for name in ("FastAPI", "MIT")]
    made = await make_relationship(api.database, team, ends[0], "licensed_under", ends[1])
    for later in ("2999-01-01T00:00:00Z", "9999-12-31T23:59:59Z"):
        asked = {"query": "FastAPI", "known_at": later}
        refused = [
            await client.post("/v1/recall", json=asked),
            await client.get(f"/v1/relationships/{made.relationship_id}/trace", params={"known_at": later}),
        ]
        assert [one.status_code for one in refused] == [422, 422]
        assert {one.json()["errors"][0]["code"] for one in refused} == {"in_the_future"}
    early = await client.post("/v1/recall", json={"query": "FastAPI", "known_at": "0001-01-01T00:00:00Z"})
    assert early.json()["results"] == []


async def test_a_configured_model_that_cannot_be_used_is_named_beside_the_answer(
    api: Api, settings: Settings, team: Caller
) -> None:
    await make_entity(api.database, team, "FastAPI")
    missing = MissingEmbedder("The extra 'embed' is not installed.")
    key = (await api.make_key(team)).secret
    for embedder, codes in ((missing, ["embeddings_unavailable"]), (None, [])):
        app = create_app(api.database, settings, embedder=embedder)
        answer = await Api(app, api.database).holding(key).post("/v1/recall", json={"query": "FastAPI"})
        assert answer.status_code == 200
        assert [one["code"] for one in answer.json()["degradations"]] == codes
