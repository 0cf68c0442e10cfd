"""A permit before every verdict: counted at its bound until it is settled, and never beyond the day's limit."""

import asyncio
import json
import os
import signal
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import product
from typing import LiteralString

import psycopg
import pytest

from app.kernel.database import Database, Role, Row, Scope
from app.kernel.settings import Settings
from app.llm.anthropic_model import AnthropicModel, AnthropicOptions
from app.llm.key import Key
from app.llm.model import Outcome, Question
from app.llm.prices import BUILT_IN
from app.llm.scripted import ScriptedModel
from app.llm.usage import Tally, Tokens, Usage
from app.remember.claim import Judgement
from app.remember.provider.permits import LOST_AFTER, Bound, Permit, TeamPurse
from app.remember.provider.usage import VerifierCost, read_verifier_costs
from app.remember.provider.verifier import OVER_BUDGET, ProviderVerifier, bound_verdict
from app.tenancy.callers import Caller
from tests.batch_worker import PROCESSES
from tests.cycles import set_setting
from tests.databases import service_url
from tests.provider_server.replies import MODEL, Said
from tests.provider_server.server import KEY, provider
from tests.unit.lexical_case import cite, make_claim

CLAIM = make_claim("FastAPI", "depends_on", "Starlette")
CITATION = cite("[[FastAPI depends on Starlette]], they say.")
CALL = Bound(model="m", input_tokens=1000, output_tokens=4000, cost_usd=Decimal("0.4"))
USED = Usage({"m": Tokens(input=900, output=50)}, turns=1)


def answer(question: Question) -> str:
    request = json.loads(question.messages[0].text.split("\n")[1])["request"]
    verdict = {"request": request, "verdict": "entailed", "confidence": 0.9, "rationale": "It says so."}
    return json.dumps(verdict)


class WaitingModel(ScriptedModel):
    """Answers when it is told to, and says when it was asked."""

    def __init__(self) -> None:
        super().__init__(answer)
        self.is_asked, self.may_answer = asyncio.Event(), asyncio.Event()

    async def ask(self, question: Question, *, deadline: float, tally: Tally) -> Outcome:
        self.is_asked.set()
        try:
            await self.may_answer.wait()
        except asyncio.CancelledError:
            # What a call has used that was cut is not known.
            tally.add(Usage({self.name: Tokens(input=9)}, turns=1, is_estimated=True))
            raise
        return await super().ask(question, deadline=deadline, tally=tally)


class DyingModel(ScriptedModel):
    """Takes its process along when it is asked."""

    async def ask(self, question: Question, *, deadline: float, tally: Tally) -> Outcome:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


async def judge_and_die(url: str, team_id: str) -> None:
    database = Database(Settings.model_validate({"pool_size": 2}), url=url)
    await database.open()
    await ProviderVerifier(DyingModel([]), TeamPurse(database, team_id, BUILT_IN)).judge(CLAIM, CITATION)


def work(url: str, team_id: str) -> None:
    asyncio.run(judge_and_die(url, team_id))


async def judge_over_and_over(url: str, team_id: str, provider_url: str) -> None:
    database = Database(Settings.model_validate({"pool_size": 2}), url=url)
    await database.open()
    options = AnthropicOptions(model=MODEL, base_url=provider_url)
    model = AnthropicModel(options, key=lambda: Key(KEY, "a test"))
    verifier = ProviderVerifier(model, TeamPurse(database, team_id, BUILT_IN))
    for _ in range(2):
        await asyncio.gather(*(verifier.judge(CLAIM, CITATION) for _ in range(3)))
    await model.close()
    await database.close()


def work_beside_others(url: str, team_id: str, provider_url: str) -> None:
    asyncio.run(judge_over_and_over(url, team_id, provider_url))


def purse_of(database: Database, team: Caller, *, now: datetime | None = None) -> TeamPurse:
    return TeamPurse(database, team.team_id, BUILT_IN, clock=lambda: now or datetime.now(UTC))


async def permit_for(purse: TeamPurse, bound: Bound = CALL) -> Permit:
    permit = await purse.reserve(bound)
    assert permit is not None
    return permit


