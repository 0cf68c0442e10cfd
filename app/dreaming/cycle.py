"""One cycle from lease to end, its steps in order.

begin (write) → snapshot (read only) → note what was read (write) → generate (no connection) → persist (write).
Every write is fenced by the lease. A fault is recorded and costs an attempt; a shutdown hands the lease back; a
cancelled run, or one that another worker took over, leaves nothing behind. The moment that decides what is
valid now and what has expired is the database's, taken when the run begins.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import structlog

from app.dreaming.budgets import Budgets, lower_budgets, team_budgets
from app.dreaming.choice import choose_generator
from app.dreaming.digest import digest_snapshot
from app.dreaming.exchanges import keep_exchange
from app.dreaming.faults import end_exhausted_run, hand_back_run, record_fault
from app.dreaming.funnel import build_funnel
from app.dreaming.generation import Compute, Generated, Generator, Task
from app.dreaming.lease import renew_with_heartbeat
from app.dreaming.model import Inputs
from app.dreaming.outcome import Outcome, find_skip
from app.dreaming.persist import Dream, persist_dream, persist_skip
from app.dreaming.provider.conversation import Line
from app.dreaming.provider.exchange import Exchange
from app.dreaming.run_record import (
    BegunRun,
    RunEnd,
    RunInputs,
    begin_run,
    end_run,
    note_inputs,
    was_assessed,
)
from app.dreaming.snapshot import read_inputs
from app.dreaming.split import weigh_predicates
from app.dreaming.usage import RunPurse
from app.dreaming.validated import Validated
from app.hypotheses.outcomes import read_outcomes
from app.kernel.database import Database, Scope, Writing
from app.kernel.errors import LeaseLost
from app.queue.heartbeat import work_under_lease
from app.queue.leases import Lease, finish, hold
from app.tenancy.configuration import Configuration, effective_configuration

log = structlog.get_logger()
# The share of the duration budget that a waiting generator may use: the rest is for ending with what it has.
DEADLINE_SHARE = 0.95


async def run_cycle(
    database: Database,
    lease: Lease,
    *,
    compute: Compute = asyncio.to_thread,
    lease_seconds: float = 60.0,
    generator: Generator | None = None,
    provider: Callable[[], Line | None] = lambda: None,
) -> None:
    """Leave the leased run ended, or due again, with an honest record of what happened.

    Args:
        compute: runs CPU-bound work off the event loop; a process of its own can be stopped, a thread can't.
        lease_seconds: the length to renew the lease to.
        generator: instead of the configured one.
        provider: gives the line to the provider while there is one.

    Returns quietly when the lease was lost or the run cancelled: then nothing was written after that.

    Raises:
        Exception: whatever went wrong, after it was recorded and the item given back; the caller only logs.
        asyncio.CancelledError: at a shutdown, after the lease was handed back.
    """
    cycle = _Cycle(database, lease, compute, lease_seconds, generator, provider)
    try:
        await cycle.run()
    except LeaseLost:
        log.info("The lease on a cycle is over.", action="cycle.lease_lost", run_id=lease.item_id)
    except asyncio.CancelledError:
        await hand_back_run(database, lease)
        raise
    except Exception as error:
        await record_fault(database, lease, error)
        raise


class _Cycle:
    """The steps of one run and what they share."""

    def __init__(
        self,
        database: Database,
        lease: Lease,
        compute: Compute,
        lease_seconds: float,
        generator: Generator | None,
        provider: Callable[[], Line | None],
    ) -> None:
        self._database = database
        self._lease = lease
        self._compute = compute
        self._lease_seconds = lease_seconds
        self._generator = generator
        self._provider = provider
        self._scope = Scope("dreamer", lease.team_id)

    async def run(self) -> None:
        begun = await self._database.unit_of_work(self._scope, self._begin)
        if begun is None:
            return
        run, configuration = begun
        outcome = await self._dream(run, configuration)
        log.info(
            "A dream cycle has ended.",
            action="cycle.ended",
            team_id=run.team_id,
            run_id=run.run_id,
            status=outcome.status,
            reason=outcome.reason,
        )

    async def _begin(self, writing: Writing) -> tuple[BegunRun, Configuration] | None:
        """Begin the run, or end it where there is nothing to begin."""
        await hold(writing, self._lease)
        if self._lease.attempts_are_exhausted:
            await end_exhausted_run(writing, self._lease)
            return None
        run = await begin_run(writing, self._lease)
        configuration = await effective_configuration(writing, self._lease.team_id)
        if run is not None and configuration.enabled:
            return run, configuration
        if run is not None:
            await end_run(
                writing,
                self._lease,
                RunEnd(
                    status="skipped",
                    reason="dreaming_disabled",
                    summary="Skipped: dreaming is switched off for the team.",
                ),
            )
        await finish(writing, self._lease)
        return None

    async def _dream(self, run: BegunRun, configuration: Configuration) -> Outcome:
        budgets = lower_budgets(team_budgets(configuration), run.requested_budgets)
        generator = self._generator or choose_generator(configuration.generator, self._provider())
        if generator.most_premises is not None:
            most = min(budgets.max_premises, generator.most_premises)
            budgets = replace(budgets, max_premises=most)
        started = time.monotonic()
        inputs, generated, skip = await work_under_lease(
            self._database,
            self._scope,
            self._lease,
            self._read_and_generate(run, budgets, generator),
            seconds=self._lease_seconds,
            renewal=lambda writing: renew_with_heartbeat(
                writing, self._lease, lease_seconds=self._lease_seconds
            ),
        )
        dream = Dream(
            run=run,
            inputs=inputs,
            budgets=budgets,
            generator=generated.generator or generator,
            generated=generated,
            expired_before=run.began_at - timedelta(days=configuration.retention_days),
            seconds_used=run.seconds_used + time.monotonic() - started,
        )
        return await self._persist(dream, skip)

    async def _read_and_generate(
        self, run: BegunRun, budgets: Budgets, generator: Generator
    ) -> tuple[Inputs, Generated, Outcome | None]:
        async with self._database.snapshot(self._scope) as reading:
            inputs = await read_inputs(
                reading, run.team_id, max_premises=budgets.max_premises, now=run.began_at
            )
            outcomes = await read_outcomes(reading, run.team_id)
        weights = weigh_predicates(outcomes, generator_version=generator.version)
        inputs = replace(inputs, split_weights=weights)
        digest = await asyncio.to_thread(
            digest_snapshot,
            inputs.premises,
            inputs.predicates.values(),
            generator_version="/".join(filter(None, (generator.kind, generator.version, generator.model))),
            bounds=budgets.bounds(),
        )
        record = RunInputs(
            funnel=build_funnel(inputs, (), Validated()),
            digest=digest,
            generator_kind=generator.kind,
            generator_version=generator.version,
            model=generator.model,
            budgets=budgets.describe({"max_premises": len(inputs.premises)}),
        )
        is_assessed = await self._database.unit_of_work(
            self._scope, lambda writing: self._note(writing, record)
        )
        skip = find_skip(
            eligible=inputs.eligible_count,
            digest=digest,
            assessed_digest=digest if is_assessed else None,
            dry_run=run.dry_run,
        )
        generated = Generated() if skip else await self._generate(run, inputs, budgets, generator)
        return inputs, generated, skip

    async def _note(self, writing: Writing, record: RunInputs) -> bool:
        """Leave on record what was read, and say whether it was assessed before."""
        await hold(writing, self._lease)
        await note_inputs(writing, self._lease, record)
        return await was_assessed(writing, self._lease.team_id, record.digest)

    async def _generate(
        self, run: BegunRun, inputs: Inputs, budgets: Budgets, generator: Generator
    ) -> Generated:
        """Generate outside the event loop, within the duration budget; a zero budget generates nothing."""
        zero = budgets.find_zero()
        if zero is not None:
            return Generated(stopped_by=zero)
        seconds = max(budgets.max_duration_seconds - run.seconds_used, 0)
        try:
            async with asyncio.timeout(seconds):
                if generator.ask is None:
                    return await self._compute(generator.generate, inputs, budgets)
                task = Task(
                    inputs=inputs,
                    budgets=budgets,
                    purse=RunPurse(self._database, self._lease, budgets),
                    compute=self._compute,
                    deadline=time.monotonic() + seconds * DEADLINE_SHARE,
                    dry_run=run.dry_run,
                    keep=self._keep_exchange,
                )
                return await generator.ask(task)
        except TimeoutError:
            return Generated(stopped_by="max_duration_seconds")

    async def _keep_exchange(self, exchange: Exchange, days: int) -> None:
        await keep_exchange(self._database, self._lease, exchange, days=days)

    async def _persist(self, dream: Dream, skip: Outcome | None) -> Outcome:
        seconds = self._lease_seconds
        if skip is not None:
            await self._database.unit_of_work(
                self._scope,
                lambda writing: persist_skip(writing, self._lease, dream, skip, lease_seconds=seconds),
            )
            return skip
        return await self._database.unit_of_work(
            self._scope,
            lambda writing: persist_dream(writing, self._lease, dream, lease_seconds=seconds),
        )
