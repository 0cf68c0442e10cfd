"""The provider, as a server of its own, and what a worker process uses of it."""

from collections.abc import AsyncIterator

import pytest

from app.kernel.settings import Settings
from app.llm.key import KEY_VARIABLE
from app.worker.provider import Provider, open_provider
from tests.provider_server.server import KEY, ProviderServer, provider


@pytest.fixture
async def server(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ProviderServer]:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    async with provider() as served:
        yield served


@pytest.fixture
async def provided(server: ProviderServer) -> AsyncIterator[Provider]:
    async with open_provider(Settings.model_validate({"anthropic_base_url": server.url})) as opened:
        yield opened
