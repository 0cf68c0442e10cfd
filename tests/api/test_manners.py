"""What holds on every route: who is refused, in which order, and what a refusal looks like."""

from typing import Any

import httpx2
import pytest

from app.tenancy.callers import Caller, KeyScope
from tests.api.client import (
    NOBODYS_ULID,
    Api,
    Operation,
    example_submission,
    operations,
    read_problem,
    revoke_keys,
)

_IDS = {
    "ingest_id": f"ing_{NOBODYS_ULID}",
    "relationship_id": f"rel_{NOBODYS_ULID}",
    "evidence_id": f"evd_{NOBODYS_ULID}",
    "conflict_id": f"con_{NOBODYS_ULID}",
    "review_id": f"rev_{NOBODYS_ULID}",
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
_ADMIN_ROUTES = [one for one in _CLOSED if one.path.startswith(("/v1/teams", "/v1/keys", "/v1/instance"))]
_TEAM_ROUTES = [one for one in _CLOSED if one not in _ADMIN_ROUTES]
# Answers an admin key with the acts of admins, which are no team's content.
_ONLY_TEAM_ROUTES = [one for one in _TEAM_ROUTES if one.operation_id != "list_audit_events"]
_WITH_ID = [one for one in _CLOSED if "{" in one.path]
_WITH_BODY = [one for one in _CLOSED if one.has_body]
# About a thing that is not there everything else is refused as missing.
_WITH_CLOSED_BODY = [one for one in _WITH_BODY if "{" not in one.path]


def _named(operation: Operation) -> str:
    return operation.operation_id


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
    revoked, known = await revoke_keys(api, team)
    offers = ["", "Basic YTpi", "Bearer", "Bearer dm_", "Bearer dm_" + "a" * 43, f"Bearer {revoked}"]
    # The process has let this one in before.
    offers.append(f"Bearer {known}")
    answers = [await _call(api.anonymous(), operation)]
    answers += [await _call(api.anonymous(), operation, headers={"Authorization": one}) for one in offers]
    assert {answer.status_code for answer in answers} == {401}
    assert {answer.headers["www-authenticate"] for answer in answers} == {"Bearer"}
    bodies = [read_problem(answer) for answer in answers]
    assert all(body == bodies[0] for body in bodies)
    assert bodies[0]["code"] == "unauthenticated"


@pytest.mark.parametrize("operation", _ONLY_TEAM_ROUTES, ids=_named)
async def test_an_admin_key_reads_and_writes_no_teams_content(api: Api, operation: Operation) -> None:
    answer = await _call(await api.admin(), operation)
    assert answer.status_code == 403
    assert read_problem(answer)["code"] == "missing_scope"


@pytest.mark.parametrize("operation", _ADMIN_ROUTES, ids=_named)
async def test_a_teams_key_manages_no_teams(api: Api, team: Caller, operation: Operation) -> None:
    answer = await _call(await api.client(team), operation)
    assert answer.status_code == 403
    assert read_problem(answer)["code"] == "missing_scope"


@pytest.mark.parametrize("operation", _TEAM_ROUTES, ids=_named)
async def test_each_route_asks_for_exactly_one_scope(api: Api, team: Caller, operation: Operation) -> None:
    scopes: tuple[KeyScope, ...] = ("read", "write", "operate")
    admitted = []
    for scope in scopes:
        # The scope is asked for before the query is looked at, and a refused stream has an end.
        answer = await _call(await api.client(team, scopes=[scope]), operation, query="?nothing=here")
        if answer.status_code != 403:
            admitted.append(scope)
    expected = {
        "remember": "write",
        "resolve_dream_feedback": "write",
        "submit_recall_feedback": "write",
        "retract_relationship": "write",
        "retract_evidence": "write",
        "resolve_conflict": "write",
        "resolve_review": "write",
        "merge_entity": "operate",
        "unmerge_entity": "operate",
        "list_quarantine": "operate",
        "release_evidence": "operate",
        "discard_evidence": "operate",
        "list_audit_events": "operate",
        "start_cycle": "operate",
        "cancel_cycle": "operate",
        "list_exchanges": "operate",
        "change_dreaming_settings": "operate",
        "register_predicate": "operate",
        "change_predicate": "operate",
    }
    assert admitted == [expected.get(operation.operation_id, "read")]


@pytest.mark.parametrize("operation", _CLOSED, ids=_named)
async def test_an_unknown_query_parameter_is_refused(api: Api, team: Caller, operation: Operation) -> None:
    answer = await _call_with_right_key(api, team, operation, query="?team_id=mine")
    problem = read_problem(answer)
    assert answer.status_code == (404 if "{" in operation.path else 422)
    if answer.status_code == 422:
        assert [error["field"] for error in problem["errors"]] == ["team_id"]


@pytest.mark.parametrize("operation", _WITH_ID, ids=_named)
async def test_a_malformed_id_is_answered_like_a_missing_one(
    api: Api, team: Caller, operation: Operation
) -> None:
    client = await (api.admin() if operation in _ADMIN_ROUTES else api.client(team))
    prefix, _, suffix = operation.path.partition("{")
    suffix = suffix.partition("}")[2]
    body = body_of(operation) if operation.has_body else None
    missing = await client.request(operation.method, operation.path.format_map(_IDS), json=body)
    assert missing.status_code == 404, missing.text
    for malformed in _MALFORMED:
        answer = await client.request(operation.method, f"{prefix}{malformed}{suffix}", json=body)
        assert answer.status_code == 404, malformed
        if answer.json()["detail"] != "Not Found":  # A slash in the id is another path.
            assert read_problem(answer) == read_problem(missing), malformed


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
    # A missing thing comes before a wrong request about it.
    assert nonsense.status_code == (404 if "{" in operation.path else 422)


@pytest.mark.parametrize("operation", _WITH_CLOSED_BODY, ids=_named)
@pytest.mark.parametrize("field", ["team_id", "profile_id", "unheard_of"])
async def test_a_body_names_neither_team_nor_profile_nor_anything_unknown(
    api: Api, team: Caller, operation: Operation, field: str
) -> None:
    body = body_of(operation) | {field: team.team_id}
    client = await (api.admin() if operation in _ADMIN_ROUTES else api.client(team))
    answer = await client.request(operation.method, operation.path.format_map(_IDS), json=body)
    assert answer.status_code == 422
    assert {error["field"]: error["code"] for error in read_problem(answer)["errors"]} == {
        field: "extra_forbidden"
    }


def body_of(operation: Operation) -> dict[str, Any]:  # JSON.
    """Return a body that the route takes."""
    bodies: dict[str, dict[str, Any]] = {  # JSON.
        "remember": example_submission(),
        "recall_memory": {"query": "FastAPI"},
        "submit_recall_feedback": {"recall_id": f"rec_{NOBODYS_ULID}", "rating": "helpful"},
        "resolve_dream_feedback": {"decision": "ignore"},
        "start_cycle": {},
        "retract_relationship": {},
        "retract_evidence": {},
        "release_evidence": {},
        "discard_evidence": {},
        "resolve_conflict": {"decision": "dismiss"},
        "resolve_review": {"choice": "reject"},
        "merge_entity": {"into_entity_id": f"ent_{NOBODYS_ULID}"},
        "unmerge_entity": {},
        "register_predicate": {"predicate_key": "knits", "label": "knits", "verb_phrase": "knits"},
        "change_predicate": {"label": "new label"},
        "create_team": {"name": "A team"},
        "erase_team": {"name": "A team"},
        "change_dreaming_settings": {"max_outputs": 4},
        "change_instance_settings": {"max_outputs": 4},
        "explain_absence": {
            "subject_entity_id": f"ent_{NOBODYS_ULID}",
            "predicate_key": "knits",
            "object_entity_id": f"ent_{NOBODYS_ULID}",
        },
        "create_profile": {"name": "A profile"},
        "create_key": {"profile_id": f"prof_{NOBODYS_ULID}", "scopes": ["read"]},
    }
    return bodies[operation.operation_id]
