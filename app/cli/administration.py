"""Work of the host commands that goes to the database directly."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeVar

from app.cli.context import read_settings
from app.cli.database import open_as_owner, open_database
from app.dreaming.settings import change_instance_settings
from app.kernel.backend import Backend, prepare_backend, running_backend
from app.kernel.database import Database, Scope
from app.kernel.errors import NotFound
from app.ledger.founding import found_team
from app.tenancy.audit import AuditEvent, list_instance_audit, list_team_audit
from app.tenancy.callers import HOST
from app.tenancy.configuration import read_instance_values
from app.tenancy.keys import (
    Key,
    KeyDraft,
    NewKey,
    create_admin_key,
    create_key,
    find_key_team,
    list_keys,
    revoke_key,
    set_rate,
)
from app.tenancy.setting_rules import INSTANCE_SETTING_NAMES
from app.tenancy.teams import Profile, Team, create_profile, find_profile, find_team, list_teams, new_team_id

T = TypeVar("T")


def on_database(work: Callable[[Database], Awaitable[T]], *, as_owner: bool = False) -> T:
    """Run the work on this machine's database, migrated; an embedded one is started when none runs.

    `as_owner` runs it with the login that migrates.

    Raises:
        NotFound: what the work raised, with the database that was asked: in another folder it is another.
    """
    settings = read_settings()
    opened = open_as_owner if as_owner else open_database

    async def run(backend: Backend) -> T:
        async with opened(settings, backend) as database:
            return await work(database)

    with running_backend(settings, joins_running=True) as backend:
        if not backend.is_shared:
            prepare_backend(backend, settings)
        try:
            return asyncio.run(run(backend))
        except NotFound as error:
            where = settings.data_dir.resolve() if settings.database_url is None else "DATABASE_URL"
            raise NotFound(f"{error} The database that was asked is that of {where}.") from error


async def make_team(database: Database, name: str) -> Team:
    """Found a team with the seeded predicates."""
    team_id = new_team_id()
    return await database.unit_of_work(Scope("app", team_id), lambda w: found_team(w, team_id, name))


async def newest_teams(database: Database) -> tuple[Team, ...]:
    """Return the newest thousand teams."""
    async with database.reading(Scope("app")) as reading:
        return (await list_teams(reading, limit=1000, cursor=None)).items


async def newest_keys(database: Database, team: str) -> tuple[tuple[Key, Profile], ...]:
    """Return the newest thousand keys of the team of that name or id, each with its profile."""
    async with database.reading(Scope("app")) as reading:
        team_id = (await find_team(reading, team)).team_id
        keys = (await list_keys(reading, team_id, limit=1000, cursor=None)).items
    async with database.reading(Scope("app", team_id)) as reading:
        profiles = {
            one: await find_profile(reading, team_id, one) for one in {key.profile_id for key in keys}
        }
    return tuple((key, profiles[key.profile_id]) for key in keys)


async def make_admin_key(owner: Database, expires_at: datetime | None) -> NewKey:
    """Make a key that manages teams and reads none; `owner` is opened by the login that migrates."""
    return await owner.unit_of_work(
        Scope("owner"), lambda writing: create_admin_key(writing, expires_at=expires_at)
    )


async def make_key(database: Database, team: str, profile: str, draft: KeyDraft) -> NewKey:
    """Make a key of a team's profile, both by name or id; a missing profile is made under that name."""
    async with database.reading(Scope("app")) as reading:
        team_id = (await find_team(reading, team)).team_id
    author = await find_or_create_profile(database, team_id, profile)
    whole = replace(draft, profile_id=author.profile_id)
    return await database.unit_of_work(
        Scope("app", team_id), lambda writing: create_key(writing, team_id, whole)
    )


async def end_key(database: Database, key_id: str) -> datetime:
    """Revoke a key and return since when it is."""
    async with database.reading(Scope("app")) as reading:
        team_id = await find_key_team(reading, key_id)
    return await database.unit_of_work(Scope("app", team_id), lambda writing: revoke_key(writing, key_id))


async def limit_key(database: Database, key_id: str, requests_per_minute: int | None) -> None:
    """Give a key a limit of its own, or the instance's."""
    async with database.reading(Scope("app")) as reading:
        team_id = await find_key_team(reading, key_id)
    await database.unit_of_work(
        Scope("app", team_id), lambda writing: set_rate(writing, key_id, requests_per_minute)
    )


async def newest_audit(database: Database, team: str | None) -> tuple[AuditEvent, ...]:
    """Return the newest thousand acts on a team by name or id, or those of admins and the host on any."""
    async with database.reading(Scope("app")) as reading:
        if team is None:
            return (await list_instance_audit(reading, action=None, limit=1000, cursor=None)).items
        team_id = (await find_team(reading, team)).team_id
    async with database.reading(Scope("app", team_id)) as reading:
        return (await list_team_audit(reading, team_id, action=None, limit=1000, cursor=None)).items


async def read_instance_settings(database: Database) -> dict[str, object]:
    """Return every setting of the instance; None where the built-in default holds."""
    async with database.reading(Scope("app")) as reading:
        level = await read_instance_values(reading)
    return {**dict.fromkeys(INSTANCE_SETTING_NAMES), **level.values}


async def store_settings_of_instance(database: Database, changes: Mapping[str, object]) -> dict[str, object]:
    """Change settings of the instance, in force at once for every team, and return them all."""
    await database.unit_of_work(
        Scope("app"),
        lambda writing: change_instance_settings(
            writing, HOST, changes, expected_version=None, now=datetime.now(UTC)
        ),
    )
    return await read_instance_settings(database)


async def find_or_create_profile(database: Database, team_id: str, name_or_id: str) -> Profile:
    """Return the team's profile; one is made under that name when there is none."""
    scope = Scope("app", team_id)
    try:
        async with database.reading(scope) as reading:
            return await find_profile(reading, team_id, name_or_id)
    except NotFound:
        return await database.unit_of_work(scope, lambda w: create_profile(w, team_id, name_or_id))
