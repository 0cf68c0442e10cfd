"""One look at a run that asks in a batch, in a process of its own that dies at a commit point of our choice."""

import asyncio
import logging
import multiprocessing
import os
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeVar

import structlog

from app.dreaming.cycle import run_cycle
from app.dreaming.provider.conversation import Line
from app.dreaming.provider.generator import PROMPT
from app.kernel.database import Database, Scope, Writing
from app.kernel.settings import Settings
from app.llm.anthropic_batches import AnthropicBatches
from app.llm.anthropic_model import AnthropicModel, AnthropicOptions
from app.llm.batches import Ended as BatchEnded
from app.llm.batches import Gone, Made, NotMade, Pending, StructuredBatches
from app.llm.key import Key
from app.llm.model import Question
from app.llm.prices import BUILT_IN
from app.llm.prompts import load_prompt
from app.queue.leases import Lease
from tests.provider_server.replies import MODEL
from tests.provider_server.server import KEY

T = TypeVar("T")
Point = Literal["intended", "made", "named", "read", "charged", "persisting", "persisted"]
# Which commit of its look it is: begin, note, intent, name and wait; or begin, charge, persist.
COMMITS: Final = {"intended": 3, "named": 4, "charged": 2, "persisting": 3, "persisted": 3}
# The modules are imported once, then each process is a fork of that one.
PROCESSES: Final = multiprocessing.get_context("forkserver")


@dataclass(frozen=True, slots=True)
class Look:
    """What the process needs to know."""

    database_url: str
    server_url: str
    lease: Lease
    dies: Point


def open_line(server_url: str) -> Line:
    """Return a line to the local server; its model and its batches are to be closed."""
    key = Key(KEY, "a test")
    model = AnthropicModel(AnthropicOptions(model=MODEL, base_url=server_url), key=lambda: key)
    batches = AnthropicBatches(model=MODEL, base_url=server_url, key=lambda: key, seconds=10)
    return Line(model=model, prices=BUILT_IN, prompt=load_prompt(PROMPT), effort="low", batches=batches)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class DyingDatabase(Database):
    """Dies before or after one of its commits."""

    dies: Point
    commits = 0

    async def unit_of_work(self, scope: Scope, work: Callable[[Writing], Awaitable[T]]) -> T:
        self.commits += 1
        is_here = COMMITS.get(self.dies) == self.commits

        async def and_die(writing: Writing) -> T:
            result = await work(writing)
            if is_here and self.dies == "persisting":
                die()
            return result

        result = await super().unit_of_work(scope, and_die)
        if is_here:
            die()
        return result


@dataclass(slots=True)
class DyingBatches:
    """Dies once the provider has answered."""

    inner: StructuredBatches
    dies: Point

    async def submit(self, question: Question, *, custom_id: str) -> Made | NotMade:
        handed = await self.inner.submit(question, custom_id=custom_id)
        if self.dies == "made":
            die()
        return handed

    async def look(self, batch_id: str, *, custom_id: str) -> Pending | Gone | BatchEnded:
        looked = await self.inner.look(batch_id, custom_id=custom_id)
        if self.dies == "read":
            die()
        return looked

    async def find(
        self, custom_id: str, *, since: datetime, until: datetime
    ) -> Made | Pending | Gone | BatchEnded:
        return await self.inner.find(custom_id, since=since, until=until)

    async def cancel(self, batch_id: str) -> None:
        await self.inner.cancel(batch_id)

    async def close(self) -> None:
        await self.inner.close()


async def look_and_die(look: Look) -> None:
    """Look once; return in a process only, and only if the point was never reached."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    database = DyingDatabase(Settings.model_validate({"pool_size": 2}), url=look.database_url)
    database.dies = look.dies
    await database.open()
    line = open_line(look.server_url)
    assert line.batches is not None
    dying = Line(
        model=line.model,
        prices=line.prices,
        prompt=line.prompt,
        effort=line.effort,
        batches=DyingBatches(line.batches, look.dies),
    )
    await run_cycle(database, look.lease, provider=lambda: dying)


def work(look: Look) -> None:
    asyncio.run(look_and_die(look))


async def look_in_a_process(look: Look) -> None:
    """Return when the process has been killed at its point."""
    PROCESSES.set_forkserver_preload(["tests.batch_worker", "anthropic", "httpx2"])
    process = PROCESSES.Process(target=work, args=(look,))
    process.start()
    await asyncio.to_thread(process.join, 60)
    assert process.exitcode == -signal.SIGKILL, f"it ended with {process.exitcode}"
