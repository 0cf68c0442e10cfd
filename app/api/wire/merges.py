"""Merging entities and taking it back; what may be one thing."""

from typing import Annotated

from pydantic import StringConstraints

from app.api.wire.catalogue import EntityAnswer
from app.api.wire.lifecycle import ChangedAnswer
from app.api.wire.shapes import Answer, Closed, IdempotencyKey, Reason, Text
from app.ledger.nodes.merge_suggestions import Likeness, MergeSuggestion
from app.remember.merging.merge import Merged

GivenId = Annotated[Text, StringConstraints(min_length=1, max_length=64)]


class MergeBody(Closed):
    """The entity that this one is, and goes on as."""

    into_entity_id: GivenId
    reason: Reason | None = None
    idempotency_key: IdempotencyKey | None = None


class UnmergeBody(Closed):
    """Why the merge is taken back."""

    reason: Reason | None = None
    idempotency_key: IdempotencyKey | None = None


class MergeAnswer(Answer):
    """A merge, or the merge that was undone, and every Relationship that changed with it."""

    merge_id: str
    entity_id: str
    survivor_entity_id: str
    changed: list[ChangedAnswer]


class SuggestionAnswer(Answer):
    """An entity that may be the same; `score` is how alike the names are, 0..1."""

    entity: EntityAnswer
    likeness: Likeness
    score: float


class SuggestionsAnswer(Answer):
    """Likest first; nothing is merged because of it."""

    suggestions: list[SuggestionAnswer]


def write_merge(merged: Merged) -> MergeAnswer:
    """Return the merge."""
    return MergeAnswer(
        merge_id=merged.merge_id,
        entity_id=merged.entity_id,
        survivor_entity_id=merged.survivor_id,
        changed=[ChangedAnswer.model_validate(one) for one in merged.changed],
    )


def write_suggestions(suggestions: tuple[MergeSuggestion, ...]) -> SuggestionsAnswer:
    """Return the suggestions."""
    return SuggestionsAnswer(suggestions=[SuggestionAnswer.model_validate(one) for one in suggestions])
