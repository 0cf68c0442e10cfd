"""The conflict cases that an answer is part of, with what each side says."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, LiteralString

from app.kernel.database import Params, Query, Reading, Row
from app.recall.model import Moment, RecalledConflict, RecalledPosition
from app.recall.moments import Timed, timed
from app.recall.results import describe

MAX_CONFLICTS: Final = 20


def ask_cases(team_id: str, group_keys: Sequence[str]) -> tuple[Query, Params]:
    """Return what asks for the cases in which one of the groups is a position: a row with `case_id` for each."""
    return _CASES, {"team_id": team_id, "group_keys": list(group_keys)}


async def read_conflicts(
    reading: Reading, team_id: str, cases: Sequence[Row], moment: Moment, *, now: datetime
) -> tuple[RecalledConflict, ...]:
    """Return the open, overdue and resolved ones of the cases, newest first.

    At most 20. With `known_at` they stand as their events until then say. A position is stated by its oldest
    Relationship that holds as of the moment. `cases` are the rows that `ask_cases` asked for.
    """
    if not cases:
        return ()
    params = {
        "team_id": team_id,
        "case_ids": [row["case_id"] for row in cases],
        "at": moment.valid_at,
        "known": moment.known_at,
        "now": moment.known_at or now,
        "limit": MAX_CONFLICTS,
    }
    rows = await reading.fetch_all(_CONFLICTS.of(moment), params)
    spoken = [ids[0] for row in rows for ids in row["holders"].values() if ids]
    described = await describe(reading, team_id, spoken, moment)
    return tuple(
        RecalledConflict(
            conflict_id=row["id"],
            kind=row["kind"],
            status=row["status"],
            preferred_position_id=row["preferred_position_id"],
            positions=tuple(
                RecalledPosition(position_id, tuple(ids), described[ids[0]] if ids else None)
                for position_id, ids in sorted(row["holders"].items())
            ),
        )
        for row in rows
    )


_CASES: LiteralString = """
    SELECT DISTINCT position.case_id FROM conflict_positions AS position
    WHERE position.team_id = %(team_id)s AND position.semantic_group_key = ANY (%(group_keys)s)
"""
# As of a moment, a side that nobody had taken yet was not there. OFFSET 0 keeps the planner at looks by key.
_CONFLICTS: Final[Timed] = timed("""
    SELECT cases.id, cases.kind, cases.preferred_position_id, holders.holders,
           CASE WHEN cases.status = 'open' AND cases.due_at < %(now)s THEN 'overdue' ELSE cases.status END
               AS status
    FROM (
        SELECT each.id, each.kind, each.opened_at, each.due_at, seen.status, seen.preferred_position_id
        FROM unnest(%(case_ids)s::text[]) AS wanted (id)
        CROSS JOIN LATERAL (
            SELECT id, kind, opened_at, due_at FROM conflict_cases
            WHERE team_id = %(team_id)s AND id = wanted.id OFFSET 0
        ) AS each
        CROSS JOIN LATERAL (
            SELECT status, preferred_position_id FROM cases_known(%(team_id)s, %(known)s::timestamptz) AS known
            WHERE known.case_id = wanted.id OFFSET 0
        ) AS seen
        WHERE seen.status <> 'dismissed'
        ORDER BY each.opened_at DESC, each.id DESC LIMIT %(limit)s
    ) AS cases
    CROSS JOIN LATERAL (
        SELECT jsonb_object_agg(position.id, coalesce(held.ids, '[]'::jsonb)) AS holders
        FROM conflict_positions AS position
        CROSS JOIN LATERAL (
            SELECT jsonb_agg(h.relationship_id ORDER BY h.relationship_id) AS ids
            FROM held_relationships(%(team_id)s, %(at)s, %(known)s::timestamptz) AS h
            WHERE h.semantic_group_key = position.semantic_group_key
        ) AS held
        WHERE position.team_id = %(team_id)s AND position.case_id = cases.id
          AND (%(known)s::timestamptz IS NULL OR EXISTS (
              SELECT FROM relationships AS r
              JOIN relationship_transitions AS entered
                ON entered.team_id = r.team_id AND entered.relationship_id = r.id AND entered.version = 1
              WHERE r.team_id = position.team_id AND r.semantic_group_key = position.semantic_group_key
                AND entered.created_at <= %(known)s::timestamptz))
    ) AS holders
    ORDER BY cases.opened_at DESC, cases.id DESC
""")
