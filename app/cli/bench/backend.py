"""Where a measurement runs: DATABASE_URL, or a fresh embedded server that is gone afterwards."""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from app.kernel.backend import Backend, migrate_backend, running_backend
from app.kernel.settings import Settings


@contextmanager
def bench_backend(settings: Settings) -> Iterator[tuple[Backend, Settings]]:
    """Give a migrated server, and the settings that lead to it."""
    with ExitStack() as stack:
        if settings.database_url is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="densemem-bench-"))
            settings = settings.model_copy(update={"data_dir": Path(folder) / "data"})
        backend = stack.enter_context(running_backend(settings))
        migrate_backend(backend, settings)
        yield backend, settings