async def costs_of(database: Database, team: Caller) -> list[VerifierCost]:
    since = datetime.now(UTC).date() - timedelta(days=1)
    async with database.reading(Scope("app", team.team_id)) as reading:
        return await read_verifier_costs(reading, team.team_id, since=since)


async def permits_of(database: Database, team: Caller) -> list[Row]:
    async with database.reading(Scope("app", team.team_id)) as reading:
        query = "SELECT * FROM verifier_permits WHERE team_id = %(team_id)s ORDER BY created_at, id"
        return await reading.fetch_all(query, {"team_id": team.team_id})


async def test_a_process_that_is_killed_while_it_asks_leaves_the_bound_counted(
    database: Database, database_name: str, team: Caller
) -> None:
    PROCESSES.set_forkserver_preload(["tests.batch_worker", "anthropic", "httpx2"])
    process = PROCESSES.Process(target=work, args=(service_url(database_name), team.team_id))
    process.start()
    await asyncio.to_thread(process.join, 60)
    assert process.exitcode == -signal.SIGKILL
    [cost], [permit] = await costs_of(database, team), await permits_of(database, team)
    usual = bound_verdict(ScriptedModel([]), BUILT_IN, permit["input_tokens"])
    assert cost.cost_usd == cost.unsettled_usd == permit["cost_usd"] == usual.cost_usd > 0
    assert permit["charged_usd"] is None


async def test_a_task_that_is_cancelled_while_it_asks_leaves_the_bound_counted(
    database: Database, team: Caller
) -> None:
    model = WaitingModel()
    task = asyncio.create_task(ProviderVerifier(model, purse_of(database, team)).judge(CLAIM, CITATION))
    await model.is_asked.wait()
    [permit] = await permits_of(database, team)
    assert permit["charged_usd"] is None, "it is there before anything is sent"
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    [cost] = await costs_of(database, team)
    assert cost.cost_usd == cost.unsettled_usd == permit["cost_usd"]


async def test_two_judges_with_room_for_one_are_one_verdict_and_one_that_waits(
    database: Database, team: Caller
) -> None:
    bound = bound_verdict(ScriptedModel([]), BUILT_IN).cost_usd
    await set_setting(database, team, "max_daily_cost_usd", str(round(bound * Decimal("1.5"), 6)))
    model = WaitingModel()
    judges = [
        asyncio.create_task(ProviderVerifier(model, purse_of(database, team)).judge(CLAIM, CITATION))
        for _ in range(2)
    ]
    [first], _ = await asyncio.wait(judges, return_when=asyncio.FIRST_COMPLETED)
    assert await first == OVER_BUDGET
    model.may_answer.set()
    assert {type(one) for one in await asyncio.gather(*judges)} == {type(OVER_BUDGET), Judgement}
    assert len(model.asked) == 1
    later = await ProviderVerifier(model, purse_of(database, team)).judge(CLAIM, CITATION)
    assert isinstance(later, Judgement), "what the first did not use is free again"


async def test_many_at_once_never_pass_the_limit_together(database: Database, team: Caller) -> None:
    await set_setting(database, team, "max_daily_cost_usd", "1.0")
    purses = [purse_of(database, team) for _ in range(8)]
    permits = await asyncio.gather(*(purse.reserve(CALL) for purse in purses))
    assert sum(permit is not None for permit in permits) == 2
    [cost] = await costs_of(database, team)
    assert cost.cost_usd == Decimal("0.8")


async def test_worker_processes_at_once_never_pass_the_limit_together(
    database: Database, database_name: str, team: Caller
) -> None:
    PROCESSES.set_forkserver_preload(["tests.batch_worker", "anthropic", "httpx2"])
    usage = {"input_tokens": 1000, "output_tokens": 4000}
    async with provider() as server:
        server.speak = lambda body: Said(text="{}", model=MODEL, usage=usage)
        bound = bound_verdict(AnthropicModel(AnthropicOptions(model=MODEL)), BUILT_IN).cost_usd
        limit = round(bound * Decimal("2.5"), 6)
        await set_setting(database, team, "max_daily_cost_usd", str(limit))
        arguments = (service_url(database_name), team.team_id, server.url)
        processes = [PROCESSES.Process(target=work_beside_others, args=arguments) for _ in range(4)]
        for process in processes:
            process.start()
        await asyncio.gather(*(asyncio.to_thread(process.join, 60) for process in processes))
        assert [process.exitcode for process in processes] == [0] * len(processes)
        permits = await permits_of(database, team)
        spent = sum(permit["charged_usd"] for permit in permits)
        assert 2 <= len(server.messages) == len(permits) < 24
        assert 0 < spent <= limit


