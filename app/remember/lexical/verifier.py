"""The lexical verifier behind the verifier port."""

from dataclasses import dataclass
from typing import Final

from app.kernel.aside import work_aside
from app.remember.claim import Citation, Claim, Judgement
from app.remember.lexical.judge import judge_lexically

LEXICAL_VERSION: Final = "lexical-v1"
# In code points; evidence that is longer takes longer than others should wait for.
LONGEST_AT_ONCE: Final = 1_000


@dataclass(frozen=True, slots=True)
class LexicalVerifier:
    """The deterministic verifier. It never fails, and waits for no one else."""

    kind: str = "lexical"
    version: str = LEXICAL_VERSION

    async def judge(self, claim: Claim, citation: Citation) -> Judgement:
        if len(citation.content) <= LONGEST_AT_ONCE:
            return judge_lexically(claim, citation)
        return await work_aside(judge_lexically, claim, citation)
