"""What holds on every route: who is refused, in which order, and what a refusal looks like."""

from typing import Any

import httpx2
import pytest

from app.kernel.database import Scope
from app.kernel.pages import encode_cursor
from app.tenancy.callers import Caller, KeyScope
from app.tenancy.keys import revoke_key
from tests.api.client import NOBODYS_ULID, Api, Operation, example_submission, operations

_IDS = {
    "ingest_id": f"ing_{NOBODYS_ULID}",
    "relationship_id": f"rel_{NOBODYS_ULID}",
    "entity_id": f"ent_{NOBODYS_ULID}",
    "hypothesis_id": f"hyp_{NOBODYS_ULID}",
    "run_id": f"run_{NOBODYS_ULID}",
    "team_id": f"team_{NOBODYS_ULID}",
    "key_id": f"key_{NOBODYS_ULID}",
    "predicate_key": "nobodys_predicate",
}
_MALFORMED = (
    *("x", "hyp_", "null", "%00", "%F0%9F%A6%84", "%ED%A0%80", "a" * 3000, "..%2f..%2fetc", "' OR 1=1 --"),
    *(f"rel_{NOBODYS_ULID}0", f"REL_{NOBODYS_ULID}", f"rel_{'I' * 26}", f"rel_{'z' * 26}"),
)
_CLOSED = [operation for operation in operations() if not operation.is_open]
_ADMIN_ROUTES = [one for one in _CLOSED if one.path.startswith(("/v1/teams", "/v1/keys"))]
_TEAM_ROUTES = [one for one in _CLOSED if one not in _ADMIN_ROUTES]
_WITH_ID = [one for one in _CLOSED if "{" in one.path]
_WITH_BODY = [one for one in _CLOSED if one.has_body]
# One of these knows no such Hypothesis first, the other's body may name a profile.
_WITH_CLOSED_BODY = [
    one for one in _WITH_BODY if one.operation_id not in ("resolve_dream_feedback", "create_key")
]
_LISTS = ("/v1/dreams", "/v1/cycle-runs", "/v1/entities", "/v1/conflicts", "/v1/reviews")


def _named(operation: Operation) -> str:
    return operation.operation_id


def _comparable(response: httpx2.Response) -> dict[str, Any]:  # A problem, as JSON.
    """Return the problem without the id of its request."""
    assert response.headers["content-type"] == "application/problem+json"
    body: dict[str, Any] = response.json()
    assert body.pop("correlation_id") == response.headers["x-request-id"]
    return body


async def _call(
    client: httpx2.AsyncClient,
    operation: Operation,
    *,
    headers: dict[str, str] | None = None,
    content: bytes = b"{}",
    query: str = "",
) -> httpx2.Response:
    sent = {"Content-Type": "application/json"} if operation.has_body else {}
    return await client.request(
        operation.method,
        operation.path.format_map(_IDS) + query,
        headers=sent | (headers or {}),
        content=content if operation.has_body else None,
    )


async def _call_with_right_key(
    api: Api, team: Caller, operation: Operation, **options: Any
) -> httpx2.Response:  # As `_call`.
    client = await (api.admin() if operation in _ADMIN_ROUTES else api.client(team))
    return await _call(client, operation, **options)


@pytest.mark.parametrize("operation", _CLOSED, ids=_named)
async def test_every_kind_of_bad_key_is_refused_with_one_body(
    api: Api, team: Caller, operation: Operation
) -> None:
    revoked = await api.make_key(team)
    await api.database.unit_of_work(Scope("app"), lambda writing: revoke_key(writing, revoked.key_id))
    offers = ["", "Basic YTpi", "Bearer", "Bearer dm_", "Bearer dm_" + "a" * 43, f"Bearer {revoked.secret}"]
    answers = [await _call(api.anonymous(), operation)]
    answers += [await _call(api.anonymous(), operation, headers={"Authorization": one}) for one in offers]
    assert {answer.status_code for answer in answers} == {401}
    assert {answer.headers["www-authenticate"] for answer in answers} == {"Bearer"}
    bodies = [_comparable(answer) for answer in answers]
    assert all(body == bodies[0] for body in bodies)
    assert bodies[0]["code"] == "unauthenticated"


@pytest.mark.parametrize("operation", _TEAM_ROUTES, ids=_named)
async def test_an_admin_key_reads_and_writes_no_teams_content(api: Api, operation: Operation) -> None:
    answer = await _call(await api.admin(), operation)
    assert answer.status_code == 403
    assert _comparable(answer)["code"] == "missing_scope"


@pytest.mark.parametrize("operation", _ADMIN_ROUTES, ids=_named)
async def test_a_teams_key_manages_no_teams(api: Api, team: Caller, operation: Operation) -> None:
    answer = await _call(await api.client(team), operation)
    assert answer.status_code == 403
    assert _comparable(answer)["code"] == "missing_scope"


@pytest.mark.parametrize("operation", _TEAM_ROUTES, ids=_named)
async def test_each_route_asks_for_exactly_one_scope(api: Api, team: Caller, operation: Operation) -> None:
    scopes: tuple[KeyScope, ...] = ("read", "write", "operate")
    admitted = []
    for scope in scopes:
        answer = await _call(await api.client(team, scopes=[scope]), operation)
        if answer.status_code != 403:
            admitted.append(scope)
    expected = {
        "remember": "write",
        "resolve_dream_feedback": "write",
        "start_cycle": "operate",
        "cancel_cycle": "operate",
        "register_predicate": "operate",
        "change_predicate": "operate",
    }
    assert admitted == [expected.get(operation.operation_id, "read")]


