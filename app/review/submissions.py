"""Confirmations on their way through `remember`: opened with the intake, ended once placed."""

from collections.abc import Sequence
from typing import Final, LiteralString

from app.kernel.database import Row, Writing
from app.remember.outcomes import ACTIVE_CATEGORIES
from app.remember.submission import RelationshipProposal, from_stored
from app.review.answering import Confirmation, Position, answers
from app.review.target import read_target

# A placement that waits for a review goes on when somebody resolves it.
_ENDED_STATES: Final = ["completed", "failed"]


async def open_submission(
    w: Writing, team_id: str, hypothesis_id: str, ingest_id: str, decision: Confirmation
) -> None:
    """Leave the submission recorded, in the transaction of its intake."""
    params = {
        "team_id": team_id,
        "ingest_id": ingest_id,
        "hypothesis_id": hypothesis_id,
        "decision": decision,
    }
    await w.execute(_OPEN, params)


async def settle_submissions(w: Writing, team_id: str, *, hypothesis_id: str | None = None) -> int:
    """End every submission whose placement has ended, say whether it ended active, and free its target.

    Idempotent; a worker calls it after each placement. Hypotheses are locked in id order.

    Returns:
        How many submissions ended.
    """
    params = {"team_id": team_id, "hypothesis_id": hypothesis_id, "states": _ENDED_STATES}
    due = await w.fetch_all(_DUE, params)
    if not due:
        return 0
    locked = await w.fetch_all(_LOCK, {"team_id": team_id, "ids": [row["hypothesis_id"] for row in due]})
    hypotheses = {row["id"]: row for row in locked}
    ended = 0
    # Another worker may have ended some of them while this one waited for the locks.
    for submission in await w.fetch_all(_DUE, params):
        hypothesis = hypotheses.get(submission["hypothesis_id"])
        if hypothesis is not None:
            await _end(w, team_id, submission, hypothesis)
            ended += 1
    await w.execute(_CLOSE, {"team_id": team_id, "ids": sorted(hypotheses)})
    return ended


async def all_ended_without_active(w: Writing, team_id: str, hypothesis_id: str) -> bool:
    """Return whether every submission so far was placed without an active Relationship."""
    row = await w.fetch_one(_ALL_ENDED, {"team_id": team_id, "hypothesis_id": hypothesis_id})
    return row is not None and row["all_ended"] is True


async def _end(w: Writing, team_id: str, submission: Row, hypothesis: Row) -> None:
    target = (await read_target(w, team_id, hypothesis)).target
    _, proposals = from_stored(submission["proposal"])
    outcomes = await w.fetch_all(_OUTCOMES, {"team_id": team_id, "ingest_id": submission["ingest_id"]})
    ended_active = any(
        outcome["category"] in ACTIVE_CATEGORIES
        and answers(_position(outcome, proposals), target, submission["decision"])
        for outcome in outcomes
    )
    params = {"team_id": team_id, "ingest_id": submission["ingest_id"], "ended_active": ended_active}
    await w.execute(_END, params)


def _position(outcome: Row, proposals: Sequence[RelationshipProposal]) -> Position:
    """Return the Relationship as it was placed, and what its proposal set out to correct."""
    corrected = proposals[outcome["position"]].correction_target
    return Position(
        subject_id=outcome["subject_entity_id"],
        predicate_key=outcome["predicate_key"],
        object_id=outcome["object_entity_id"] or outcome["object_value_id"],
        polarity=outcome["polarity"],
        modality=outcome["modality"],
        scope=outcome["scope"],
        corrects=None if corrected is None else corrected.relationship_id,
    )


_OPEN: LiteralString = """
    INSERT INTO hypothesis_submissions (team_id, ingest_id, hypothesis_id, decision)
    VALUES (%(team_id)s, %(ingest_id)s, %(hypothesis_id)s, %(decision)s)
"""
_DUE: LiteralString = """
    SELECT s.ingest_id, s.hypothesis_id, s.decision, i.proposal
    FROM hypothesis_submissions AS s
    JOIN ingests AS i ON i.team_id = s.team_id AND i.id = s.ingest_id
    WHERE s.team_id = %(team_id)s AND s.ended_at IS NULL AND i.processing_state = ANY (%(states)s)
      AND (%(hypothesis_id)s::text IS NULL OR s.hypothesis_id = %(hypothesis_id)s)
    ORDER BY s.hypothesis_id, s.ingest_id
"""
_LOCK: LiteralString = """
    SELECT * FROM hypotheses
    WHERE team_id = %(team_id)s AND id = ANY (%(ids)s) ORDER BY id FOR NO KEY UPDATE
"""
_OUTCOMES: LiteralString = """
    SELECT o.position, o.category, r.subject_entity_id, r.predicate_key, r.object_entity_id,
           r.object_value_id, r.polarity, r.modality, r.scope
    FROM placement_outcomes AS o
    JOIN relationships AS r ON r.team_id = o.team_id AND r.id = o.relationship_id
    WHERE o.team_id = %(team_id)s AND o.ingest_id = %(ingest_id)s
"""
_END: LiteralString = """
    UPDATE hypothesis_submissions SET ended_at = clock_timestamp(), ended_active = %(ended_active)s
    WHERE team_id = %(team_id)s AND ingest_id = %(ingest_id)s AND ended_at IS NULL
"""
_CLOSE: LiteralString = """
    UPDATE hypotheses AS h
    SET submission_is_open = false, row_version = row_version + 1, updated_at = clock_timestamp()
    WHERE h.team_id = %(team_id)s AND h.id = ANY (%(ids)s) AND h.submission_is_open
      AND NOT EXISTS (SELECT FROM hypothesis_submissions AS s
                      WHERE s.team_id = h.team_id AND s.hypothesis_id = h.id AND s.ended_at IS NULL)
"""
_ALL_ENDED: LiteralString = """
    SELECT bool_and(coalesce(NOT ended_active, false)) AS all_ended FROM hypothesis_submissions
    WHERE team_id = %(team_id)s AND hypothesis_id = %(hypothesis_id)s
"""
