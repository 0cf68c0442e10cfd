"""How many items a second are leased and finished, beside pgbench with the very same statements."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Final, LiteralString

from app.cli.bench.backend import bench_backend
from app.cli.bench.pgbench import Load, find_pgbench, run_pgbench
from app.cli.database import open_database
from app.kernel.backend import Backend
from app.kernel.database import ENTER, Database, Scope
from app.kernel.settings import Settings
from app.ledger.founding import found_team
from app.queue import statements
from app.queue.leases import finish, lease_due
from app.tenancy.teams import new_team_id

APP: Final = Scope("app")
TEAMS: Final = 20
# More than anybody leases in the time of a measurement.
ITEMS_A_SECOND: Final = 12_000
LEASE_SECONDS: Final = 600


@dataclass(frozen=True, slots=True)
class Measured:
    """So many connections at once, items a second; `pgbench_rate` is None where there is no pgbench."""

    connections: int
    rate: float
    pgbench_rate: float | None

    @property
    def share(self) -> float | None:
        """What part of pgbench's rate is reached."""
        return None if self.pgbench_rate is None else self.rate / self.pgbench_rate


def run_bench(settings: Settings, *, connections: Sequence[int], seconds: int) -> list[Measured]:
    """Measure each number of connections for so many seconds, ours and pgbench in turn."""
    with bench_backend(settings) as (backend, bench_settings):
        needed = bench_settings.model_copy(update={"pool_size": max(*connections, bench_settings.pool_size)})
        return asyncio.run(measure_all(backend, needed, connections, seconds))


async def measure_all(
    backend: Backend, settings: Settings, connections: Sequence[int], seconds: int
) -> list[Measured]:
    """Measure on a migrated server; the teams and finished items of it stay behind."""
    program = find_pgbench()
    async with open_database(settings, backend) as database:
        teams = [new_team_id() for _ in range(TEAMS)]
        for team in teams:
            scope = Scope("app", team)
            await database.unit_of_work(scope, lambda w, team=team: found_team(w, team, f"Bench {team}"))  # type: ignore[misc]  # mypy can't infer a lambda with a default.
        measured = []
        for number in connections:
            kind = f"bench-{number}-{teams[0]}"
            for contestant in ("ours", "pgbench"):
                params = {"teams": teams, "kind": f"{kind}-{contestant}", "count": seconds * ITEMS_A_SECOND}
                await database.unit_of_work(APP, lambda w, params=params: w.execute(_FILL, params))  # type: ignore[misc]  # As above.
            rate = await _measure_ours(database, f"{kind}-ours", number, seconds)
            pgbench_rate = None
            if program is not None:
                pgbench_rate = await asyncio.to_thread(
                    _measure_pgbench, program, backend, settings, f"{kind}-pgbench", number, seconds
                )
            measured.append(Measured(number, rate, pgbench_rate))
            # What is left over is nobody's work.
            await database.unit_of_work(APP, lambda w, kind=kind: w.execute(_END, {"kind": f"{kind}%"}))  # type: ignore[misc]  # As above.
        return measured


async def _measure_ours(database: Database, kind: str, connections: int, seconds: int) -> float:
    """Lease and finish as a worker does, each in a transaction of its own."""
    done = 0
    began = perf_counter()

    async def work() -> None:
        nonlocal done
        while perf_counter() - began < seconds:
            leases = await database.unit_of_work(
                APP, lambda w: lease_due(w, kind=kind, worker="bench", seconds=LEASE_SECONDS)
            )
            for lease in leases:
                await database.unit_of_work(APP, lambda w, lease=lease: finish(w, lease))  # type: ignore[misc]  # As above.
                done += 1

    await asyncio.gather(*(work() for _ in range(connections)))
    return done / (perf_counter() - began)


def _measure_pgbench(
    program: Path, backend: Backend, settings: Settings, kind: str, connections: int, seconds: int
) -> float:
    """Run the same statements in the same transactions from a program in C."""
    values = {
        "role": f"{settings.role_prefix}_app",
        "statement_timeout": "10000",
        "idle_timeout": "30000",
        "plans": "auto",
        "seqscan": "on",
        "kind": kind,
        "worker": "bench",
        "seconds": LEASE_SECONDS,
        "limit": 1,
    }
    # pgbench has no empty variables.
    enter = _as_script(ENTER).replace(":team_id", "''")
    lease = _as_script(statements.LEASE_DUE).replace(":after", "''")
    script = (
        f"BEGIN;\n{enter};\n{lease} \\gset\nCOMMIT;\n"
        f"BEGIN;\n{enter};\n{_as_script(statements.FINISH)};\nCOMMIT;\n"
    )
    return run_pgbench(program, backend.service_url, [script], Load(connections, seconds), variables=values)


def _as_script(statement: LiteralString) -> str:
    return re.sub(r"%\((\w+)\)s", r":\1", statement).strip()


_FILL: LiteralString = """
    INSERT INTO work_items (team_id, kind, item_id, run_at)
    SELECT (%(teams)s::text[])[1 + i %% cardinality(%(teams)s::text[])], %(kind)s, 'item_' || i, clock_timestamp()
    FROM generate_series(1, %(count)s::int) AS i
"""
_END: LiteralString = """
    UPDATE work_items SET finished_at = clock_timestamp(), lease_expires_at = NULL, worker = NULL
    WHERE kind LIKE %(kind)s AND finished_at IS NULL
"""
