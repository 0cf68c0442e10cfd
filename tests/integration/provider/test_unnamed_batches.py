"""A batch that the provider took without saying its name: looked for, found, or given up."""

from datetime import timedelta

import pytest

from app.dreaming.provider.batch.settlement import BATCH
from app.dreaming.provider.generator import ProviderFailed
from tests.integration.provider.batching import AGE, HALF_PRICE, OPEN_ITEMS, Batched, age_intents
from tests.provider_server.batches import Batch
from tests.provider_server.replies import Reply


def unnamed(batch: Batch) -> Reply:
    """Make the batch, and say nothing of use about it."""
    return Reply(body=b"{}")


async def test_a_batch_without_a_name_shows_why_the_run_waits_and_until_when(batched: Batched) -> None:
    batched.server.batches.on_create = unnamed
    run_id = await batched.start()
    run = await batched.look(run_id)
    assert run.status == "waiting"
    assert run.batch is not None
    assert (run.batch.batch_id, run.batch.outcome) == (None, None)
    assert run.batch.looked_for_until - run.batch.handed_in_at == timedelta(hours=26)
    batched.answer()
    run = await batched.look(run_id)
    assert run.batch is not None
    assert (run.status, run.batch.batch_id, run.batch.outcome) == (
        "succeeded",
        batched.batch.batch_id,
        "answered",
    )
    assert run.usage.cost_usd == pytest.approx(HALF_PRICE)


async def test_a_batch_without_a_name_is_given_up_with_the_deadline_of_its_run_and_stays_at_its_estimate(
    batched: Batched,
) -> None:
    batched.server.batches.on_create = unnamed
    run_id = await batched.start()
    estimated = (await batched.look(run_id)).usage.cost_usd
    await batched.write(AGE)
    with pytest.raises(ProviderFailed):
        await batched.look(run_id)
    await batched.settle()
    assert [item["kind"] for item in await batched.fetch(OPEN_ITEMS)] == [BATCH], "it may still end"
    await age_intents(batched, "27 hours")
    batched.batch.created_at -= timedelta(hours=27)
    await batched.settle()
    run = await batched.read(run_id)
    assert run.batch is not None
    assert run.error is not None
    assert (run.error.code, run.batch.outcome) == ("provider_batch_timed_out", "unnamed")
    assert run.usage.cost_usd == estimated > 0
    assert await batched.fetch(OPEN_ITEMS) == []
