"""Ids in paths: one of another shape is answered like a missing one, and never reaches the database."""

from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Depends, Path

from app.kernel.errors import NotFound
from app.kernel.ids import is_id


def _id(prefix: str, parameter: str, message: str) -> Callable[[str], Awaitable[str]]:
    # The message is the one with which the domain refuses a missing id, so that nobody can tell them apart.
    async def check(row_id: Annotated[str, Path(alias=parameter)]) -> str:
        if not is_id(row_id, prefix):
            raise NotFound(message)
        return row_id

    return check


IngestId = Annotated[str, Depends(_id("ing", "ingest_id", "No such ingest."))]
RelationshipId = Annotated[str, Depends(_id("rel", "relationship_id", "No such Relationship."))]
EvidenceId = Annotated[str, Depends(_id("evd", "evidence_id", "No such evidence."))]
ConflictId = Annotated[str, Depends(_id("con", "conflict_id", "No such conflict."))]
ReviewId = Annotated[str, Depends(_id("rev", "review_id", "No such review."))]
EntityId = Annotated[str, Depends(_id("ent", "entity_id", "No such entity."))]
HypothesisId = Annotated[str, Depends(_id("hyp", "hypothesis_id", "There is no such Hypothesis."))]
RunId = Annotated[str, Depends(_id("run", "run_id", "There is no such cycle run."))]
TeamId = Annotated[str, Depends(_id("team", "team_id", "There is no such team."))]
KeyId = Annotated[str, Depends(_id("key", "key_id", "There is no such key."))]
