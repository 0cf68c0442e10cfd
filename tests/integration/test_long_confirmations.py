"""A confirmation as long as it may be keeps nobody waiting, and a longer one is refused."""

import asyncio
import threading
from dataclasses import replace
from typing import Any

import pytest

from app.kernel.database import Database
from app.kernel.errors import InvalidInput
from app.remember.submission import CitedSpan, EvidenceItem, Submission
from app.review import evidence
from app.review.evidence import count_characters
from app.review.feedback import LONG, MAX_COMPARED, Feedback, guard_feedback
from app.tenancy.callers import Caller
from tests.integration.feedback_case import Case, make_case, refusal

TEXT = "FastAPI depends on AnyIO, as its new lock file says. "


@pytest.fixture
async def case(database: Database, team: Caller) -> Case:
    return await make_case(database, team)


def cite(case: Case, citations: int, *, start: int) -> Submission:
    """Return a confirmation with so many citations of one long item, each a little shorter than the one before."""
    one = case.confirmation(TEXT)
    [proposal] = one.relationships
    cited = [
        replace(proposal, proposal_id=f"p{place}", evidence=(CitedSpan(0, start * place, 4000),))
        for place in range(citations)
    ]
    return replace(one, evidence=(EvidenceItem((TEXT * 80)[:3999] + "."),), relationships=tuple(cited))


async def test_others_go_on_while_a_confirmation_is_compared(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered, released = threading.Event(), threading.Event()

    def compare_slowly(*_: Any) -> list[Any]:
        entered.set()
        assert released.wait(10)
        return []

    monkeypatch.setattr(evidence, "_find_dependent", compare_slowly)
    deciding = asyncio.create_task(case.decide(Feedback("confirm_true", submission=case.confirmation(TEXT))))
    while not entered.is_set():
        await asyncio.sleep(0.001)
    released.set()
    assert (await deciding).status == "submitted"


async def test_the_same_citation_counts_once(case: Case) -> None:
    submission = cite(case, 150, start=0)
    assert count_characters(submission) == 4000
    guarded = await guard_feedback(Feedback("confirm_true", submission=submission))
    assert guarded.compared == 4000
    assert not guarded.is_long
    assert (await case.decide(Feedback("confirm_true", submission=submission))).status == "submitted"


async def test_more_than_can_be_compared_is_refused(case: Case) -> None:
    most = cite(case, 50, start=1)
    assert LONG < count_characters(most) <= MAX_COMPARED < count_characters(cite(case, 51, start=1))
    assert (await guard_feedback(Feedback("confirm_true", submission=most))).is_long
    error = await refusal(case, Feedback("confirm_true", submission=cite(case, 51, start=1)))
    assert (type(error), error.code) == (InvalidInput, "too_long")
