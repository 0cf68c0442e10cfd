"""Audit events: in the effect's transaction, on its team's account, seen by whom they concern, unchangeable."""

import psycopg
import pytest

from app.kernel.database import Database, Scope, Writing
from app.kernel.ids import new_id
from app.ledger.founding import found_team
from app.tenancy.audit import AuditEvent, list_instance_audit, list_team_audit, record_audit
from app.tenancy.callers import HOST, Admin, Caller
from app.tenancy.keys import KeyDraft, create_key, revoke_key
from app.tenancy.teams import create_profile, new_team_id
from tests.admin_keys import make_admin_key
from tests.conftest import MakeTeam

_ADMIN = Admin("key_00000000000000000000000001")


async def _of_team(database: Database, team_id: str) -> list[AuditEvent]:
    async with database.reading(Scope("app", team_id)) as reading:
        page = await list_team_audit(reading, team_id, action=None, limit=100, cursor=None)
    return list(page.items)


async def _of_instance(database: Database, limit: int = 100) -> list[AuditEvent]:
    async with database.reading(Scope("app")) as reading:
        return list((await list_instance_audit(reading, action=None, limit=limit, cursor=None)).items)


async def test_what_is_made_in_a_team_is_told_with_who_made_it(database: Database) -> None:
    team_id = new_team_id()
    scope = Scope("app", team_id)
    await database.unit_of_work(scope, lambda w: found_team(w, team_id, team_id, actor=_ADMIN))
    profile = await database.unit_of_work(scope, lambda w: create_profile(w, team_id, "A name", actor=_ADMIN))
    draft = KeyDraft(profile_id=profile.profile_id, scopes=frozenset({"write", "read"}))
    key = await database.unit_of_work(scope, lambda w: create_key(w, team_id, draft))
    for _ in range(2):
        await database.unit_of_work(scope, lambda w: revoke_key(w, key.key_id, actor=_ADMIN))
    events = await _of_team(database, team_id)
    assert [(one.action, one.actor.kind, one.target_id) for one in reversed(events)] == [
        ("team_created", "admin", team_id),
        ("profile_created", "admin", profile.profile_id),
        ("key_created", "host", key.key_id),
        ("key_revoked", "admin", key.key_id),
    ]
    assert events[1].details == {
        "profile_id": profile.profile_id,
        "scopes": ["read", "write"],
        "max_authority": "primary",
        "expires_at": None,
    }
    assert key.secret not in str(events)
    assert "A name" not in str(events)


async def test_an_effect_that_fails_leaves_no_event(database: Database, team: Caller) -> None:
    async def fail(writing: Writing) -> None:
        await create_profile(writing, team.team_id, "Never")
        raise RuntimeError

    before = await _of_team(database, team.team_id)
    with pytest.raises(RuntimeError):
        await database.unit_of_work(Scope("app", team.team_id), fail)
    assert await _of_team(database, team.team_id) == before


async def test_the_instance_sees_acts_of_admins_and_the_host_but_no_operators(
    database: Database, team: Caller
) -> None:
    scope = Scope("app", team.team_id)
    run_id = new_id("run")
    await database.unit_of_work(
        scope, lambda w: record_audit(w, team, "cycle_started", target_id=run_id, details={"dry_run": True})
    )
    key = await make_admin_key(database)
    seen = await _of_instance(database)
    assert seen[0].target_id == key.key_id
    assert (seen[0].team_id, seen[0].actor.kind, seen[0].details["scopes"]) == (None, "host", ["admin"])
    assert run_id not in [one.target_id for one in seen]
    assert {one.actor.kind for one in seen} <= {"admin", "host"}
    assert "profile_created" in [one.action for one in seen if one.team_id == team.team_id]
    assert (await _of_team(database, team.team_id))[0].target_id == run_id


async def test_a_team_sees_no_other_teams_events(
    database: Database, team: Caller, make_team: MakeTeam
) -> None:
    other = await make_team()
    async with database.reading(Scope("app", other.team_id)) as reading:
        page = await list_team_audit(reading, team.team_id, action=None, limit=100, cursor=None)
        everything = await reading.fetch_all("SELECT DISTINCT team_id FROM audit_events")
    assert page.items == ()
    assert [row["team_id"] for row in everything] == [other.team_id]


@pytest.mark.parametrize("own", [True, False])
async def test_an_event_cannot_be_put_on_another_account(database: Database, team: Caller, own: bool) -> None:
    statement = (
        "INSERT INTO audit_events (id, team_id, action, actor_kind, details)"
        " VALUES (%(id)s, %(team_id)s, 'team_created', 'host', '{}')"
    )
    scope = Scope("app", team.team_id if own else None)
    params = {"id": new_id("aud"), "team_id": None if own else team.team_id}
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        await database.unit_of_work(scope, lambda w: w.execute(statement, params))


@pytest.mark.parametrize("role", ["app", "dreamer"])
@pytest.mark.parametrize("act", ["UPDATE audit_events SET action = 'x'", "DELETE FROM audit_events"])
async def test_nobody_changes_or_removes_an_event(
    database: Database, team: Caller, role: str, act: str
) -> None:
    scope = Scope(role, team.team_id)  # type: ignore[arg-type]  # One of the two roles.
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        await database.unit_of_work(scope, lambda w: w.execute(act))


async def test_details_are_bounded(database: Database, team: Caller) -> None:
    with pytest.raises(psycopg.errors.CheckViolation):
        await database.unit_of_work(
            Scope("app", team.team_id),
            lambda w: record_audit(w, HOST, "settings_changed", details={"x": "y" * 5000}),
        )
