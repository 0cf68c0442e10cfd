"""What is said twice is refused: of two values nobody knows which one was meant, or which one others read."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from app.api.app import build_openapi
from app.tenancy.callers import Caller
from tests.api.client import NOBODYS_ULID, Api, read_problem
from tests.factories import make_entity, make_relationship


def _parameters() -> list[tuple[str, str, bool]]:
    """Return path, name and whether it may be repeated, of every query parameter of the contract."""

    def is_list(schema: dict[str, Any]) -> bool:  # A JSON schema.
        return schema.get("type") == "array"

    return [
        (path, parameter["name"], is_list(parameter["schema"]))
        for path, methods in build_openapi()["paths"].items()
        for described in methods.values()
        for parameter in described.get("parameters", [])
        if parameter["in"] == "query"
    ]


_SAMPLES = {"limit": "5", "status": "open", "kind": "identity", "sort": "newest", "action": "key_created"}


@pytest.mark.parametrize(("path", "name", "is_list"), _parameters())
async def test_a_parameter_with_one_value_is_given_once(
    api: Api, team: Caller, path: str, name: str, is_list: bool
) -> None:
    client = await (api.admin() if path.startswith("/v1/teams") else api.client(team))
    ids = {"team_id": team.team_id, "entity_id": f"ent_{NOBODYS_ULID}"}
    if "{relationship_id}" in path:
        ends = [await make_entity(api.database, team, end) for end in ("FastAPI", "Starlette")]
        ids["relationship_id"] = (
            await make_relationship(api.database, team, ends[0], "depends_on", ends[1])
        ).relationship_id
    url = path.format(**ids)
    value = _SAMPLES.get(name, "x")
    answer = await client.get(f"{url}?{name}={value}&{name}={value}")
    repeated = {one["field"] for one in answer.json().get("errors", []) if one["code"] == "repeated"}
    assert repeated == (set() if is_list else {name})
    assert is_list or answer.status_code == 422


async def test_a_list_takes_its_parameter_several_times(api: Api, team: Caller) -> None:
    client = await api.client(team)
    assert (await client.get("/v1/dreams?status=stale&status=proposed")).status_code == 200


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (b'{"query": "a", "query": "a"}', "query"),
        (b'{"query": "a", "limit": 1, "\\u006cimit": 2}', "limit"),
        (b'{"query": "a", "x": [{"y": {"z": 1, "z": 2}}]}', "z"),
    ],
)
async def test_a_name_that_stands_twice_in_one_object_is_refused(
    api: Api, team: Caller, body: bytes, name: str
) -> None:
    client = await api.client(team)
    answer = await client.post("/v1/recall", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert [(one["field"], one["code"]) for one in read_problem(answer)["errors"]] == [
        (name, "duplicate_key")
    ]


async def test_one_name_in_two_objects_is_fine(api: Api, team: Caller) -> None:
    client = await api.client(team)
    body = {
        "evidence": [{"content": "a", "metadata": {"x": {"y": 1}, "y": {"x": 1}}}],
        "proposal": {"entities": [], "relationships": []},
    }
    answer = await client.post("/v1/remember", json=body)
    assert "duplicate_key" not in answer.text


async def test_a_body_in_pieces_has_the_same_limit(api: Api, team: Caller) -> None:
    seen = 0

    async def pieces() -> AsyncIterator[bytes]:
        nonlocal seen
        for _ in range(1000):
            seen += 1
            yield b" " * 10_000

    client = await api.client(team)
    headers = {"Content-Type": "application/json"}
    answer = await client.post("/v1/recall", content=pieces(), headers=headers)
    assert answer.status_code == 413
    assert "content-length" not in answer.request.headers
