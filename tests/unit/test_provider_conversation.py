"""Turn by turn: what is asked again, and how it ends."""

import pytest

from app.dreaming.provider.generator import PROMPT
from app.llm.model import (
    Malformed,
    Outcome,
    Overloaded,
    Question,
    RateLimited,
    Refused,
    TimedOut,
    Truncated,
    Unavailable,
    name_outcome,
)
from app.llm.prompts import load_prompt
from app.llm.usage import Usage
from tests.purses import AMPLE, MemoryPurse
from tests.unit.conversing import USED, hold, in_turns, one_idea, shown_to


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


async def test_a_refused_key_in_the_middle_of_an_answer_is_not_asked_again() -> None:
    said, model = await hold(in_turns(Unavailable("unauthenticated", USED)), MemoryPurse())
    assert (said.failure, len(model.asked)) == ("unavailable_unauthenticated", 1)
