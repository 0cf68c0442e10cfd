"""Asking, turn by turn, as far as the budgets go: each call has a permit before and a charge after it.

No transaction and no connection is held during a call. Whatever ends a call, also a cancellation, what it used is
charged; where nobody can know, its permit stays open and counts at its estimate.
"""

import asyncio
import random
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from app.dreaming.model import Inputs, Proposal
from app.dreaming.provider.allowance import Allowance, Exceeded, allow_call, settle_with
from app.dreaming.provider.answer import read_answer
from app.dreaming.provider.exchange import Exchange, describe_exchange, mask_answer
from app.dreaming.provider.pairs import Pair, Plan
from app.dreaming.provider.sheet import Sheet, write_sheet
from app.dreaming.spending.purse import Permit, Purse, Stopped
from app.llm.batches import StructuredBatches
from app.llm.model import (
    Answered,
    Effort,
    Malformed,
    Message,
    Outcome,
    OverBudget,
    Overloaded,
    Question,
    RateLimited,
    StructuredModel,
    TimedOut,
    Truncated,
    Unavailable,
    name_outcome,
)
from app.llm.prices import PriceTable
from app.llm.prompts import Prompt, estimate_input
from app.llm.rates import rate_call
from app.llm.reading import Unreadable
from app.llm.redaction import redact_json
from app.llm.usage import Tally
from app.llm.words import NO_WARDENS, Wardens

IDEAS_PER_OUTPUT: Final = 2
MOST_QUOTED_CHARACTERS: Final = 20_000
# After an answer that broke off, before the question is asked again.
PAUSE_SECONDS: Final = (1.0, 4.0)


def _draw_request() -> str:
    return f"request_{secrets.token_hex(6)}"


