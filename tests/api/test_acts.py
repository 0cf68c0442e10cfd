"""What only operators and admins may do leaves an event each time; what takes no idempotency key refuses one."""

from collections.abc import AsyncIterator
from typing import Any, Final

import httpx2
import pytest

from app.kernel.ids import new_id
from app.tenancy.callers import Caller
from tests.api.client import NOBODYS_ULID, Api, Operation, operations, read_problem
from tests.api.test_quarantine_routes import hold
from tests.factories import make_entity

# They answer a question and change nothing.
_QUESTIONS: Final = {"recall_memory", "explain_absence"}
_EFFECTS: Final = [one for one in operations() if one.method != "GET" and one.operation_id not in _QUESTIONS]
_PREFIXES: Final = {
    **{
        "relationship_id": "rel",
        "evidence_id": "evd",
        "conflict_id": "con",
        "review_id": "rev",
        "team_id": "team",
    },
    **{"entity_id": "ent", "hypothesis_id": "hyp", "run_id": "run", "key_id": "key"},
}
_IDS: Final = {name: f"{prefix}_{NOBODYS_ULID}" for name, prefix in _PREFIXES.items()} | {
    "predicate_key": "uses"
}


async def test_every_act_of_an_operator_and_of_an_admin_leaves_its_event(api: Api, team: Caller) -> None:
    writer = await api.client(team, scopes=["read", "write"])
    answers = {one.operation_id: await writer.request(one.method, one.url(_IDS), json={}) for one in _EFFECTS}
    restricted = {operation for operation, answer in answers.items() if answer.status_code == 403}
    told = [act async for act in _act_once(api, team)]
    assert {operation for operation, _, _ in told} == restricted
    assert [(operation, new) for operation, action, new in told if new != action.split()] == []


async def _act_once(api: Api, team: Caller) -> AsyncIterator[tuple[str, str, list[str]]]:
    """Do everything once; give each operation with the actions that belong to it and those of the new events."""
    operator, admin = await api.client(team), await api.admin()
    said: dict[str, Any] = {}  # An answer, as JSON.

    async def act(
        client: httpx2.AsyncClient, operation: str, action: str, ids: dict[str, str], body: object = None
    ) -> tuple[str, str, list[str]]:
        [one] = [one for one in _EFFECTS if one.operation_id == operation]
        before = (await client.get("/v1/audit?limit=1")).json()["items"]
        answer = await client.request(one.method, one.url(ids), json=body)
        assert answer.is_success, answer.text
        said.update(answer.json())
        after = (await client.get("/v1/audit?limit=5")).json()["items"]
        new = [event["action"] for event in after if event["audit_id"] > before[0]["audit_id"]]
        return operation, action, new

    draft = {"predicate_key": "knits", "label": "k", "verb_phrase": "knits"}
    yield await act(operator, "register_predicate", "predicate_registered", {}, draft)
    knits = {"predicate_key": "knits"}
    yield await act(operator, "change_predicate", "predicate_changed", knits, {"label": "is knitting"})
    yield await act(operator, "start_cycle", "cycle_started", {}, {"dry_run": True})
    yield await act(operator, "cancel_cycle", "cycle_cancelled", {"run_id": said["run_id"]})
    for operation, action in ("release", "evidence_released"), ("discard", "evidence_discarded"):
        _, evidence_id = await hold(api, team, operator)
        yield await act(operator, f"{operation}_evidence", action, {"evidence_id": evidence_id}, {})
    entity_id = await make_entity(api.database, team, "Fast API", kind="product")
    into = await make_entity(api.database, team, "FastAPI", kind="product")
    merged = {"entity_id": entity_id}
    yield await act(operator, "merge_entity", "entity_merged", merged, {"into_entity_id": into})
    yield await act(operator, "unmerge_entity", "entity_unmerged", merged, {})
    yield await act(operator, "change_dreaming_settings", "settings_changed", {}, {"max_outputs": 3})
    for value in (77, None):
        body = {"max_groups": value}
        yield await act(admin, "change_instance_settings", "settings_changed", {}, body)
    name = f"Team {new_id('rec')}"
    yield await act(admin, "create_team", "team_created", {}, {"name": name})
    made = {"team_id": said["team_id"]}
    yield await act(admin, "create_profile", "profile_created", made, {"name": "Author"})
    key = {"profile_id": said["profile_id"], "scopes": ["read"]}
    yield await act(admin, "create_key", "key_created", made, key)
    yield await act(admin, "revoke_key", "key_revoked", {"key_id": said["key_id"]})
    yield await act(admin, "erase_team", "team_erased team_closed", made, {"name": name})


@pytest.mark.parametrize(
    "one", [one for one in _EFFECTS if not one.takes_key], ids=lambda one: one.operation_id
)
async def test_what_takes_no_idempotency_key_refuses_one(api: Api, team: Caller, one: Operation) -> None:
    operator = await api.client(team)
    run_id = (await operator.post("/v1/cycle-runs", json={"dry_run": True})).json()["run_id"]
    key = await api.make_key(team)
    ids = {"team_id": team.team_id, "key_id": key.key_id, "run_id": run_id}
    is_admins = one.path.startswith(("/v1/teams", "/v1/keys", "/v1/instance"))
    client = await api.admin() if is_admins else operator
    answer = await client.request(one.method, one.url(ids), json={}, headers={"Idempotency-Key": "once"})
    assert answer.status_code == 422
    errors = read_problem(answer)["errors"]
    assert [(error["field"], error["code"]) for error in errors] == [("Idempotency-Key", "not_taken")]
