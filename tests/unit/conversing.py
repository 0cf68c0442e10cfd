"""One conversation with a scripted model."""

import time
from collections.abc import Callable, Sequence
from decimal import Decimal

from app.dreaming.provider.conversation import Conversation, Line, Said
from app.dreaming.provider.generator import PROMPT
from app.dreaming.provider.pairs import plan_pairs
from app.llm.model import (
    Outcome,
    Question,
)
from app.llm.prices import Price, PriceTable
from app.llm.prompts import load_prompt
from app.llm.scripted import SCRIPTED_NAME, ScriptedModel
from app.llm.usage import Tokens, Usage
from tests.dreamer import Shown, read_shown
from tests.purses import MemoryPurse
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
