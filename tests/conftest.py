"""Fixtures that every test may use. Each test founds its own team, so none has to clean up."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack
from typing import Final

import hypothesis
import pytest
from hypothesis import HealthCheck

from app.kernel.database import Database, Scope
from app.kernel.settings import Settings
from app.ledger.founding import found_team
from app.tenancy.callers import Caller
from app.tenancy.teams import create_profile, new_team_id
from tests.databases import create_database, drop_database, service_url, start_server, unruled_url

# A busy machine is no fault of a test.
hypothesis.settings.register_profile(
    "any-machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
hypothesis.settings.load_profile("any-machine")

MakeTeam = Callable[[], Awaitable[Caller]]
MakeProfile = Callable[[Caller, str], Awaitable[Caller]]
_SERVER: Final = pytest.StashKey[ExitStack]()


def pytest_configure(config: pytest.Config) -> None:
    # No test may spend a developer's money, nor depend on whether there is a key.
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY_FILE", "ANTHROPIC_BASE_URL"):
        os.environ.pop(name, None)
    # With parallel workers only the first process starts the server; they find it in the environment.
    if not hasattr(config, "workerinput") and not config.option.collectonly:
        config.stash[_SERVER] = ExitStack()
        start_server(config.stash[_SERVER])


def pytest_unconfigure(config: pytest.Config) -> None:
    if _SERVER in config.stash:
        config.stash[_SERVER].close()


@pytest.fixture(scope="session")
def settings() -> Settings:
    return Settings.model_validate({"pool_size": 10, "pool_timeout_seconds": 10})


@pytest.fixture(scope="session")
def database_name() -> Iterator[str]:
    name = create_database()
    yield name
    drop_database(name)


@pytest.fixture(scope="session")
async def database(settings: Settings, database_name: str) -> AsyncIterator[Database]:
    """The service's database, shared by the tests of one process."""
    database = Database(settings, url=service_url(database_name))
    await database.open()
    yield database
    await database.close()


@pytest.fixture
def private_name() -> Iterator[str]:
    """The name of a database of the test's own."""
    name = create_database()
    yield name
    drop_database(name)


@pytest.fixture
async def private(settings: Settings, private_name: str) -> AsyncIterator[Database]:
    """A database whose statistics are its own: what other tests leave behind would mislead the planner."""
    private = Database(settings, url=service_url(private_name))
    await private.open()
    yield private
    await private.close()


@pytest.fixture
async def private_unruled(settings: Settings, private_name: str) -> AsyncIterator[Database]:
    """The private database, written past its triggers."""
    private = Database(settings, url=unruled_url(private_name))
    await private.open()
    yield private
    await private.close()


@pytest.fixture(scope="session")
async def unruled(settings: Settings, database_name: str) -> AsyncIterator[Database]:
    """The same database, written past its triggers: for rows that no code of ours can leave."""
    unruled = Database(settings, url=unruled_url(database_name))
    await unruled.open()
    yield unruled
    await unruled.close()


@pytest.fixture(scope="session")
def make_team(database: Database) -> MakeTeam:
    """Found a team with the seeded predicates and return the caller of its one profile, which may do all."""
    return lambda: found_caller(database)


async def found_caller(database: Database) -> Caller:
    """Do what `make_team` does, in any database."""
    team_id = new_team_id()
    scope = Scope("app", team_id)
    await database.unit_of_work(scope, lambda w: found_team(w, team_id, f"Team {team_id}"))
    profile = await database.unit_of_work(scope, lambda w: create_profile(w, team_id, "First"))
    return Caller(
        key_id="key_00000000000000000000000000",
        team_id=team_id,
        profile_id=profile.profile_id,
        scopes=frozenset({"read", "write", "operate"}),
        max_authority="authoritative",
    )


@pytest.fixture(scope="session")
def make_profile(database: Database) -> MakeProfile:
    """Add a profile to a caller's team and return its caller."""

    async def make(caller: Caller, name: str) -> Caller:
        profile = await database.unit_of_work(
            Scope("app", caller.team_id), lambda w: create_profile(w, caller.team_id, name)
        )
        return Caller(
            key_id=caller.key_id,
            team_id=caller.team_id,
            profile_id=profile.profile_id,
            scopes=caller.scopes,
            max_authority=caller.max_authority,
        )

    return make


@pytest.fixture
async def team(make_team: MakeTeam) -> Caller:
    """A fresh team's first profile."""
    return await make_team()
