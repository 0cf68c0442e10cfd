"""Taking back, deciding conflicts and reviews, merging entities: over HTTP."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from app.kernel.database import Database, Scope
from app.tenancy.callers import Caller
from tests.api.client import NOBODYS_ULID, Api, example_submission, read_problem
from tests.api.placing import place_all
from tests.conftest import MakeProfile, MakeTeam
from tests.factories import make_entity


@dataclass(frozen=True, slots=True)
class Scene:
    """Two profiles that disagree about a licence, and a position that waits for a review."""

    owner: httpx2.AsyncClient
    colleague: httpx2.AsyncClient
    ids: Mapping[str, str]


def licence(name: str, *, subject: str = "FastAPI", **evidence: object) -> dict[str, Any]:  # JSON.
    content = f"{subject} is licensed under {name}."
    return {
        "evidence": [{"content": content, **evidence}],
        "proposal": {
            "entities": [{"ref": "s", "name": subject}, {"ref": "o", "name": name}],
            "relationships": [
                {
                    "proposal_id": "p1",
                    "subject_ref": "s",
                    "predicate": "licensed_under",
                    "object_ref": "o",
                    "evidence": [{"evidence_index": 0, "start": 0, "end": len(content)}],
                }
            ],
        },
    }


async def remember(
    api: Api,
    caller: Caller,
    client: httpx2.AsyncClient,
    body: dict[str, Any],  # JSON.
) -> dict[str, Any]:  # A placement.
    accepted = await client.post("/v1/remember", json=body)
    assert accepted.status_code == 202, accepted.text
    await place_all(api.database, caller)
    placement = await client.get(f"/v1/placements/{accepted.json()['ingest_id']}")
    return dict(placement.json())


@pytest.fixture
async def scene(api: Api, team: Caller, make_profile: MakeProfile) -> Scene:
    other = await make_profile(team, "Second")
    owner, colleague = await api.client(team), await api.client(other)
    mine = await remember(api, team, owner, licence("BSD"))
    await remember(api, other, colleague, licence("MIT"))
    held = await remember(api, team, owner, licence("ISC"))
    [conflict] = (await owner.get("/v1/conflicts")).json()["items"]
    relationship_id = mine["relationship_outcomes"][0]["relationship_id"]
    traced = (await owner.get(f"/v1/relationships/{relationship_id}/trace")).json()
    return Scene(
        owner,
        colleague,
        {
            "relationship_id": relationship_id,
            "evidence_id": mine["evidence"][0]["evidence_id"],
            "conflict_id": conflict["conflict_id"],
            "position_id": next(
                one["position_id"]
                for one in conflict["positions"]
                if relationship_id in one["relationship_ids"]
            ),
            "review_id": held["relationship_outcomes"][0]["review_id"],
            "held_id": held["relationship_outcomes"][0]["relationship_id"],
            "ingest_id": held["ingest_id"],
            "entity_id": traced["relationship"]["subject"]["entity_id"],
        },
    )


_ROUTES: list[tuple[str, str, dict[str, Any] | None]] = [  # JSON.
    ("POST", "/v1/relationships/{relationship_id}/retract", {}),
    ("GET", "/v1/evidence/{evidence_id}", None),
    ("POST", "/v1/evidence/{evidence_id}/retract", {}),
    ("POST", "/v1/conflicts/{conflict_id}/resolve", {"decision": "dismiss"}),
    ("POST", "/v1/reviews/{review_id}/resolve", {"choice": "reject"}),
    ("GET", "/v1/entities/{entity_id}/merge-suggestions", None),
    ("POST", "/v1/entities/{entity_id}/merge", {"into_entity_id": f"ent_{NOBODYS_ULID}"}),
    ("POST", "/v1/entities/{entity_id}/unmerge", {}),
]


@pytest.mark.parametrize(("method", "path", "body"), _ROUTES, ids=[path for _, path, _ in _ROUTES])
async def test_another_teams_id_is_answered_like_a_missing_one(
    api: Api,
    scene: Scene,
    make_team: MakeTeam,
    method: str,
    path: str,
    body: dict[str, Any] | None,  # JSON.
) -> None:
    stranger = await api.client(await make_team())
    missing = {name: f"{one.partition('_')[0]}_{NOBODYS_ULID}" for name, one in scene.ids.items()}
    answers = [
        await stranger.request(method, path.format_map(ids), json=body) for ids in (scene.ids, missing)
    ]
    assert {answer.status_code for answer in answers} == {404}
    assert read_problem(answers[0]) == read_problem(answers[1])


async def test_a_relationship_is_taken_back_by_its_owner_once(scene: Scene) -> None:
    url = f"/v1/relationships/{scene.ids['relationship_id']}/retract"
    refused = await scene.colleague.post(url, json={})
    assert (refused.status_code, refused.json()["code"]) == (403, "not_owner")
    answer = await scene.owner.post(url, json={"reason": "A mistake."})
    assert answer.status_code == 200
    first = answer.json()["changed"][0]
    assert first == {"id": scene.ids["relationship_id"], "status": "retracted", "version": 3}
    again = await scene.owner.post(url)
    assert (again.status_code, again.json()) == (200, {"changed": []})
    traced = (await scene.owner.get(url.replace("retract", "trace"))).json()
    assert traced["relationship"]["status"] == "retracted"
    assert (traced["transitions"][-1]["reason"], traced["transitions"][-1]["note"]) == (
        "retracted",
        "A mistake.",
    )
    assert [one["is_granted"] for one in traced["supports"]] == [False]
    [conflict] = (await scene.owner.get("/v1/conflicts")).json()["items"]
    assert (conflict["status"], conflict["close_reason"]) == ("dismissed", "position_withdrawn")


async def test_evidence_is_shown_and_taken_back_by_its_submitter_once(scene: Scene) -> None:
    url = f"/v1/evidence/{scene.ids['evidence_id']}"
    shown = (await scene.colleague.get(url)).json()
    assert shown["content"] == "FastAPI is licensed under BSD."
    assert (shown["state"], shown["is_current"], shown["cited_by"]) == (
        "active",
        True,
        [scene.ids["relationship_id"]],
    )
    refused = await scene.colleague.post(f"{url}/retract")
    assert (refused.status_code, refused.json()["code"]) == (403, "not_owner")
    changed = (await scene.owner.post(f"{url}/retract")).json()["changed"]
    assert changed[0] == {"id": scene.ids["evidence_id"], "status": "retracted", "version": None}
    assert changed[1] == {"id": scene.ids["relationship_id"], "status": "pending_evidence", "version": 3}
    assert (await scene.owner.post(f"{url}/retract")).json() == {"changed": []}
    assert (await scene.owner.get(url)).json()["state"] == "retracted"


async def test_quarantined_evidence_is_read_by_its_submitter_and_operators_only(
    api: Api, unruled: Database, team: Caller, make_profile: MakeProfile, scene: Scene
) -> None:
    await unruled.unit_of_work(
        Scope("app", team.team_id),
        lambda w: w.execute(
            "UPDATE evidence SET state = 'quarantined' WHERE team_id = %(team_id)s", {"team_id": team.team_id}
        ),
    )
    reader = await api.client(await make_profile(team, "Third"), scopes=["read"])
    operator = await api.client(await make_profile(team, "Fourth"), scopes=["read", "operate"])
    url = f"/v1/evidence/{scene.ids['evidence_id']}"
    contents = [(await client.get(url)).json()["content"] for client in (reader, operator, scene.owner)]
    assert contents == [None, *["FastAPI is licensed under BSD."] * 2]


async def test_a_conflict_is_resolved_and_recall_tells(scene: Scene) -> None:
    url = f"/v1/conflicts/{scene.ids['conflict_id']}/resolve"
    for wrong in ({"decision": "prefer"}, {"decision": "prefer", "preferred_position_id": "pos_x"}):
        answer = await scene.owner.post(url, json=wrong)
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "preferred_position_id")
    body = {"decision": "prefer", "preferred_position_id": scene.ids["position_id"], "reason": "As it says."}
    answer = await scene.colleague.post(url, json=body)
    assert answer.status_code == 200
    resolved = answer.json()
    assert (resolved["status"], resolved["close_reason"]) == ("resolved", "As it says.")
    again = await scene.owner.post(url, json=body)
    assert (again.status_code, again.json()["code"]) == (409, "wrong_state")
    recalled = (await scene.owner.post("/v1/recall", json={"query": "FastAPI licence"})).json()
    [conflict] = recalled["conflicts"]
    assert conflict["preferred_position_id"] == scene.ids["position_id"]


async def test_a_review_is_resolved_and_its_placement_ends(scene: Scene) -> None:
    url = f"/v1/reviews/{scene.ids['review_id']}/resolve"
    wrong = await scene.owner.post(url, json={"choice": "perhaps"})
    assert (wrong.status_code, wrong.json()["code"]) == (422, "choice_invalid")
    refused = await scene.colleague.post(url, json={"choice": "accept"})
    assert (refused.status_code, refused.json()["code"]) == (403, "not_owner")
    answer = await scene.owner.post(url, json={"choice": "accept", "reason": "It changed."})
    assert answer.status_code == 200
    resolved = answer.json()
    assert (resolved["status"], resolved["choice"], resolved["close_reason"]) == (
        "resolved",
        {"choice": "accept"},
        "It changed.",
    )
    placement = (await scene.owner.get(f"/v1/placements/{scene.ids['ingest_id']}")).json()
    assert placement["processing_state"] == "completed"
    assert placement["relationship_outcomes"][0]["category"] == "relationship_validated_claim"
    again = await scene.owner.post(url, json={"choice": "accept"})
    assert (again.status_code, again.json()["code"]) == (409, "wrong_state")


async def test_a_proposal_that_was_held_is_placed_after_the_answer(
    api: Api, team: Caller, database: Database
) -> None:
    client = await api.client(team)
    chosen, _ = [await make_entity(database, team, "Starlette", kind="other") for _ in range(2)]
    held = await remember(api, team, client, example_submission())
    [outcome] = held["relationship_outcomes"]
    assert outcome["category"] == "identity_needs_review"
    [review] = (await client.get("/v1/reviews?status=open")).json()["items"]
    assert chosen in review["options"]
    await client.post(f"/v1/reviews/{outcome['review_id']}/resolve", json={"choice": chosen})
    waiting = (await client.get(f"/v1/placements/{held['ingest_id']}")).json()
    assert (waiting["processing_state"], waiting["relationship_outcomes"][0]["category"]) == ("queued", None)
    await place_all(api.database, team)
    placed = (await client.get(f"/v1/placements/{held['ingest_id']}")).json()
    assert placed["processing_state"] == "completed"
    assert placed["relationship_outcomes"][0]["verdict"] == "entailed"


async def test_entities_are_suggested_merged_and_unmerged(
    scene: Scene, database: Database, team: Caller
) -> None:
    other = await make_entity(database, team, "Fast API", kind="other")
    suggested = (await scene.colleague.get(f"/v1/entities/{scene.ids['entity_id']}/merge-suggestions")).json()
    assert [(one["entity"]["entity_id"], one["likeness"]) for one in suggested["suggestions"]] == [
        (other, "same_letters")
    ]
    url = f"/v1/entities/{other}"
    merged = await scene.owner.post(f"{url}/merge", json={"into_entity_id": scene.ids["entity_id"]})
    assert merged.status_code == 200
    assert merged.json()["survivor_entity_id"] == scene.ids["entity_id"]
    assert (await scene.owner.get(url)).status_code == 404
    survivor = (await scene.owner.get(f"/v1/entities/{scene.ids['entity_id']}")).json()
    assert survivor["aliases"] == ["Fast API"]
    undone = await scene.owner.post(f"{url}/unmerge")
    assert undone.json()["merge_id"] == merged.json()["merge_id"]
    assert (await scene.owner.get(url)).status_code == 200
    again = await scene.owner.post(f"{url}/unmerge")
    assert (again.status_code, again.json()["code"]) == (409, "not_merged")
    held = await scene.owner.post(
        f"/v1/entities/{scene.ids['entity_id']}/merge", json={"into_entity_id": other}
    )
    assert (held.status_code, held.json()["code"]) == (409, "review_open")


@pytest.mark.parametrize("route", ["retract_relationship", "resolve_conflict", "resolve_review", "merge"])
async def test_a_repeated_request_gets_the_first_ones_answer(
    scene: Scene, database: Database, team: Caller, route: str
) -> None:
    other = await make_entity(database, team, "Fast API", kind="other")
    path, body = {
        "retract_relationship": (f"/v1/relationships/{scene.ids['relationship_id']}/retract", {}),
        "resolve_conflict": (f"/v1/conflicts/{scene.ids['conflict_id']}/resolve", {"decision": "dismiss"}),
        "resolve_review": (f"/v1/reviews/{scene.ids['review_id']}/resolve", {"choice": "reject"}),
        "merge": (f"/v1/entities/{other}/merge", {"into_entity_id": scene.ids["entity_id"]}),
    }[route]
    headers = {"Idempotency-Key": "once"}
    first, second = [await scene.owner.post(path, json=body, headers=headers) for _ in range(2)]
    assert (first.status_code, second.status_code) == (200, 200)
    assert first.json() == second.json()
    assert second.headers["idempotency-replayed"] == "true"


async def test_a_stale_revision_is_refused_with_its_own_code(api: Api, team: Caller) -> None:
    client = await api.client(team)
    source = {"source_key": "https://example.org/licence"}
    assert (await client.post("/v1/remember", json=licence("BSD", source_revision="1", **source))).status_code
    answer = await client.post(
        "/v1/remember",
        json=licence("MIT", source_revision="3", previous_source_revision="2", **source),
    )
    assert (answer.status_code, answer.json()["code"]) == (409, "stale_revision")
