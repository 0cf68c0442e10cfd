"""The open pools of a command, apart from the server: its modules take longest to import."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from app.kernel.backend import Backend
from app.kernel.database import Database
from app.kernel.settings import Settings


@asynccontextmanager
async def open_as_owner(settings: Settings, backend: Backend) -> AsyncIterator[Database]:
    """Give pools of the login that migrates: they may act as the owner, and the service's roles are not theirs."""
    database = Database(settings, url=backend.admin_url)
    await database.open()
    try:
        yield database
    finally:
        await database.close()


@asynccontextmanager
async def open_database(settings: Settings, backend: Backend) -> AsyncIterator[Database]:
    """Give the open pools of this process."""
    database = Database(settings, url=backend.service_url, dreamer_url=backend.dreamer_url)
    await database.open()
    try:
        yield database
    finally:
        await database.close()
