"""Teams and their profiles."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, LiteralString

import psycopg

from app.kernel.database import Reading, Row, Writing
from app.kernel.errors import FieldError, InvalidInput, NotFound, WrongState
from app.kernel.ids import new_id
from app.kernel.pages import NewestFirst, Page
from app.tenancy.audit import record_audit
from app.tenancy.callers import HOST, Actor

MAX_NAME_LENGTH: Final = 256
# One text for every way of asking, whether the id is malformed or names nothing.
NO_SUCH_TEAM: Final = "There is no such team; `densemem team create NAME` makes one."


@dataclass(frozen=True, slots=True)
class Team:
    """A tenant. From `closed_at` on its keys are refused, and it is being erased."""

    team_id: str
    name: str
    created_at: datetime
    closed_at: datetime | None


@dataclass(frozen=True, slots=True)
class Profile:
    profile_id: str
    team_id: str
    name: str
    created_at: datetime


def new_team_id() -> str:
    """Return the id for a team to be: a transaction acts as the team that it is about to create."""
    return new_id("team")


async def create_team(writing: Writing, team_id: str, name: str, *, actor: Actor = HOST) -> Team:
    """Store the team and whose act that was; the transaction's scope is the new team.

    Raises:
        InvalidInput: the name is blank or longer than 256 characters.
        WrongState: `name_taken`.
    """
    check_name(name)
    try:
        row = await writing.fetch_one(_INSERT_TEAM, {"id": team_id, "name": name})
    except psycopg.errors.UniqueViolation as error:
        raise WrongState("There is a team of that name already.", code="name_taken") from error
    assert row is not None
    await record_audit(writing, actor, "team_created", target_id=team_id)
    return _team(row)


async def find_team(reading: Reading, name_or_id: str) -> Team:
    """Return the team of that id or exact name, or raise NotFound."""
    row = await reading.fetch_one(_FIND_TEAM, {"name_or_id": name_or_id})
    if row is None:
        raise NotFound(NO_SUCH_TEAM)
    return _team(row)


async def find_open_team(reading: Reading, team_id: str) -> Team:
    """Return the team that something new may be made in.

    Raises:
        NotFound: there is no such team.
        WrongState: `team_closed`.
    """
    team = await find_team(reading, team_id)
    if team.closed_at is not None:
        raise WrongState("The team is closed, and is being erased.", code="team_closed")
    return team


async def list_teams(reading: Reading, *, limit: int, cursor: str | None) -> Page[Team]:
    """Return teams, newest first."""
    paging = NewestFirst("list_teams", {})
    created_at, last_id = paging.position(cursor)
    params = {"created_at": created_at, "id": last_id, "limit": limit + 1}
    teams = [_team(row) for row in await reading.fetch_all(_LIST_TEAMS, params)]
    return paging.page(teams, limit, lambda team: (team.created_at, team.team_id))


async def create_profile(writing: Writing, team_id: str, name: str, *, actor: Actor = HOST) -> Profile:
    """Store a profile of the team and whose act that was.

    Raises:
        InvalidInput: the name is blank or longer than 256 characters.
        NotFound: there is no such team.
        WrongState: `name_taken`, `team_closed`.
    """
    check_name(name)
    await find_open_team(writing, team_id)
    params = {"team_id": team_id, "id": new_id("prof"), "name": name}
    try:
        row = await writing.fetch_one(_INSERT_PROFILE, params)
    except psycopg.errors.UniqueViolation as error:
        raise WrongState("The team has a profile of that name already.", code="name_taken") from error
    except psycopg.errors.ForeignKeyViolation as error:
        raise NotFound(NO_SUCH_TEAM) from error
    assert row is not None
    await record_audit(writing, actor, "profile_created", target_id=row["id"])
    return _profile(row)


async def find_profile(reading: Reading, team_id: str, name_or_id: str) -> Profile:
    """Return the team's profile of that id or exact name, or raise NotFound."""
    row = await reading.fetch_one(_FIND_PROFILE, {"team_id": team_id, "name_or_id": name_or_id})
    if row is None:
        raise NotFound("There is no such profile.")
    return _profile(row)


async def list_profiles(reading: Reading, team_id: str, *, limit: int, cursor: str | None) -> Page[Profile]:
    """Return the team's profiles, newest first."""
    paging = NewestFirst("list_profiles", {"team_id": team_id})
    created_at, last_id = paging.position(cursor)
    params = {"team_id": team_id, "created_at": created_at, "id": last_id, "limit": limit + 1}
    profiles = [_profile(row) for row in await reading.fetch_all(_LIST_PROFILES, params)]
    return paging.page(profiles, limit, lambda profile: (profile.created_at, profile.profile_id))


def check_name(name: str) -> None:
    """Raise InvalidInput for a name that nobody could read or that is too long."""
    if not 1 <= len(name.strip()) <= len(name) <= MAX_NAME_LENGTH:
        message = f"A name has 1 to {MAX_NAME_LENGTH} characters and is not blank."
        raise InvalidInput(message, errors=(FieldError("name", "invalid_name", message),))


def _team(row: Row) -> Team:
    return Team(team_id=row["id"], name=row["name"], created_at=row["created_at"], closed_at=row["closed_at"])


def _profile(row: Row) -> Profile:
    return Profile(
        profile_id=row["id"], team_id=row["team_id"], name=row["name"], created_at=row["created_at"]
    )


_INSERT_TEAM: LiteralString = """
    INSERT INTO teams (id, name) VALUES (%(id)s, %(name)s) RETURNING id, name, created_at, closed_at
"""
_FIND_TEAM: LiteralString = """
    SELECT id, name, created_at, closed_at FROM teams WHERE id = %(name_or_id)s OR name = %(name_or_id)s
"""
_LIST_TEAMS: LiteralString = """
    SELECT id, name, created_at, closed_at FROM teams
    WHERE %(id)s::text IS NULL OR (created_at, id) < (%(created_at)s::timestamptz, %(id)s::text)
    ORDER BY created_at DESC, id DESC LIMIT %(limit)s
"""
_INSERT_PROFILE: LiteralString = """
    INSERT INTO profiles (team_id, id, name) VALUES (%(team_id)s, %(id)s, %(name)s)
    RETURNING team_id, id, name, created_at
"""
_FIND_PROFILE: LiteralString = """
    SELECT team_id, id, name, created_at FROM profiles
    WHERE team_id = %(team_id)s AND (id = %(name_or_id)s OR name = %(name_or_id)s)
"""
_LIST_PROFILES: LiteralString = """
    SELECT team_id, id, name, created_at FROM profiles
    WHERE team_id = %(team_id)s
      AND (%(id)s::text IS NULL OR (created_at, id) < (%(created_at)s::timestamptz, %(id)s::text))
    ORDER BY created_at DESC, id DESC LIMIT %(limit)s
"""
