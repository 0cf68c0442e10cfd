"""The other end of a batch: it is paid for also where its run has ended without it.

A work item of its own stands beside each batch from the intent on. While the run lives it only looks whether it
still does, and the run reads the results. A run that was cancelled, failed or timed out leaves its batch to this:
it is given up at the provider, and what it cost all the same is put on the run's ledger.
"""

from datetime import timedelta
from typing import Final

from app.dreaming.provider.batch.look import look_at_batch, pause_before_look
from app.dreaming.provider.batch.record import KeptBatch, note_outcome, read_batch
from app.dreaming.provider.batch.waiting import DEADLINE_HOURS
from app.kernel.database import Database, Scope, Writing
from app.llm.batches import Pending, StructuredBatches
from app.llm.prices import PriceTable
from app.queue.leases import Lease, finish, hand_back

BATCH: Final = "batch"
# While the run lives; as long it may take until a cancelled run's batch is cancelled too.
CHECK_SECONDS: Final = 120.0
# A batch has ended after a day; what cannot be read so long after stays at its estimate.
GIVEN_UP_AFTER: Final = timedelta(days=7)
_GIVEN_UP: Final = "given_up"
# One whose name was lost is looked for as long as a run may wait: by then every batch of its time has ended.
LOOKED_FOR: Final = timedelta(hours=DEADLINE_HOURS)
_UNNAMED: Final = "unnamed"


async def settle_batch(
    database: Database, lease: Lease, *, batches: StructuredBatches | None, prices: PriceTable
) -> None:
    """Leave the batch of the leased item settled, or the item due again.

    `batches` is None while there is no key.
    """
    scope = Scope("dreamer", lease.team_id)
    async with database.reading(scope) as reading:
        batch = await read_batch(reading, lease.team_id, lease.item_id)
    pause = await _settle(database, batch, batches=batches, prices=prices)

    async def end(writing: Writing) -> None:
        if pause is None:
            await finish(writing, lease)
        else:
            await hand_back(writing, lease, delay_seconds=pause)

    await database.unit_of_work(scope, end)


async def _settle(
    database: Database, batch: KeptBatch, *, batches: StructuredBatches | None, prices: PriceTable
) -> float | None:
    """Return in how many seconds to look again; None when there is nothing left to do."""
    if batch.outcome is not None:
        return None
    if not batch.run_is_over:
        return CHECK_SECONDS
    waited = batch.read_at - batch.intended_at
    if batches is not None:
        looked = await look_at_batch(database, batch, batches=batches, prices=prices)
        if not isinstance(looked, Pending):
            return None
        if batch.batch_id is not None:
            await batches.cancel(batch.batch_id)
    outcome, last = (_UNNAMED, LOOKED_FOR) if batch.batch_id is None else (_GIVEN_UP, GIVEN_UP_AFTER)
    if waited > last:
        team_id, record_id = batch.permit.team_id, batch.record_id
        await database.unit_of_work(
            Scope("dreamer", team_id), lambda w: note_outcome(w, team_id, record_id, outcome)
        )
        return None
    return pause_before_look(waited)
