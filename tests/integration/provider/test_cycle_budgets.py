"""Cycles that may not ask the provider, or not so much."""

import re

import pytest

from app.dreaming.runs.asking import StartRequest
from app.kernel.database import Database
from app.tenancy.callers import Caller
from tests.cycles import (
    Pattern,
    run_once,
    set_setting,
)
from tests.integration.provider.dreaming import Dreaming, dream


@pytest.mark.parametrize("budget", ["max_cost_usd", "max_turns", "max_input_tokens", "max_output_tokens"])
async def test_a_budget_of_0_asks_nobody(
    database: Database, team: Caller, pattern: Pattern, dreaming: Dreaming, budget: str
) -> None:
    request = StartRequest(budgets={budget: 0})
    strict = await run_once(database, team, request, generator=dreaming.generator(falls_back=False))
    assert (strict.status, strict.stopped_by) == ("succeeded", budget)
    assert strict.funnel["generated"] == 0
    auto = await run_once(database, team, request, generator=dreaming.generator())
    assert auto.generator_kind == "rules", "the rules cost nothing"
    assert dreaming.server.messages == []


async def test_no_output_means_no_call(
    database: Database, team: Caller, pattern: Pattern, dreaming: Dreaming
) -> None:
    await set_setting(database, team, "max_outputs", "0")
    run = await dream(database, team, dreaming)
    assert (run.stopped_by, run.funnel["generated"]) == ("max_outputs", 0)
    assert dreaming.server.requests == []


async def test_the_teams_day_bounds_all_its_runs(
    database: Database, team: Caller, pattern: Pattern, dreaming: Dreaming
) -> None:
    await set_setting(database, team, "max_daily_cost_usd", "0.00001")
    run = await dream(database, team, dreaming)
    assert run.generator_kind == "rules"
    assert run.stopped_by == "max_daily_cost_usd"
    assert dreaming.server.messages == []


async def test_a_dry_run_shows_the_estimate_and_asks_nobody(
    database: Database, team: Caller, pattern: Pattern, dreaming: Dreaming
) -> None:
    run = await run_once(database, team, StartRequest(dry_run=True), generator=dreaming.generator())
    assert dreaming.server.requests == []
    assert run.summary is not None
    costs = re.search(
        r"at most \$(.*), \$(.*) where it refuses .*, \$(.*) in a batch, at prices", run.summary
    )
    assert costs is not None
    alone, both, batch = (float(cost) for cost in costs.groups())
    assert both > 2 * alone
    assert batch == pytest.approx(alone / 2, abs=1e-4)
    assert run.usage.cost_usd == 0
    assert run.would_persist is not None
    assert len(run.would_persist) == 1
    assert run.generator_kind == "rules"
