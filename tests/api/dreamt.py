"""A Hypothesis to read and to decide about."""

from dataclasses import dataclass

from app.kernel.database import Database
from app.ledger.identity import Edge
from app.tenancy.callers import Caller
from tests.factories import Made, make_entity, make_relationship
from tests.hypothesis_factories import Guess, make_hypothesis


@dataclass(frozen=True, slots=True)
class Dreamt:
    """A Hypothesis, its target's ends and its one source."""

    hypothesis_id: str
    subject_id: str
    object_id: str
    source: Made

    @property
    def source_id(self) -> str:
        return self.source.relationship_id

    @property
    def feedback(self) -> str:
        return f"/v1/dreams/{self.hypothesis_id}/feedback"


async def dream(database: Database, caller: Caller) -> Dreamt:
    """Leave the spec's example as a proposed Hypothesis."""
    subject_id = await make_entity(database, caller, "Dense-Mem")
    object_id = await make_entity(database, caller, "search freshness", kind="concept")
    source = await make_relationship(database, caller, subject_id, "depends_on", object_id)
    edge = Edge(subject_id, "benefits_from", object_id)
    guess = Guess(rationale="Both are about recall.", likelihood=0.68, confidence=0.61)
    hypothesis_id = await make_hypothesis(database, caller, edge, [source], guess)
    return Dreamt(hypothesis_id, subject_id, object_id, source)
