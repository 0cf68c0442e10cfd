"""The operations in turn, by one number of clients after the other: the door, the bare endpoint, pgbench."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from app.cli.bench.http.driving import Drive, Driven, Order, driving_process, join
from app.cli.bench.http.loading import Loaded
from app.cli.bench.http.recording import record_requests
from app.cli.bench.http.requests import BARE, GREETING, Asked, make_requests
from app.cli.bench.http.scripts import makes_ids, write_scripts
from app.cli.bench.http.server import Ports, api_process
from app.cli.bench.pgbench import Load, find_pgbench, run_pgbench
from app.cli.bench.recall.scores import quantile
from app.cli.database import open_database
from app.cli.evaluate.stage import tell
from app.kernel.backend import Backend
from app.kernel.settings import Settings

# No key of the measurement sends more: the limit is asked for and never refuses.
REQUESTS_PER_MINUTE: Final = 1_000_000
# Of each operation, before anything is measured.
WARM_UP_SECONDS: Final = 5.0
# The operations take turns, so that a slow moment of the machine's is not one operation's alone; and each turn is
# measured once the server is at it: what the operation before it needed is what is at hand at first.
TURNS: Final = 3
SETTLING_SECONDS: Final = 1.0
_BARE_REQUEST: Final = b"GET /bare HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Plan:
    """How many clients at once, one number after the other, for how long, and what requests are drawn from.

    `scripts`: so many requests of each operation are what pgbench has to run.
    """

    clients: Sequence[int]
    seconds: float
    seed: int
    scripts: int = 40


@dataclass(frozen=True, slots=True)
class Point:
    """One operation by so many clients. Times in milliseconds; `pgbench_rate` is None where there is none.

    `api_ms`: what a request took of a core in the API process, which others on the machine hardly change.
    `driver_share`: how much of a core asking took. `refused`: answers that were no 2xx.
    """

    operation: str
    clients: int
    rate: float
    p50_ms: float
    p99_ms: float
    api_ms: float
    pgbench_rate: float | None
    driver_share: float
    refused: int


def measure_door(backend: Backend, settings: Settings, loaded: Loaded, plan: Plan) -> list[Point]:
    """Return the points in the order in which they were measured: all operations by one number of clients, then
    the next."""
    settings = settings.model_copy(update={"requests_per_minute": REQUESTS_PER_MINUTE})
    asked = make_requests(loaded.teams, seed=plan.seed)
    tell("writing scripts for pgbench")
    scripts = asyncio.run(_record(backend, settings, asked, plan.scripts))
    requests = {BARE: [_BARE_REQUEST]} | {
        name: [one.as_bytes() for one in all_] for name, all_ in asked.items()
    }
    points = []
    with api_process(settings, backend.service_url) as ports, driving_process() as drive:
        askers = {operation: Asker(drive, ports, operation, sent) for operation, sent in requests.items()}
        # A process knows no key at first, and takes a block of its limit with its first request. Each of its
        # connections plans each statement once, and few of the pages that are asked for are in memory yet.
        greetings = [Asked(team, "GET", GREETING).as_bytes() for team in loaded.teams]
        for asker in (Asker(drive, ports, "greet", greetings), *askers.values()):
            asker.ask(max(plan.clients), min(WARM_UP_SECONDS, 2 * plan.seconds))
        for clients in plan.clients:
            turns: dict[str, list[_Turn]] = {operation: [] for operation in askers}
            for turn in range(TURNS):
                for operation, asker in askers.items():
                    tell(f"{operation}, {clients} clients, turn {turn + 1} of {TURNS}")
                    turns[operation].append(asker.take_turn(clients, plan.seconds / TURNS))
            for operation, taken in turns.items():
                pgbench_rate = _measure_pgbench(backend, scripts.get(operation), clients, plan)
                points.append(_point(operation, clients, taken, pgbench_rate))
    tell("")
    return points


@dataclass(frozen=True, slots=True)
class _Turn:
    driven: Driven
    busy_seconds: float


@dataclass(slots=True)
class Asker:
    """One operation and its requests, next ones first: none is sent again before all others were."""

    drive: Drive
    ports: Ports
    operation: str
    requests: Sequence[bytes]

    def take_turn(self, clients: int, seconds: float) -> _Turn:
        """Ask for so long, and a second before, which does not count."""
        self.ask(clients, min(SETTLING_SECONDS, seconds))
        busy = self.ports.read_busy_seconds()
        driven = self.ask(clients, seconds)
        return _Turn(driven, self.ports.read_busy_seconds() - busy)

    def ask(self, clients: int, seconds: float) -> Driven:
        port = self.ports.bare if self.operation == BARE else self.ports.door
        driven = self.drive(Order(port, self.requests, clients, seconds))
        sent = len(driven.latencies) % len(self.requests)
        self.requests = [*self.requests[sent:], *self.requests[:sent]]
        return driven


async def _record(
    backend: Backend, settings: Settings, requests: Mapping[str, Sequence[Asked]], count: int
) -> Mapping[str, Sequence[str]]:
    async with open_database(settings, backend) as database:
        return {
            operation: write_scripts(backend, await record_requests(database, settings, asked[:count]))
            for operation, asked in requests.items()
        }


def _measure_pgbench(
    backend: Backend, scripts: Sequence[str] | None, clients: int, plan: Plan
) -> float | None:
    program = find_pgbench()
    if program is None or scripts is None:
        return None
    protocol: Literal["simple", "prepared"] = "simple" if any(map(makes_ids, scripts)) else "prepared"
    load = Load(clients, plan.seconds, protocol)
    return run_pgbench(program, backend.service_url, scripts, load)


def _point(operation: str, clients: int, turns: Sequence[_Turn], pgbench_rate: float | None) -> Point:
    driven = join([turn.driven for turn in turns])
    return Point(
        operation=operation,
        clients=clients,
        rate=driven.rate,
        p50_ms=1000 * quantile(driven.latencies, 0.5),
        p99_ms=1000 * quantile(driven.latencies, 0.99),
        api_ms=1000 * sum(turn.busy_seconds for turn in turns) / len(driven.latencies),
        pgbench_rate=pgbench_rate,
        driver_share=driven.busy_share,
        refused=sum(count for status, count in driven.statuses.items() if not 200 <= status < 300),
    )
