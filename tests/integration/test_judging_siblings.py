"""One verdict that raises loses none of those that are asked for beside it."""

import asyncio
from dataclasses import dataclass, field, replace

import pytest

from app.kernel.database import Database
from app.remember.claim import Citation, Claim, Judgement
from app.remember.verify import VerifierFailure
from app.tenancy.callers import Caller
from tests.integration.submissions import place, state, submit


@dataclass
class FailingVerifier:
    """Raises for the first citation, and lets the others answer when that has long been known."""

    asked: int = 0
    ended: int = 0
    has_raised: asyncio.Event = field(default_factory=asyncio.Event)
    kind: str = "scripted"
    version: str = "scripted-v1"

    async def judge(self, claim: Claim, citation: Citation) -> Judgement | VerifierFailure:
        self.asked += 1
        if self.asked == 1:
            self.has_raised.set()
            raise KeyError("a mistake")
        await self.has_raised.wait()
        for _ in range(10):
            await asyncio.sleep(0)
        self.ended += 1
        return Judgement("entailed", 1.0, "It says so.", "entailed")


async def test_all_verdicts_come_to_their_end_where_one_of_them_raises(
    database: Database, team: Caller
) -> None:
    submission = state("Gradio", "depends_on", "Uvicorn")
    [first] = submission.relationships
    others = [
        replace(first, proposal_id=f"p{number}", predicate=name)
        for number, name in ((2, "uses"), (3, "part_of"))
    ]
    ingest_id = await submit(database, team, replace(submission, relationships=(first, *others)))
    verifier = FailingVerifier()
    with pytest.raises(KeyError):
        await place(database, team, ingest_id, verifier=verifier)
    assert verifier.asked > 1
    assert verifier.ended == verifier.asked - 1
