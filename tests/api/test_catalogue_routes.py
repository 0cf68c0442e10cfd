"""Entities, predicates, conflicts and reviews over HTTP."""

from typing import Any

import pytest

from app.kernel.database import Database
from app.ledger.predicates.seed import SEEDED_PREDICATES
from app.tenancy.callers import Caller
from tests.api.client import Api
from tests.case_factories import make_conflict, make_review
from tests.conftest import MakeProfile, MakeTeam
from tests.factories import make_entity, make_relationship

_KNITS: dict[str, Any] = {  # JSON.
    "predicate_key": "knits",
    "label": "knits",
    "verb_phrase": "knits",
    "aliases": ["crochets"],
}


async def test_entities_are_found_by_part_of_a_name(api: Api, team: Caller, database: Database) -> None:
    first = await make_entity(database, team, "C++", aliases=["cpp"])
    second = await make_entity(database, team, "50%_off", kind="concept")
    client = await api.client(team)

    async def ids(**params: str) -> list[str]:
        page = (await client.get("/v1/entities", params=params)).json()
        return [item["entity_id"] for item in page["items"]]

    assert await ids() == [second, first]
    assert await ids(search="c+") == [first]
    assert await ids(search="CPP") == [first]
    assert await ids(search="%_o") == [second]
    assert await ids(kind="concept") == [second]
    entity = (await client.get(f"/v1/entities/{first}")).json()
    assert (entity["name"], entity["kind"], entity["aliases"]) == ("C++", "product", ["cpp"])


async def test_seeded_predicates_are_in_every_teams_list(api: Api, team: Caller) -> None:
    page = (await (await api.client(team)).get("/v1/predicates", params={"limit": 100})).json()
    keys = [item["predicate_key"] for item in page["items"]]
    assert keys == [predicate.key for predicate in SEEDED_PREDICATES]
    assert page["next_cursor"] is None
    assert {item["lifecycle_state"] for item in page["items"]} == {"active"}


async def test_predicates_come_in_pages(api: Api, team: Caller, make_team: MakeTeam) -> None:
    client = await api.client(team)
    keys: list[str] = []
    cursor: str | None = None
    while not keys or cursor is not None:
        params = {"limit": "7"} if cursor is None else {"limit": "7", "cursor": cursor}
        page = (await client.get("/v1/predicates", params=params)).json()
        keys += [item["predicate_key"] for item in page["items"]]
        cursor = page["next_cursor"]
    assert keys == [predicate.key for predicate in SEEDED_PREDICATES]
    first = (await client.get("/v1/predicates")).json()
    assert len(first["items"]) == 20
    stranger = await api.client(await make_team())
    for asked, params in [
        (client, {"limit": "0"}),
        (client, {"limit": "101"}),
        (client, {"cursor": "forged"}),
        (stranger, {"cursor": first["next_cursor"]}),
    ]:
        assert (await asked.get("/v1/predicates", params=params)).status_code == 422


@pytest.mark.parametrize(
    "stolen",
    [
        {"aliases": ["depends on"]},
        {"aliases": ["depend_on"]},
        {"label": "Depends on"},
        {"verb_phrase": "depends on"},
        {"predicate_key": "depend_on"},
        {"aliases": ["is required by"]},
    ],
)
async def test_no_predicate_takes_the_words_of_another(
    api: Api, team: Caller, stolen: dict[str, Any]
) -> None:
    hates: dict[str, Any] = {"predicate_key": "hates", "label": "Hates", "verb_phrase": "hates"}  # JSON.
    client = await api.client(team)
    taken = await client.post("/v1/predicates", json=hates | stolen)
    assert (taken.status_code, taken.json()["code"]) == (409, "name_taken")
    assert (await client.post("/v1/predicates", json=hates)).status_code == 201
    changes = {key: value for key, value in stolen.items() if key != "predicate_key"}
    if changes:
        taken = await client.patch("/v1/predicates/hates", json=changes)
        assert (taken.status_code, taken.json()["code"]) == (409, "name_taken")


