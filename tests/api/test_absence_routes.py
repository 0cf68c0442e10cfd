"""Why there is no dream about a pair, and what became of the dreams, over HTTP."""

import pytest

from app.dreaming.generation import RULES_VERSION
from app.tenancy.callers import Caller
from tests.api.client import NOBODYS_ULID, Api, read_problem
from tests.cycles import make_pattern, run_once
from tests.factories import make_entity


async def test_what_stands_in_the_way_is_said_in_words_and_codes(api: Api, team: Caller) -> None:
    client = await api.client(team, scopes=("read",))
    first, second = [await make_entity(api.database, team, name) for name in ("FastAPI", "AnyIO")]
    body = {"subject_entity_id": first, "predicate_key": "uses", "object_entity_id": second}
    given = await client.post("/v1/dreams/why-not", json=body)
    assert given.status_code == 200, given.text
    assert given.json() == {
        "would_be_proposed": False,
        "blocked_by": [
            {
                "code": "no_path",
                "message": "Nothing that may be read connects its ends in one or two steps.",
                "ids": [],
            }
        ],
    }


@pytest.mark.parametrize(
    ("objects", "status"),
    [
        ({}, 422),
        ({"object_entity_id": f"ent_{NOBODYS_ULID}", "object_value_id": f"val_{NOBODYS_ULID}"}, 422),
        ({"object_entity_id": f"ent_{NOBODYS_ULID}", "note": "x"}, 422),
        ({"object_entity_id": f"ent_{NOBODYS_ULID}"}, 404),
        ({"object_value_id": "VAL_1"}, 404),
    ],
)
async def test_a_question_without_one_object_or_about_nothing_of_the_team_is_refused(
    api: Api, team: Caller, objects: dict[str, str], status: int
) -> None:
    client = await api.client(team)
    subject = await make_entity(api.database, team, "FastAPI")
    body = {"subject_entity_id": subject, "predicate_key": "uses", **objects}
    given = await client.post("/v1/dreams/why-not", json=body)
    assert (given.status_code, read_problem(given)["status"]) == (status, status)


async def test_an_entity_where_a_value_belongs_is_nothing_of_the_team(api: Api, team: Caller) -> None:
    client = await api.client(team)
    ends = [await make_entity(api.database, team, name) for name in ("FastAPI", "AnyIO")]
    body = {"subject_entity_id": ends[0], "predicate_key": "uses", "object_value_id": ends[1]}
    assert (await client.post("/v1/dreams/why-not", json=body)).status_code == 404


async def test_one_question_is_thought_through_at_a_time(api: Api, team: Caller) -> None:
    client = await api.client(team)
    body = {
        "subject_entity_id": f"ent_{NOBODYS_ULID}",
        "predicate_key": "uses",
        "object_entity_id": f"ent_{NOBODYS_ULID}",
    }
    async with api.app.state.door.thinking:
        given = await client.post("/v1/dreams/why-not", json=body)
    assert (given.status_code, read_problem(given)["code"]) == (409, "busy")


async def test_the_track_record_is_listed_and_part_of_the_status(api: Api, team: Caller) -> None:
    client = await api.client(team, scopes=("read",))
    await make_pattern(api.database, team)
    await run_once(api.database, team)
    outcomes = (await client.get("/v1/dreams/outcomes")).json()
    assert outcomes == {
        "items": [
            {
                "predicate_key": "uses",
                "generator_kind": "rules",
                "generator_version": RULES_VERSION,
                "dreamed": 1,
                "confirmed": 0,
                "refuted": 0,
                "rejected": 0,
                "expired": 0,
                "ignored": 0,
                "undecided": 1,
            }
        ],
        "next_cursor": None,
    }
    assert (await client.get("/v1/dreaming/status")).json()["outcomes"] == outcomes["items"]
