"""One trial: load a small instance, serve it by one process, ask far too much, and look what is left."""

import asyncio
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from time import monotonic
from typing import Final

from app.cli.bench.http.loading import Loaded, Size, load_instance
from app.cli.bench.http.requests import make_requests
from app.cli.bench.http.server import Ports, api_process
from app.cli.bench.recall.scores import quantile
from app.kernel.backend import Backend
from app.kernel.settings import Settings
from tests.load.clients import Tally, ask_until, read_answer
from tests.load.streams import Heard, read_feed, unread_feeds
from tests.load.watching import read_memory_mib, wait_for_rest, watch_memory

SIZE: Final = Size(hypotheses=1_000, relationships=1_000, teams=5, seed=3)
# Few enough that large teams run into their limit.
SETTINGS: Final = Settings.model_validate(
    {"pool_size": 10, "pool_timeout_seconds": 2, "requests_per_minute": 1_200, "request_burst": 200}
)
ALLOWED: Final = frozenset({200, 202, 409, 429, 503})
LEFT_OUT: Final = frozenset({"feedback"})
# Of the first half of the time, once everything is warm; and a little for what is only now and then needed.
MOST_GROWTH: Final = 1.25
SPARE_MIB: Final = 32
AFTERWARDS: Final = 20
MOST_LATE_SECONDS: Final = 5


@dataclass(frozen=True, slots=True)
class Plan:
    """How many clients and unread feeds, and for how long."""

    clients: int
    unread_feeds: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of it. `states` are those of connections afterwards, `afterwards` answers to a few requests."""

    plan: Plan
    tally: Tally
    heard: Heard
    heard_late_seconds: float
    memory_mib: Sequence[float]
    memory_after_mib: float
    states: Mapping[str, int]
    afterwards: Sequence[int]

    def find_faults(self) -> list[str]:
        """Return what must not be, in words."""
        half = max(self.memory_mib[: len(self.memory_mib) // 2 + 1])
        checks = {
            "answers that were none of the allowed": not set(self.tally.answers) <= ALLOWED,
            "no answer that was asked for": not self.tally.answers[200] or not self.tally.answers[202],
            "refusals without Retry-After": self.tally.without_retry_after > 0,
            "requests without an answer": self.tally.hung > 0,
            "connections that were cut off": self.tally.cut_off > 0,
            "memory that grows": max(self.memory_mib) > MOST_GROWTH * half + SPARE_MIB,
            "connections that are not back": set(self.states) != {"idle"}
            or self.states["idle"] > SETTINGS.pool_size,
            "requests that fail afterwards": set(self.afterwards) - {200, 429} != set(),
            "a feed with gaps": not self.heard.numbers or not self.heard.is_whole,
            "a feed that is late": self.heard_late_seconds > MOST_LATE_SECONDS,
        }
        return [fault for fault, is_there in checks.items() if is_there]

    def describe(self) -> list[str]:
        """Return the figures in lines."""
        seconds = self.tally.seconds
        answers = ", ".join(f"{status}: {count}" for status, count in sorted(self.tally.answers.items()))
        return [
            f"{self.plan.clients} clients, {self.plan.unread_feeds} unread feeds, {self.plan.seconds:g} s,"
            f" a pool of {SETTINGS.pool_size}",
            f"answers {answers}; {self.tally.aborted} hung up on, {self.tally.cut_off} cut off,"
            f" {self.tally.hung} without an answer",
            f"seconds to an answer: p50 {quantile(seconds, 0.5):.2f}, p99 {quantile(seconds, 0.99):.2f},"
            f" longest {max(seconds):.2f}",
            f"memory of the process, MiB: {self.memory_mib[0]:.0f} at first, {max(self.memory_mib):.0f} at most,"
            f" {self.memory_after_mib:.0f} afterwards",
            f"connections afterwards: {dict(self.states)}",
            f"the feed that was read: {len(self.heard.numbers)} events, the last"
            f" {self.heard_late_seconds:.2f} s after the last client",
        ]


def run_trial(backend: Backend, plan: Plan) -> Trial:
    """Fill the empty server, and carry out the plan on one API process."""
    loaded = load_instance(backend, SETTINGS, SIZE)
    with api_process(SETTINGS, backend.service_url) as ports:
        return asyncio.run(_run(backend, ports, loaded, plan))


async def _run(backend: Backend, ports: Ports, loaded: Loaded, plan: Plan) -> Trial:
    asked = [
        one.as_bytes()
        for operation, requests in make_requests(loaded.teams, seed=1).items()
        if operation not in LEFT_OUT
        for one in requests
    ]
    random.Random("order").shuffle(asked)
    tally, memory = Tally(), [read_memory_mib(ports.pid)]
    secrets = [team.secret for team in loaded.teams]
    async with (
        unread_feeds(ports.door, secrets, plan.unread_feeds),
        read_feed(ports.door, secrets[0]) as heard,
    ):
        watching = asyncio.create_task(watch_memory(ports.pid, memory, every_seconds=plan.seconds / 40))
        requests, until = cycle(asked), monotonic() + plan.seconds
        await asyncio.gather(
            *(ask_until(ports.door, requests, until, tally, number) for number in range(plan.clients))
        )
        watching.cancel()
        ended = monotonic()
        states = await wait_for_rest(backend.admin_url)
        afterwards = [await _ask_once(ports.door, loaded.teams[-1].secret) for _ in range(AFTERWARDS)]
    return Trial(
        plan=plan,
        tally=tally,
        heard=heard,
        heard_late_seconds=max(heard.last_at - ended, 0.0),
        memory_mib=memory,
        memory_after_mib=read_memory_mib(ports.pid),
        states=states,
        afterwards=afterwards,
    )


async def _ask_once(port: int, secret: str) -> int:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET /v1/dreams HTTP/1.1\r\nHost: door\r\nAuthorization: Bearer {secret}\r\n\r\n".encode())
    status, _ = await read_answer(reader)
    writer.close()
    return status
