"""The provider-backed verifier behind the verifier port."""

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from app.llm.model import Answered, Effort, Refused, StructuredModel, name_outcome
from app.llm.prompts import load_prompt
from app.llm.usage import Tally, Usage
from app.remember.claim import Citation, Claim, Judgement
from app.remember.provider.question import build_question, read_judgement
from app.remember.verify import VerifierFailure

PROMPT: Final = "verifier-v1"
# One citation, its retries included; the lease is renewed meanwhile, and a later try is cheap.
SECONDS_PER_CITATION: Final = 120.0


Charge = Callable[[Usage], Awaitable[None]]


async def charge_nobody(usage: Usage) -> None:
    """Keep no account."""


def _draw_request() -> str:
    return secrets.token_hex(8)


@dataclass(frozen=True, slots=True)
class ProviderVerifier:
    """Asks a model, and charges each call as soon as it has ended, also for an answer that was no use.

    No rationale keeps the `secrets` of the moment.
    Without a budget nobody is asked, and the citation waits.
    """

    model: StructuredModel
    effort: Effort | None = None
    draw_request: Callable[[], str] = _draw_request
    has_budget: bool = True
    secrets: Callable[[], Sequence[str]] = tuple
    charge: Charge = charge_nobody
    kind: str = "provider"
    version: str = PROMPT

    async def judge(self, claim: Claim, citation: Citation) -> Judgement | VerifierFailure:
        if not self.has_budget:
            return VerifierFailure("verifier_over_budget", retryable=True)
        request = self.draw_request()
        question = build_question(
            load_prompt(self.version), claim, citation, request=request, effort=self.effort
        )
        deadline = time.monotonic() + SECONDS_PER_CITATION
        tally = Tally()
        try:
            outcome = await self.model.ask(question, deadline=deadline, tally=tally)
        finally:
            # Whatever ended the call has to be paid, and at once: a process that dies later has paid for this one.
            if tally.usage.turns:
                await asyncio.shield(self.charge(tally.usage))
        if isinstance(outcome, Answered):
            return read_judgement(outcome.text, request=request, secrets=self.secrets())
        return VerifierFailure(
            f"verifier_{name_outcome(outcome)}", retryable=not isinstance(outcome, Refused)
        )
