"""How long until all teams that are due at one moment have had their runs, and whether each had exactly one.

Worker processes run the product's own loop, schedulers of their own included; the further schedulers only look for
due teams, all the time. Always on a fresh embedded server, for the schedulers leave no team alone. The teams know
nothing, so a run costs its records: leasing, snapshot, its end.
"""

import asyncio
import multiprocessing
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import repeat
from multiprocessing.synchronize import Event
from time import monotonic, sleep
from typing import Final, LiteralString

import psycopg

from app.cli.bench.backend import bench_backend
from app.cli.database import open_database
from app.dreaming.settings import change_instance_settings
from app.dreaming.timing.planning import enqueue_due
from app.kernel.backend import Backend
from app.kernel.database import Database, Scope
from app.kernel.logs import configure_logs
from app.kernel.settings import Settings
from app.ledger.founding import found_team
from app.tenancy.callers import HOST
from app.tenancy.teams import new_team_id
from app.worker.loop import run_worker

LEAST_LEAD: Final = timedelta(seconds=20)
PATIENCE_SECONDS: Final = 300.0
LOOK_SECONDS: Final = 0.2


@dataclass(frozen=True, slots=True)
class Measured:
    """What the runs table says. Seconds: from the due moment to the last end, and each run's own, added up."""

    teams: int
    runs: int
    teams_with_a_run: int
    elapsed_seconds: float
    work_seconds: float

    @property
    def is_exact(self) -> bool:
        """Say whether every team had one run and none had two."""
        return self.teams == self.runs == self.teams_with_a_run


def run_bench(settings: Settings, *, teams: int, workers: int, schedulers: int) -> Measured:
    """Let all teams fall due at the next whole minute that is far enough, and wait until each has had its run."""
    # Many processes let everything fall due at once: never on a server that others use.
    with bench_backend(settings.model_copy(update={"database_url": None})) as (backend, settings):
        due_at = asyncio.run(_prepare(backend, settings, teams))
        with psycopg.connect(backend.admin_url, autocommit=True) as admin:
            _let_them_work(
                admin, backend.service_url, settings, teams=teams, workers=workers, schedulers=schedulers
            )
            row = admin.execute(_RUNS).fetchone()
    assert row is not None
    runs, teams_with_a_run, last_end, work = row
    return Measured(teams, runs, teams_with_a_run, (last_end - due_at).total_seconds(), work.total_seconds())


async def _prepare(backend: Backend, settings: Settings, teams: int) -> datetime:
    """Found the teams, leave them all due at one moment, and return it."""
    async with open_database(settings, backend) as database:
        for _ in range(teams):
            team_id = new_team_id()
            await database.unit_of_work(
                Scope("app", team_id),
                lambda w, one=team_id: found_team(w, one, one, actor=HOST),  # type: ignore[misc]  # mypy can't infer a lambda with a default.
            )
        earliest = datetime.now(UTC) + LEAST_LEAD
        due_at = earliest.replace(second=0, microsecond=0) + timedelta(minutes=1)
        changes = {"local_time": f"{due_at:%H:%M}"}
        await database.unit_of_work(
            Scope("app"),
            lambda w: change_instance_settings(
                w, HOST, changes, expected_version=None, now=datetime.now(UTC)
            ),
        )
        await enqueue_due(database, now=datetime.now(UTC))
    return due_at


def _let_them_work(
    admin: psycopg.Connection, url: str, settings: Settings, *, teams: int, workers: int, schedulers: int
) -> None:
    """Run the processes until no run is missing or under way, or patience ends."""
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    kinds = [*repeat(_work, workers), *repeat(_schedule, schedulers)]
    processes = [context.Process(target=kind, args=(settings, url, stop)) for kind in kinds]
    for process in processes:
        process.start()
    deadline = monotonic() + PATIENCE_SECONDS
    try:
        while admin.execute(_ENDED).fetchone() != (teams,) and monotonic() < deadline:
            sleep(LOOK_SECONDS)
    finally:
        stop.set()
        for process in processes:
            process.join()


def _work(settings: Settings, url: str, stop: Event) -> None:
    async def work(database: Database) -> None:
        stopping = asyncio.Event()
        working = asyncio.create_task(run_worker(database, settings, stop=stopping))
        await asyncio.to_thread(stop.wait)
        stopping.set()
        await working

    _run(settings, url, work)


def _schedule(settings: Settings, url: str, stop: Event) -> None:
    async def schedule(database: Database) -> None:
        while not stop.is_set():
            await enqueue_due(database, now=datetime.now(UTC))
            await asyncio.sleep(LOOK_SECONDS)

    _run(settings, url, schedule)


def _run(settings: Settings, url: str, work: Callable[[Database], Coroutine[None, None, None]]) -> None:
    configure_logs("error")

    async def run() -> None:
        database = Database(settings, url=url)
        await database.open()
        try:
            await work(database)
        finally:
            await database.close()

    asyncio.run(run())


_ENDED: LiteralString = "SELECT count(*) FROM cycle_runs WHERE finished_at IS NOT NULL"

_RUNS: LiteralString = """
    SELECT count(*), count(DISTINCT team_id), max(finished_at), sum(finished_at - started_at) FROM cycle_runs
"""