async def test_a_registered_predicate_belongs_to_its_team_and_changes_by_versions(
    api: Api, team: Caller, make_team: MakeTeam
) -> None:
    client = await api.client(team)
    registered = await client.post("/v1/predicates", json=_KNITS)
    assert (registered.status_code, registered.json()["version"]) == (201, 1)
    change = {"label": "knits or sews", "expected_version": 1}
    changed = await client.patch("/v1/predicates/knits", json=change)
    assert (changed.status_code, changed.json()["version"]) == (200, 2)
    assert changed.json()["aliases"] == ["crochets"]
    outdated = await client.patch("/v1/predicates/knits", json=change)
    assert (outdated.status_code, outdated.json()["code"]) == (412, "version_mismatch")
    taken = await client.post("/v1/predicates", json=_KNITS | {"predicate_key": "crochets", "aliases": []})
    assert (taken.status_code, taken.json()["code"]) == (409, "name_taken")
    stranger = await api.client(await make_team())
    assert (await stranger.patch("/v1/predicates/knits", json=change)).status_code == 404
    assert (await stranger.post("/v1/predicates", json=_KNITS)).status_code == 201


async def test_a_repeated_registration_is_one_predicate(api: Api, team: Caller) -> None:
    client = await api.client(team)
    body = _KNITS | {"idempotency_key": "knits"}
    first, second = [await client.post("/v1/predicates", json=body) for _ in range(2)]
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"predicate_key": "Knits"}, "predicate_key"),
        ({"predicate_key": "knits\n"}, "predicate_key"),
        ({"label": ""}, "label"),
        ({"verb_phrase": "is"}, "verb_phrase"),
        ({"verb_phrase": "."}, "verb_phrase"),
        ({"verb_phrase": "does not like"}, "verb_phrase"),
        ({"verb_phrase": "knit"}, "verb_phrase"),
        ({"predicate_key": "never_knits"}, "predicate_key"),
        ({"aliases": ["Name"]}, "aliases.0"),
        ({"allowed_subject_kinds": ["animal"]}, "allowed_subject_kinds.0"),
        ({"current_cardinality": "two"}, "current_cardinality"),
        ({"inverse_key": "unheard_of"}, "inverse_key"),
    ],
)
async def test_a_wrong_predicate_names_its_field(
    api: Api, team: Caller, changes: dict[str, Any], field: str
) -> None:
    answer = await (await api.client(team)).post("/v1/predicates", json=_KNITS | changes)
    assert answer.status_code == 422, answer.text
    assert field in [error["field"] for error in answer.json()["errors"]]


async def test_conflicts_and_reviews_are_listed_for_their_team_only(
    api: Api, team: Caller, database: Database, make_profile: MakeProfile, make_team: MakeTeam
) -> None:
    other = await make_profile(team, "Second")
    subject = await make_entity(database, team, "FastAPI")
    licences = [await make_entity(database, team, name, kind="document") for name in ("MIT", "BSD")]
    positions = [
        await make_relationship(database, caller, subject, "licensed_under", licence)
        for caller, licence in zip((team, other), licences, strict=True)
    ]
    conflict_id = await make_conflict(database, team, subject, positions)
    review_id = await make_review(database, team, positions[0].relationship_id, kind="scope")
    client = await api.client(team)
    (conflict,) = (await client.get("/v1/conflicts?status=open")).json()["items"]
    assert (conflict["conflict_id"], conflict["status"]) == (conflict_id, "open")
    held = sorted(one for position in conflict["positions"] for one in position["relationship_ids"])
    assert held == sorted(position.relationship_id for position in positions)
    assert (await client.get("/v1/conflicts?status=overdue")).json()["items"] == []
    (review,) = (await client.get("/v1/reviews?status=open&kind=scope")).json()["items"]
    assert (review["review_id"], review["relationship_id"]) == (review_id, positions[0].relationship_id)
    assert (await client.get("/v1/reviews?kind=identity")).json()["items"] == []
    stranger = await api.client(await make_team())
    for path in ("/v1/conflicts", "/v1/reviews"):
        assert (await stranger.get(path)).json() == {"items": [], "next_cursor": None}
