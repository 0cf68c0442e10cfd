"""What a run reads, left on record with it, and whether all of it has been assessed before."""

import asyncio
from dataclasses import replace

from app.dreaming.funnel import build_funnel
from app.dreaming.generation import Generator
from app.dreaming.grouping.split import weigh_predicates
from app.dreaming.inputs.digest import digest_snapshot
from app.dreaming.inputs.snapshot import read_inputs
from app.dreaming.model import Inputs
from app.dreaming.outcome import Outcome, find_skip
from app.dreaming.runs.record import BegunRun, RunInputs, note_inputs, was_assessed
from app.dreaming.spending.budgets import Budgets
from app.dreaming.validation.validated import Validated
from app.hypotheses.outcomes import read_outcomes
from app.kernel.database import Database, Scope, Writing
from app.queue.leases import Lease, hold


async def read_and_note(
    database: Database, lease: Lease, run: BegunRun, budgets: Budgets, generator: Generator
) -> tuple[Inputs, Outcome | None]:
    """Return the snapshot for this generator, and why there is nothing to generate from it, if so.

    Raises:
        LeaseLost: the term is over; nothing was noted.
    """
    scope = Scope("dreamer", lease.team_id)
    async with database.snapshot(scope) as reading:
        inputs = await read_inputs(reading, run.team_id, max_premises=budgets.max_premises, now=run.began_at)
        outcomes = await read_outcomes(reading, run.team_id)
    weights = weigh_predicates(outcomes, generator_version=generator.version)
    inputs = replace(inputs, split_weights=weights)
    digest = await asyncio.to_thread(
        digest_snapshot,
        inputs.premises,
        inputs.predicates.values(),
        generator_version="/".join(filter(None, (generator.kind, generator.version, generator.model))),
        bounds=budgets.bounds(),
        closed=inputs.standing.active | inputs.standing.opposite,
    )
    record = RunInputs(
        funnel=build_funnel(inputs, (), Validated()),
        digest=digest,
        generator_kind=generator.kind,
        generator_version=generator.version,
        model=generator.model,
        budgets=budgets.describe({"max_premises": len(inputs.premises)}),
    )

    async def note(writing: Writing) -> bool:
        await hold(writing, lease)
        await note_inputs(writing, lease, record)
        return await was_assessed(writing, lease.team_id, record.digest)

    is_assessed = await database.unit_of_work(scope, note)
    skip = find_skip(
        eligible=inputs.eligible_count,
        digest=digest,
        assessed_digest=digest if is_assessed else None,
        dry_run=run.dry_run,
    )
    return inputs, skip
