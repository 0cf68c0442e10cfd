"""Strange requests: refused by name or taken unchanged, never a fault."""

import re

import pytest

from app.kernel.pages import encode_cursor
from app.tenancy.callers import Caller
from tests.api.client import NOBODYS_ULID, Api, read_problem

_LISTS = ("/v1/dreams", "/v1/cycle-runs", "/v1/entities", "/v1/conflicts", "/v1/reviews", "/v1/audit")


@pytest.mark.parametrize("path", _LISTS)
@pytest.mark.parametrize(
    "limit",
    ["-1", "0", "101", "1e9", "x", "", "1.5", "9" * 40, "%00", "٣٣٣", "1_0", "%2B1", "%201", "01", "1.0"],
)
async def test_a_limit_outside_1_to_100_is_refused(api: Api, team: Caller, path: str, limit: str) -> None:
    answer = await (await api.client(team)).get(f"{path}?limit={limit}")
    assert answer.status_code == 422
    assert [error["field"] for error in read_problem(answer)["errors"]] == ["limit"]


@pytest.mark.parametrize("path", _LISTS)
@pytest.mark.parametrize("cursor", ["x", "%00", "AAAA", "a" * 5000, "🦄", "WzFd", "=", "'"])
async def test_a_forged_cursor_is_refused(api: Api, team: Caller, path: str, cursor: str) -> None:
    answer = await (await api.client(team)).get(path, params={"cursor": cursor})
    assert answer.status_code == 422


async def test_a_field_that_is_missing_or_unknown_is_said_to_be(api: Api, team: Caller) -> None:
    answer = await (await api.client(team)).post("/v1/recall", json={"text": "FastAPI"})
    said = {error["field"]: (error["code"], error["message"]) for error in read_problem(answer)["errors"]}
    assert said == {
        "query": ("missing", "This field is needed."),
        "text": ("extra_forbidden", "There is no such field here."),
    }


@pytest.mark.parametrize("position", [["no time", "x"], ["2026-01-01T00:00:00+00:00", "a\0b"]])
async def test_a_cursor_made_up_with_the_right_checksum_is_refused(
    api: Api, team: Caller, position: list[str]
) -> None:
    filters = {"team_id": team.team_id, "search": None, "kind": None}
    cursor = encode_cursor("list_entities", filters, position)
    answer = await (await api.client(team)).get("/v1/entities", params={"cursor": cursor})
    assert answer.status_code == 422


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/v1/dreams", "status=unheard_of"),
        ("/v1/dreams", "sort=best"),
        ("/v1/dreams", "min_likelihood=NaN"),
        ("/v1/dreams", "min_likelihood=1.1"),
        *(("/v1/dreams", f"min_likelihood={text}") for text in ("%2B1", ".5", "1.", "0_1", "%200.5", "00.5")),
        ("/v1/dreams", "created_after=yesterday"),
        ("/v1/dreams", "created_after=1700000000"),
        ("/v1/dreams", "created_after=2026-11-29T00:00:00"),
        ("/v1/dreams", "created_before=9999-12-31T23:59:59-23:59"),
        ("/v1/dreams", "entity_id=%00"),
        ("/v1/dreams", "predicate="),
        ("/v1/cycle-runs", "status=done"),
        ("/v1/cycle-runs", "window=%00"),
        ("/v1/entities", "kind=animal"),
        ("/v1/entities", "search=%00"),
        ("/v1/conflicts", "status=closed"),
        ("/v1/reviews", "kind=other"),
    ],
)
async def test_a_wrong_filter_is_refused_by_name(api: Api, team: Caller, path: str, query: str) -> None:
    answer = await (await api.client(team)).get(f"{path}?{query}")
    assert answer.status_code == 422
    field = query.partition("=")[0]
    assert {error["field"].partition(".")[0] for error in read_problem(answer)["errors"]} == {field}


@pytest.mark.parametrize(
    ("path", "query", "field"),
    [
        ("/v1/entities", "search=%ff", "search"),
        ("/v1/entities", "search=a&cursor=%ED%A0%80", "cursor"),
        ("/v1/entities", "%ff=1", "?"),
        ("/v1/cycle-runs", "window=%C3", "window"),
        ("/v1/dreams", "status=open&status=%80", "status"),
        ("/v1/dreaming/settings", "%ff", "?"),
    ],
)
async def test_a_query_that_is_no_unicode_is_refused(
    api: Api, team: Caller, path: str, query: str, field: str
) -> None:
    answer = await (await api.client(team)).get(f"{path}?{query}")
    assert answer.status_code == 422
    assert [(error["field"], error["code"]) for error in read_problem(answer)["errors"]] == [
        (field, "text_invalid")
    ]