async def test_a_permit_is_settled_once_and_on_its_own_day(database: Database, team: Caller) -> None:
    yesterday = datetime.now(UTC) - timedelta(days=1)
    purse = purse_of(database, team, now=yesterday)
    permit = await permit_for(purse)
    for _ in range(2):
        await purse_of(database, team).settle(permit, USED)
    [cost] = await costs_of(database, team)
    assert (cost.day, cost.tokens) == (yesterday.date(), Tokens(900, 50))
    assert cost.unsettled_usd == 0
    assert cost.cost_usd == BUILT_IN.cost(USED, asked="m")
    [row] = await permits_of(database, team)
    assert row["charged_usd"] == cost.cost_usd


async def test_more_than_its_bound_is_charged_whatever_is_known_of_it(
    database: Database, team: Caller
) -> None:
    purse = purse_of(database, team)
    used = Usage({"m": Tokens(output=100_000)}, turns=1, is_estimated=True)
    await purse.settle(await permit_for(purse), used)
    [cost] = await costs_of(database, team)
    assert cost.cost_usd == BUILT_IN.cost(used, asked="m") > CALL.cost_usd


async def test_a_model_is_kept_under_a_name_that_was_asked_for_or_has_a_price(
    database: Database, team: Caller
) -> None:
    purse = purse_of(database, team)
    key, spoken = "sk-ant-0123456789abcdef", Tokens(input=10, output=5)
    names = ("m", "m-20260901", "claude-haiku-4-5", key, f"claude-haiku-4-5-{key}")
    used = Usage(dict.fromkeys(names, spoken), turns=1)
    await purse.settle(await permit_for(purse), used)
    costs = {cost.model: cost for cost in await costs_of(database, team)}
    assert set(costs) == {"m", "m-20260901", "claude-haiku-4-5", "other"}
    assert costs["other"].tokens == spoken + spoken
    assert sum(cost.cost_usd for cost in costs.values()) == BUILT_IN.cost(used, asked="m")


async def test_a_limit_of_nothing_allows_nothing(database: Database, team: Caller) -> None:
    await set_setting(database, team, "max_daily_cost_usd", "0")
    free = Bound(model="m", input_tokens=0, output_tokens=0, cost_usd=Decimal(0))
    purse = purse_of(database, team)
    assert await purse.reserve(free) is None
    assert not await purse.has_room(Decimal(0))


async def test_room_is_what_calls_under_way_may_leave_and_lost_ones_do_not(
    database: Database, team: Caller
) -> None:
    await set_setting(database, team, "max_daily_cost_usd", "0.5")
    await permit_for(purse_of(database, team))
    [row] = await permits_of(database, team)
    made: datetime = row["created_at"]
    assert await purse_of(database, team, now=made).has_room(CALL.cost_usd)
    assert await purse_of(database, team, now=made).reserve(CALL) is None
    if (later := made + LOST_AFTER + timedelta(minutes=1)).date() == row["day"]:
        assert not await purse_of(database, team, now=later).has_room(CALL.cost_usd)


async def test_nobody_takes_a_permit_back_and_the_dreamer_never_sees_one(
    database: Database, team: Caller
) -> None:
    await permit_for(purse_of(database, team))
    statements: tuple[LiteralString, ...] = (
        "UPDATE verifier_permits SET cost_usd = 0",
        "UPDATE verifier_permits SET day = day - 1",
        "DELETE FROM verifier_permits",
    )
    roles: tuple[Role, ...] = ("app", "dreamer")
    for role, statement in product(roles, statements):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await execute(database, Scope(role, team.team_id), statement)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        await execute(database, Scope("dreamer", team.team_id), "SELECT FROM verifier_permits")


async def execute(database: Database, scope: Scope, statement: LiteralString) -> None:
    await database.unit_of_work(scope, lambda writing: writing.execute(statement))
