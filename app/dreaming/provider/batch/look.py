"""Looking after a batch: found where its name was lost, read when it has ended, paid once.

What is written here is a fact about the batch, not about the run: it is not fenced by a lease, and a second time
changes nothing.
"""

from datetime import timedelta
from typing import Final

from app.dreaming.provider.allowance import settle_with
from app.dreaming.provider.batch.record import NOT_MADE, KeptBatch, note_batch_id, note_outcome
from app.dreaming.spending.purse import Permit, Usage
from app.dreaming.spending.usage import write_charge
from app.kernel.database import Database, Scope, Writing
from app.llm.batches import NO_RESULT, Ended, Gone, Made, Pending, StructuredBatches
from app.llm.model import Outcome, Refused
from app.llm.prices import PriceTable
from app.llm.prompts import count_least_of
from app.llm.usage import Tokens
from app.llm.usage import Usage as BatchUsage

# How far the provider's clock may be from ours.
CLOCKS_APART: Final = timedelta(hours=1)
# A call that was made before a worker died, or before its connection broke, has arrived by then or never will.
ARRIVES_WITHIN: Final = timedelta(minutes=10)
GONE: Final = "gone"
SHORTEST_PAUSE_SECONDS: Final = 60.0
LONGEST_PAUSE_SECONDS: Final = 900.0


async def look_at_batch(
    database: Database, batch: KeptBatch, *, batches: StructuredBatches, prices: PriceTable
) -> Pending | Ended:
    """Return how the batch stands; one that has ended is charged, with what it did use, by then.

    An intent of which no batch came has ended as `not_made` and costs nothing. One that the provider does not know
    any more, or whose results say nothing about the question, stays at its estimate.
    """
    batch_id = batch.batch_id
    if batch_id is None:
        since, until = batch.intended_at - CLOCKS_APART, batch.intended_at + CLOCKS_APART
        found = await batches.find(batch.custom_id, since=since, until=until)
        if isinstance(found, Gone) and batch.read_at - batch.intended_at >= ARRIVES_WITHIN:
            return await _end(database, batch, Ended(NOT_MADE), prices)
        if isinstance(found, Ended):
            return await _end(database, batch, found, prices)
        if not isinstance(found, Made):
            return Pending()
        batch_id = found.batch_id
        await name_batch(database, batch, batch_id)
    looked = await batches.look(batch_id, custom_id=batch.custom_id)
    if isinstance(looked, Pending):
        return looked
    return await _end(database, batch, looked if isinstance(looked, Ended) else Ended(GONE), prices)


async def name_batch(database: Database, batch: KeptBatch, batch_id: str) -> None:
    """Leave the provider's name for the batch on record."""
    team_id = batch.permit.team_id
    await database.unit_of_work(
        Scope("dreamer", team_id), lambda w: note_batch_id(w, team_id, batch.record_id, batch_id)
    )


def pause_before_look(waited: timedelta) -> float:
    """Return in how many seconds to look again: a quarter of the time waited so far, from a minute to fifteen."""
    return min(max(waited.total_seconds() / 4, SHORTEST_PAUSE_SECONDS), LONGEST_PAUSE_SECONDS)


def _raise_usage(permit: Permit, outcome: Outcome) -> BatchUsage:
    """Return what the answer used, as estimated where it says too little; a refusal may be free."""
    used = outcome.usage
    if isinstance(outcome, Refused) and used.tokens == Tokens():
        return used
    estimate = permit.estimate.input_tokens
    is_too_little = used.tokens.all_input < count_least_of(estimate)
    return used.raise_input(estimate, permit.model) if is_too_little else used


async def _end(database: Database, batch: KeptBatch, ended: Ended, prices: PriceTable) -> Ended:
    permit = batch.permit
    charged: Usage | None = Usage()
    if ended.code in (GONE, NO_RESULT):
        charged = None
    elif ended.outcome is not None:
        charged = settle_with(permit, _raise_usage(permit, ended.outcome), prices)

    async def write(writing: Writing) -> None:
        await note_outcome(writing, permit.team_id, batch.record_id, ended.code)
        if charged is not None:
            await write_charge(writing, permit, charged)

    await database.unit_of_work(Scope("dreamer", permit.team_id), write)
    return ended
