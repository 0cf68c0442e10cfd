"""Dreams and feedback over HTTP, the spec's own example among them."""

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest

from app.dreaming.generation import RULES_VERSION
from app.kernel.database import Database, Scope
from app.kernel.ids import new_id
from app.ledger.identity import Edge
from app.tenancy.callers import Caller
from tests.api.client import NOBODYS_ULID, Api
from tests.api.dreamt import Dreamt, dream
from tests.api.placing import place_all
from tests.conftest import MakeTeam
from tests.factories import make_entity
from tests.hypothesis_factories import make_hypothesis


@pytest.fixture
async def dreamt(database: Database, team: Caller) -> Dreamt:
    return await dream(database, team)


def _spec_example(dreamt: Dreamt) -> dict[str, Any]:  # JSON.
    """The body in the spec's section Submit new evidence, with the ids of this test's rows."""
    return {
        "hypothesis_id": dreamt.hypothesis_id,
        "decision": "confirm_true",
        "evidence": [
            {
                "content": "The user confirmed that Dense-Mem benefits from explicit search freshness.",
                "source_type": "manual",
                "authority": "authoritative",
                "source_group": f"user-dream-review:{dreamt.hypothesis_id}",
            }
        ],
        "proposal": {
            "entities": [
                {"ref": "dense_mem", "name": "Dense-Mem", "known_entity_id": dreamt.subject_id},
                {"ref": "search_freshness", "name": "search freshness", "known_entity_id": dreamt.object_id},
            ],
            "relationships": [
                {
                    "proposal_id": "dense_mem_benefits_from_search_freshness",
                    "subject_ref": "dense_mem",
                    "predicate": "benefits_from",
                    "object_ref": "search_freshness",
                    "polarity": "+",
                    "evidence": [{"evidence_index": 0, "start": 0, "end": 73}],
                }
            ],
        },
    }


async def test_a_dream_carries_every_field_of_the_specs_example(
    api: Api, team: Caller, dreamt: Dreamt
) -> None:
    dream = (await (await api.client(team)).get(f"/v1/dreams/{dreamt.hypothesis_id}")).json()
    expected = {
        "hypothesis_id": dreamt.hypothesis_id,
        "team_id": team.team_id,
        "source_owner_profile_ids": [team.profile_id],
        "subject_entity_id": dreamt.subject_id,
        "predicate_key": "benefits_from",
        "object_entity_id": dreamt.object_id,
        "object_value_id": None,
        "statement": "Dense-Mem may benefit from search freshness.",
        "rationale": "Both are about recall.",
        "likelihood": 0.68,
        "confidence": 0.61,
        "source_relationship_ids": [dreamt.source_id],
        "source_candidate_relationship_ids": [],
        "source_versions": {dreamt.source_id: 1},
        "generator_kind": "rules",
        "generator_version": RULES_VERSION,
        "status": "proposed",
    }
    assert {name: dream[name] for name in expected} == expected
    assert dream["created_at"].endswith("Z")
    assert (dream["is_current"], dream["not_current_because"]) == (True, [])
    assert [premise["relationship_id"] for premise in dream["explanation"]["premises"]] == [dreamt.source_id]
    assert [event["event"] for event in dream["events"]] == ["accepted"]
    assert dream["submissions"] == []


async def test_the_specs_confirmation_is_submitted_placed_and_shown(
    api: Api, team: Caller, dreamt: Dreamt
) -> None:
    client = await api.client(team)
    answer = await client.post(dreamt.feedback, json=_spec_example(dreamt))
    assert answer.status_code == 200, answer.text
    result = answer.json()
    assert set(result) == {"hypothesis_id", "status", "ingest_id", "event_id"}
    assert (result["hypothesis_id"], result["status"]) == (dreamt.hypothesis_id, "submitted")
    await place_all(api.database, team)
    dream = (await client.get(f"/v1/dreams/{dreamt.hypothesis_id}")).json()
    (submission,) = dream["submissions"]
    assert submission["ingest_id"] == result["ingest_id"]
    assert (submission["decision"], submission["processing_state"]) == ("confirm_true", "completed")
    assert submission["ended_active"] is True
    (outcome,) = submission["relationship_outcomes"]
    assert (outcome["category"], outcome["status"]) == ("relationship_fact", "active")


