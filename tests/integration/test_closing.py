"""A team is closed before it is erased, and stays closed where that does not come through at once."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from io import BytesIO
from typing import Any, LiteralString

import psycopg
import pytest

from app.archive import closing
from app.archive.erase import erase_team, erase_team_as_owner
from app.archive.export import export_team
from app.archive.restore import import_team
from app.kernel.database import Database, Scope
from app.kernel.errors import Busy, Forbidden, InvalidInput, LeaseLost, NotFound, WrongState
from app.kernel.settings import Settings
from app.queue.leases import Lease, enqueue, hold, lease_due, seconds_until_due
from app.tenancy import keys
from app.tenancy.audit import AuditEvent, list_instance_audit
from app.tenancy.callers import Admin, Caller
from app.tenancy.keys import KeyDraft, NewKey, authenticate, create_key, digest_secret
from app.tenancy.teams import create_profile, find_team
from tests.admin_keys import make_admin_key
from tests.conftest import MakeTeam
from tests.databases import admin_url
from tests.integration.full_team import digests, owner_of
from tests.integration.submissions import scope, state, submit

KIND = "made_up"


@pytest.fixture
async def owner(settings: Settings, database_name: str) -> AsyncIterator[Database]:
    owner = owner_of(settings, database_name)
    await owner.open()
    yield owner
    await owner.close()


@pytest.fixture
def impatience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for what stands in the way."""
    monkeypatch.setattr(closing, "PATIENCE_SECONDS", 0)
    monkeypatch.setattr(closing, "WAIT_SECONDS", 0)
    monkeypatch.setattr(closing, "LOCK_SECONDS", 0.1)


async def erase(database: Database, admin: NewKey, team: Caller, *, name: str | None = None) -> int:
    name = name or f"Team {team.team_id}"
    return await erase_team(database, Admin(admin.key_id), admin.secret, team.team_id, name=name)


async def make_key(database: Database, team: Caller) -> NewKey:
    draft = KeyDraft(profile_id=team.profile_id, scopes=frozenset({"read"}))
    return await database.unit_of_work(scope(team), lambda w: create_key(w, team.team_id, draft))


async def is_alive(database: Database, key: NewKey) -> bool:
    async with database.reading(Scope("app")) as reading:
        return await authenticate(reading, digest_secret(key.secret)) is not None


async def is_closed(database: Database, team: Caller) -> bool:
    async with database.reading(Scope("app")) as reading:
        return (await find_team(reading, team.team_id)).closed_at is not None


async def acts_on(database: Database, team: Caller) -> list[AuditEvent]:
    async with database.reading(Scope("app")) as reading:
        page = await list_instance_audit(reading, action=None, limit=100, cursor=None)
    ends = ("team_closed", "team_erased")
    return [one for one in page.items if one.target_id == team.team_id and one.action in ends]


async def lease(database: Database) -> list[Lease]:
    return await database.unit_of_work(
        Scope("app"), lambda w: lease_due(w, kind=KIND, worker="w", seconds=60, limit=100)
    )


@asynccontextmanager
async def somebody(
    database_name: str, statement: LiteralString, team: Caller
) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
    """Leave a transaction open that has done this to the team."""
    connection = await psycopg.AsyncConnection.connect(admin_url(database_name))
    async with connection:
        await connection.execute(statement, {"team_id": team.team_id})
        yield connection
        await connection.rollback()


async def test_what_stands_in_the_way_is_told_and_the_same_request_goes_on(
    database: Database, database_name: str, team: Caller, impatience: None
) -> None:
    admin, key = await make_admin_key(database), await make_key(database, team)
    await submit(database, team, state("FastAPI", "depends_on", "Starlette"))
    hold_row: LiteralString = "SELECT FROM evidence WHERE team_id = %(team_id)s FOR UPDATE"
    async with somebody(database_name, hold_row, team) as other:
        with pytest.raises(Busy) as refused:
            await erase(database, admin, team)
        assert str(refused.value) == (
            "The team is closed: its keys are refused, and none of its work is begun. It is not erased yet, "
            "because another transaction holds rows of it. These sessions of the database (pid) are at work "
            f"since before that: {other.info.backend_pid}. The same request goes on with it."
        )
        assert await is_closed(database, team)
        assert not await is_alive(database, key)
        [closed] = await acts_on(database, team)
        assert (closed.action, closed.team_id, closed.details) == ("team_closed", None, {"keys": 1})
        assert closed.actor.key_id == admin.key_id
        with pytest.raises(Busy):
            await erase(database, admin, team)
    rows = await erase(database, admin, team)
    assert digests(database_name, team.team_id) == {}
    assert [(one.action, one.details) for one in await acts_on(database, team)] == [
        ("team_erased", {"rows": rows}),
        ("team_closed", {"keys": 1}),
    ]
    with pytest.raises(NotFound):
        await erase(database, admin, team)


