"""A model that answers from a script: for tests of what is built on the port."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from app.llm.model import Answered, Outcome, Question
from app.llm.prompts import estimate_tokens
from app.llm.usage import Tally, Tokens, Usage

SCRIPTED_NAME: Final = "claude-scripted-1"


@dataclass(slots=True)
class ScriptedModel:
    """Answers each question by the next entry of the script, or by a function of the question.

    A string is an answer's text; an outcome is returned as it is. `asked` keeps every question.
    """

    script: Sequence[str | Outcome] | Callable[[Question], str | Outcome]
    name: str = SCRIPTED_NAME
    has_fallbacks: bool = False
    asked: list[Question] = field(default_factory=list)

    async def ask(self, question: Question, *, deadline: float, tally: Tally) -> Outcome:
        self.asked.append(question)
        script = self.script
        entry = script(question) if callable(script) else script[len(self.asked) - 1]
        outcome = self._answer(question, entry) if isinstance(entry, str) else entry
        tally.add(outcome.usage)
        return outcome

    async def count_input(self, question: Question) -> int | None:
        return _count(question)

    async def close(self) -> None:
        return None

    def _answer(self, question: Question, text: str) -> Answered:
        tokens = Tokens(input=_count(question), output=estimate_tokens(text))
        return Answered(text, self.name, Usage({self.name: tokens}, turns=1))


def _count(question: Question) -> int:
    return estimate_tokens(question.instructions, *(message.text for message in question.messages))
