"""A run that asks in a batch: handed in once, waited for without a slot, collected by whoever is alive.

One batch a run and one turn: what comes back is used as it is, and there is no second round for an answer that
cannot be read. The order of commits is what makes it pay once:

    intent    permit, record and its settlement's work item, before anything is sent
    made      the provider has it; whoever dies here leaves an intent, whose batch is found by its custom id
    named     the provider's name is on record, and the run waits, in one transaction
    charged   results were read: outcome and charge, in one transaction; a second time changes nothing
    ended     the ideas are persisted with the run's end; until then results are read again
"""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

import structlog

from app.dreaming.generation import Compute, Generated
from app.dreaming.model import Inputs
from app.dreaming.provider.batch.answer import Collected, collect_batch
from app.dreaming.provider.batch.look import look_at_batch, name_batch, pause_before_look
from app.dreaming.provider.batch.record import (
    NOT_MADE,
    Intent,
    KeptBatch,
    find_batch_of_run,
    insert_intent,
    note_batch_id,
    note_outcome,
    read_batch,
)
from app.dreaming.provider.batch.settlement import BATCH, CHECK_SECONDS
from app.dreaming.provider.batch.waiting import DEADLINE_HOURS, wait_for_provider
from app.dreaming.provider.conversation import Conversation, Line, Said, is_passing_failure
from app.dreaming.provider.exchange import Exchange, describe_request
from app.dreaming.provider.generator import ProviderFailed, fall_back
from app.dreaming.provider.pairs import Plan, plan_pairs
from app.dreaming.provider.reference_map import write_map
from app.dreaming.runs.record import BegunRun
from app.dreaming.spending.budgets import Budgets
from app.dreaming.spending.purse import Permit, Stopped, Usage
from app.dreaming.spending.usage import RunPurse, write_charge
from app.kernel.database import Database, Scope, Writing
from app.kernel.errors import LeaseLost
from app.kernel.ids import new_id
from app.llm.batches import Made, NotMade, Pending, StructuredBatches
from app.llm.model import Question, name_outcome
from app.queue.leases import Lease, enqueue, hold

log = structlog.get_logger()
MOST_COUNTS: Final = 3


@dataclass(frozen=True, slots=True)
class Waiting:
    """The run has been given back: it is due again at the next look."""


