"""How a batch may end, and what becomes of its run and of what it cost."""

from dataclasses import replace
from decimal import Decimal

import pytest

from app.dreaming.provider.generator import ProviderFailed
from app.dreaming.runs.asking import cancel_run
from app.kernel.database import Scope
from app.llm.prices import BUILT_IN, PriceTable
from tests.cycles import read_hypotheses, set_setting
from tests.integration.provider.batching import (
    AGE,
    HALF_PRICE,
    OPEN_ITEMS,
    PERMITS,
    USAGE,
    Batched,
    age_intents,
    answer_of,
    custom_id_of,
)
from tests.provider_server.batches import Batch, ended, succeeded
from tests.provider_server.replies import MODEL, Reply, Said, error, message_of


@pytest.mark.parametrize("kind", ["errored", "expired", "canceled"])
async def test_a_batch_without_an_answer_costs_nothing_and_the_rules_dream(
    batched: Batched, kind: str
) -> None:
    run_id = await batched.start()
    await batched.look(run_id)
    batched.batch.results = [ended(custom_id_of(batched.batch), kind)]
    run = await batched.look(run_id)
    assert (run.status, run.generator_kind, run.funnel["persisted"]) == ("succeeded", "rules", 1)
    assert run.summary is not None
    assert f"batch_{kind}" in run.summary
    assert (run.usage.cost_usd, run.usage.turns) == (0, 0)


async def test_results_that_say_nothing_about_the_question_leave_it_at_its_estimate(batched: Batched) -> None:
    run_id = await batched.start()
    estimated = (await batched.look(run_id)).usage.cost_usd
    batched.batch.results = [succeeded("somebody_else", answer_of(batched.batch))]
    run = await batched.look(run_id)
    assert (run.status, run.generator_kind) == ("succeeded", "rules")
    assert "batch_no_result" in (run.summary or "")
    assert run.usage.cost_usd == estimated > 0
    await batched.settle()
    assert await batched.fetch(OPEN_ITEMS) == []


async def test_a_batch_that_the_provider_has_forgotten_counts_at_its_estimate(batched: Batched) -> None:
    run_id = await batched.start()
    estimated = (await batched.look(run_id)).usage.cost_usd
    batched.server.batches.made.clear()
    run = await batched.look(run_id)
    assert (run.status, run.generator_kind, run.usage.cost_usd) == ("succeeded", "rules", estimated)
    await batched.settle()
    assert await batched.fetch(OPEN_ITEMS) == []


async def test_what_cannot_be_read_for_seven_days_is_looked_at_no_more(batched: Batched) -> None:
    run_id = await batched.start()
    estimated = (await batched.look(run_id)).usage.cost_usd
    await batched.database.unit_of_work(
        Scope("app", batched.team.team_id), lambda writing: cancel_run(writing, batched.team, run_id)
    )
    await age_intents(batched, "6 days 23 hours")
    await batched.settle()
    assert [row["kind"] for row in await batched.fetch(OPEN_ITEMS)] == ["batch"]
    await age_intents(batched, "1 hour")
    await batched.settle()
    assert await batched.fetch(OPEN_ITEMS) == []
    assert (await batched.read(run_id)).usage.cost_usd == estimated


@pytest.mark.parametrize("counted", [1_000_000, 12_000])
async def test_what_the_provider_counts_decides_whether_and_how_much_is_reserved(
    batched: Batched, counted: int
) -> None:
    batched.server.tokens = counted
    run = await batched.look(await batched.start())
    if counted == 1_000_000:
        assert (run.generator_kind, batched.server.batches.made) == ("rules", [])
        assert "max_input_tokens" in (run.summary or "")
    else:
        [permit] = await batched.fetch(PERMITS)
        assert permit["input_tokens"] >= counted


async def test_it_is_charged_at_the_prices_of_the_day_on_which_it_is_read(batched: Batched) -> None:
    run_id = await batched.start()
    await batched.look(run_id)
    [permit] = await batched.fetch(PERMITS)
    dear = replace(BUILT_IN.prices[MODEL], input=Decimal(8), output=Decimal(40))
    batched.line = replace(batched.line, prices=PriceTable("2027-01-31", {MODEL: dear}))
    batched.answer()
    run = await batched.look(run_id)
    assert run.usage.cost_usd == pytest.approx(2 * HALF_PRICE)
    assert float(permit["cost_usd"]) > HALF_PRICE


async def test_where_only_the_provider_may_dream_an_expired_batch_fails_the_run(batched: Batched) -> None:
    await set_setting(batched.database, batched.team, "generator", '"provider"')
    run_id = await batched.start()
    await batched.look(run_id)
    batched.batch.results = [ended(custom_id_of(batched.batch), "expired")]
    with pytest.raises(ProviderFailed):
        await batched.look(run_id)
    run = await batched.read(run_id)
    assert run.error is not None
    assert (run.status, run.error.code) == ("failed", "provider_batch_expired")


