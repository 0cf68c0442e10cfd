"""The conflict cases that an answer is part of, with what each side says."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, LiteralString

from app.kernel.database import Reading
from app.recall.model import Moment, RecalledConflict, RecalledPosition
from app.recall.results import describe

MAX_CONFLICTS: Final = 20


async def read_conflicts(
    reading: Reading, team_id: str, group_keys: Sequence[str], moment: Moment, *, now: datetime
) -> tuple[RecalledConflict, ...]:
    """Return the open, overdue and resolved cases in which one of the groups is a position, newest first.

    At most 20. With `known_at` they stand as their events until then say. A position is stated by its oldest
    Relationship that holds as of the moment.
    """
    if not group_keys:
        return ()
    params = {
        "team_id": team_id,
        "group_keys": list(group_keys),
        "at": moment.valid_at,
        "known": moment.known_at,
        "now": moment.known_at or now,
        "limit": MAX_CONFLICTS,
    }
    rows = await reading.fetch_all(_CASES, params)
    spoken = [ids[0] for row in rows for ids in row["holders"].values() if ids]
    described = await describe(reading, team_id, spoken, moment)
    return tuple(
        RecalledConflict(
            conflict_id=row["id"],
            kind=row["kind"],
            status=row["status"],
            preferred_position_id=row["preferred_position_id"],
            positions=tuple(
                RecalledPosition(position_id, tuple(ids), described[ids[0]]["statement"] if ids else None)
                for position_id, ids in sorted(row["holders"].items())
            ),
        )
        for row in rows
    )


# As of a moment, a side that nobody had taken yet was not there.
_CASES: LiteralString = """
    SELECT cases.id, cases.kind, seen.preferred_position_id, holders.holders,
           CASE WHEN seen.status = 'open' AND cases.due_at < %(now)s THEN 'overdue' ELSE seen.status END AS status
    FROM conflict_cases AS cases
    JOIN cases_known(%(team_id)s, %(known)s::timestamptz) AS seen ON seen.case_id = cases.id
    CROSS JOIN LATERAL (
        SELECT jsonb_object_agg(position.id, coalesce(held.ids, '[]'::jsonb)) AS holders
        FROM conflict_positions AS position
        CROSS JOIN LATERAL (
            SELECT jsonb_agg(h.relationship_id ORDER BY h.relationship_id) AS ids
            FROM held_relationships(%(team_id)s, %(at)s, %(known)s::timestamptz) AS h
            WHERE h.semantic_group_key = position.semantic_group_key
        ) AS held
        WHERE position.team_id = cases.team_id AND position.case_id = cases.id
          AND (%(known)s::timestamptz IS NULL OR EXISTS (
              SELECT FROM relationships AS r
              JOIN relationship_transitions AS entered
                ON entered.team_id = r.team_id AND entered.relationship_id = r.id AND entered.version = 1
              WHERE r.team_id = position.team_id AND r.semantic_group_key = position.semantic_group_key
                AND entered.created_at <= %(known)s))
    ) AS holders
    WHERE cases.team_id = %(team_id)s AND seen.status <> 'dismissed'
      AND cases.id IN (
          SELECT position.case_id FROM conflict_positions AS position
          WHERE position.team_id = %(team_id)s AND position.semantic_group_key = ANY (%(group_keys)s)
      )
    ORDER BY cases.opened_at DESC, cases.id DESC LIMIT %(limit)s
"""