@dataclass(slots=True, kw_only=True)
class BatchedRun:
    """One look at one run. `line` is None while there is no key; `falls_back`: the rules may dream instead."""

    database: Database
    lease: Lease
    run: BegunRun
    line: Line | None
    budgets: Budgets
    compute: Compute
    falls_back: bool
    keep: Callable[[Exchange, int], Awaitable[None]]
    _began: float = field(default_factory=time.monotonic)

    @property
    def _scope(self) -> Scope:
        return Scope("dreamer", self.lease.team_id)

    async def resume(self) -> Collected | Waiting | None:
        """Return what the run's batch has brought; None where it has none, and may hand one in.

        Raises:
            ProviderFailed: the deadline has passed, or the batch was no use and nothing else may be used.
        """
        async with self.database.reading(self._scope) as reading:
            batch = await find_batch_of_run(reading, self.lease.team_id, self.lease.item_id)
        if batch is None:
            return None
        waited = batch.read_at - batch.intended_at
        if self.line is None or self.line.batches is None:
            return await self._wait(waited)
        looked = await look_at_batch(self.database, batch, batches=self.line.batches, prices=self.line.prices)
        if isinstance(looked, Pending):
            return await self._wait(waited)
        if looked.code == NOT_MADE:
            return None
        return await collect_batch(
            self.database,
            batch,
            looked,
            line=self.line,
            plan=self._plan,
            falls_back=self.falls_back,
            now=self.run.began_at,
            keep=self.keep,
        )

    async def submit(self, inputs: Inputs) -> Generated | Waiting | None:
        """Hand in what the inputs give to ask, and wait; or return what came of not being able to.

        None where the line knows no batches.

        Raises:
            ProviderFailed, Unavailable: the provider took nothing and nothing else may be used.
            LeaseLost: the term is over; a batch that was made nevertheless has been given up.
        """
        line = self.line
        if line is None or line.batches is None:
            return None
        plan = await self._plan(inputs)
        if not plan.pairs:
            return Generated()
        purse = RunPurse(self.database, self.lease, self.budgets)
        talk = Conversation(line, inputs, plan, purse, self.budgets.max_outputs, 0.0, is_batch=True)
        for _ in range(MOST_COUNTS):
            fitted = await talk.fit(plan.pairs)
            if not isinstance(fitted, tuple):
                return fall_back(inputs, plan, Said(stopped_by=fitted.budget), falls_back=self.falls_back)
            sheet, question, allowance = fitted
            counted = await line.model.count_input(question) or 0
            if counted <= allowance.input_tokens:
                break
            talk.note_count(counted, allowance)
        else:
            said = Said(stopped_by="max_input_tokens")
            return fall_back(inputs, plan, said, falls_back=self.falls_back)
        # What did not fit is left out: a batch has one turn.
        stopped_by = None if len(sheet.pairs) == len(plan.pairs) else "max_turns"
        record_id, custom_id = new_id("btc"), f"{self.lease.item_id}_{self.lease.epoch}"
        document = write_map(inputs, sheet, stopped_by=stopped_by)

        async def intend(writing: Writing, permit: Permit) -> None:
            intent = Intent(
                record_id=record_id,
                permit=permit,
                custom_id=custom_id,
                prompt_version=line.prompt.version,
                reference_map=document,
            )
            await insert_intent(writing, intent)
            await enqueue(
                writing,
                team_id=permit.team_id,
                kind=BATCH,
                item_id=record_id,
                run_at=self.run.began_at + timedelta(seconds=CHECK_SECONDS),
            )

        permit = await purse.reserve_with(allowance.as_estimate(), intend, model=line.model.name)
        if isinstance(permit, Stopped):
            said = Said(stopped_by=permit.stopped_by)
            return fall_back(inputs, plan, said, falls_back=self.falls_back)
        if line.exchange_days > 0:
            exchange = describe_request(
                question,
                sheet,
                model=line.model.name,
                prompt_version=line.prompt.version,
                secrets=line.secrets(),
            )
            await self.keep(exchange, line.exchange_days)
        return await self._hand_in(line.batches, question, record_id, inputs, plan)

    async def _hand_in(
        self, batches: StructuredBatches, question: Question, record_id: str, inputs: Inputs, plan: Plan
    ) -> Generated | Waiting:
        async with self.database.reading(self._scope) as reading:
            batch = await read_batch(reading, self.lease.team_id, record_id)
        handed = await batches.submit(question, custom_id=batch.custom_id)
        if isinstance(handed, Made):
            return await self._name_and_wait(batches, batch, handed.batch_id)
        log.warning("a batch was not taken", action="batch", outcome=name_outcome(handed.outcome))
        if not handed.is_certain:
            return await self._wait(timedelta(0))
        return await self._do_without(batch, handed, inputs, plan)

    async def _name_and_wait(self, batches: StructuredBatches, batch: KeptBatch, batch_id: str) -> Waiting:
        async def name(writing: Writing) -> None:
            await note_batch_id(writing, self.lease.team_id, batch.record_id, batch_id)

        try:
            return await self._wait(timedelta(0), name)
        except LeaseLost:
            # Cancelled, or another worker was faster: nobody will read this one.
            await name_batch(self.database, batch, batch_id)
            await batches.cancel(batch_id)
            raise

    async def _do_without(
        self, batch: KeptBatch, handed: NotMade, inputs: Inputs, plan: Plan
    ) -> Generated | Waiting:
        """The provider took nothing, and nothing is to be paid: try later where that may help."""

        async def forget(writing: Writing) -> None:
            await note_outcome(writing, self.lease.team_id, batch.record_id, NOT_MADE)
            await write_charge(writing, batch.permit, Usage())

        if is_passing_failure(handed.outcome):
            return await self._wait(timedelta(0), forget)
        await self.database.unit_of_work(self._scope, forget)
        said = Said(failure=name_outcome(handed.outcome))
        return fall_back(inputs, plan, said, falls_back=self.falls_back)

    async def _wait(
        self, waited: timedelta, also: Callable[[Writing], Awaitable[None]] | None = None
    ) -> Waiting:
        """Give the run back until the next look, together with what `also` writes.

        Raises:
            ProviderFailed: it has waited for 26 hours.
        """

        async def wait(writing: Writing) -> bool:
            await hold(writing, self.lease)
            if also is not None:
                await also(writing)
            return await wait_for_provider(
                writing,
                self.lease,
                look_again_seconds=pause_before_look(waited),
                seconds_used=self.run.seconds_used + time.monotonic() - self._began,
            )

        if not await self.database.unit_of_work(self._scope, wait):
            message = f"The provider did not answer within {DEADLINE_HOURS} hours."
            raise ProviderFailed(message, code="provider_batch_timed_out")
        return Waiting()

    async def _plan(self, inputs: Inputs) -> Plan:
        budgets = self.budgets
        return await self.compute(
            plan_pairs, inputs, max_groups=budgets.max_groups, max_outputs=budgets.max_outputs
        )
