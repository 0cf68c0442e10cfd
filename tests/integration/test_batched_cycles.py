"""Cycles that ask in a batch, through the real SDK: half the price, no slot held, paid once whatever dies."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import LiteralString

import psycopg
import pytest

from app.dreaming import batch_look
from app.dreaming.batch_look import pause_before_look
from app.dreaming.batch_settlement import BATCH, settle_batch
from app.dreaming.exchanges import list_exchanges
from app.dreaming.generation import RULES_VERSION
from app.dreaming.provider.conversation import Line
from app.dreaming.provider.generator import ProviderFailed
from app.dreaming.run_history import Run
from app.dreaming.runs import StartRequest, cancel_run
from app.kernel.database import Database, Row, Scope, Writing
from app.kernel.ids import ID_ANYWHERE, new_id
from app.llm.prices import BUILT_IN
from app.queue.leases import enqueue, lease_due
from app.tenancy.callers import Caller
from tests.batch_worker import Look, Point, look_in_a_process, open_line
from tests.cycles import (
    Pattern,
    lease_run,
    make_pattern,
    queue_run,
    read_hypotheses,
    read_run,
    run_cycle,
    set_setting,
)
from tests.databases import admin_url, service_url, unruled_url
from tests.dreamer import Shown, read_shown
from tests.provider_server.batches import Batch, ended, succeeded
from tests.provider_server.replies import Reply, Said, cut, error, message_of
from tests.provider_server.server import ProviderServer, provider

IN_BATCH = StartRequest(provider_mode="batch")
USAGE = {
    "input_tokens": 1000,
    "output_tokens": 200,
    "cache_read_input_tokens": 0,
    "cache_creation_input_tokens": 0,
    "service_tier": "batch",
}
HALF_PRICE = (1000 * 4 + 200 * 20) / 1_000_000 / 2


@dataclass(slots=True)
class Dreaming:
    """A team with a pattern, and a line to a local provider."""

    database: Database
    team: Caller
    pattern: Pattern
    server: ProviderServer
    line: Line

    @property
    def batch(self) -> Batch:
        [batch] = self.server.batches.made
        return batch

    async def start(self, request: StartRequest = IN_BATCH) -> str:
        return await queue_run(self.database, self.team, request)

    async def look(self, run_id: str, *, others_write: bool = False) -> Run:
        """Let whoever is alive look at the run now."""
        await self.write(_MAKE_DUE)
        lease = await lease_run(self.database, run_id)
        await run_cycle(self.database, lease, line=self.line, others_write=others_write)
        return await self.read(run_id)

    async def read(self, run_id: str) -> Run:
        return await read_run(self.database, self.team, run_id)

    async def settle(self) -> None:
        """Let a worker look after all the team's batches."""
        await self.write(_MAKE_DUE)
        # One lease a team at a time: a run may have intents of which no batch came.
        for _ in range(3):
            leases = await self.database.unit_of_work(
                Scope("dreamer"),
                lambda writing: lease_due(writing, kind=BATCH, worker="settler", seconds=60, limit=100),
            )
            for lease in leases:
                if lease.team_id == self.team.team_id:
                    await settle_batch(self.database, lease, batches=self.line.batches, prices=BUILT_IN)

    async def write(self, statement: LiteralString) -> None:
        await self.database.unit_of_work(
            Scope("dreamer", self.team.team_id),
            lambda writing: writing.execute(statement, {"team_id": self.team.team_id}),
        )

    async def fetch(self, statement: LiteralString) -> list[Row]:
        async with self.database.reading(Scope("app", self.team.team_id)) as reading:
            return await reading.fetch_all(statement, {"team_id": self.team.team_id})

    def answer(self) -> None:
        """End the one batch with the idea that the pattern suggests."""
        self.batch.results = [succeeded(custom_id_of(self.batch), answer_of(self.batch))]


@pytest.fixture
async def dreaming(database: Database, team: Caller) -> AsyncIterator[Dreaming]:
    async with provider() as server:
        line = open_line(server.url)
        assert line.batches is not None
        yield Dreaming(database, team, await make_pattern(database, team), server, line)
        await line.model.close()
        await line.batches.close()


def custom_id_of(batch: Batch) -> str:
    return str(batch.requests[0]["custom_id"])


