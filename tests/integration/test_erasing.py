"""Erasing a team leaves nothing of it, touches no other, and is an admin's or the owner's alone."""

from collections.abc import AsyncIterator
from typing import LiteralString

import psycopg
import pytest

from app.archive.erase import erase_team, erase_team_as_owner
from app.kernel.database import Database, Role, Scope
from app.kernel.errors import Forbidden, InvalidInput, NotFound
from app.kernel.settings import Settings
from app.tenancy.audit import list_instance_audit
from app.tenancy.callers import Admin, Caller
from app.tenancy.keys import KeyDraft, create_key, revoke_key
from tests.admin_keys import make_admin_key
from tests.conftest import MakeProfile, MakeTeam
from tests.integration.full_team import digests, make_full_team, owner_of

_NOBODY = Admin("key_00000000000000000000000001")


@pytest.fixture(scope="module")
async def owner(settings: Settings, database_name: str) -> AsyncIterator[Database]:
    owner = owner_of(settings, database_name)
    await owner.open()
    yield owner
    await owner.close()


@pytest.mark.parametrize("who", ["owner", "admin"])
async def test_nothing_of_the_team_is_left_and_others_are_untouched(
    database: Database,
    database_name: str,
    owner: Database,
    make_team: MakeTeam,
    make_profile: MakeProfile,
    who: str,
) -> None:
    gone = await make_full_team(database, make_team, make_profile)
    kept = await make_full_team(database, make_team, make_profile)
    before = digests(database_name, kept.team_id)
    assert len(before) > 30
    if who == "owner":
        _, rows = await erase_team_as_owner(owner, gone.team_id)
    else:
        admin = await make_admin_key(database)
        rows = await erase_team(
            database, Admin(admin.key_id), admin.secret, gone.team_id, name=f"Team {gone.team_id}"
        )
    assert digests(database_name, gone.team_id) == {}
    assert rows == sum(count for count, _ in before.values())
    assert digests(database_name, kept.team_id) == before
    async with database.reading(Scope("app")) as reading:
        newest = await list_instance_audit(reading, action="team_erased", limit=1, cursor=None)
        closed = await list_instance_audit(reading, action="team_closed", limit=1, cursor=None)
    [event] = newest.items
    assert (event.team_id, event.target_id, event.details) == (None, gone.team_id, {"rows": rows})
    assert event.actor.kind == ("host" if who == "owner" else "admin")
    [before_it] = closed.items
    assert (before_it.target_id, before_it.details) == (gone.team_id, {"keys": 1})
    assert before_it.actor == event.actor


@pytest.mark.parametrize("kind", ["unknown", "team", "revoked"])
async def test_the_database_erases_for_a_live_admin_key_only(
    database: Database, database_name: str, team: Caller, kind: str
) -> None:
    before = digests(database_name, team.team_id)
    name = f"Team {team.team_id}"
    secret = "dm_" + "a" * 43
    if kind == "team":
        draft = KeyDraft(profile_id=team.profile_id, scopes=frozenset({"read", "write", "operate"}))
        scope = Scope("app", team.team_id)
        secret = (await database.unit_of_work(scope, lambda w: create_key(w, team.team_id, draft))).secret
        before = digests(database_name, team.team_id)
    if kind == "revoked":
        key = await make_admin_key(database)
        await database.unit_of_work(Scope("app"), lambda w: revoke_key(w, key.key_id))
        secret = key.secret
    with pytest.raises(Forbidden):
        await erase_team(database, _NOBODY, secret, team.team_id, name=name)
    assert digests(database_name, team.team_id) == before


async def test_the_service_can_neither_delete_nor_erase_by_itself(
    database: Database, database_name: str, team: Caller
) -> None:
    before = digests(database_name, team.team_id)
    attempts = (
        "SELECT erase_team_rows(%(team_id)s)",
        "SELECT close_team_rows(%(team_id)s)",
        "UPDATE teams SET closed_at = NULL WHERE id = %(team_id)s",
        "DELETE FROM profiles WHERE team_id = %(team_id)s",
        "WITH s AS (SELECT set_config('densemem.rewriting', %(team_id)s, true)) DELETE FROM entities",
    )
    roles: tuple[Role, ...] = ("app", "dreamer")
    for role in roles:
        for attempt in attempts:
            scope = Scope(role, team.team_id)
            params = {"team_id": team.team_id}
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                await database.unit_of_work(scope, lambda w, one=attempt, p=params: w.execute(one, p))  # type: ignore[misc]  # mypy can't infer a lambda with a default.
    assert digests(database_name, team.team_id) == before


async def test_the_owner_deletes_nothing_outside_an_erasure(owner: Database, team: Caller) -> None:
    with pytest.raises(psycopg.errors.RestrictViolation):
        await owner.unit_of_work(
            Scope("owner", team.team_id),
            lambda w: w.execute("DELETE FROM predicates WHERE team_id = %(id)s", {"id": team.team_id}),
        )


async def test_no_reference_between_what_a_team_has_many_of_is_looked_up_row_by_row(owner: Database) -> None:
    async with owner.reading(Scope("owner")) as reading:
        rows = await reading.fetch_all(_UNINDEXED, {"few": ["teams", "profiles", "predicates"]})
    assert [row["name"] for row in rows] == []


async def test_a_missing_team_is_not_erased(owner: Database, database: Database) -> None:
    with pytest.raises(NotFound):
        await erase_team_as_owner(owner, "nobody")
    with pytest.raises((NotFound, InvalidInput)):
        await erase_team(database, _NOBODY, "dm_x", "nobody", name="nobody")


# References of which no two columns, the team's and another, lead an index of the table that refers.
_UNINDEXED: LiteralString = """
    SELECT f.conname AS name FROM pg_constraint AS f
    WHERE f.contype = 'f' AND f.connamespace = 'public'::regnamespace
      AND f.confrelid <> ALL (%(few)s::regclass[])
      AND NOT EXISTS (
          SELECT FROM pg_index AS i
          WHERE i.indrelid = f.conrelid
            AND (i.indpred IS NULL OR pg_get_expr(i.indpred, i.indrelid) LIKE '(%% IS NOT NULL)')
            AND (i.indkey::int2[])[0:1] <@ f.conkey)
"""