async def test_a_query_may_be_written_in_plain_utf_8(api: Api, team: Caller) -> None:
    client = await api.client(team)
    for path in ("/v1/entities?search=Zo%C3%AB", "/v1/entities?search=Zoë", "/v1/dreams?min_likelihood=5e-1"):
        assert (await client.get(path)).status_code == 200


async def test_the_clients_request_id_comes_back_and_ours_replaces_an_unusable_one(api: Api) -> None:
    async def ask(request_id: str) -> str:
        answer = await api.anonymous().get("/healthz", headers={"X-Request-Id": request_id})
        return str(answer.headers["x-request-id"])

    assert await ask("my request 7") == "my request 7"
    assert await ask("a" * 128) == "a" * 128
    # The last two are secrets by their look: an id is logged and stored.
    for unusable in ("", "a" * 129, "tab\there", "AKIA" + "Q" * 16, "password=swordfish99"):
        ours = await ask(unusable)
        assert re.fullmatch("[0-9a-f]{32}", ours)
        # Whoever sends it back is answered under it.
        assert await ask(ours) == ours


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/v1/nothing", 404, "not_found"),
        ("GET", "/v1/dreams/", 404, "not_found"),
        ("GET", "/docs", 404, "not_found"),
        ("DELETE", "/v1/dreams", 405, "method_not_allowed"),
        ("PUT", f"/v1/dreams/hyp_{NOBODYS_ULID}", 405, "method_not_allowed"),
    ],
)
async def test_a_wrong_path_or_method_is_a_problem_too(
    api: Api, team: Caller, method: str, path: str, status: int, code: str
) -> None:
    answer = await (await api.client(team)).request(method, path)
    assert answer.status_code == status
    problem = read_problem(answer)
    assert (problem["code"], problem["status"], problem["retryable"]) == (code, status, False)
    assert ("allow" in answer.headers) == (status == 405)


async def test_a_refused_method_is_answered_with_all_that_the_path_takes(api: Api, team: Caller) -> None:
    client = await api.client(team)
    settings = await client.delete("/v1/dreaming/settings")
    dream = await client.delete(f"/v1/dreams/hyp_{NOBODYS_ULID}")
    assert (settings.headers["allow"], dream.headers["allow"]) == ("GET, PATCH", "GET")


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "application/json", "Content-Encoding": "gzip"},
        {"Content-Type": "application/json; charset=utf-16"},
        {"Content-Type": "application/x-www-form-urlencoded"},
    ],
)
async def test_a_body_is_plain_json_in_utf_8(api: Api, team: Caller, headers: dict[str, str]) -> None:
    client = await api.client(team)
    answer = await client.post("/v1/recall", headers=headers, content=b'{"query": "x"}')
    assert answer.status_code == 415


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"", 400),
        (b"\xff\xfe", 400),
        (b'{"query": "\xff"}', 400),
        (b'{"query": "a"} {}', 400),
        (b'{"query": NaN}', 400),
        (b"[" * 100_000, 400),
        (b'{"query": ' + b"[" * 150 + b"]" * 150 + b"}", 422),
        (b'{"query": "a", "limit": 1' + b"0" * 5000 + b"}", 400),
        (b"null", 422),
        (b'"query"', 422),
        (b'{"query": "\\ud800"}', 422),
        (b'{"query": "\\udc00 and more"}', 422),
        (b'{"query": "\\u0000"}', 422),
        (b'{"query": 7}', 422),
        (b'{"query": "a", "limit": "7"}', 422),
        (b'{"query": "a", "limit": 7.5}', 422),
        (b'{"query": "a", "limit": true}', 422),
        (b'{"query": "a", "limit": 1' + b"0" * 40 + b"}", 422),
        (b'{"query": "a", "valid_at": 1700000000}', 422),
        (b'{"query": "a", "valid_at": "2026-11-29"}', 422),
        (b'{"query": "\\ud83e\\udd84 <|endoftext|> \\u202e"}', 200),
    ],
)
async def test_a_strange_body_is_refused_or_taken_but_never_a_fault(
    api: Api, team: Caller, content: bytes, status: int
) -> None:
    client = await api.client(team)
    answer = await client.post("/v1/recall", headers={"Content-Type": "application/json"}, content=content)
    assert answer.status_code == status, answer.text


async def test_a_problem_says_what_to_do(api: Api, team: Caller) -> None:
    answer = await (await api.client(team)).post("/v1/recall", json={"query": ""})
    problem = read_problem(answer)
    assert set(problem) == {
        *("type", "title", "status", "detail", "code", "retryable", "next_action", "errors")
    }
    assert problem["errors"][0]["field"] == "query"
    assert problem["next_action"]