def shown_in(batch: Batch) -> Shown:
    return read_shown(batch.requests[0]["params"]["messages"][0]["content"])


def answer_of(batch: Batch) -> dict[str, object]:
    shown = shown_in(batch)
    group = next(group for group in shown.groups if "hints" in group)
    subject, _, object_, _ = group["hints"][0]
    idea = shown.idea(
        group,
        "Uses",
        subject=subject,
        object=object_,
        statement=f"{shown.names[subject]} might also use {shown.names[object_]}.",
    )
    return message_of(Said(text=shown.answer(idea), usage=USAGE))


async def test_a_batch_is_waited_for_without_a_slot_and_costs_half(dreaming: Dreaming) -> None:
    run_id = await dreaming.start()
    run = await dreaming.look(run_id)
    assert (run.status, run.worker, run.lease_expires_at) == ("waiting", None, None)
    [request] = dreaming.batch.requests
    assert request["custom_id"] == f"{run_id}_{run.epoch}"
    assert dreaming.server.messages == []
    assert "fallbacks" not in request["params"]
    for _ in range(3):
        assert (await dreaming.look(run_id)).status == "waiting"
    dreaming.answer()
    run = await dreaming.look(run_id)
    assert (run.status, run.generator_kind, run.generator_version) == ("succeeded", "provider", "dreamer-v1")
    assert (run.attempt, run.funnel["persisted"], run.usage.turns) == (0, 1, 1)
    assert run.usage.cost_usd == pytest.approx(HALF_PRICE)
    [row] = await read_hypotheses(dreaming.database, dreaming.team)
    assert row["generator_version"] == f"dreamer-v1+{RULES_VERSION}"
    assert len(dreaming.server.batches.made) == 1
    # Equal inputs have been assessed, so nothing is asked again.
    assert (await dreaming.look(await dreaming.start())).reason == "inputs_unchanged"
    await dreaming.settle()
    assert await dreaming.fetch(_OPEN_ITEMS) == []


async def test_no_id_is_shown_and_the_kept_map_holds_ids_and_versions_and_no_name(dreaming: Dreaming) -> None:
    await dreaming.look(await dreaming.start())
    params = json.dumps(dreaming.batch.requests[0]["params"])
    assert ID_ANYWHERE.search(params) is None
    [row] = await dreaming.fetch(_MAPS)
    document = row["reference_map"]
    assert "Library" not in json.dumps(document)
    shown = shown_in(dreaming.batch)
    assert {path[0] for path in shown.document["paths"]} == set(document["paths"])
    versions = {premise["group_key"]: premise["sources"][0][1] for premise in document["premises"]}
    assert versions[document["paths"]["path_1"]] >= 1


async def test_an_estimate_of_a_batch_is_half_and_the_permit_stands_until_it_is_charged(
    dreaming: Dreaming,
) -> None:
    run = await dreaming.look(await dreaming.start())
    maximum = dreaming.batch.requests[0]["params"]["max_tokens"]
    [permit] = await dreaming.fetch(_PERMITS)
    assert not permit["is_settled"]
    whole = (permit["input_tokens"] * 5 + maximum * 20) / 1_000_000
    assert float(permit["cost_usd"]) == pytest.approx(whole / 2, abs=1e-6)
    assert run.usage.cost_usd == pytest.approx(whole / 2, abs=1e-6)


async def test_scheduled_cycles_follow_the_setting_and_manual_ones_are_answered_at_once(
    dreaming: Dreaming,
) -> None:
    await set_setting(dreaming.database, dreaming.team, "provider_mode", '"batch"')
    dreaming.server.speak = lambda body: Said(text=read_shown(body["messages"][0]["content"]).answer())
    run = await dreaming.look(await dreaming.start(StartRequest()))
    assert (run.status, run.provider_mode, dreaming.server.batches.made) == ("succeeded", "direct", [])
    # Other bounds, or there would be nothing to ask.
    await set_setting(dreaming.database, dreaming.team, "max_groups", "30")
    run_id = new_id("run")
    params = {"team_id": dreaming.team.team_id, "id": run_id}

    async def schedule(writing: Writing) -> None:
        await writing.execute(_SCHEDULE, params)
        await enqueue(writing, team_id=dreaming.team.team_id, kind="cycle", item_id=run_id)

    await dreaming.database.unit_of_work(Scope("dreamer", dreaming.team.team_id), schedule)
    assert (await dreaming.read(run_id)).provider_mode is None
    run = await dreaming.look(run_id)
    assert (run.status, run.provider_mode) == ("waiting", "batch")
    # What was decided holds for the run.
    await set_setting(dreaming.database, dreaming.team, "provider_mode", '"direct"')
    dreaming.answer()
    run = await dreaming.look(run_id)
    assert (run.status, run.provider_mode, run.usage.turns) == ("succeeded", "batch", 1)


