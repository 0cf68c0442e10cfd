"""What a server and a worker begin with, and the signal that ends both."""

import asyncio
import signal
from contextlib import suppress
from typing import Final

import structlog

from app.kernel.settings import Settings
from app.llm.prices import load_prices
from app.recall.configured_embedder import MissingEmbedder, open_embedder
from app.recall.embedder import Embedder

ENDING_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
log = structlog.get_logger()


def check_files(settings: Settings) -> None:
    """Raise SetupError for a file of the settings that is wrong, before anything is started."""
    load_prices(settings.price_file)


async def find_embedder(settings: Settings) -> Embedder | None:
    """Return what the settings name; of a model that can't be used it is logged why."""
    embedder = await asyncio.to_thread(open_embedder, settings.embed_model)
    if isinstance(embedder, MissingEmbedder):
        log.warning("recall searches without embeddings", action="start", fault=embedder.why)
    return embedder


async def until_signalled() -> None:
    """Return when the process is asked to end: SIGINT or SIGTERM. A second one ends it at once."""
    asked = asyncio.Event()
    loop = asyncio.get_running_loop()

    def end() -> None:
        asked.set()
        for number in ENDING_SIGNALS:
            loop.remove_signal_handler(number)

    for number in ENDING_SIGNALS:
        with suppress(NotImplementedError):
            loop.add_signal_handler(number, end)
    await asked.wait()
