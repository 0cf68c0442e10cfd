"""Review tasks: open ambiguities that hold a Relationship, or a proposal that none exists for yet."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, LiteralString

from psycopg.types.json import Jsonb

from app.kernel.database import Reading, Row, Writing
from app.kernel.errors import NotFound, WrongState
from app.kernel.ids import is_id, new_id
from app.kernel.pages import NewestFirst, Page
from app.ledger.vocabulary import ReviewKind


@dataclass(frozen=True, slots=True)
class ReviewDraft:
    """An ambiguity to be decided; it holds a Relationship, or a proposal that none exists for yet.

    `entity_ref` is the proposal's name for the entity that an identity task asks about.
    """

    kind: ReviewKind
    reason: str
    options: tuple[str, ...] = ()
    relationship_id: str | None = None
    ingest_id: str | None = None
    proposal_id: str | None = None
    entity_ref: str | None = None


@dataclass(frozen=True, slots=True)
class Review:
    """A review task as it stands. `choice` holds what was chosen under that word, and what it led to."""

    review_id: str
    kind: ReviewKind
    status: Literal["open", "resolved"]
    reason: str
    options: tuple[str, ...]
    relationship_id: str | None
    ingest_id: str | None
    proposal_id: str | None
    opened_at: datetime
    closed_at: datetime | None
    closed_by_profile_id: str | None
    choice: Mapping[str, object] | None
    entity_ref: str | None
    close_reason: str | None


async def open_review(w: Writing, team_id: str, draft: ReviewDraft) -> str:
    """Leave an open review task and return its id."""
    review_id = new_id("rev")
    await w.execute(
        _INSERT_REVIEW,
        {
            "team_id": team_id,
            "id": review_id,
            "kind": draft.kind,
            "reason": draft.reason,
            "options": Jsonb(list(draft.options)),
            "relationship_id": draft.relationship_id,
            "ingest_id": draft.ingest_id,
            "proposal_id": draft.proposal_id,
            "entity_ref": draft.entity_ref,
        },
    )
    return review_id


async def get_review(reading: Reading, team_id: str, review_id: str) -> Review:
    """Return the review task.

    Raises:
        NotFound: missing, malformed or another team's.
    """
    row = (
        await reading.fetch_one(_GET_REVIEW, {"team_id": team_id, "id": review_id})
        if is_id(review_id, "rev")
        else None
    )
    if row is None:
        raise NotFound("No such review.")
    return _read_review(row)


async def close_review(
    w: Writing,
    team_id: str,
    review_id: str,
    *,
    choice: Mapping[str, object],
    reason: str | None,
    profile_id: str,
) -> None:
    """Leave the task resolved with its choice.

    Raises:
        WrongState: it is resolved already.
    """
    params = {
        "team_id": team_id,
        "id": review_id,
        "choice": dict(choice),
        "reason": reason,
        "profile_id": profile_id,
    }
    if not await w.execute(_CLOSE_REVIEW, params):
        raise WrongState("The review is resolved already.")


async def open_review_of(reading: Reading, team_id: str, relationship_id: str) -> str | None:
    """Return the id of the oldest open task that holds the Relationship, if there is one."""
    row = await reading.fetch_one(_OPEN_REVIEW, {"team_id": team_id, "id": relationship_id})
    return None if row is None else str(row["id"])


async def list_reviews(
    reading: Reading,
    team_id: str,
    *,
    status: Literal["open", "resolved"] | None = None,
    kind: ReviewKind | None = None,
    limit: int = 20,
    cursor: str | None = None,
) -> Page[Review]:
    """Return a page of the team's review tasks, newest first.

    Raises:
        InvalidInput: `invalid_cursor`.
    """
    filters = {"team_id": team_id, "status": status, "kind": kind}
    paging = NewestFirst("list_reviews", filters)
    after_at, after_id = paging.position(cursor)
    params = {**filters, "limit": limit + 1, "after_at": after_at, "after_id": after_id}
    rows = await reading.fetch_all(_LIST_REVIEWS, params)
    reviews = [_read_review(row) for row in rows]
    return paging.page(reviews, limit, lambda review: (review.opened_at, review.review_id))


def _read_review(row: Row) -> Review:
    return Review(review_id=row.pop("id"), options=tuple(row.pop("options")), **row)


_INSERT_REVIEW: LiteralString = """
    INSERT INTO review_tasks
        (team_id, id, kind, status, reason, relationship_id, ingest_id, proposal_id, options, entity_ref)
    VALUES (%(team_id)s, %(id)s, %(kind)s, 'open', %(reason)s, %(relationship_id)s, %(ingest_id)s,
            %(proposal_id)s, %(options)s, %(entity_ref)s)
"""
_CLOSE_REVIEW: LiteralString = """
    UPDATE review_tasks
    SET status = 'resolved', choice = %(choice)s, close_reason = %(reason)s, closed_at = clock_timestamp(),
        closed_by_profile_id = %(profile_id)s
    WHERE team_id = %(team_id)s AND id = %(id)s AND status = 'open'
"""
_OPEN_REVIEW: LiteralString = """
    SELECT id FROM review_tasks
    WHERE team_id = %(team_id)s AND relationship_id = %(id)s AND status = 'open' ORDER BY opened_at, id LIMIT 1
"""
_REVIEWS: LiteralString = """
    SELECT id, kind, status, reason, options, relationship_id, ingest_id, proposal_id, opened_at, closed_at,
           closed_by_profile_id, choice, entity_ref, close_reason
    FROM review_tasks
    WHERE team_id = %(team_id)s
"""
_GET_REVIEW: LiteralString = _REVIEWS + " AND id = %(id)s"
_LIST_REVIEWS: LiteralString = (
    _REVIEWS
    + """
      AND (%(status)s::text IS NULL OR status = %(status)s)
      AND (%(kind)s::text IS NULL OR kind = %(kind)s)
      AND (%(after_at)s::timestamptz IS NULL
           OR (opened_at, id) < (%(after_at)s::timestamptz, %(after_id)s::text))
    ORDER BY opened_at DESC, id DESC LIMIT %(limit)s
"""
)
