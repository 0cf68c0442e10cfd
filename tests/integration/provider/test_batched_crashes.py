"""A batch is paid once, whatever dies meanwhile."""

from datetime import timedelta

import psycopg
import pytest

from app.dreaming.provider.batch import look as batch_look
from tests.batch_worker import Look, Point, look_in_a_process
from tests.cycles import (
    lease_run,
    read_hypotheses,
)
from tests.databases import admin_url, service_url
from tests.integration.provider.batching import (
    EXPIRE,
    HALF_PRICE,
    MAKE_DUE,
    MAPS,
    OPEN_ITEMS,
    PERMITS,
    Batched,
    age_intents,
    answer_of,
    custom_id_of,
    name_of,
)
from tests.provider_server.batches import Batch, succeeded
from tests.provider_server.replies import Reply, Said, cut, error, message_of

POINTS: tuple[Point, ...] = ("intended", "made", "named", "read", "charged", "persisting", "persisted")


@pytest.mark.parametrize("dies", POINTS)
async def test_killed_at_any_commit_point_it_pays_for_one_batch_and_dreams_once(
    batched: Batched, database_name: str, dies: Point, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_look, "ARRIVES_WITHIN", timedelta(0))
    run_id = await batched.start()
    if dies in ("read", "charged", "persisting", "persisted"):
        assert (await batched.look(run_id)).status == "waiting"
        batched.answer()
        await batched.write(MAKE_DUE)
    lease = await lease_run(batched.database, run_id)
    await look_in_a_process(Look(service_url(database_name), batched.server.url, lease, dies))
    assert len(batched.server.batches.made) == (0 if dies == "intended" else 1)
    if dies != "persisted":
        await batched.write(EXPIRE)
        run = await batched.look(run_id)
        if run.status == "waiting":
            batched.answer()
            run = await batched.look(run_id)
    run = await batched.read(run_id)
    assert run.status == "succeeded"
    assert len(batched.server.batches.made) == 1
    assert len(await read_hypotheses(batched.database, batched.team)) == 1
    assert run.usage.cost_usd == pytest.approx(HALF_PRICE)
    assert run.usage.turns == 1
    await batched.settle()
    assert await batched.fetch(OPEN_ITEMS) == []
    assert all(permit["is_settled"] for permit in await batched.fetch(PERMITS))


async def test_a_lost_batch_is_told_from_others_by_its_custom_id(batched: Batched) -> None:
    def lose(batch: Batch) -> Reply:
        return cut(Reply(body=b"{" * 100), 10)

    batched.server.batches.on_create = lose
    run_id = await batched.start()
    assert (await batched.look(run_id)).status == "waiting"
    mine = batched.batch
    stranger = Batch("msgbatch_other", [{"custom_id": "somebody_else", "params": {}}])
    batched.server.batches.made.append(stranger)
    # Whose it is shows when it has ended, so nothing is handed in meanwhile.
    assert (await batched.look(run_id)).status == "waiting"
    stranger.results = [succeeded("somebody_else", message_of(Said()))]
    mine.results = [succeeded(custom_id_of(mine), answer_of(mine))]
    assert (await batched.look(run_id)).status == "succeeded"
    assert len(batched.server.batches.made) == 2


async def test_an_intent_whose_batch_never_came_is_given_ten_minutes_before_another_is_handed_in(
    batched: Batched,
) -> None:
    made = batched.server.batches.made

    def lose(batch: Batch) -> Reply:
        made.remove(batch)
        return error(500, "api_error")

    batched.server.batches.on_create = lose
    run_id = await batched.start()
    estimated = (await batched.look(run_id)).usage.cost_usd
    batched.server.batches.on_create = lambda batch: None
    await age_intents(batched, "9 minutes")
    run = await batched.look(run_id)
    assert (run.status, made, run.usage.cost_usd) == ("waiting", [], estimated), "it may still arrive"
    await age_intents(batched, "1 minute")
    run = await batched.look(run_id)
    assert (run.status, len(made), run.usage.cost_usd) == ("waiting", 1, estimated), "the first costs nothing"
    batched.answer()
    assert (await batched.look(run_id)).usage.cost_usd == pytest.approx(HALF_PRICE)


async def test_a_run_cancelled_while_its_batch_is_made_gives_it_up_at_once(batched: Batched) -> None:
    run_id = await batched.start()
    cancelled = psycopg.connect(admin_url(await name_of(batched.database)), autocommit=True)

    def cancel(batch: Batch) -> None:
        cancelled.execute(
            "UPDATE work_items SET epoch = epoch + 1, finished_at = now(), worker = NULL,"
            " lease_expires_at = NULL WHERE item_id = %s",
            [run_id],
        )

    batched.server.batches.on_create = cancel
    await batched.look(run_id)
    cancelled.close()
    assert batched.batch.is_cancelled
    [row] = await batched.fetch(MAPS)
    assert row["batch_id"] == batched.batch.batch_id
