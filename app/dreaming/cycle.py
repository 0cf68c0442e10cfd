"""One cycle from lease to end, its steps in order.

begin (write) → snapshot (read only) → note what was read (write) → generate (no connection) → persist (write).
Every write is fenced by the lease. A fault is recorded and costs an attempt; a shutdown hands the lease back; a
cancelled run, or one that another worker took over, leaves nothing behind. A run that asks in a batch is
given back instead of generating, and a later lease begins with what came of it (`batching`). The moment that
decides what is valid now and what has expired is the database's, taken when the run begins.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

import structlog

from app.dreaming.choice import choose_generator
from app.dreaming.faults import end_exhausted_run, hand_back_run, record_fault
from app.dreaming.generation import Compute, Generated, Generator, Task
from app.dreaming.model import Inputs
from app.dreaming.outcome import Outcome
from app.dreaming.persist import Dream, persist_dream, persist_skip
from app.dreaming.provider.batch.batching import BatchedRun, Waiting
from app.dreaming.provider.conversation import Line
from app.dreaming.provider.exchange import Exchange
from app.dreaming.provider.exchanges import keep_exchange
from app.dreaming.reading import read_and_note
from app.dreaming.runs.lease import renew_with_heartbeat
from app.dreaming.runs.record import BegunRun, RunEnd, begin_run, end_run
from app.dreaming.spending.budgets import Budgets, lower_budgets, team_budgets
from app.dreaming.spending.usage import RunPurse
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


@dataclass(frozen=True, slots=True)
class _Worked:
    """What is there to persist; with `skip`, that there is nothing."""

    inputs: Inputs
    generated: Generated
    generator: Generator
    budgets: Budgets
    skip: Outcome | None = None


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
        if outcome is None:
            return
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
        configuration = await effective_configuration(writing, self._lease.team_id)
        run = await begin_run(writing, self._lease, configuration.provider_mode)
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

    async def _dream(self, run: BegunRun, configuration: Configuration) -> Outcome | None:
        """Return how the run has ended, or None where it waits for the provider."""
        budgets = lower_budgets(team_budgets(configuration), run.requested_budgets)
        started = time.monotonic()
        worked = await work_under_lease(
            self._database,
            self._scope,
            self._lease,
            self._work(run, budgets, configuration),
            seconds=self._lease_seconds,
            renewal=lambda writing: renew_with_heartbeat(
                writing, self._lease, lease_seconds=self._lease_seconds
            ),
        )
        if isinstance(worked, Waiting):
            return None
        dream = Dream(
            run=run,
            inputs=worked.inputs,
            budgets=worked.budgets,
            generator=worked.generated.generator or worked.generator,
            generated=worked.generated,
            expired_before=run.began_at - timedelta(days=configuration.retention_days),
            seconds_used=run.seconds_used + time.monotonic() - started,
        )
        return await self._persist(dream, worked.skip)

    async def _work(self, run: BegunRun, budgets: Budgets, configuration: Configuration) -> _Worked | Waiting:
        """Collect what the run's batch has brought; without one, read and generate, or hand one in."""
        line = self._provider()
        batched = BatchedRun(
            database=self._database,
            lease=self._lease,
            run=run,
            line=line,
            budgets=budgets,
            compute=self._compute,
            falls_back=configuration.generator != "provider",
            keep=self._keep_exchange,
        )
        collected = await batched.resume()
        if isinstance(collected, Waiting):
            return collected
        if collected is not None:
            return _Worked(collected.inputs, collected.generated, collected.generator, budgets)
        generator = self._generator or choose_generator(configuration.generator, line)
        if generator.most_premises is not None:
            most = min(budgets.max_premises, generator.most_premises)
            budgets = replace(budgets, max_premises=most)
        inputs, skip = await read_and_note(self._database, self._lease, run, budgets, generator)
        if skip is not None:
            return _Worked(inputs, Generated(), generator, budgets, skip)
        is_batch = run.provider_mode == "batch" and not run.dry_run
        if is_batch and generator.ask is not None and budgets.find_zero() is None:
            submitted = await batched.submit(inputs)
            if submitted is not None:
                return (
                    submitted
                    if isinstance(submitted, Waiting)
                    else _Worked(inputs, submitted, generator, budgets)
                )
        generated = await self._generate(run, inputs, budgets, generator)
        return _Worked(inputs, generated, generator, budgets)

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
