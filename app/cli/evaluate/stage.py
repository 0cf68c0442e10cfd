"""The database of a measurement: DATABASE_URL, or a fresh embedded server that is gone afterwards."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from app.cli.bench.backend import bench_backend
from app.cli.database import open_database
from app.kernel.backend import Backend
from app.kernel.database import Database
from app.kernel.settings import Settings

T = TypeVar("T")
# A server that others work on, too, may need longer for a whole team than a request may take.
STATEMENT_SECONDS: Final = 120.0


def on_stage(settings: Settings, work: Callable[[Database], Awaitable[T]]) -> T:
    """Run the work on a migrated database."""
    settings = settings.model_copy(update={"statement_timeout_seconds": STATEMENT_SECONDS})

    async def run(backend: Backend) -> T:
        async with open_database(settings, backend) as database:
            return await work(database)

    with bench_backend(settings) as (backend, settings):
        return asyncio.run(run(backend))


def tell(step: str) -> None:
    """Show on a terminal what is being done, in one line that the next one replaces."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{step}")
        sys.stderr.flush()
