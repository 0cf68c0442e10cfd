"""The ledger of what runs spend: asked before each call, kept whatever becomes of the run."""

import asyncio
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import LiteralString

import psycopg
import pytest

from app.dreaming.runs.asking import cancel_run
from app.dreaming.spending.budgets import Budgets, team_budgets
from app.dreaming.spending.purse import Permit, Stopped, Usage
from app.dreaming.spending.usage import RunPurse, local_day, read_cost_of_day
from app.kernel.database import Database, Role, Scope
from app.kernel.errors import LeaseLost
from app.queue.leases import Lease, finish, hand_back
from app.tenancy.callers import Caller
from app.tenancy.configuration import Configuration
from tests.cycles import lease_run, queue_run, read_run, set_setting

NOON = datetime(2031, 7, 11, 12, tzinfo=UTC)
CALL = Usage(input_tokens=1000, output_tokens=500, turns=1, cost_usd=0.4)


def purse_of(database: Database, lease: Lease, *, now: datetime = NOON, **budgets: float) -> RunPurse:
    wanted: Budgets = team_budgets(Configuration(**budgets))  # type: ignore[arg-type]  # Names are a setting's.
    return RunPurse(database, lease, wanted, clock=lambda: now)


async def begin(database: Database, team: Caller) -> Lease:
    return await lease_run(database, await queue_run(database, team))


async def cancel(database: Database, team: Caller, lease: Lease) -> None:
    await database.unit_of_work(
        Scope("app", team.team_id), lambda writing: cancel_run(writing, team, lease.item_id)
    )


async def permit_for(purse: RunPurse, estimate: Usage = CALL) -> Permit:
    answer = await purse.reserve(estimate, model="model-1")
    assert isinstance(answer, Permit)
    return answer


async def test_a_call_counts_at_its_estimate_until_it_is_settled(database: Database, team: Caller) -> None:
    lease = await begin(database, team)
    purse = purse_of(database, lease)
    permit = await permit_for(purse)
    assert (await read_run(database, team, lease.item_id)).usage == CALL
    assert await purse.open_permits() == (permit,)

    actual = Usage(700, 120, 200, 100, 1, 0.123456)
    await purse.settle(permit, actual)
    await purse.settle(permit, CALL)
    run = await read_run(database, team, lease.item_id)
    assert run.usage == actual
    async with database.reading(Scope("app", team.team_id)) as reading:
        assert await read_cost_of_day(reading, team.team_id, NOON.date()) == pytest.approx(0.123456)
    assert await purse.open_permits() == ()
    assert (await purse.remaining()).usage == Usage(199_000, 39_880, turns=2, cost_usd=0.876544)


async def test_a_call_that_cost_nothing_gives_its_turn_back(database: Database, team: Caller) -> None:
    purse = purse_of(database, await begin(database, team), max_turns=1)
    await purse.settle(await permit_for(purse), Usage())
    await permit_for(purse)
    assert await purse.reserve(CALL, model="model-1") == Stopped("max_turns")


async def test_calls_at_once_never_pass_a_limit_together(database: Database, team: Caller) -> None:
    purse = purse_of(database, await begin(database, team), max_turns=50)
    answers = await asyncio.gather(*(purse.reserve(CALL, model="model-1") for _ in range(8)))
    assert sum(isinstance(answer, Permit) for answer in answers) == 2
    assert set(answers) - {answer for answer in answers if isinstance(answer, Permit)} == {
        Stopped("max_cost_usd")
    }
    assert await purse.is_wrapping_up()


