"""One open question with feedback on it, for the tests of review."""

from dataclasses import dataclass, replace
from typing import LiteralString

import pytest

from app.hypotheses.lifecycle import ClientEvent, HypothesisStatus
from app.kernel.database import Database, Row, Scope
from app.kernel.errors import DenseMemError
from app.ledger.identity import Edge
from app.remember.submission import (
    CitedSpan,
    EntityProposal,
    EvidenceItem,
    RelationshipProposal,
    Submission,
)
from app.review.feedback import Feedback, FeedbackResult, guard_feedback, resolve_feedback
from app.tenancy.callers import Caller
from tests import factories
from tests.factories import Made, Position
from tests.hypothesis_factories import make_hypothesis

TRACE = "A trace of one request shows that FastAPI depends on AnyIO."
SOURCE_TEXT = "The manual of FastAPI lists Starlette and its helpers."


@dataclass(frozen=True, slots=True)
class Case:
    """FastAPI may depend on AnyIO, because it depends on Starlette."""

    database: Database
    caller: Caller
    hypothesis_id: str
    fastapi: str
    anyio: str
    source: Made

    async def decide(self, feedback: Feedback, *, by: Caller | None = None) -> FeedbackResult:
        caller, guarded = by or self.caller, await guard_feedback(feedback)
        return await self.database.unit_of_work(
            Scope("app", caller.team_id),
            lambda w: resolve_feedback(w, caller, self.hypothesis_id, guarded, correlation_id="test"),
        )

    async def read(self, sql: LiteralString) -> list[Row]:
        params = {"team_id": self.caller.team_id, "id": self.hypothesis_id}
        async with self.database.reading(Scope("app", self.caller.team_id)) as reading:
            return await reading.fetch_all(sql, params)

    async def hypothesis(self) -> Row:
        [row] = await self.read(_HYPOTHESIS)
        return row

    async def traces(self) -> list[Row]:
        """Everything that a refused decision could have left behind."""
        return [*await self.read(_COUNTS), *await self.read(_HYPOTHESIS)]

    async def bring_to(self, status: HypothesisStatus) -> None:
        decisions: dict[HypothesisStatus, Feedback] = {
            "reinforced": Feedback("reinforce"),
            "stale": Feedback("stale"),
            "rejected": Feedback("reject"),
            "submitted": Feedback("confirm_true", submission=self.confirmation()),
        }
        if status in decisions:
            await self.decide(decisions[status])

    def confirmation(
        self,
        text: str = TRACE,
        **changes: object,
    ) -> Submission:
        proposal = RelationshipProposal(
            proposal_id="p1",
            subject_ref="s",
            predicate="depends_on",
            evidence=(CitedSpan(0, 0, len(text)),),
            object_ref="o",
        )
        return Submission(
            evidence=(EvidenceItem(text),),
            entities=(
                EntityProposal("s", "FastAPI", known_entity_id=self.fastapi),
                EntityProposal("o", "AnyIO", known_entity_id=self.anyio),
                EntityProposal("x", "Trio"),
            ),
            relationships=(replace(proposal, **changes),),  # type: ignore[arg-type]  # Fields by name.
        )

    def answer(self, decision: ClientEvent) -> Feedback:
        if decision == "confirm_true":
            return Feedback(decision, "seen", self.confirmation())
        if decision == "confirm_false":
            text = "A trace of one request shows that FastAPI does not depend on AnyIO."
            return Feedback(decision, "not so", self.confirmation(text, polarity="-"))
        return Feedback(decision, "because")


async def make_case(database: Database, team: Caller) -> Case:
    """Store the graph and the Hypothesis."""
    fastapi = await factories.make_entity(database, team, "FastAPI")
    starlette = await factories.make_entity(database, team, "Starlette")
    anyio = await factories.make_entity(database, team, "AnyIO", aliases=["anyio"])
    source = await factories.make_relationship(
        database, team, fastapi, "depends_on", starlette, Position(content=SOURCE_TEXT)
    )
    hypothesis_id = await make_hypothesis(database, team, Edge(fastapi, "depends_on", anyio), [source])
    return Case(database, team, hypothesis_id, fastapi, anyio, source)


async def refusal(case: Case, feedback: Feedback, *, by: Caller | None = None) -> DenseMemError:
    """Return the error of a decision that is refused and leaves nothing behind."""
    before = await case.traces()
    with pytest.raises(DenseMemError) as refused:
        await case.decide(feedback, by=by)
    assert await case.traces() == before
    return refused.value


_HYPOTHESIS: LiteralString = "SELECT * FROM hypotheses WHERE team_id = %(team_id)s AND id = %(id)s"
_COUNTS: LiteralString = """
    SELECT (SELECT count(*) FROM hypothesis_events WHERE team_id = %(team_id)s) AS events,
           (SELECT count(*) FROM hypothesis_submissions WHERE team_id = %(team_id)s) AS submissions,
           (SELECT count(*) FROM ingests WHERE team_id = %(team_id)s) AS ingests,
           (SELECT count(*) FROM evidence WHERE team_id = %(team_id)s) AS evidence,
           (SELECT count(*) FROM work_items WHERE team_id = %(team_id)s) AS work_items
"""
