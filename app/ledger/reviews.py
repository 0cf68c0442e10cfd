"""Review tasks: open ambiguities that hold a Relationship, or a proposal that none exists for yet."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, LiteralString

from psycopg.types.json import Jsonb

from app.kernel.database import Reading, Row, Writing
from app.kernel.ids import new_id
from app.kernel.pages import NewestFirst, Page
from app.ledger.vocabulary import ReviewKind


@dataclass(frozen=True, slots=True)
class ReviewDraft:
    """An ambiguity to be decided; it holds a Relationship, or a proposal that none exists for yet."""

    kind: ReviewKind
    reason: str
    options: tuple[str, ...] = ()
    relationship_id: str | None = None
    ingest_id: str | None = None
    proposal_id: str | None = None


@dataclass(frozen=True, slots=True)
class Review:
    """A review task as it stands."""

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
    choice: object | None


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
        },
    )
    return review_id


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
        (team_id, id, kind, status, reason, relationship_id, ingest_id, proposal_id, options)
    VALUES (%(team_id)s, %(id)s, %(kind)s, 'open', %(reason)s, %(relationship_id)s, %(ingest_id)s,
            %(proposal_id)s, %(options)s)
"""
_LIST_REVIEWS: LiteralString = """
    SELECT id, kind, status, reason, options, relationship_id, ingest_id, proposal_id, opened_at, closed_at,
           closed_by_profile_id, choice
    FROM review_tasks
    WHERE team_id = %(team_id)s
      AND (%(status)s::text IS NULL OR status = %(status)s)
      AND (%(kind)s::text IS NULL OR kind = %(kind)s)
      AND (%(after_at)s::timestamptz IS NULL
           OR (opened_at, id) < (%(after_at)s::timestamptz, %(after_id)s::text))
    ORDER BY opened_at DESC, id DESC LIMIT %(limit)s
"""