POINTS: tuple[Point, ...] = ("intended", "made", "named", "read", "charged", "persisting", "persisted")


@pytest.mark.parametrize("dies", POINTS)
async def test_killed_at_any_commit_point_it_pays_for_one_batch_and_dreams_once(
    dreaming: Dreaming, database_name: str, dies: Point, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_look, "ARRIVES_WITHIN", timedelta(0))
    run_id = await dreaming.start()
    if dies in ("read", "charged", "persisting", "persisted"):
        assert (await dreaming.look(run_id)).status == "waiting"
        dreaming.answer()
        await dreaming.write(_MAKE_DUE)
    lease = await lease_run(dreaming.database, run_id)
    await look_in_a_process(Look(service_url(database_name), dreaming.server.url, lease, dies))
    assert len(dreaming.server.batches.made) == (0 if dies == "intended" else 1)
    if dies != "persisted":
        await dreaming.write(_EXPIRE)
        run = await dreaming.look(run_id)
        if run.status == "waiting":
            dreaming.answer()
            run = await dreaming.look(run_id)
    run = await dreaming.read(run_id)
    assert run.status == "succeeded"
    assert len(dreaming.server.batches.made) == 1
    assert len(await read_hypotheses(dreaming.database, dreaming.team)) == 1
    assert run.usage.cost_usd == pytest.approx(HALF_PRICE)
    assert run.usage.turns == 1
    await dreaming.settle()
    assert await dreaming.fetch(_OPEN_ITEMS) == []
    assert all(permit["is_settled"] for permit in await dreaming.fetch(_PERMITS))


async def test_a_lost_batch_is_told_from_others_by_its_custom_id(dreaming: Dreaming) -> None:
    def lose(batch: Batch) -> Reply:
        return cut(Reply(body=b"{" * 100), 10)

    dreaming.server.batches.on_create = lose
    run_id = await dreaming.start()
    assert (await dreaming.look(run_id)).status == "waiting"
    mine = dreaming.batch
    stranger = Batch("msgbatch_other", [{"custom_id": "somebody_else", "params": {}}])
    dreaming.server.batches.made.append(stranger)
    # Whose it is shows when it has ended, so nothing is handed in meanwhile.
    assert (await dreaming.look(run_id)).status == "waiting"
    stranger.results = [succeeded("somebody_else", message_of(Said()))]
    mine.results = [succeeded(custom_id_of(mine), answer_of(mine))]
    assert (await dreaming.look(run_id)).status == "succeeded"
    assert len(dreaming.server.batches.made) == 2


@pytest.mark.parametrize("kind", ["errored", "expired", "canceled"])
async def test_a_batch_without_an_answer_costs_nothing_and_the_rules_dream(
    dreaming: Dreaming, kind: str
) -> None:
    run_id = await dreaming.start()
    await dreaming.look(run_id)
    dreaming.batch.results = [ended(custom_id_of(dreaming.batch), kind)]
    run = await dreaming.look(run_id)
    assert (run.status, run.generator_kind, run.funnel["persisted"]) == ("succeeded", "rules", 1)
    assert run.summary is not None
    assert f"batch_{kind}" in run.summary
    assert (run.usage.cost_usd, run.usage.turns) == (0, 0)


async def test_where_only_the_provider_may_dream_an_expired_batch_fails_the_run(dreaming: Dreaming) -> None:
    await set_setting(dreaming.database, dreaming.team, "generator", '"provider"')
    run_id = await dreaming.start()
    await dreaming.look(run_id)
    dreaming.batch.results = [ended(custom_id_of(dreaming.batch), "expired")]
    with pytest.raises(ProviderFailed):
        await dreaming.look(run_id)
    run = await dreaming.read(run_id)
    assert run.error is not None
    assert (run.status, run.error.code) == ("failed", "provider_batch_expired")


