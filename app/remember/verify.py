"""The verifier port: who judges whether a citation entails a claim.

A failure is not a verdict. Whoever calls a verifier writes a VerificationEvent for a `Judgement` and none for a
`VerifierFailure`; then the item stays in the placement ledger and is tried again (Design, section 4, step 5).
Adapters: `lexical.verifier.LexicalVerifier` (deterministic, needs nothing), `provider.verifier.ProviderVerifier`
(asks a model).
"""

from dataclasses import dataclass
from typing import Protocol

from app.remember.claim import Citation, Claim, Judgement


@dataclass(frozen=True, slots=True)
class VerifierFailure:
    """The verifier gave no valid answer: `code` says why, `retryable` whether another try may help.

    `pause_seconds` is the least that the next try has to wait.
    """

    code: str
    retryable: bool
    pause_seconds: float = 0


class Verifier(Protocol):
    """Judges one claim against one citation. A provider's fault is returned as a failure, never raised."""

    @property
    def kind(self) -> str: ...

    @property
    def version(self) -> str: ...

    async def judge(self, claim: Claim, citation: Citation) -> Judgement | VerifierFailure: ...