async def _pause_a_little() -> None:
    await asyncio.sleep(random.uniform(*PAUSE_SECONDS))


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Whom to ask and how. For `exchange_days` each turn is kept for operators, without the `secrets` of the
    moment. `wardens` look at the words of each answer. `batches` are asked where a run may wait.

    `draw_request` makes a reference for each request, `pause` waits where an answer broke off.
    """

    model: StructuredModel
    prices: PriceTable
    prompt: Prompt
    effort: Effort | None = None
    exchange_days: int = 0
    secrets: Callable[[], Sequence[str]] = tuple
    wardens: Wardens = NO_WARDENS
    draw_request: Callable[[], str] = _draw_request
    pause: Callable[[], Awaitable[None]] = _pause_a_little
    batches: StructuredBatches | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """What came of a conversation. `failure` is the outcome's name where the provider ended it.

    `pairs` are those that the model has judged; `is_passing` says whether the failure may pass by itself.
    """

    proposals: tuple[Proposal, ...] = ()
    pairs: tuple[Pair, ...] = ()
    stopped_by: str | None = None
    failure: str | None = None
    is_passing: bool = False


@dataclass(frozen=True, slots=True)
class _Retry:
    """The same request once more: what was sent, and the turns that say what was wrong with the answer."""

    sheet: Sheet
    turns: tuple[Message, ...]


@dataclass(slots=True)
class Conversation:
    """One run's conversation about its plan."""

    line: Line
    inputs: Inputs
    plan: Plan
    purse: Purse
    max_outputs: int
    deadline: float
    keep: Callable[[Exchange], Awaitable[None]] | None = None
    is_batch: bool = False
    _proposals: list[Proposal] = field(default_factory=list)
    _judged: list[Pair] = field(default_factory=list)
    # How much our own count of tokens falls short of the provider's, as far as it was told.
    _scale: float = 1.0
    _fault: str | None = None
    _fault_is_passing: bool = False
    _turn: int = 0

    async def hold(self) -> Said:
        """Return what the model said, until the plan, a budget, the turns or the provider ended it."""
        pending = list(self.plan.pairs)
        most = len(pending)
        retry: _Retry | None = None
        while pending and len(self._proposals) < self.max_outputs * IDEAS_PER_OUTPUT:
            if self._judged and await self.purse.is_wrapping_up():
                return self._end(stopped_by="max_cost_usd")
            fitted = await self.fit(pending[:most], retry)
            if isinstance(fitted, Exceeded):
                return self._stop(fitted.budget)
            sheet, question, allowance = fitted
            permit = await self.purse.reserve(allowance.as_estimate(), model=self.line.model.name)
            if isinstance(permit, Stopped):
                return self._stop(permit.stopped_by)
            outcome = await self._ask(question, permit)
            read = (
                read_answer(outcome.text, sheet, self.line.wardens) if isinstance(outcome, Answered) else None
            )
            await self._keep(question, outcome, sheet, read)
            most, retry = len(sheet.pairs), None
            passing = is_passing_failure(outcome)
            match outcome:
                case Answered(text=text):
                    assert read is not None
                    if isinstance(read, Unreadable):
                        retry = _Retry(sheet, self._correct(text, read.fault))
                        self._note_fault("unreadable_answer")
                        continue
                    self._proposals += read
                    self._judged += sheet.pairs
                    pending = pending[len(sheet.pairs) :]
                    most = len(pending)
                case Truncated() if len(sheet.pairs) > 1:
                    most = len(sheet.pairs) // 2
                    self._note_fault("truncated")
                case Malformed():
                    self._note_fault("malformed")
                case OverBudget(needed=needed):
                    self.note_count(needed, allowance)
                case Overloaded() | RateLimited() | Unavailable() if outcome.usage.turns and passing:
                    # It broke off when it had cost something already: asked again as far as there is money.
                    self._note_fault(name_outcome(outcome), is_passing=True)
                    await self.line.pause()
                case _:
                    return self._end(failure=name_outcome(outcome), is_passing=passing)
        return self._end()

    async def fit(
        self, pairs: Sequence[Pair], retry: _Retry | None = None
    ) -> tuple[Sheet, Question, Allowance] | Exceeded:
        """Return the question about as many of the pairs as the budgets allow, the first ones."""
        remaining = await self.purse.remaining()
        model = self.line.model
        rate = rate_call(
            self.line.prices, model.name, has_fallbacks=model.has_fallbacks, is_batch=self.is_batch
        )
        count = len(pairs)
        while True:
            sheet = self._write(pairs[:count]) if retry is None else retry.sheet
            messages = (Message("user", sheet.text), *(() if retry is None else retry.turns))
            needed = int(estimate_input(self.line.prompt, messages) * self._scale)
            allowance = allow_call(needed, count, remaining, rate)
            if isinstance(allowance, Allowance):
                return sheet, self._question(messages, allowance), allowance
            # Fewer groups help where tokens are short, not where turns are.
            if count == 1 or retry is not None or allowance.budget == "max_turns":
                return allowance
            count //= 2

    def note_count(self, needed: int, allowance: Allowance) -> None:
        """Let the next question allow for what the provider has counted."""
        # Never by less than it was, or it would go on forever.
        self._scale *= max(1.05, 1.02 * needed / allowance.input_tokens)

    def _write(self, pairs: Sequence[Pair]) -> Sheet:
        most_ideas = max(1, self.max_outputs * IDEAS_PER_OUTPUT - len(self._proposals))
        request = self.line.draw_request()
        return write_sheet(self.inputs, pairs, self.plan.hints, request=request, most_ideas=most_ideas)

    def _question(self, messages: tuple[Message, ...], allowance: Allowance) -> Question:
        return Question(
            instructions=self.line.prompt.instructions,
            messages=messages,
            schema=self.line.prompt.schema,
            max_output_tokens=allowance.output_tokens,
            max_input_tokens=allowance.input_tokens,
            effort=self.line.effort,
        )

    async def _ask(self, question: Question, permit: Permit) -> Outcome:
        tally = Tally()
        try:
            return await self.line.model.ask(question, deadline=self.deadline, tally=tally)
        finally:
            await asyncio.shield(self._settle(permit, tally))

    async def _keep(
        self,
        question: Question,
        outcome: Outcome,
        sheet: Sheet,
        read: Sequence[Proposal] | Unreadable | None,
    ) -> None:
        self._turn += 1
        if self.keep is not None:
            exchange = describe_exchange(
                question,
                outcome,
                sheet,
                read,
                model=self.line.model.name,
                prompt_version=self.line.prompt.version,
                turn=self._turn,
                secrets=self.line.secrets(),
            )
            await self.keep(mask_answer(exchange, self.line.wardens.mask))

    def _correct(self, text: str, fault: str) -> tuple[Message, ...]:
        """Return the turns that follow an answer which could not be read: the answer, and what is wrong with it.

        What is quoted is kept with the next request, so it holds no more than what is kept of an answer.
        """
        quoted = redact_json(text, self.line.secrets())[:MOST_QUOTED_CHARACTERS]
        return (
            # Sent back as text that can be sent at all: half of a surrogate pair is none.
            Message("assistant", self.line.wardens.mask(quoted) or "{}"),
            Message(
                "user",
                f"None of this answer could be used: {fault}. Answer the same request again: one JSON object of"
                " the schema, whole, and nothing else.",
            ),
        )

    async def _settle(self, permit: Permit, tally: Tally) -> None:
        used = settle_with(permit, tally.usage, self.line.prices)
        if used is not None:
            await self.purse.settle(permit, used)

    def _stop(self, budget: str) -> Said:
        """End at a budget. What the last turn or a broken answer used up was ended by that fault."""
        if self._fault and not self._judged and (self._fault_is_passing or budget == "max_turns"):
            return self._end(failure=self._fault, is_passing=self._fault_is_passing)
        return self._end(stopped_by=budget)

    def _note_fault(self, fault: str, *, is_passing: bool = False) -> None:
        self._fault, self._fault_is_passing = fault, is_passing

    def _end(
        self, *, stopped_by: str | None = None, failure: str | None = None, is_passing: bool = False
    ) -> Said:
        return Said(tuple(self._proposals), tuple(self._judged), stopped_by, failure, is_passing)


def is_passing_failure(outcome: Outcome) -> bool:
    match outcome:
        case Unavailable():
            return outcome.is_passing
        case _:
            return isinstance(outcome, RateLimited | Overloaded | TimedOut)
