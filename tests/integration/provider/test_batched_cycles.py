"""Cycles that ask in a batch, through the real SDK: half the price, no slot held, validated late."""

import json
from dataclasses import replace
from datetime import timedelta

import psycopg
import pytest

from app.dreaming.generation import RULES_VERSION
from app.dreaming.provider.batch.look import pause_before_look
from app.dreaming.provider.exchanges import list_exchanges
from app.dreaming.runs.asking import StartRequest
from app.kernel.database import Scope, Writing
from app.kernel.ids import ID_ANYWHERE, new_id
from app.queue.leases import enqueue
from tests.cycles import (
    read_hypotheses,
    set_setting,
)
from tests.databases import unruled_url
from tests.dreamer import read_shown
from tests.integration.provider.batching import (
    HALF_PRICE,
    MAPS,
    OPEN_ITEMS,
    PERMITS,
    SCHEDULE,
    Batched,
    name_of,
    shown_in,
)
from tests.provider_server.replies import Said


async def test_a_batch_is_waited_for_without_a_slot_and_costs_half(batched: Batched) -> None:
    run_id = await batched.start()
    run = await batched.look(run_id)
    assert (run.status, run.worker, run.lease_expires_at) == ("waiting", None, None)
    [request] = batched.batch.requests
    assert request["custom_id"] == f"{run_id}_{run.epoch}"
    assert batched.server.messages == []
    assert "fallbacks" not in request["params"]
    for _ in range(3):
        assert (await batched.look(run_id)).status == "waiting"
    batched.answer()
    run = await batched.look(run_id)
    assert (run.status, run.generator_kind, run.generator_version) == ("succeeded", "provider", "dreamer-v1")
    assert (run.attempt, run.funnel["persisted"], run.usage.turns) == (0, 1, 1)
    assert run.usage.cost_usd == pytest.approx(HALF_PRICE)
    [row] = await read_hypotheses(batched.database, batched.team)
    assert row["generator_version"] == f"dreamer-v1+{RULES_VERSION}"
    assert len(batched.server.batches.made) == 1
    # Equal inputs have been assessed, so nothing is asked again.
    assert (await batched.look(await batched.start())).reason == "inputs_unchanged"
    await batched.settle()
    assert await batched.fetch(OPEN_ITEMS) == []


async def test_no_id_is_shown_and_the_kept_map_holds_ids_and_versions_and_no_name(batched: Batched) -> None:
    await batched.look(await batched.start())
    params = json.dumps(batched.batch.requests[0]["params"])
    assert ID_ANYWHERE.search(params) is None
    [row] = await batched.fetch(MAPS)
    document = row["reference_map"]
    assert "Library" not in json.dumps(document)
    shown = shown_in(batched.batch)
    assert {path[0] for path in shown.document["paths"]} == set(document["paths"])
    versions = {premise["group_key"]: premise["sources"][0][1] for premise in document["premises"]}
    assert versions[document["paths"]["path_1"]] >= 1


async def test_an_estimate_of_a_batch_is_half_and_the_permit_stands_until_it_is_charged(
    batched: Batched,
) -> None:
    run = await batched.look(await batched.start())
    maximum = batched.batch.requests[0]["params"]["max_tokens"]
    [permit] = await batched.fetch(PERMITS)
    assert not permit["is_settled"]
    whole = (permit["input_tokens"] * 5 + maximum * 20) / 1_000_000
    assert float(permit["cost_usd"]) == pytest.approx(whole / 2, abs=1e-6)
    assert run.usage.cost_usd == pytest.approx(whole / 2, abs=1e-6)


async def test_scheduled_cycles_follow_the_setting_and_manual_ones_are_answered_at_once(
    batched: Batched,
) -> None:
    await set_setting(batched.database, batched.team, "provider_mode", '"batch"')
    batched.server.speak = lambda body: Said(text=read_shown(body["messages"][0]["content"]).answer())
    run = await batched.look(await batched.start(StartRequest()))
    assert (run.status, run.provider_mode, batched.server.batches.made) == ("succeeded", "direct", [])
    # Other bounds, or there would be nothing to ask.
    await set_setting(batched.database, batched.team, "max_groups", "30")
    run_id = new_id("run")
    params = {"team_id": batched.team.team_id, "id": run_id}

    async def schedule(writing: Writing) -> None:
        await writing.execute(SCHEDULE, params)
        await enqueue(writing, team_id=batched.team.team_id, kind="cycle", item_id=run_id)

    await batched.database.unit_of_work(Scope("dreamer", batched.team.team_id), schedule)
    assert (await batched.read(run_id)).provider_mode is None
    run = await batched.look(run_id)
    assert (run.status, run.provider_mode) == ("waiting", "batch")
    # What was decided holds for the run.
    await set_setting(batched.database, batched.team, "provider_mode", '"direct"')
    batched.answer()
    run = await batched.look(run_id)
    assert (run.status, run.provider_mode, run.usage.turns) == ("succeeded", "batch", 1)


async def test_sources_that_changed_meanwhile_are_found_when_it_is_persisted(batched: Batched) -> None:
    run_id = await batched.start()
    await batched.look(run_id)
    with psycopg.connect(unruled_url(await name_of(batched.database)), autocommit=True) as connection:
        connection.execute(
            "UPDATE relationships SET version = version + 1 WHERE team_id = %s", [batched.team.team_id]
        )
    batched.answer()
    run = await batched.look(run_id, others_write=True)
    assert run.status == "partially_rejected"
    assert [rejection["reason"] for rejection in run.rejections] == ["source_version_changed"]
    assert await read_hypotheses(batched.database, batched.team) == []


async def test_asking_and_answer_are_kept_for_operators(batched: Batched) -> None:
    batched.line = replace(batched.line, exchange_days=3)
    run_id = await batched.start()
    await batched.look(run_id)
    batched.answer()
    await batched.look(run_id)
    async with batched.database.reading(Scope("app", batched.team.team_id)) as reading:
        asked, answered = await list_exchanges(reading, batched.team.team_id, run_id)
    assert (asked.outcome, answered.outcome, answered.ideas) == ("submitted", "answered", 1)
    assert asked.request is not None
    assert "Library 4" in asked.request
    assert answered.answer is not None


def test_pauses_grow_from_a_minute_to_fifteen() -> None:
    waited = [timedelta(0), timedelta(minutes=8), timedelta(hours=2)]
    assert [pause_before_look(each) for each in waited] == [60, 120, 900]
