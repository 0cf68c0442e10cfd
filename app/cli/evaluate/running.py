"""One cycle of a team through the real pipeline, as a worker runs it, timed and weighed.

The run is started by hand, leased, and worked on by `run_cycle` in a process that can be stopped. What it left
is read back from the database.
"""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import LiteralString, ParamSpec, TypeVar, cast

from app.cli.evaluate.triples import Triple
from app.cli.evaluate.watching import Watched, forget_peak, read_peak, watch
from app.cli.leasing import LEASE_SECONDS, lease_next
from app.dreaming.cycle import run_cycle
from app.dreaming.generation import Generated
from app.dreaming.model import Group
from app.dreaming.runs.asking import CYCLE, StartRequest, start_run
from app.dreaming.runs.history import Run, get_run
from app.kernel.database import Database, Row, Scope
from app.kernel.processes import run_in_process
from app.tenancy.callers import Caller

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Dreamt:
    """One cycle.

    `groups` are in the order in which the run uses them, so that the first k are what a budget of k gives.
    `hypotheses` are the rows that it left, by (subject name, predicate key, object name). The generator's
    memory is that of its own process; the worker's is that of the one that reads and writes.
    """

    run: Run
    groups: tuple[Group, ...]
    hypotheses: dict[Triple, Row]
    seconds: float
    generator_seconds: float
    generator_cpu_seconds: float
    generator_megabytes: int | None
    worker_megabytes: int | None


async def dream_once(database: Database, caller: Caller) -> Dreamt:
    """Return what one cycle of the team did; the team has no other run that waits."""
    generating: list[Watched[Generated]] = []

    async def compute(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        watched: Watched[T] = await run_in_process(
            watch,  # type: ignore[arg-type]  # mypy can't pass a generic function on.
            function,
            *args,
            **kwargs,
        )
        if isinstance(watched.result, Generated):
            generating.append(cast(Watched[Generated], watched))
        return watched.result

    scope = Scope("app", caller.team_id)
    forget_peak()
    started = perf_counter()
    run, _ = await database.unit_of_work(scope, lambda w: start_run(w, caller, StartRequest()))
    (lease,) = await database.unit_of_work(
        Scope("dreamer", caller.team_id), lambda w: lease_next(w, team_id=caller.team_id, kind=CYCLE)
    )
    await run_cycle(database, lease, compute=compute, lease_seconds=LEASE_SECONDS)
    seconds = perf_counter() - started
    async with database.reading(scope) as reading:
        ended = await get_run(reading, caller.team_id, run.run_id)
        rows = await reading.fetch_all(_HYPOTHESES, {"team_id": caller.team_id, "run_id": run.run_id})
    last = generating[-1] if generating else None
    return Dreamt(
        run=ended,
        groups=last.result.groups if last else (),
        hypotheses={(row["subject"], row["predicate_key"], row["object"]): row for row in rows},
        seconds=round(seconds, 2),
        generator_seconds=last.seconds if last else 0.0,
        generator_cpu_seconds=last.cpu_seconds if last else 0.0,
        generator_megabytes=last.peak_megabytes if last else None,
        worker_megabytes=read_peak(),
    )


_HYPOTHESES: LiteralString = """
    SELECT h.id, subject.name AS subject, h.predicate_key, coalesce(entity.name, value.canonical) AS object,
           h.statement, h.rationale, h.likelihood, h.confidence, h.paths
    FROM hypotheses AS h
    JOIN entities AS subject ON subject.team_id = h.team_id AND subject.id = h.subject_entity_id
    LEFT JOIN entities AS entity ON entity.team_id = h.team_id AND entity.id = h.object_entity_id
    LEFT JOIN typed_values AS value ON value.team_id = h.team_id AND value.id = h.object_value_id
    WHERE h.team_id = %(team_id)s AND h.cycle_run_id = %(run_id)s
"""
