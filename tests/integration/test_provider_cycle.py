"""Cycles that ask the provider, over real HTTP: what is sent, what is believed, what it costs, what fails."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from app.dreaming.generation import RULES_VERSION, Generator
from app.dreaming.provider.conversation import Line
from app.dreaming.provider.generator import PROMPT, provider_generator
from app.dreaming.run_history import Run
from app.dreaming.runs import StartRequest, cancel_run
from app.hypotheses.queries import get_hypothesis
from app.kernel.database import Database, Scope
from app.kernel.ids import ID_ANYWHERE
from app.llm.anthropic_model import AnthropicModel, AnthropicOptions
from app.llm.key import Key
from app.llm.prices import BUILT_IN
from app.llm.prompts import load_prompt
from app.tenancy.callers import Caller
from tests.cycles import (
    Pattern,
    lease_run,
    make_pattern,
    queue_run,
    read_hypotheses,
    read_run,
    run_cycle,
    run_once,
    set_setting,
)
from tests.dreamer import Shown, read_shown
from tests.factories import CANDIDATE, Position, make_entity, make_relationship, make_value
from tests.provider_server.replies import (
    HANGS,
    MODEL,
    Reply,
    Said,
    cut,
    error,
    error_in_stream,
    streamed,
    trickled,
)
from tests.provider_server.server import KEY, Answer, ProviderServer, provider

SECRET = "sk-ant-a-secret-of-the-evidence-0123456789"
EVIDENCE = f"Nobody may read this sentence, least of all {SECRET}."


@dataclass(slots=True)
class Dreaming:
    """A server and a line to it; pauses between tries are not waited for."""

    server: ProviderServer
    model: AnthropicModel
    pauses: list[float] = field(default_factory=list)

    def generator(self, *, falls_back: bool = True) -> Generator:
        line = Line(
            model=self.model, prices=BUILT_IN, prompt=load_prompt(PROMPT), effort="low", pause=do_not_pause
        )
        return provider_generator(line, falls_back=falls_back)


async def do_not_pause() -> None:
    return None


@pytest.fixture
async def dreaming() -> AsyncIterator[Dreaming]:
    async with provider() as server:
        pauses: list[float] = []

        async def pause(seconds: float) -> None:
            pauses.append(seconds)

        options = AnthropicOptions(model=MODEL, base_url=server.url)
        model = AnthropicModel(options, key=lambda: Key(KEY, "a test"), pause=pause)
        yield Dreaming(server, model, pauses)
        await model.close()


def shown_in(body: dict[str, Any]) -> Shown:
    return read_shown(body["messages"][0]["content"])


def saying(answer: Callable[[Shown], str]) -> Callable[[dict[str, Any]], Answer]:
    return lambda body: Said(text=answer(shown_in(body)))


def first_idea(shown: Shown, **changes: object) -> str:
    """Return an answer with the one idea that the pattern suggests, in other words than the rules'."""
    group = next(group for group in shown.groups if "hints" in group)
    subject, predicate, object_, _ = group["hints"][0]
    return shown.answer(
        shown.idea(
            group,
            "Uses",
            subject=subject,
            predicate=predicate,
            object=object_,
            statement=f"{shown.names[subject]} might also use {shown.names[object_]}.",
            **changes,
        )
    )


@pytest.fixture
async def pattern(database: Database, team: Caller) -> Pattern:
    return await make_pattern(database, team)


async def dream(database: Database, team: Caller, dreaming: Dreaming, **options: bool) -> Run:
    return await run_once(database, team, generator=dreaming.generator(**options))


async def test_an_idea_of_the_model_becomes_a_hypothesis_with_its_version(
    database: Database, team: Caller, pattern: Pattern, dreaming: Dreaming
) -> None:
    dreaming.server.speak = saying(first_idea)
    run = await dream(database, team, dreaming)
    assert (run.status, run.generator_kind, run.generator_version) == ("succeeded", "provider", "dreamer-v1")
    assert run.model == MODEL
    assert run.funnel["persisted"] == 1
    [row] = await read_hypotheses(database, team)
    assert row["statement"] == "Library 4 might also use Engine 4."
    assert (row["generator_kind"], row["generator_version"]) == (
        "provider",
        f"dreamer-v1+{RULES_VERSION}",
    )
    assert row["likelihood"] == 0.6
    assert row["paths"], "the rules' explanation comes along"
    async with database.reading(Scope("app", team.team_id)) as reading:
        shown = await get_hypothesis(reading, team.team_id, row["id"])
    assert shown.explanation.premises


