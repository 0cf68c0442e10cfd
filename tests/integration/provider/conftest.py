"""A server of the provider for each test, and what asks it."""

from collections.abc import AsyncIterator

import pytest

from app.kernel.database import Database
from app.llm.anthropic_model import AnthropicModel, AnthropicOptions
from app.llm.key import Key
from app.tenancy.callers import Caller
from tests.batch_worker import open_line
from tests.cycles import (
    Pattern,
    make_pattern,
)
from tests.integration.provider.asking import Asker
from tests.integration.provider.batching import Batched
from tests.integration.provider.dreaming import Dreaming
from tests.provider_server.replies import (
    MODEL,
)
from tests.provider_server.server import KEY, ProviderServer, provider


@pytest.fixture
async def server() -> AsyncIterator[ProviderServer]:
    async with provider() as served:
        yield served


@pytest.fixture
def asker(server: ProviderServer) -> Asker:
    return Asker(server)


@pytest.fixture
async def pattern(database: Database, team: Caller) -> Pattern:
    return await make_pattern(database, team)


@pytest.fixture
async def dreaming() -> AsyncIterator[Dreaming]:
    async with provider() as server:
        pauses: list[float] = []

        async def pause(seconds: float) -> None:
            pauses.append(seconds)

        options = AnthropicOptions(model=MODEL, base_url=server.url)
        model = AnthropicModel(options, key=lambda: Key(KEY, "a test"), pause=pause)
        yield Dreaming(server, model, pauses)
        await model.close()


@pytest.fixture
async def batched(database: Database, team: Caller) -> AsyncIterator[Batched]:
    async with provider() as server:
        line = open_line(server.url)
        assert line.batches is not None
        yield Batched(database, team, await make_pattern(database, team), server, line)
        await line.model.close()
        await line.batches.close()
