"""Turn by turn: budgets before each call, errors listed, everything charged."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.dreaming.provider.allowance import LEAST_OUTPUT_TOKENS, Allowance, Exceeded, allow_call
from app.dreaming.provider.conversation import Conversation, Line, Said
from app.dreaming.provider.generator import PROMPT
from app.dreaming.provider.pairs import plan_pairs
from app.dreaming.provider.sheet import write_sheet
from app.dreaming.spending import Limits
from app.dreaming.spending import Usage as Spending
from app.llm.model import (
    Malformed,
    Outcome,
    OverBudget,
    Overloaded,
    Question,
    RateLimited,
    Refused,
    TimedOut,
    Truncated,
    Unavailable,
)
from app.llm.prices import BUILT_IN, Price, PriceTable
from app.llm.prompts import estimate_tokens, load_prompt
from app.llm.scripted import SCRIPTED_NAME, ScriptedModel
from app.llm.usage import Tally, Tokens, Usage
from tests.dreamer import Shown, read_shown
from tests.purses import AMPLE, MemoryPurse
from tests.unit.graphs import make_inputs

INPUTS = make_inputs(*(f"a{n} depends_on z" for n in range(6)), *(f"b{n} uses y" for n in range(6)))
PRICE = Price(Decimal(4), Decimal(20), Decimal("0.2"), Decimal(5))
PRICES = PriceTable("2026-01-01", {SCRIPTED_NAME: PRICE})
USED = Usage({SCRIPTED_NAME: Tokens(input=1000, output=100)}, turns=1)
Script = Sequence[str | Outcome] | Callable[[Question], str | Outcome]


def shown_to(question: Question) -> Shown:
    return read_shown(question.messages[0].text)


def one_idea(question: Question) -> str:
    shown = shown_to(question)
    return shown.answer(shown.idea(shown.groups[0], "Uses"))


def in_turns(*turns: Outcome | Callable[[Question], str]) -> Callable[[Question], str | Outcome]:
    """Return a script that gives one turn after the other, the last one again and again."""
    left = list(turns)

    def answer(question: Question) -> str | Outcome:
        turn = left.pop(0) if len(left) > 1 else left[0]
        return turn(question) if callable(turn) else turn

    return answer


async def hold(script: Script, purse: MemoryPurse, *, max_outputs: int = 5) -> tuple[Said, ScriptedModel]:
    model = ScriptedModel(script)
    line = Line(model=model, prices=PRICES, prompt=load_prompt(PROMPT))
    plan = plan_pairs(INPUTS, max_groups=12, max_outputs=max_outputs)
    assert len(plan.pairs) == 12
    said = await Conversation(line, INPUTS, plan, purse, max_outputs, time.monotonic() + 60).hold()
    return said, model


async def test_one_call_asks_about_everything_and_is_charged() -> None:
    purse = MemoryPurse()
    said, model = await hold(one_idea, purse)
    assert (len(said.proposals), len(said.pairs), said.stopped_by, said.failure) == (1, 12, None, None)
    assert len(model.asked) == 1
    assert model.asked[0].schema == load_prompt(PROMPT).schema
    [charged] = purse.settled.values()
    [permit] = purse.permits
    assert 0 < charged.cost_usd <= permit.estimate.cost_usd
    assert charged.turns == 1
    assert model.asked[0].max_output_tokens == permit.estimate.output_tokens
    assert model.asked[0].max_input_tokens == permit.estimate.input_tokens


async def test_an_unreadable_answer_is_asked_for_again_with_what_was_wrong() -> None:
    def answer(question: Question) -> str:
        return "I would rather not." if len(question.messages) == 1 else one_idea(question)

    said, model = await hold(answer, MemoryPurse())
    assert len(said.proposals) == 1
    first, second = model.asked
    assert second.messages[0] == first.messages[0], "the same request, so its references still hold"
    assert [message.role for message in second.messages] == ["user", "assistant", "user"]
    assert second.messages[1].text == "I would rather not."
    assert "JSON" in second.messages[2].text


async def test_three_turns_are_the_end_of_it() -> None:
    purse = MemoryPurse()
    said, model = await hold(lambda question: "no", purse)
    assert len(model.asked) == 3
    assert (said.failure, said.proposals) == ("unreadable_answer", ())
    assert len(purse.settled) == 3, "every turn is charged"


async def test_a_cut_answer_is_asked_for_half_of_its_groups() -> None:
    def answer(question: Question) -> str | Outcome:
        groups = len(shown_to(question).groups)
        return Truncated("max_output_tokens", USED) if groups > 6 else one_idea(question)

    said, model = await hold(answer, MemoryPurse())
    assert [len(shown_to(question).groups) for question in model.asked] == [12, 6, 6]
    assert len(said.pairs) == 12
    assert len(said.proposals) == 2


@pytest.mark.parametrize(
    ("outcome", "failure", "is_passing"),
    [
        (Refused("bio", USED), "refused", False),
        (RateLimited(9, Usage()), "rate_limited", True),
        (Overloaded(USED), "overloaded", True),
        (TimedOut(USED), "timed_out", True),
        (Unavailable("unauthenticated"), "unavailable_unauthenticated", False),
        (Unavailable("no_key"), "unavailable_no_key", False),
        (Unavailable("server_error"), "unavailable_server_error", True),
    ],
)
async def test_the_providers_faults_end_it_under_their_own_name_and_are_charged(
    outcome: Outcome, failure: str, is_passing: bool
) -> None:
    purse = MemoryPurse()
    said, model = await hold([outcome], purse)
    assert (said.failure, said.is_passing, said.pairs) == (failure, is_passing, ())
    assert len(model.asked) == 1
    [charged] = purse.settled.values()
    assert charged.input_tokens == outcome.usage.tokens.input
    assert charged.turns == outcome.usage.turns, (
        "what was refused before it cost anything gives its turn back"
    )


async def test_a_malformed_message_is_another_turn() -> None:
    said, model = await hold(in_turns(Malformed("empty", USED), one_idea), MemoryPurse())
    assert len(model.asked) == 2
    assert len(said.proposals) == 1


async def test_what_was_said_before_a_fault_is_kept() -> None:
    script = in_turns(Truncated("max_output_tokens", USED), one_idea, Overloaded(USED))
    said, _ = await hold(script, MemoryPurse())
    assert (len(said.proposals), len(said.pairs), said.failure) == (1, 6, "overloaded")


async def test_more_input_than_estimated_is_estimated_anew() -> None:
    def answer(question: Question) -> str | Outcome:
        most = question.max_input_tokens
        assert most is not None
        return OverBudget("max_input_tokens", 9_000) if most < 9_000 else one_idea(question)

    purse = MemoryPurse()
    said, model = await hold(answer, purse)
    assert len(said.proposals) == 1
    assert len(model.asked) == 2
    assert purse.permits[1].estimate.input_tokens >= 9_000
    assert purse.settled["pmt_0"] == Spending()


@pytest.mark.parametrize(
    ("name", "stopped_by"),
    [
        ("max_input_tokens", "max_input_tokens"),
        ("max_output_tokens", "max_output_tokens"),
        ("max_cost_usd", "max_cost_usd"),
        ("max_turns", "max_turns"),
        ("max_daily_cost_usd", "max_cost_usd"),
    ],
)
async def test_a_budget_of_0_means_that_nobody_is_asked(name: str, stopped_by: str) -> None:
    fields = {each: getattr(AMPLE, each) for each in Limits.__dataclass_fields__} | {name: 0}
    said, model = await hold(one_idea, MemoryPurse(Limits(**fields)))
    assert model.asked == []
    assert said.stopped_by == stopped_by


async def test_at_80_percent_of_the_cost_no_new_group_is_started() -> None:
    dear = Usage({SCRIPTED_NAME: Tokens(input=1000, output=9_200)}, turns=1)
    purse = MemoryPurse(replace(AMPLE, max_cost_usd=0.245))
    said, model = await hold(in_turns(Truncated("max_output_tokens", dear), one_idea), purse)
    assert len(model.asked) == 2
    assert (said.stopped_by, len(said.pairs), len(said.proposals)) == ("max_cost_usd", 6, 1)
    assert 0.8 * 0.245 <= purse.spent().run.cost_usd <= 0.245


async def test_a_cancelled_call_is_charged_with_what_it_used() -> None:
    began = asyncio.Event()

    class Slow(ScriptedModel):
        async def ask(self, question: Question, *, deadline: float, tally: Tally) -> Outcome:
            tally.add(replace(USED, is_estimated=self.is_estimated))
            began.set()
            await asyncio.Event().wait()
            raise AssertionError("unreachable")

        is_estimated = False

    for is_estimated in (False, True):
        purse = MemoryPurse()
        model = Slow([])
        model.__class__.is_estimated = is_estimated
        line = Line(model=model, prices=PRICES, prompt=load_prompt(PROMPT))
        plan = plan_pairs(INPUTS, max_groups=12, max_outputs=5)
        talk = Conversation(line, INPUTS, plan, purse, 5, time.monotonic() + 60)
        holding = asyncio.create_task(talk.hold())
        await began.wait()
        began.clear()
        holding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await holding
        if is_estimated:
            assert purse.settled == {}, "nobody knows, so it counts at its estimate"
        else:
            assert [used.output_tokens for used in purse.settled.values()] == [100]


@given(
    st.integers(0, 300_000),
    st.integers(1, 100),
    st.integers(0, 300_000),
    st.integers(0, 60_000),
    st.integers(0, 5),
    st.integers(0, 3_000_000).map(lambda micro: micro / 1_000_000),
)
def test_an_allowed_call_stays_within_everything_that_remains(
    needed: int, groups: int, input_left: int, output_left: int, turns: int, cost: float
) -> None:
    remaining = Spending(input_tokens=input_left, output_tokens=output_left, turns=turns, cost_usd=cost)
    allowed = allow_call(needed, groups, remaining, PRICE)
    if isinstance(allowed, Exceeded):
        return
    assert isinstance(allowed, Allowance)
    assert allowed.input_tokens == needed <= input_left
    assert LEAST_OUTPUT_TOKENS <= allowed.output_tokens <= output_left
    assert allowed.cost_usd <= cost + 1e-9
    worst = Usage({SCRIPTED_NAME: Tokens(cache_write=needed, output=allowed.output_tokens)})
    assert float(PRICES.cost(worst)) <= allowed.cost_usd + 1e-6


def test_a_cycle_of_forty_groups_costs_cents() -> None:
    triples = [f"package-{n} depends_on library-{n % 13}" for n in range(80)]
    triples += [f"package-{n} uses library-{n % 7}" for n in range(40)]
    inputs = make_inputs(*triples)
    plan = plan_pairs(inputs, max_groups=40, max_outputs=5)
    assert len(plan.pairs) == 40
    sheet = write_sheet(inputs, plan.pairs, plan.hints, request="r", most_ideas=10)
    tokens = estimate_tokens(load_prompt(PROMPT).instructions, sheet.text)
    assert tokens < 12_000
    usage = Usage({"claude-opus-5-5": Tokens(input=tokens, output=4_000)})
    assert BUILT_IN.cost(usage) < Decimal("0.15")


def test_the_prompt_is_of_a_size_to_be_cached_and_closed() -> None:
    prompt = load_prompt(PROMPT)
    assert 700 < estimate_tokens(prompt.instructions) < 2_500
    assert prompt.schema["additionalProperties"] is False
    assert prompt.schema["required"] == ["request", "ideas"]