@pytest.mark.parametrize(("field", "headers"), [({"wait_seconds": 30}, {}), ({}, {"Prefer": "wait=30"})])
async def test_a_client_that_waits_is_answered_when_its_confirmation_is_placed(
    api: Api, team: Caller, dreamt: Dreamt, field: dict[str, int], headers: dict[str, str]
) -> None:
    client = await api.client(team)
    body = _spec_example(dreamt) | field
    waiting = asyncio.create_task(client.post(dreamt.feedback, json=body, headers=headers))
    states = list[str]()
    while not waiting.done():
        dream = (await client.get(f"/v1/dreams/{dreamt.hypothesis_id}")).json()
        states += [one["processing_state"] for one in dream["submissions"]]
        if states:
            await place_all(api.database, team)
    dream = (await client.get(f"/v1/dreams/{dreamt.hypothesis_id}")).json()
    assert states[0] == "queued"
    assert (await waiting).json()["status"] == dream["status"] == "submitted"
    assert [one["processing_state"] for one in dream["submissions"]] == ["completed"]


async def test_nobody_waits_for_a_decision_without_evidence(api: Api, team: Caller, dreamt: Dreamt) -> None:
    client = await api.client(team)
    stale = {"decision": "stale", "wait_seconds": 1}
    for preference, status in (("wait=2", 422), ("wait=31", 422), ("wait=1", 200)):
        answer = await client.post(dreamt.feedback, json=stale, headers={"Prefer": preference})
        assert answer.status_code == status, preference


async def test_a_repeated_confirmation_gets_the_first_answer(api: Api, team: Caller, dreamt: Dreamt) -> None:
    client = await api.client(team)
    body = _spec_example(dreamt) | {"idempotency_key": "confirm"}
    first = await client.post(dreamt.feedback, json=body)
    second = await client.post(dreamt.feedback, json=body)
    assert first.json() == second.json()
    assert second.headers["idempotency-replayed"] == "true"
    again = await client.post(dreamt.feedback, json=_spec_example(dreamt))
    assert (again.status_code, again.json()["code"]) == (409, "wrong_state")


@pytest.mark.parametrize(
    ("decision", "status"),
    [("reinforce", "reinforced"), ("stale", "stale"), ("reject", "rejected"), ("ignore", "proposed")],
)
async def test_a_decision_without_evidence_moves_only_the_hypothesis(
    api: Api, team: Caller, dreamt: Dreamt, decision: str, status: str
) -> None:
    client = await api.client(team)
    answer = await client.post(dreamt.feedback, json={"decision": decision, "reason": "as it seems"})
    assert answer.status_code == 200
    result = answer.json()
    assert (result["status"], result["ingest_id"]) == (status, None)
    dream = (await client.get(f"/v1/dreams/{dreamt.hypothesis_id}")).json()
    assert (dream["events"][-1]["event"], dream["events"][-1]["reason"]) == (decision, "as it seems")


@dataclass(frozen=True, slots=True)
class _Refused:
    changes: dict[str, Any]  # JSON.
    status: int
    code: str


@pytest.mark.parametrize(
    "refused",
    [
        _Refused({"evidence": None, "proposal": None}, 422, "evidence_required"),
        _Refused({"evidence": []}, 422, "evidence_required"),
        _Refused({"evidence": [{"content": "  "}]}, 422, "evidence_required"),
        _Refused({"proposal": None}, 422, "evidence_required"),
        _Refused({"decision": "reject"}, 422, "evidence_not_allowed"),
        _Refused(
            {"evidence": [{"content": "dense-mem MAY benefit from search freshness"}]},
            422,
            "evidence_not_independent",
        ),
        _Refused({"decision": "confirm_false"}, 422, "proposal_target_mismatch"),
        _Refused({"hypothesis_id": f"hyp_{NOBODYS_ULID}"}, 422, "invalid_input"),
        _Refused({"decision": "promote"}, 422, "invalid_input"),
        _Refused({"status": "fact"}, 422, "invalid_input"),
        _Refused({"reason": "x" * 1001}, 422, "invalid_input"),
        _Refused({"actor_profile_id": f"prof_{NOBODYS_ULID}"}, 422, "invalid_input"),
    ],
)
async def test_feedback_that_proves_nothing_is_refused_and_changes_nothing(
    api: Api, team: Caller, dreamt: Dreamt, refused: _Refused
) -> None:
    client = await api.client(team)
    body = _spec_example(dreamt) | refused.changes
    if "evidence" in refused.changes and body["evidence"]:
        span = {"evidence_index": 0, "start": 0, "end": len(body["evidence"][0]["content"])}
        body["proposal"]["relationships"][0]["evidence"] = [span]
    answer = await client.post(dreamt.feedback, json=body)
    assert (answer.status_code, answer.json()["code"]) == (refused.status, refused.code), answer.text
    dream = (await client.get(f"/v1/dreams/{dreamt.hypothesis_id}")).json()
    assert (dream["status"], len(dream["events"]), dream["submissions"]) == ("proposed", 1, [])
    async with api.database.reading(Scope("app", team.team_id)) as reading:
        assert await reading.fetch_all("SELECT id FROM ingests") == []


