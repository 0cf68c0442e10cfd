"""A database of one connection, a ledger to ask, and the provider as a server, with what a worker uses of it."""

from collections.abc import AsyncIterator

import pytest

from app.kernel.database import Database
from app.kernel.settings import Settings
from app.llm.key import KEY_VARIABLE
from app.tenancy.callers import Caller
from app.worker.provider import Provider, open_provider
from tests.databases import service_url
from tests.integration.recall_rows import Ledger
from tests.provider_server.server import KEY, ProviderServer, provider


@pytest.fixture
async def single(database_name: str) -> AsyncIterator[Database]:
    """A database of which one connection is used, so that whatever is left behind is met again."""
    one = Database(
        Settings.model_validate({"pool_size": 2, "pool_timeout_seconds": 5}), url=service_url(database_name)
    )
    await one.open()
    yield one
    await one.close()


@pytest.fixture
def ledger(database: Database, team: Caller) -> Ledger:
    return Ledger(database, team, {})


@pytest.fixture
async def server(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ProviderServer]:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    async with provider() as served:
        yield served


@pytest.fixture
async def provided(server: ProviderServer) -> AsyncIterator[Provider]:
    async with open_provider(Settings.model_validate({"anthropic_base_url": server.url})) as opened:
        yield opened