async def test_an_answer_that_cannot_be_read_is_paid_and_not_asked_for_again(dreaming: Dreaming) -> None:
    run_id = await dreaming.start()
    await dreaming.look(run_id)
    message = message_of(Said(text="no JSON", usage=USAGE))
    dreaming.batch.results = [succeeded(custom_id_of(dreaming.batch), message)]
    run = await dreaming.look(run_id)
    assert (run.status, run.generator_kind) == ("succeeded", "rules")
    assert run.usage.cost_usd == pytest.approx(HALF_PRICE)
    assert len(dreaming.server.batches.made) == 1


async def test_after_26_hours_the_run_fails_and_its_batch_is_given_up_and_accounted(
    dreaming: Dreaming,
) -> None:
    run_id = await dreaming.start()
    estimated = (await dreaming.look(run_id)).usage.cost_usd
    await dreaming.write(_AGE)
    with pytest.raises(ProviderFailed):
        await dreaming.look(run_id)
    run = await dreaming.read(run_id)
    assert run.error is not None
    assert (run.status, run.error.code) == ("failed", "provider_batch_timed_out")
    assert run.usage.cost_usd == estimated
    await dreaming.settle()
    assert dreaming.batch.is_cancelled
    dreaming.answer()
    await dreaming.settle()
    assert (await dreaming.read(run_id)).usage.cost_usd == pytest.approx(HALF_PRICE)
    assert await read_hypotheses(dreaming.database, dreaming.team) == []
    assert await dreaming.fetch(_OPEN_ITEMS) == []


@pytest.mark.parametrize("is_answered", [True, False])
async def test_a_cancelled_run_cancels_its_batch_and_accounts_what_it_cost(
    dreaming: Dreaming, is_answered: bool
) -> None:
    run_id = await dreaming.start()
    await dreaming.look(run_id)
    await dreaming.settle()
    assert not dreaming.batch.is_cancelled
    await dreaming.database.unit_of_work(
        Scope("app", dreaming.team.team_id), lambda writing: cancel_run(writing, dreaming.team, run_id)
    )
    await dreaming.settle()
    assert dreaming.batch.is_cancelled
    if is_answered:
        dreaming.answer()
    else:
        dreaming.batch.results = [ended(custom_id_of(dreaming.batch), "canceled")]
    await dreaming.settle()
    run = await dreaming.read(run_id)
    assert run.status == "cancelled"
    assert run.usage.cost_usd == pytest.approx(HALF_PRICE if is_answered else 0)
    assert await read_hypotheses(dreaming.database, dreaming.team) == []
    assert await dreaming.fetch(_OPEN_ITEMS) == []


async def test_switched_off_while_it_waits_it_is_skipped_and_its_batch_given_up(dreaming: Dreaming) -> None:
    run_id = await dreaming.start()
    await dreaming.look(run_id)
    await set_setting(dreaming.database, dreaming.team, "enabled", "false")
    run = await dreaming.look(run_id)
    assert (run.status, run.reason) == ("skipped", "dreaming_disabled")
    await dreaming.settle()
    assert dreaming.batch.is_cancelled


async def test_a_run_cancelled_while_its_batch_is_made_gives_it_up_at_once(dreaming: Dreaming) -> None:
    run_id = await dreaming.start()
    cancelled = psycopg.connect(admin_url(await _name(dreaming.database)), autocommit=True)

    def cancel(batch: Batch) -> None:
        cancelled.execute(
            "UPDATE work_items SET epoch = epoch + 1, finished_at = now(), worker = NULL,"
            " lease_expires_at = NULL WHERE item_id = %s",
            [run_id],
        )

    dreaming.server.batches.on_create = cancel
    await dreaming.look(run_id)
    cancelled.close()
    assert dreaming.batch.is_cancelled
    [row] = await dreaming.fetch(_MAPS)
    assert row["batch_id"] == dreaming.batch.batch_id


async def test_sources_that_changed_meanwhile_are_found_when_it_is_persisted(dreaming: Dreaming) -> None:
    run_id = await dreaming.start()
    await dreaming.look(run_id)
    with psycopg.connect(unruled_url(await _name(dreaming.database)), autocommit=True) as connection:
        connection.execute(
            "UPDATE relationships SET version = version + 1 WHERE team_id = %s", [dreaming.team.team_id]
        )
    dreaming.answer()
    run = await dreaming.look(run_id, others_write=True)
    assert run.status == "partially_rejected"
    assert [rejection["reason"] for rejection in run.rejections] == ["source_version_changed"]
    assert await read_hypotheses(dreaming.database, dreaming.team) == []


