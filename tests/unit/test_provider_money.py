"""What a conversation reserves before each call, and what it is charged with after it."""

import asyncio
import time
from dataclasses import replace

import pytest

from app.dreaming.provider.conversation import Conversation, Line
from app.dreaming.provider.generator import PROMPT
from app.dreaming.provider.pairs import plan_pairs
from app.dreaming.spending.purse import Limits
from app.dreaming.spending.purse import Usage as Spending
from app.llm.model import (
    Answered,
    Outcome,
    OverBudget,
    Overloaded,
    Question,
    Truncated,
)
from app.llm.prompts import load_prompt
from app.llm.scripted import SCRIPTED_NAME, ScriptedModel
from app.llm.usage import Tally, Tokens, Usage
from tests.purses import AMPLE, MemoryPurse
from tests.unit.conversing import (
    INPUTS,
    PRICES,
    USED,
    hold,
    in_turns,
    one_idea,
)


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
        ("max_daily_cost_usd", "max_daily_cost_usd"),
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


async def test_where_there_is_no_money_for_another_try_the_fault_is_what_ended_it() -> None:
    purse = MemoryPurse(replace(AMPLE, max_cost_usd=0.25))
    unknown = replace(USED, is_estimated=True)
    said, model = await hold(in_turns(Overloaded(unknown)), purse)
    assert len(model.asked) == 1
    assert (said.stopped_by, said.failure, said.is_passing) == (None, "overloaded", True)
    assert purse.settled == {}, "nobody knows what it cost, so it counts at its estimate"