async def test_what_it_used_is_on_the_run(
    database: Database, team: Caller, pattern: Pattern, dreaming: Dreaming
) -> None:
    usage = {
        "input_tokens": 1000,
        "output_tokens": 200,
        "cache_read_input_tokens": 3000,
        "cache_creation_input_tokens": 500,
    }
    dreaming.server.speak = lambda body: Said(text=first_idea(shown_in(body)), usage=usage)
    run = await dream(database, team, dreaming)
    used = run.usage
    assert (used.input_tokens, used.output_tokens) == (1000, 200)
    assert (used.cache_read_tokens, used.cache_write_tokens, used.turns) == (3000, 500, 1)
    assert used.cost_usd == pytest.approx((1000 * 4 + 200 * 20 + 3000 * 0.2 + 500 * 5) / 1_000_000)


async def test_forty_groups_send_no_id_no_evidence_no_rationale_and_no_secret(
    database: Database, team: Caller, dreaming: Dreaming
) -> None:
    subjects = [await make_entity(database, team, f"Package {n}", aliases=(f"pkg{n}",)) for n in range(24)]
    hubs = [await make_entity(database, team, f"Toolkit {n}", kind="project") for n in range(4)]
    version = await make_value(database, team, "3.11")
    for place, subject in enumerate(subjects):
        position = CANDIDATE if place % 5 == 4 else Position()
        position = Position(tier=position.tier, status=position.status, content=EVIDENCE)
        await make_relationship(database, team, subject, "depends_on", hubs[place % 4], position)
        await make_relationship(
            database, team, subject, "uses", hubs[(place + 1) % 4], Position(content=EVIDENCE)
        )
    await make_relationship(database, team, subjects[0], "requires_python", version)
    dreaming.server.speak = saying(lambda shown: shown.answer())
    run = await dream(database, team, dreaming)
    assert run.status == "succeeded", run.error
    assert run.funnel["groups"] == 40

    wire = [json.dumps(request.json, ensure_ascii=False) for request in dreaming.server.requests]
    assert len(dreaming.server.messages) == 1
    shown = shown_in(dreaming.server.messages[0])
    assert len(shown.groups) == 40
    assert "candidate" in {row[4] for row in shown.document["paths"]}
    async with database.reading(Scope("app", team.team_id)) as reading:
        verdicts = await reading.fetch_all(
            "SELECT rationale FROM verification_events WHERE team_id = %(team_id)s", {"team_id": team.team_id}
        )
    rationales = {row["rationale"] for row in verdicts}
    assert rationales
    forbidden = [team.team_id, team.profile_id, run.run_id, SECRET, "Nobody may read", KEY, *rationales]
    for text in wire:
        assert not ID_ANYWHERE.search(text)
        assert not re.search(r"[0-9a-f]{32}", text), "no digest either"
        assert not [each for each in forbidden if each in text]


async def test_each_bad_item_is_rejected_and_counted_and_the_good_one_stays(
    database: Database, team: Caller, pattern: Pattern, dreaming: Dreaming
) -> None:
    def answer(shown: Shown) -> str:
        good = json.loads(first_idea(shown))["ideas"][0]
        spoilt = [
            {**good, "subject": "node_99"},
            {**good, "likelihood": 1.7},
            {**good, "statement": "Library 4 uses Engine 4."},
            {**good, "tier": "fact"},
        ]
        return shown.answer(*spoilt, good)

    dreaming.server.speak = saying(answer)
    run = await dream(database, team, dreaming)
    assert run.status == "partially_rejected"
    counts = {rejection["reason"]: rejection["count"] for rejection in run.rejections}
    assert counts == {"schema_invalid": 2, "unknown_reference": 1, "statement_invalid": 1}
    assert run.funnel["generated"] == 5
    assert run.funnel["persisted"] == 1


FAULTS: dict[str, tuple[Answer, str]] = {
    "refusal": (Said(stop_reason="refusal", stop_details={"type": "refusal", "category": "bio"}), "refused"),
    "cut by max_tokens": (Said(text='{"request": ', stop_reason="max_tokens"), "truncated"),
    "prose": (Said(text="I would rather not."), "unreadable_answer"),
    "code fence": (Said(text='```json\n{"ideas": []}\n```'), "unreadable_answer"),
    "empty": (Said(text=""), "malformed"),
    "wrong content type": (Reply(body=b"<html>", content_type="text/html"), "malformed"),
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
        return replace(streamed(Said(text=first_idea(shown_in(body)))), waits_for=go_on)

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
    assert (run.usage.input_tokens, run.usage.output_tokens) == (120, 40)
    assert await read_hypotheses(database, team) == []


async def test_triggers_with_unchanged_inputs_are_one_call(
    database: Database, team: Caller, pattern: Pattern, dreaming: Dreaming
) -> None:
    dreaming.server.speak = saying(first_idea)
    runs = [await dream(database, team, dreaming) for _ in range(6)]
    assert [run.status for run in runs] == ["succeeded", *["skipped"] * 5]
    assert len(dreaming.server.messages) == 1
    assert len(await read_hypotheses(database, team)) == 1


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
