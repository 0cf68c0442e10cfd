"""Turn by turn: budgets before each call, errors listed, everything charged."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.dreaming.provider.allowance import LEAST_OUTPUT_TOKENS, Allowance, Exceeded, allow_call, rate_call
from app.dreaming.provider.conversation import Conversation, Line, Said
from app.dreaming.provider.generator import PROMPT
from app.dreaming.provider.pairs import plan_pairs
from app.dreaming.provider.sheet import write_sheet
from app.dreaming.spending import Limits
from app.dreaming.spending import Usage as Spending
from app.llm.model import (
    Answered,
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
    name_outcome,
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


async def do_not_pause() -> None:
    return None


async def hold(
    script: Script, purse: MemoryPurse, *, max_outputs: int = 5, has_fallbacks: bool = False
) -> tuple[Said, ScriptedModel]:
    model = ScriptedModel(script, has_fallbacks=has_fallbacks)
    line = Line(model=model, prices=PRICES, prompt=load_prompt(PROMPT), pause=do_not_pause)
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
        (Overloaded(Usage()), "overloaded", True),
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
    script = in_turns(Truncated("max_output_tokens", USED), one_idea, Overloaded(Usage()))
    said, _ = await hold(script, MemoryPurse())
    assert (len(said.proposals), len(said.pairs), said.failure) == (1, 6, "overloaded")


@pytest.mark.parametrize("broken", [Overloaded(USED), Unavailable("connection", USED), RateLimited(1, USED)])
async def test_an_answer_that_broke_off_when_it_had_cost_something_is_another_turn_with_its_own_permit(
    broken: Outcome,
) -> None:
    purse = MemoryPurse()
    said, model = await hold(in_turns(broken, one_idea), purse)
    assert (len(said.proposals), len(model.asked)) == (1, 2)
    assert next(iter(purse.settled.values())).output_tokens == 100
    assert len(purse.settled) == len(purse.permits) == 2
    purse = MemoryPurse()
    said, model = await hold(in_turns(broken), purse)
    assert (said.failure, said.is_passing) == (name_outcome(broken), True)
    assert len(model.asked) == AMPLE.max_turns


async def test_where_there_is_no_money_for_another_try_the_fault_is_what_ended_it() -> None:
    purse = MemoryPurse(replace(AMPLE, max_cost_usd=0.25))
    unknown = replace(USED, is_estimated=True)
    said, model = await hold(in_turns(Overloaded(unknown)), purse)
    assert len(model.asked) == 1
    assert (said.stopped_by, said.failure, said.is_passing) == (None, "overloaded", True)
    assert purse.settled == {}, "nobody knows what it cost, so it counts at its estimate"


async def test_a_refused_key_in_the_middle_of_an_answer_is_not_asked_again() -> None:
    said, model = await hold(in_turns(Unavailable("unauthenticated", USED)), MemoryPurse())
    assert (said.failure, len(model.asked)) == ("unavailable_unauthenticated", 1)


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
    st.sampled_from(["alone", "with fallbacks", "in a batch"]),
)
def test_an_allowed_call_stays_within_everything_that_remains_whoever_answers(
    needed: int, groups: int, input_left: int, output_left: int, turns: int, cost: float, way: str
) -> None:
    remaining = Spending(input_tokens=input_left, output_tokens=output_left, turns=turns, cost_usd=cost)
    prices = PriceTable("2026-01-01", {SCRIPTED_NAME: PRICE, **BUILT_IN.prices})
    is_batch = way == "in a batch"
    rate = rate_call(prices, SCRIPTED_NAME, has_fallbacks=way != "alone", is_batch=is_batch)
    allowed = allow_call(needed, groups, remaining, rate)
    if isinstance(allowed, Exceeded):
        return
    assert isinstance(allowed, Allowance)
    assert allowed.input_tokens == needed
    assert allowed.output_tokens >= LEAST_OUTPUT_TOKENS
    estimate = allowed.as_estimate()
    assert estimate.input_tokens <= input_left
    assert estimate.output_tokens <= output_left
    assert estimate.cost_usd <= cost + 1e-9
    # Refused after the last token, then answered by whichever model the provider likes.
    each = Tokens(cache_write=needed, output=allowed.output_tokens)
    worst = Usage({SCRIPTED_NAME: each}, is_batch=is_batch)
    others = [worst + Usage({name: each}) for name in BUILT_IN.prices] if way == "with fallbacks" else []
    for usage in (worst, *others):
        assert float(prices.cost(usage)) <= estimate.cost_usd + 1e-6
        assert usage.tokens.all_input <= estimate.input_tokens
        assert usage.tokens.output <= estimate.output_tokens


def test_no_question_is_longer_than_the_models_price_holds() -> None:
    rate = rate_call(BUILT_IN, "claude-haiku-5-5", has_fallbacks=False)
    ample = Spending(input_tokens=500_000, output_tokens=100_000, turns=3, cost_usd=9.0)
    assert isinstance(allow_call(100_000, 1, ample, rate), Allowance)
    assert allow_call(100_001, 1, ample, rate) == Exceeded("max_input_tokens")


async def test_with_fallbacks_the_permit_covers_both_answers_and_the_charge_is_exact() -> None:
    def answer(question: Question) -> Outcome:
        usage = Usage(
            {SCRIPTED_NAME: Tokens(input=9), "claude-opus-4-8": Tokens(input=8, output=50)}, turns=1
        )
        return Answered(one_idea(question), "claude-opus-4-8", usage)

    purse = MemoryPurse()
    said, model = await hold(answer, purse, has_fallbacks=True)
    [permit], [charged] = purse.permits, purse.settled.values()
    most_in, most_out = model.asked[0].max_input_tokens, model.asked[0].max_output_tokens
    assert most_in is not None
    assert permit.estimate.input_tokens == 2 * most_in
    assert permit.estimate.output_tokens == 2 * most_out
    assert permit.estimate.cost_usd == pytest.approx(2 * (most_in * 5 + most_out * 20) / 1_000_000)
    assert charged.cost_usd == pytest.approx((17 * 4 + 50 * 20) / 1_000_000, abs=1e-6)
    assert (charged.turns, len(said.proposals)) == (1, 1)


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
