"""A full team in a file, and another instance to bring it to."""

import io
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from app.archive.export import export_team
from app.kernel.database import Database
from app.kernel.settings import Settings
from app.tenancy.callers import Caller
from tests.conftest import MakeProfile, MakeTeam
from tests.databases import create_database, drop_database
from tests.integration.full_team import digests, make_full_team, owner_of

NOW = datetime(2026, 1, 2, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Exported:
    """A full team, what it was when it was exported, and its file."""

    team: Caller
    owner: Database
    digests: dict[str, tuple[int, str]]
    content: bytes


@pytest.fixture(scope="module")
async def exported(
    database: Database, database_name: str, settings: Settings, make_team: MakeTeam, make_profile: MakeProfile
) -> AsyncIterator[Exported]:
    team = await make_full_team(database, make_team, make_profile)
    owner = owner_of(settings, database_name)
    await owner.open()
    file = io.BytesIO()
    await export_team(owner, team.team_id, file, now=NOW)
    yield Exported(team, owner, dict(digests(database_name, team.team_id)), file.getvalue())
    await owner.close()


@pytest.fixture
async def elsewhere(settings: Settings) -> AsyncIterator[tuple[str, Database]]:
    """Another instance: its database's name, and the database for its owner."""
    name = create_database()
    owner = owner_of(settings, name)
    await owner.open()
    yield name, owner
    await owner.close()
    drop_database(name)