@pytest.mark.parametrize("operation", _CLOSED, ids=_named)
async def test_an_unknown_query_parameter_is_refused(api: Api, team: Caller, operation: Operation) -> None:
    answer = await _call_with_right_key(api, team, operation, query="?team_id=mine")
    problem = _comparable(answer)
    if answer.status_code != 404:
        assert answer.status_code == 422
        assert [error["field"] for error in problem["errors"]] == ["team_id"]


@pytest.mark.parametrize("operation", _WITH_ID, ids=_named)
async def test_a_malformed_id_is_answered_like_a_missing_one(
    api: Api, team: Caller, operation: Operation
) -> None:
    client = await (api.admin() if operation in _ADMIN_ROUTES else api.client(team))
    prefix, _, suffix = operation.path.partition("{")
    suffix = suffix.partition("}")[2]
    body = _body_of(operation) if operation.has_body else None
    missing = await client.request(operation.method, operation.path.format_map(_IDS), json=body)
    assert missing.status_code == 404, missing.text
    for malformed in _MALFORMED:
        answer = await client.request(operation.method, f"{prefix}{malformed}{suffix}", json=body)
        assert answer.status_code == 404, malformed
        if answer.json()["detail"] != "Not Found":  # A slash in the id is another path.
            assert _comparable(answer) == _comparable(missing), malformed


@pytest.mark.parametrize("operation", _WITH_BODY, ids=_named)
async def test_a_refusal_comes_in_the_documented_order(api: Api, team: Caller, operation: Operation) -> None:
    """Each request is wrong in every later way too, so only the first refusal shows."""
    wrong = {"Content-Type": "text/plain"}
    assert (await _call(api.anonymous(), operation, headers=wrong, content=b"{")).status_code == 401
    other = await (api.client(team) if operation in _ADMIN_ROUTES else api.admin())
    assert (await _call(other, operation, headers=wrong, content=b"{")).status_code == 403
    too_large = await _call_with_right_key(
        api, team, operation, headers=wrong, content=b"{" + b" " * 1024 * 1024
    )
    assert too_large.status_code == 413
    untyped = await _call_with_right_key(api, team, operation, headers=wrong, content=b"{")
    assert untyped.status_code == 415
    unread = await _call_with_right_key(api, team, operation, content=b"{")
    assert unread.status_code == 400
    nonsense = await _call_with_right_key(api, team, operation, content=b'{"team_id": "mine"}')
    is_looked_up_first = operation.operation_id == "resolve_dream_feedback"
    assert nonsense.status_code == (404 if is_looked_up_first else 422)


@pytest.mark.parametrize("operation", _WITH_CLOSED_BODY, ids=_named)
@pytest.mark.parametrize("field", ["team_id", "profile_id", "unheard_of"])
async def test_a_body_names_neither_team_nor_profile_nor_anything_unknown(
    api: Api, team: Caller, operation: Operation, field: str
) -> None:
    body = _body_of(operation) | {field: team.team_id}
    client = await (api.admin() if operation in _ADMIN_ROUTES else api.client(team))
    answer = await client.request(operation.method, operation.path.format_map(_IDS), json=body)
    assert answer.status_code == 422
    assert {error["field"]: error["code"] for error in _comparable(answer)["errors"]} == {
        field: "extra_forbidden"
    }


def _body_of(operation: Operation) -> dict[str, Any]:  # JSON.
    bodies: dict[str, dict[str, Any]] = {  # JSON.
        "remember": example_submission(),
        "recall_memory": {"query": "FastAPI"},
        "resolve_dream_feedback": {"decision": "ignore"},
        "start_cycle": {},
        "register_predicate": {"predicate_key": "knits", "label": "knits", "verb_phrase": "knits"},
        "change_predicate": {"label": "new label"},
        "create_team": {"name": "A team"},
        "create_profile": {"name": "A profile"},
        "create_key": {"profile_id": f"prof_{NOBODYS_ULID}", "scopes": ["read"]},
    }
    return bodies[operation.operation_id]


@pytest.mark.parametrize("path", _LISTS)
@pytest.mark.parametrize("limit", ["-1", "0", "101", "1e9", "x", "", "1.5", "9" * 40, "%00", "٣٣٣"])
async def test_a_limit_outside_1_to_100_is_refused(api: Api, team: Caller, path: str, limit: str) -> None:
    answer = await (await api.client(team)).get(f"{path}?limit={limit}")
    assert answer.status_code == 422
    assert [error["field"] for error in _comparable(answer)["errors"]] == ["limit"]


@pytest.mark.parametrize("path", _LISTS)
@pytest.mark.parametrize("cursor", ["x", "%00", "AAAA", "a" * 5000, "🦄", "WzFd", "=", "'"])
async def test_a_forged_cursor_is_refused(api: Api, team: Caller, path: str, cursor: str) -> None:
    answer = await (await api.client(team)).get(path, params={"cursor": cursor})
    assert answer.status_code == 422


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
    assert {error["field"].partition(".")[0] for error in _comparable(answer)["errors"]} == {field}


async def test_the_clients_request_id_comes_back_and_ours_replaces_an_unusable_one(api: Api) -> None:
    async def ask(request_id: str) -> str:
        answer = await api.anonymous().get("/healthz", headers={"X-Request-Id": request_id})
        return str(answer.headers["x-request-id"])

    assert await ask("my request 7") == "my request 7"
    assert await ask("a" * 128) == "a" * 128
    for unusable in ("", "a" * 129, "tab\there"):
        assert len(await ask(unusable)) == 26


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
    problem = _comparable(answer)
    assert (problem["code"], problem["status"], problem["retryable"]) == (code, status, False)
    assert ("allow" in answer.headers) == (status == 405)


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
    problem = _comparable(answer)
    assert set(problem) == {
        *("type", "title", "status", "detail", "code", "retryable", "next_action", "errors")
    }
    assert problem["errors"][0]["field"] == "query"
    assert problem["next_action"]