async def test_an_answer_that_cannot_be_read_is_paid_and_not_asked_for_again(batched: Batched) -> None:
    run_id = await batched.start()
    await batched.look(run_id)
    message = message_of(Said(text="no JSON", usage=USAGE))
    batched.batch.results = [succeeded(custom_id_of(batched.batch), message)]
    run = await batched.look(run_id)
    assert (run.status, run.generator_kind) == ("succeeded", "rules")
    assert run.usage.cost_usd == pytest.approx(HALF_PRICE)
    assert len(batched.server.batches.made) == 1


async def test_after_26_hours_the_run_fails_and_its_batch_is_given_up_and_accounted(
    batched: Batched,
) -> None:
    run_id = await batched.start()
    estimated = (await batched.look(run_id)).usage.cost_usd
    await batched.write(AGE)
    with pytest.raises(ProviderFailed):
        await batched.look(run_id)
    run = await batched.read(run_id)
    assert run.error is not None
    assert (run.status, run.error.code) == ("failed", "provider_batch_timed_out")
    assert run.usage.cost_usd == estimated
    await batched.settle()
    assert batched.batch.is_cancelled
    batched.answer()
    await batched.settle()
    assert (await batched.read(run_id)).usage.cost_usd == pytest.approx(HALF_PRICE)
    assert await read_hypotheses(batched.database, batched.team) == []
    assert await batched.fetch(OPEN_ITEMS) == []


@pytest.mark.parametrize("is_answered", [True, False])
async def test_a_cancelled_run_cancels_its_batch_and_accounts_what_it_cost(
    batched: Batched, is_answered: bool
) -> None:
    run_id = await batched.start()
    await batched.look(run_id)
    await batched.settle()
    assert not batched.batch.is_cancelled
    await batched.database.unit_of_work(
        Scope("app", batched.team.team_id), lambda writing: cancel_run(writing, batched.team, run_id)
    )
    await batched.settle()
    assert batched.batch.is_cancelled
    if is_answered:
        batched.answer()
    else:
        batched.batch.results = [ended(custom_id_of(batched.batch), "canceled")]
    await batched.settle()
    run = await batched.read(run_id)
    assert run.status == "cancelled"
    assert run.usage.cost_usd == pytest.approx(HALF_PRICE if is_answered else 0)
    assert await read_hypotheses(batched.database, batched.team) == []
    assert await batched.fetch(OPEN_ITEMS) == []


async def test_switched_off_while_it_waits_it_is_skipped_and_its_batch_given_up(batched: Batched) -> None:
    run_id = await batched.start()
    await batched.look(run_id)
    await set_setting(batched.database, batched.team, "enabled", "false")
    run = await batched.look(run_id)
    assert (run.status, run.reason) == ("skipped", "dreaming_disabled")
    await batched.settle()
    assert batched.batch.is_cancelled


async def test_a_provider_that_takes_nothing_now_is_asked_again_and_nothing_is_paid(
    batched: Batched,
) -> None:
    answers = [error(429, "rate_limit_error"), None]
    made = batched.server.batches.made

    def refuse_once(batch: Batch) -> Reply | None:
        refusal = answers.pop(0)
        if refusal is not None:
            made.remove(batch)
        return refusal

    batched.server.batches.on_create = refuse_once
    run_id = await batched.start()
    run = await batched.look(run_id)
    assert (run.status, run.usage.cost_usd, made) == ("waiting", 0, [])
    run = await batched.look(run_id)
    assert (run.status, run.attempt, len(made)) == ("waiting", 0, 1)
    assert custom_id_of(made[0]) == f"{run_id}_{run.epoch}"


async def test_a_provider_that_refuses_the_key_leaves_the_dreaming_to_the_rules(batched: Batched) -> None:
    batched.server.batches.on_create = lambda batch: error(401, "authentication_error")
    run = await batched.look(await batched.start())
    assert (run.status, run.generator_kind, run.usage.cost_usd) == ("succeeded", "rules", 0)


async def test_without_a_key_and_while_nobody_answers_it_goes_on_waiting(batched: Batched) -> None:
    run_id = await batched.start()
    await batched.look(run_id)
    batched.server.key = "another"
    assert (await batched.look(run_id)).status == "waiting"
    line, batched.line = batched.line, replace(batched.line, batches=None)
    assert (await batched.look(run_id)).status == "waiting"
    batched.line = line
    assert batched.batch.results is None
