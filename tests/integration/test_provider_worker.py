"""The worker's own dream step with a provider: leases outlive long calls, the team's choice is followed."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from app.dreaming.provider.exchanges import list_exchanges
from app.dreaming.runs.asking import StartRequest
from app.dreaming.runs.history import Run
from app.kernel.database import Database, Scope, Writing
from app.kernel.settings import Settings
from app.llm.key import KEY_VARIABLE
from app.queue.leases import lease_due
from app.tenancy.callers import Caller
from app.worker.provider import Provider, open_provider
from app.worker.steps import batch_kind, cycle_kind
from tests.cycles import lease_run, make_pattern, queue_run, read_hypotheses, read_run, set_setting
from tests.dreamer import read_shown
from tests.provider_server.batches import succeeded
from tests.provider_server.replies import Said, message_of, streamed
from tests.provider_server.server import KEY, Answer, ProviderServer

LEASE_SECONDS = 1.0


def say_one_idea(body: dict[str, Any]) -> Said:
    shown = read_shown(body["messages"][0]["content"])
    return Said(text=shown.answer(shown.idea(shown.groups[0], "Compatible with")))


async def dream(database: Database, team: Caller, provided: Provider) -> Run:
    run_id = await queue_run(database, team)
    kind = cycle_kind(database, slots=1, lease_seconds=60, provider=provided)
    await kind.step(await lease_run(database, run_id))
    return await read_run(database, team, run_id)


async def read_expiry(database: Database, team: Caller, run_id: str) -> object:
    async with database.reading(Scope("app", team.team_id)) as reading:
        row = await reading.fetch_one(
            "SELECT lease_expires_at FROM work_items WHERE team_id = %(team_id)s AND item_id = %(item_id)s",
            {"team_id": team.team_id, "item_id": run_id},
        )
    return row and row["lease_expires_at"]


async def test_a_call_that_outlasts_the_lease_is_one_run_and_one_set_of_hypotheses(
    database: Database, team: Caller, server: ProviderServer, provided: Provider
) -> None:
    await make_pattern(database, team)
    answered = asyncio.Event()

    def speak(body: dict[str, Any]) -> Answer:
        return replace(streamed(say_one_idea(body)), waits_for=answered)

    server.speak = speak
    run_id = await queue_run(database, team)
    lease = await lease_run(database, run_id, seconds=LEASE_SECONDS)
    kind = cycle_kind(database, slots=1, lease_seconds=LEASE_SECONDS, provider=provided)
    working = asyncio.ensure_future(kind.step(lease))
    expiries: set[object] = set()
    # Renewed three times in each length: so it has been held for three lengths at least.
    while len(expiries) < 10 and not working.done():
        if server.messages:
            expiries.add(await read_expiry(database, team, run_id))
        await asyncio.sleep(0.02)
    answered.set()
    await working
    run = await read_run(database, team, run_id)
    assert (run.status, run.attempt, run.generator_kind) == ("succeeded", 0, "provider")
    assert len(server.messages) == 1
    assert len(await read_hypotheses(database, team)) == 1


async def test_the_teams_choice_and_the_key_of_the_moment_decide_who_dreams(
    database: Database,
    team: Caller,
    server: ProviderServer,
    provided: Provider,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await make_pattern(database, team)
    # A process for each cycle is what the test above is about.
    monkeypatch.setattr("app.worker.steps.run_in_process", asyncio.to_thread)
    server.speak = say_one_idea
    await set_setting(database, team, "generator", '"rules"')
    assert (await dream(database, team, provided)).generator_kind == "rules"
    assert server.requests == []
    await set_setting(database, team, "generator", '"auto"')
    run = await dream(database, team, provided)
    assert (run.generator_kind, run.model) == ("provider", "claude-opus-5-5")
    monkeypatch.delenv(KEY_VARIABLE)
    assert (await dream(database, team, provided)).generator_kind == "rules"
    await set_setting(database, team, "generator", '"provider"')
    run_id = await queue_run(database, team)
    kind = cycle_kind(database, slots=1, lease_seconds=60, provider=provided)
    with pytest.raises(Exception, match="No provider"):
        await kind.step(await lease_run(database, run_id))
    failed = await read_run(database, team, run_id)
    assert failed.error is not None
    assert (failed.status, failed.error.code) == ("failed", "provider_not_configured")


async def test_a_batch_is_handed_in_collected_and_settled_by_the_workers_own_steps(
    database: Database,
    team: Caller,
    server: ProviderServer,
    provided: Provider,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("app.worker.steps.run_in_process", asyncio.to_thread)
    await make_pattern(database, team)
    run_id = await queue_run(database, team, StartRequest(provider_mode="batch"))
    kind = cycle_kind(database, slots=1, lease_seconds=60, provider=provided)
    await kind.step(await lease_run(database, run_id))
    assert (await read_run(database, team, run_id)).status == "waiting"
    [batch] = server.batches.made
    message = message_of(say_one_idea(batch.requests[0]["params"]))
    batch.results = [succeeded(batch.requests[0]["custom_id"], message)]

    async def make_due(writing: Writing) -> None:
        await writing.execute(
            "UPDATE work_items SET run_at = clock_timestamp() WHERE team_id = %(team_id)s",
            {"team_id": team.team_id},
        )

    await database.unit_of_work(Scope("dreamer"), make_due)
    await kind.step(await lease_run(database, run_id))
    assert (await read_run(database, team, run_id)).status == "succeeded"
    settling = batch_kind(database, provider=provided)
    for lease in await database.unit_of_work(
        settling.scope,
        lambda writing: lease_due(writing, kind=settling.name, worker="settler", seconds=60, limit=100),
    ):
        if lease.team_id == team.team_id:
            await settling.step(lease)
    async with database.reading(Scope("app", team.team_id)) as reading:
        open_items = await reading.fetch_all(
            "SELECT kind FROM work_items WHERE team_id = %(team_id)s AND finished_at IS NULL",
            {"team_id": team.team_id},
        )
    assert open_items == []


async def test_what_a_model_repeats_of_secrets_is_kept_nowhere(
    database: Database, team: Caller, server: ProviderServer
) -> None:
    await make_pattern(database, team)
    await set_setting(database, team, "generator", '"provider"')
    options = {"anthropic_base_url": server.url, "exchange_days": 1}
    server.speak = lambda body: Said(
        text=(shown := read_shown(body["messages"][0]["content"])).answer(
            shown.idea(
                shown.groups[0], "Compatible with", rationale=f"They say {KEY}; password = hunter2hunter2."
            )
        )
    )
    async with open_provider(Settings.model_validate(options)) as opened:
        run = await dream(database, team, opened)
    [row] = await read_hypotheses(database, team)
    assert row["rationale"].startswith("They say ")
    async with database.reading(Scope("app", team.team_id)) as reading:
        [exchange] = await list_exchanges(reading, team.team_id, run.run_id)
    for kept in (row["rationale"], exchange.answer or ""):
        assert kept
        assert KEY not in kept
        assert "hunter2" not in kept
