"""The lexical verifier behind the verifier port."""

from dataclasses import dataclass
from typing import Final

from app.remember.claim import Citation, Claim, Judgement
from app.remember.lexical.judge import judge_lexically

LEXICAL_VERSION: Final = "lexical-v1"


@dataclass(frozen=True, slots=True)
class LexicalVerifier:
    """The deterministic verifier. It never fails and never waits."""

    kind: str = "lexical"
    version: str = LEXICAL_VERSION

    async def judge(self, claim: Claim, citation: Citation) -> Judgement:
        return judge_lexically(claim, citation)
