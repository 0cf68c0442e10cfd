"""Where an ingest stands, as it follows from its outcomes."""

from collections.abc import Iterable, Mapping, Sequence
from typing import LiteralString

from psycopg.types.json import Jsonb

from app.kernel.database import Writing
from app.remember.outcomes import REVIEW_CATEGORIES, ProcessingState


async def placement_state(w: Writing, team_id: str, ingest_id: str) -> ProcessingState:
    """Return `queued` while something is not placed, `awaiting_review` while an open task holds something.

    Otherwise `failed` where nothing could be processed, else `completed`. Nobody else says so of the ingest until
    the transaction ends.
    """
    params = {"team_id": team_id, "ingest_id": ingest_id}
    # What was committed while this one waited for the row is seen by the second.
    _, rows = await w.fetch_each((_LOCK, params), (_OUTCOMES, params))
    categories = [row["category"] for row in rows]
    if None in categories:
        return "queued"
    if any(row["category"] in REVIEW_CATEGORIES and row["is_open"] for row in rows):
        return "awaiting_review"
    is_failed = bool(categories) and all(category == "processing_failed" for category in categories)
    return "failed" if is_failed else "completed"


async def set_placement_state(
    w: Writing,
    team_id: str,
    ingest_id: str,
    state: ProcessingState,
    errors: Sequence[Mapping[str, object]] = (),
) -> None:
    """Leave the ingest in this state, finished if it is one of the last two; what has ended stays as it ended."""
    await w.execute(
        _SET_STATE,
        {
            "team_id": team_id,
            "ingest_id": ingest_id,
            "state": state,
            "errors": Jsonb(list(errors)),
            "is_finished": state in ("completed", "failed"),
        },
    )


async def settle_ingests(w: Writing, team_id: str, ingest_ids: Iterable[str]) -> None:
    """Leave each ingest as its outcomes have it, but for what is not placed yet: its work says that in the end."""
    for ingest_id in sorted(set(ingest_ids)):
        state = await placement_state(w, team_id, ingest_id)
        if state != "queued":
            await set_placement_state(w, team_id, ingest_id, state)


_LOCK: LiteralString = """
    SELECT FROM ingests WHERE team_id = %(team_id)s AND id = %(ingest_id)s FOR NO KEY UPDATE
"""
_OUTCOMES: LiteralString = """
    SELECT outcome.category, coalesce(task.status = 'open', false) AS is_open
    FROM placement_outcomes AS outcome
    LEFT JOIN review_tasks AS task ON task.team_id = outcome.team_id AND task.id = outcome.review_id
    WHERE outcome.team_id = %(team_id)s AND outcome.ingest_id = %(ingest_id)s
"""
_SET_STATE: LiteralString = """
    UPDATE ingests
    SET processing_state = %(state)s, errors = %(errors)s,
        finished_at = CASE WHEN %(is_finished)s THEN clock_timestamp() END
    WHERE team_id = %(team_id)s AND id = %(ingest_id)s AND (finished_at IS NULL OR NOT %(is_finished)s)
"""
