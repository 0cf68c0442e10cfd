"""Cycles whose provider fails: who dreams then, and what it has cost."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from app.dreaming.generation import RULES_VERSION
from app.dreaming.runs.asking import StartRequest, cancel_run
from app.kernel.database import Database, Scope
from app.tenancy.callers import Caller
from tests.cycles import (
    Pattern,
    lease_run,
    queue_run,
    read_hypotheses,
    read_run,
    run_cycle,
    run_once,
)
from tests.integration.provider.dreaming import Dreaming, dream, first_idea, saying, shown_in
from tests.provider_server.replies import (
    HANGS,
    Reply,
    Said,
    cut,
    error,
    error_in_stream,
    streamed,
    trickled,
)
from tests.provider_server.server import Answer

FAULTS: dict[str, tuple[Answer, str]] = {
    "refusal": (Said(stop_reason="refusal", stop_details={"type": "refusal", "category": "bio"}), "refused"),
    "cut by max_tokens": (Said(text='{"request": ', stop_reason="max_tokens"), "truncated"),
    "prose": (Said(text="I would rather not."), "unreadable_answer"),
    "code fence": (Said(text='```json\n{"ideas": []}\n```'), "unreadable_answer"),
    "empty": (Said(text=""), "malformed"),
    "wrong content type": (
        Reply(body=b"<html>", content_type="text/html"),
        "unavailable_not_the_provider",
    ),
    "401": (error(401, "authentication_error"), "unavailable_unauthenticated"),
    "429": (error(429, "rate_limit_error", headers={"retry-after": "2"}), "rate_limited"),
    "429 for long": (error(429, "rate_limit_error", headers={"retry-after": "9000"}), "rate_limited"),
    "500": (error(500, "api_error"), "unavailable_server_error"),
    "529": (error(529, "overloaded_error"), "overloaded"),
    "overloaded in a 200 stream": (error_in_stream(Said(text="x" * 99), "overloaded_error"), "overloaded"),
    "cut connection": (cut(streamed(Said(text="x" * 999)), 900), "unavailable_connection"),
}


@pytest.mark.parametrize(("answer", "failure"), FAULTS.values(), ids=FAULTS.keys())
async def test_when_the_provider_fails_the_rules_dream_and_the_run_says_so(
    database: Database, team: Caller, pattern: Pattern, dreaming: Dreaming, answer: Answer, failure: str
) -> None:
    dreaming.server.script = [answer]
    run = await dream(database, team, dreaming)
    assert (run.status, run.generator_kind, run.generator_version) == ("succeeded", "rules", RULES_VERSION)
    assert run.summary is not None
    assert f"({failure})" in run.summary
    [row] = await read_hypotheses(database, team)
    assert (row["generator_kind"], row["statement"]) == ("rules", "Library 4 may use Engine 4.")
    billed = {"refused", "truncated", "unreadable_answer", "overloaded", "unavailable_connection"}
    if failure in billed and not (isinstance(answer, Reply) and answer.status >= 400):
        assert run.usage.turns >= 1, "every token of a failed call is kept"
        assert run.usage.cost_usd > 0


async def test_a_run_of_the_rules_in_the_providers_place_has_assessed_nothing(
    database: Database, team: Caller, pattern: Pattern, dreaming: Dreaming
) -> None:
    dreaming.server.script = [Said(stop_reason="refusal")]
    assert (await dream(database, team, dreaming)).generator_kind == "rules"
    dreaming.server.speak = saying(lambda shown: shown.answer())
    again = await dream(database, team, dreaming)
    assert (again.status, again.generator_kind) == ("succeeded", "provider")


@pytest.mark.parametrize(
    "answer", [HANGS, trickled(streamed(Said(text="x" * 4000)), 0.02)], ids=["silent", "trickled"]
)
async def test_a_provider_that_takes_too_long_is_given_up_within_the_duration(
    database: Database, team: Caller, pattern: Pattern, dreaming: Dreaming, answer: Answer
) -> None:
    dreaming.server.script = [answer]
    request = StartRequest(budgets={"max_duration_seconds": 2})
    run = await run_once(database, team, request, generator=dreaming.generator())
    assert run.generator_kind == "rules"
    assert run.summary is not None
    assert "timed_out" in run.summary
    assert run.usage.cost_usd > 0, "nobody knows what it cost, so it counts at its estimate"


async def test_a_run_that_may_ask_nobody_else_fails_with_what_it_cost(
    database: Database, team: Caller, pattern: Pattern, dreaming: Dreaming
) -> None:
    dreaming.server.script = [Said(stop_reason="refusal")]
    run_id = await queue_run(database, team)
    lease = await lease_run(database, run_id)
    with pytest.raises(Exception, match="refused"):
        await run_cycle(database, lease, generator=dreaming.generator(falls_back=False))
    run = await read_run(database, team, run_id)
    assert run.status == "failed"
    assert run.error is not None
    assert run.error.code == "provider_refused"
    assert run.usage.output_tokens == 40
    assert await read_hypotheses(database, team) == []


async def test_a_passing_fault_leaves_the_run_to_be_tried_again(
    database: Database, team: Caller, pattern: Pattern, dreaming: Dreaming
) -> None:
    dreaming.server.script = [error(529, "overloaded_error")]
    run_id = await queue_run(database, team)
    with pytest.raises(Exception, match="overloaded"):
        await run_cycle(
            database, await lease_run(database, run_id), generator=dreaming.generator(falls_back=False)
        )
    run = await read_run(database, team, run_id)
    assert run.status == "queued"
    assert run.usage.turns == 0, "an answer that was never begun gives its turn back"


async def test_a_cancelled_run_keeps_what_it_cost_and_leaves_no_hypothesis(
    database: Database, team: Caller, pattern: Pattern, dreaming: Dreaming
) -> None:
    asked, go_on = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def speak(body: dict[str, Any]) -> Answer:
        loop.call_soon(asked.set)
        said = Said(text=first_idea(shown_in(body)), usage={"input_tokens": 1200, "output_tokens": 300})
        return replace(streamed(said), waits_for=go_on)

    dreaming.server.speak = speak
    run_id = await queue_run(database, team)
    lease = await lease_run(database, run_id)
    working = asyncio.create_task(run_cycle(database, lease, generator=dreaming.generator()))
    await asked.wait()
    await database.unit_of_work(Scope("app", team.team_id), lambda writing: cancel_run(writing, team, run_id))
    go_on.set()
    await working
    run = await read_run(database, team, run_id)
    assert run.status == "cancelled"
    assert (run.usage.input_tokens, run.usage.output_tokens) == (1200, 300)
    assert await read_hypotheses(database, team) == []