async def test_a_provider_that_takes_nothing_now_is_asked_again_and_nothing_is_paid(
    dreaming: Dreaming,
) -> None:
    answers = [error(429, "rate_limit_error"), None]
    made = dreaming.server.batches.made

    def refuse_once(batch: Batch) -> Reply | None:
        refusal = answers.pop(0)
        if refusal is not None:
            made.remove(batch)
        return refusal

    dreaming.server.batches.on_create = refuse_once
    run_id = await dreaming.start()
    run = await dreaming.look(run_id)
    assert (run.status, run.usage.cost_usd, made) == ("waiting", 0, [])
    run = await dreaming.look(run_id)
    assert (run.status, run.attempt, len(made)) == ("waiting", 0, 1)
    assert custom_id_of(made[0]) == f"{run_id}_{run.epoch}"


async def test_a_provider_that_refuses_the_key_leaves_the_dreaming_to_the_rules(dreaming: Dreaming) -> None:
    dreaming.server.batches.on_create = lambda batch: error(401, "authentication_error")
    run = await dreaming.look(await dreaming.start())
    assert (run.status, run.generator_kind, run.usage.cost_usd) == ("succeeded", "rules", 0)


async def test_without_a_key_and_while_nobody_answers_it_goes_on_waiting(dreaming: Dreaming) -> None:
    run_id = await dreaming.start()
    await dreaming.look(run_id)
    dreaming.server.key = "another"
    assert (await dreaming.look(run_id)).status == "waiting"
    line, dreaming.line = dreaming.line, replace(dreaming.line, batches=None)
    assert (await dreaming.look(run_id)).status == "waiting"
    dreaming.line = line
    assert dreaming.batch.results is None


async def test_asking_and_answer_are_kept_for_operators(dreaming: Dreaming) -> None:
    dreaming.line = replace(dreaming.line, exchange_days=3)
    run_id = await dreaming.start()
    await dreaming.look(run_id)
    dreaming.answer()
    await dreaming.look(run_id)
    async with dreaming.database.reading(Scope("app", dreaming.team.team_id)) as reading:
        asked, answered = await list_exchanges(reading, dreaming.team.team_id, run_id)
    assert (asked.outcome, answered.outcome, answered.ideas) == ("submitted", "answered", 1)
    assert asked.request is not None
    assert "Library 4" in asked.request
    assert answered.answer is not None


def test_pauses_grow_from_a_minute_to_fifteen() -> None:
    waited = [timedelta(0), timedelta(minutes=8), timedelta(hours=2)]
    assert [pause_before_look(each) for each in waited] == [60, 120, 900]


async def _name(database: Database) -> str:
    async with database.reading(Scope("app")) as reading:
        row = await reading.fetch_one("SELECT current_database() AS name")
    assert row is not None
    return str(row["name"])


_MAKE_DUE: LiteralString = """
    UPDATE work_items SET run_at = clock_timestamp()
    WHERE team_id = %(team_id)s AND finished_at IS NULL AND lease_expires_at IS NULL
"""
_EXPIRE: LiteralString = """
    UPDATE work_items SET lease_expires_at = clock_timestamp()
    WHERE team_id = %(team_id)s AND lease_expires_at IS NOT NULL
"""
_AGE: LiteralString = """
    UPDATE cycle_runs SET waiting_since = waiting_since - interval '26 hours' WHERE team_id = %(team_id)s
"""
_SCHEDULE: LiteralString = """
    INSERT INTO cycle_runs (team_id, id, window_key, trigger, status, scheduled_for)
    VALUES (%(team_id)s, %(id)s, 'sched:' || %(id)s, 'scheduled', 'queued', clock_timestamp())
"""
_MAPS: LiteralString = "SELECT * FROM provider_batches WHERE team_id = %(team_id)s"
_PERMITS: LiteralString = "SELECT * FROM spending WHERE team_id = %(team_id)s"
_OPEN_ITEMS: LiteralString = """
    SELECT kind, item_id FROM work_items WHERE team_id = %(team_id)s AND finished_at IS NULL
"""
