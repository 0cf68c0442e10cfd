"""The provider-backed verifier behind the verifier port."""

import asyncio
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from app.llm.model import (
    Answered,
    Effort,
    Outcome,
    OverBudget,
    Question,
    Refused,
    StructuredModel,
    name_outcome,
)
from app.llm.prices import PriceTable
from app.llm.prompts import Prompt, estimate_input, load_prompt
from app.llm.rates import rate_call
from app.llm.usage import Tally
from app.llm.words import NO_WARDENS, Wardens
from app.remember.claim import Citation, Claim, Judgement
from app.remember.provider.answers import NO_ANSWERS, Answers
from app.remember.provider.permits import Bound, Permit, Purse
from app.remember.provider.question import (
    INVALID,
    MAX_OUTPUT_TOKENS,
    build_question,
    digest_question,
    name_claim,
    read_judgement,
)
from app.remember.verify import VerifierFailure

PROMPT: Final = "verifier-v1"
# One citation, its retries included; the lease is renewed meanwhile, and a later try is cheap.
SECONDS_PER_CITATION: Final = 120.0
# Our own count of a question may fall short of the provider's: then it is asked within a larger bound.
MOST_COUNTS: Final = 3
# Whoever chooses a verifier asks whether there is room for a question about a text of a page.
USUAL_INPUT_TOKENS: Final = 3_000
# Answers of no use to one question: each was paid for, and the next one would hardly be better.
MOST_UNREADABLE: Final = 4
_UNREADABLE: Final = frozenset({INVALID.code, "verifier_malformed", "verifier_truncated"})
# Each pause is four times as long as the one before: half a minute, two, eight.
FIRST_PAUSE_SECONDS: Final = 30.0
OVER_BUDGET: Final = VerifierFailure("verifier_over_budget", retryable=True)


def _draw_request() -> str:
    return secrets.token_hex(8)


def bound_verdict(
    model: StructuredModel, prices: PriceTable, input_tokens: int = USUAL_INPUT_TOKENS
) -> Bound:
    """Return what one verdict on so long a question costs at most, whoever answers it.

    A question is no longer than the model's price holds.
    """
    rate = rate_call(prices, model.name, has_fallbacks=model.has_fallbacks)
    most = input_tokens if rate.most_input is None else min(input_tokens, rate.most_input)
    return Bound(
        model=model.name,
        input_tokens=most,
        output_tokens=MAX_OUTPUT_TOKENS,
        cost_usd=rate.charge(most, MAX_OUTPUT_TOKENS),
    )


@dataclass(frozen=True, slots=True)
class ProviderVerifier:
    """Asks a model; each call has a permit before it and is charged when it ends, also for an answer of no use.

    Without a permit nobody is asked, and the citation waits. `wardens` look at each rationale before it is kept.
    A verdict in `answers` is not asked for again, and a question is given up whose answers could not be read
    `MOST_UNREADABLE` times. Who gave no answer at all may be asked any number of times.
    """

    model: StructuredModel
    purse: Purse
    effort: Effort | None = None
    draw_request: Callable[[], str] = _draw_request
    wardens: Wardens = NO_WARDENS
    answers: Answers = NO_ANSWERS
    kind: str = "provider"
    version: str = PROMPT
    turns: dict[str, asyncio.Lock] = field(default_factory=dict, compare=False)

    async def judge(self, claim: Claim, citation: Citation) -> Judgement | VerifierFailure:
        asked = f"{self.model.name} {self.version}"
        digest = digest_question(asked, claim, citation, effort=self.effort)
        # Who asks the same at the same time finds the answer kept.
        async with self.turns.setdefault(digest, asyncio.Lock()):
            return await self._judge(digest, claim, citation)

    async def _judge(self, digest: str, claim: Claim, citation: Citation) -> Judgement | VerifierFailure:
        known = await self.answers.find(digest)
        if known.judgement is not None:
            return known.judgement
        if known.unreadable >= MOST_UNREADABLE:
            return replace(INVALID, retryable=False)
        outcome = await self._question(claim, citation)
        number = known.unreadable + 1
        if isinstance(outcome, Judgement):
            await self.answers.keep(digest, outcome, number=number)
        elif outcome.code in _UNREADABLE:
            await self.answers.keep(digest, None, number=number)
            pause = FIRST_PAUSE_SECONDS * 4.0**known.unreadable
            is_last = number == MOST_UNREADABLE
            return replace(outcome, retryable=not is_last, pause_seconds=0 if is_last else pause)
        return outcome

    async def _question(self, claim: Claim, citation: Citation) -> Judgement | VerifierFailure:
        request = self.draw_request()
        prompt = load_prompt(self.version)
        question = build_question(prompt, claim, citation, request=request, effort=self.effort)
        outcome = await self._ask(prompt, question)
        if isinstance(outcome, VerifierFailure):
            return outcome
        if isinstance(outcome, Answered):
            return read_judgement(
                outcome.text, request=request, names=name_claim(claim), wardens=self.wardens
            )
        return VerifierFailure(
            f"verifier_{name_outcome(outcome)}", retryable=not isinstance(outcome, Refused)
        )

    async def _ask(self, prompt: Prompt, question: Question) -> Outcome | VerifierFailure:
        deadline = time.monotonic() + SECONDS_PER_CITATION
        needed = estimate_input(prompt, question.messages)
        for _ in range(MOST_COUNTS):
            bound = bound_verdict(self.model, self.purse.prices, needed)
            permit = await self.purse.reserve(bound)
            if permit is None:
                return OVER_BUDGET
            bounded = replace(question, max_input_tokens=bound.input_tokens)
            outcome = await self._call(bounded, permit, deadline)
            if not isinstance(outcome, OverBudget):
                return outcome
            if bound.input_tokens < needed:
                return VerifierFailure("verifier_too_long", retryable=True)
            needed = int(outcome.needed * 1.02) + 1
        return OVER_BUDGET

    async def _call(self, question: Question, permit: Permit, deadline: float) -> Outcome:
        tally = Tally()
        try:
            return await self.model.ask(question, deadline=deadline, tally=tally)
        finally:
            # Whatever ended the call has to be paid, and at once: what is not settled counts at its bound.
            await asyncio.shield(self.purse.settle(permit, tally.usage))