async def test_the_day_of_the_teams_zone_bounds_what_all_its_runs_cost(
    database: Database, team: Caller
) -> None:
    await set_setting(database, team, "max_daily_cost_usd", "1.0")
    await set_setting(database, team, "timezone", '"Pacific/Apia"')
    for _ in range(2):
        lease = await begin(database, team)
        await permit_for(purse_of(database, lease))
        await cancel(database, team, lease)
    lease = await begin(database, team)
    purse = purse_of(database, lease)
    assert await purse.reserve(CALL, model="model-1") == Stopped("max_daily_cost_usd")
    assert (await purse.remaining()).usage.cost_usd == pytest.approx(0.2)

    day = local_day(NOON, "Pacific/Apia")
    assert day == NOON.date() + timedelta(days=1)
    async with database.reading(Scope("app", team.team_id)) as reading:
        assert await read_cost_of_day(reading, team.team_id, day) == pytest.approx(0.8)
    # Midnight in Apia is 11:00 in UTC.
    next_day = purse_of(database, lease, now=NOON + timedelta(hours=23))
    await permit_for(next_day)


async def test_a_team_in_another_zone_gets_no_day_twice(database: Database, team: Caller) -> None:
    await set_setting(database, team, "max_daily_cost_usd", "0.5")
    lease = await begin(database, team)
    await permit_for(purse_of(database, lease))
    stops = []
    for zone in ("Etc/GMT+12", "Pacific/Kiritimati", "UTC", "Etc/GMT+12", "Pacific/Kiritimati"):
        await set_setting(database, team, "timezone", f'"{zone}"')
        stops.append(await purse_of(database, lease, max_cost_usd=100).reserve(CALL, model="model-1"))
    # At noon these zones are in two days at most: the one that was spent and the next.
    assert sum(isinstance(answer, Permit) for answer in stops) == 1


async def test_switching_dreaming_off_stops_the_next_call_of_a_run(database: Database, team: Caller) -> None:
    purse = purse_of(database, await begin(database, team))
    await permit_for(purse)
    await set_setting(database, team, "enabled", "false")
    assert await purse.reserve(CALL, model="model-1") == Stopped("dreaming_disabled")


async def test_what_a_cancelled_run_was_charged_stays_and_may_come_late(
    database: Database, team: Caller
) -> None:
    lease = await begin(database, team)
    purse = purse_of(database, lease)
    permit = await permit_for(purse)
    await cancel(database, team, lease)
    with pytest.raises(LeaseLost):
        await purse.reserve(CALL, model="model-1")
    await purse.settle(permit, Usage(input_tokens=10, turns=1, cost_usd=0.01))
    run = await read_run(database, team, lease.item_id)
    assert (run.status, run.usage.cost_usd) == ("cancelled", 0.01)


async def test_an_attempt_that_died_has_spent_what_it_reserved(database: Database, team: Caller) -> None:
    first = await begin(database, team)
    permit = await permit_for(purse_of(database, first))
    await database.unit_of_work(Scope("dreamer", team.team_id), lambda writing: hand_back(writing, first))
    second = await lease_run(database, first.item_id)
    purse = purse_of(database, second)
    assert await purse.open_permits() == (permit,)
    assert (await purse.remaining()).usage.cost_usd == pytest.approx(0.6)
    with pytest.raises(LeaseLost):
        await purse_of(database, first).reserve(CALL, model="model-1")
    await database.unit_of_work(Scope("dreamer", team.team_id), lambda writing: finish(writing, second))


async def test_nobody_changes_what_was_spent_and_the_application_cannot_write_it(
    database: Database, team: Caller
) -> None:
    purse = purse_of(database, await begin(database, team))
    await purse.settle(await permit_for(purse), CALL)
    statements: tuple[LiteralString, ...] = (
        "UPDATE spending_permits SET cost_usd = 0",
        "UPDATE spending_charges SET cost_usd = 0",
        "DELETE FROM spending_charges",
    )
    roles: tuple[Role, ...] = ("app", "dreamer")
    for role, statement in product(roles, statements):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await execute(database, Scope(role, team.team_id), statement)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        await execute(
            database,
            Scope("app", team.team_id),
            "INSERT INTO spending_charges VALUES ('team', 'pmt', 0, 0, 0, 0, 0, 0)",
        )


async def execute(database: Database, scope: Scope, statement: LiteralString) -> None:
    await database.unit_of_work(scope, lambda writing: writing.execute(statement))