async def test_what_is_under_way_is_waited_for(
    database: Database, database_name: str, owner: Database, team: Caller
) -> None:
    write: LiteralString = "UPDATE work_items SET run_at = run_at WHERE team_id = %(team_id)s"
    await submit(database, team, state("FastAPI", "depends_on", "Starlette"))
    async with somebody(database_name, write, team) as other:
        waited = []

        async def end_it(*_: object) -> list[int]:
            # Who is waited for ends in the meantime.
            waited.append(await is_closed(database, team))
            await other.rollback()
            return await wait_for_others(*_)  # type: ignore[arg-type]  # What the original takes.

        wait_for_others = closing.wait_for_others
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("app.archive.erase.wait_for_others", end_it)
            await erase_team_as_owner(owner, team.team_id)
    assert waited == [True]
    assert digests(database_name, team.team_id) == {}


async def test_a_team_that_two_erase_at_once_is_erased_by_one(
    owner: Database, database: Database, team: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[int] = []

    async def be_overtaken(hand: closing.Hand) -> list[int]:
        monkeypatch.undo()
        counted.append((await erase_team_as_owner(owner, team.team_id))[1])
        return []

    monkeypatch.setattr("app.archive.erase.wait_for_others", be_overtaken)
    with pytest.raises(NotFound):
        await erase_team_as_owner(owner, team.team_id)
    told = [one.details for one in await acts_on(database, team) if one.action == "team_erased"]
    assert told == [{"rows": counted[0]}]


async def test_who_cannot_close_a_team_is_told_that_nothing_has_happened(
    database: Database, database_name: str, team: Caller, impatience: None
) -> None:
    admin, key = await make_admin_key(database), await make_key(database, team)
    hold_team: LiteralString = "SELECT FROM teams WHERE id = %(team_id)s FOR UPDATE"
    async with somebody(database_name, hold_team, team):
        with pytest.raises(Busy, match="could not be closed, because another transaction"):
            await erase(database, admin, team)
    assert (await is_closed(database, team), await is_alive(database, key)) == (False, True)
    assert await acts_on(database, team) == []


async def test_a_wrong_request_closes_nothing(database: Database, team: Caller) -> None:
    key, admin = await make_key(database, team), await make_admin_key(database)
    with pytest.raises(InvalidInput):
        await erase(database, admin, team, name="Another")
    with pytest.raises(Forbidden):
        await erase(database, key, team)
    assert (await is_closed(database, team), await is_alive(database, key)) == (False, True)


async def close(database: Database, database_name: str, team: Caller) -> None:
    async with await psycopg.AsyncConnection.connect(admin_url(database_name)) as connection:
        await connection.execute("SELECT close_team_rows(%(team_id)s)", {"team_id": team.team_id})


async def test_the_work_of_a_closed_team_is_taken_back_and_leased_to_nobody(
    database: Database, database_name: str, team: Caller, make_team: MakeTeam
) -> None:
    other = await make_team()
    for one in (team, other):
        await database.unit_of_work(
            scope(one),
            lambda w, one=one: enqueue(w, team_id=one.team_id, kind=KIND, item_id="1"),  # type: ignore[misc]  # mypy can't infer a lambda with a default.
        )
    held = next(one for one in await lease(database) if one.team_id == team.team_id)
    await close(database, database_name, team)
    with pytest.raises(LeaseLost):
        await database.unit_of_work(Scope("app"), lambda w: hold(w, held))
    await database.unit_of_work(
        scope(team), lambda w: enqueue(w, team_id=team.team_id, kind=KIND, item_id="2")
    )
    assert await lease(database) == []
    async with database.reading(Scope("dreamer")) as reading:
        seconds = await seconds_until_due(reading, kind=KIND)
    # Until the other team's lease runs out.
    assert seconds is None or seconds > 30


async def test_nothing_new_is_made_in_a_closed_team(
    database: Database, database_name: str, team: Caller
) -> None:
    await close(database, database_name, team)
    with pytest.raises(WrongState) as refused:
        await make_key(database, team)
    assert refused.value.code == "team_closed"
    with pytest.raises(WrongState):
        await database.unit_of_work(scope(team), lambda w: create_profile(w, team.team_id, "Late"))


async def test_a_key_for_a_team_that_is_erased_meanwhile_is_one_for_no_team(
    database: Database, owner: Database, team: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def insert_late(*given: Any, **named: Any) -> NewKey:
        await erase_team_as_owner(owner, team.team_id)
        return await insert(*given, **named)

    insert = keys._insert_key
    monkeypatch.setattr(keys, "_insert_key", insert_late)
    monkeypatch.setattr(closing, "WAIT_SECONDS", 0)
    with pytest.raises(NotFound, match="no such team"):
        await make_key(database, team)


async def test_a_closed_team_that_comes_back_from_a_file_is_open(
    database: Database, database_name: str, owner: Database, team: Caller
) -> None:
    await close(database, database_name, team)
    file = BytesIO()
    await export_team(owner, team.team_id, file, now=datetime.now(UTC))
    await erase_team_as_owner(owner, team.team_id)
    await import_team(owner, file)
    assert not await is_closed(database, team)
    assert await is_alive(database, await make_key(database, team))