async def test_a_wrong_body_about_no_hypothesis_is_not_found(api: Api, team: Caller) -> None:
    client = await api.client(team)
    answer = await client.post(f"/v1/dreams/{new_id('hyp')}/feedback", json={"decision": "promote"})
    assert answer.status_code == 404


async def test_dreams_are_filtered_and_sorted(
    api: Api, team: Caller, database: Database, dreamt: Dreamt
) -> None:
    client = await api.client(team)
    edge = Edge(dreamt.object_id, "part_of", dreamt.subject_id)
    other = await make_hypothesis(database, team, edge, [dreamt.source])
    await client.post(f"/v1/dreams/{other}/feedback", json={"decision": "stale"})

    async def ids(query: str) -> list[str]:
        answer = await client.get(f"/v1/dreams?{query}")
        assert answer.status_code == 200, answer.text
        return [item["hypothesis_id"] for item in answer.json()["items"]]

    assert await ids("") == [other, dreamt.hypothesis_id]
    assert await ids("status=proposed") == [dreamt.hypothesis_id]
    assert await ids("status=proposed&status=stale") == [other, dreamt.hypothesis_id]
    assert await ids("predicate=part_of") == [other]
    assert await ids(f"entity_id={dreamt.subject_id}") == [other, dreamt.hypothesis_id]
    assert await ids("entity_id=nonsense") == []
    assert await ids("run_id=nonsense") == []
    assert await ids("min_likelihood=0.7") == []
    assert await ids("created_after=2020-01-01T00:00:00Z&created_before=2020-01-02T00:00:00%2B01:00") == []
    assert await ids("generator_kind=provider") == []
    assert set(await ids("sort=likelihood")) == {other, dreamt.hypothesis_id}
    assert await ids("sort=review") == [dreamt.hypothesis_id]


async def test_pages_of_dreams_join_without_gap_or_repeat(
    api: Api, team: Caller, database: Database, dreamt: Dreamt
) -> None:
    made = {dreamt.hypothesis_id}
    for name in ("one", "two", "three", "four"):
        entity_id = await make_entity(database, team, name)
        edge = Edge(entity_id, "benefits_from", dreamt.object_id)
        made.add(await make_hypothesis(database, team, edge, [dreamt.source]))
    client = await api.client(team)
    seen: list[str] = []
    cursor: str | None = None
    while True:
        page = (
            await client.get("/v1/dreams", params={"limit": 2} | ({"cursor": cursor} if cursor else {}))
        ).json()
        seen += [item["hypothesis_id"] for item in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
        other_list = await client.get("/v1/entities", params={"cursor": cursor})
        other_filter = await client.get("/v1/dreams", params={"cursor": cursor, "status": "stale"})
        truncated = await client.get("/v1/dreams", params={"cursor": cursor[:-4]})
        for refused in (other_list, other_filter, truncated):
            assert (refused.status_code, refused.json()["code"]) == (422, "invalid_cursor")
    assert len(seen) == len(set(seen))
    assert set(seen) == made


async def test_another_teams_dream_is_not_there_in_any_way(
    api: Api, team: Caller, make_team: MakeTeam, dreamt: Dreamt
) -> None:
    stranger = await api.client(await make_team())
    missing = f"hyp_{NOBODYS_ULID}"
    for method, suffix, body in (
        ("GET", "", None),
        ("POST", "/feedback", {"decision": "reject"}),
        ("POST", "/feedback", {"decision": "nonsense"}),
    ):
        answers = [
            await stranger.request(method, f"/v1/dreams/{one}{suffix}", json=body)
            for one in (dreamt.hypothesis_id, missing)
        ]
        assert [answer.status_code for answer in answers] == [404, 404]
        bodies = [answer.json() | {"correlation_id": None} for answer in answers]
        assert bodies[0] == bodies[1]
    assert (await stranger.get("/v1/dreams")).json()["items"] == []
    dream = (await (await api.client(team)).get(f"/v1/dreams/{dreamt.hypothesis_id}")).json()
    assert dream["status"] == "proposed"
