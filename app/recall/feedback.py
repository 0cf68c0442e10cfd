"""What a client thinks of an answer of recall: recorded for operators, read by nothing that decides."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, LiteralString

from app.kernel.database import Writing
from app.kernel.errors import FieldError, InvalidInput
from app.kernel.ids import is_id, new_id
from app.recall.model import MAX_RELATED, MAX_RESULTS
from app.recall.models import Rating
from app.tenancy.callers import Caller

MAX_NAMED: Final = MAX_RESULTS + MAX_RELATED


@dataclass(frozen=True, slots=True)
class RecallFeedback:
    """An opinion; the ids are Relationships and Hypotheses that the answer showed, at most `MAX_NAMED` each."""

    recall_id: str
    rating: Rating
    useful_ids: Sequence[str] = ()
    wrong_ids: Sequence[str] = ()
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """The opinion as it was kept."""

    feedback_id: str
    recall_id: str
    created_at: datetime


async def record_feedback(writing: Writing, caller: Caller, feedback: RecallFeedback) -> Recorded:
    """Leave the opinion on record; no Relationship and no Hypothesis changes.

    Raises:
        InvalidInput: an id has no shape of ours, or names nothing that the team can see.
    """
    _check_shape(feedback)
    named = sorted({*feedback.useful_ids, *feedback.wrong_ids})
    params = {"team_id": caller.team_id, "ids": named}
    known = {row["id"] for row in await writing.fetch_all(_KNOWN, params)}
    for field, ids in (("useful_ids", feedback.useful_ids), ("wrong_ids", feedback.wrong_ids)):
        for position, named_id in enumerate(ids):
            if named_id not in known:
                _refuse(f"{field}.{position}", "unknown_id", "No Relationship or Hypothesis has this id.")
    row = await writing.fetch_one(
        _RECORD,
        {
            "team_id": caller.team_id,
            "id": new_id("rfb"),
            "recall_id": feedback.recall_id,
            "profile_id": caller.profile_id,
            "rating": feedback.rating,
            "useful_ids": list(feedback.useful_ids),
            "wrong_ids": list(feedback.wrong_ids),
            "comment": feedback.comment,
        },
    )
    assert row is not None
    return Recorded(row["id"], row["recall_id"], row["created_at"])


def _check_shape(feedback: RecallFeedback) -> None:
    if not is_id(feedback.recall_id, "rec"):
        _refuse("recall_id", "invalid_id", "It is the `recall_id` of an answer.")
    both = set(feedback.useful_ids) & set(feedback.wrong_ids)
    if both:
        _refuse("wrong_ids", "contradiction", "What was useful can't have been wrong as well.")


def _refuse(field: str, code: str, message: str) -> None:
    raise InvalidInput("The request is not valid.", errors=(FieldError(field, code, message),))


_KNOWN: LiteralString = """
    SELECT id FROM relationships WHERE team_id = %(team_id)s AND id = ANY(%(ids)s)
    UNION ALL
    SELECT id FROM hypotheses WHERE team_id = %(team_id)s AND id = ANY(%(ids)s)
"""

_RECORD: LiteralString = """
    INSERT INTO recall_feedback (team_id, id, recall_id, profile_id, rating, useful_ids, wrong_ids, comment)
    VALUES (%(team_id)s, %(id)s, %(recall_id)s, %(profile_id)s, %(rating)s, %(useful_ids)s, %(wrong_ids)s,
            %(comment)s)
    RETURNING id, recall_id, created_at
"""
