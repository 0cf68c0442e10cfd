"""The conflict cases that an answer is part of, with what each side says."""

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Final, LiteralString

from app.kernel.database import Params, Query, Row
from app.recall.model import Moment, RecalledConflict, RecalledPosition
from app.recall.results import say

MAX_CONFLICTS: Final = 20


def ask_conflicts(
    team_id: str, group_keys: Sequence[str], moment: Moment, *, now: datetime
) -> tuple[Query, Params]:
    """Return what asks for the cases in which one of the groups is a position, at most the 20 newest.

    With `known_at` they stand as their events until then say.
    """
    return _CONFLICTS, {
        "team_id": team_id,
        "group_keys": list(group_keys),
        "at": moment.valid_at,
        "known": moment.known_at,
        "now": moment.known_at or now,
        "limit": MAX_CONFLICTS,
    }


def read_conflicts(rows: Sequence[Row]) -> tuple[RecalledConflict, ...]:
    """Return the open, overdue and resolved cases of the rows that `ask_conflicts` asked for, newest first.

    A position is stated by its oldest Relationship that holds as of the moment.
    """
    return tuple(_conflict(list(sides)) for _, sides in groupby(rows, itemgetter("case_id")))


def _conflict(sides: Sequence[Row]) -> RecalledConflict:
    return RecalledConflict(
        conflict_id=sides[0]["case_id"],
        kind=sides[0]["kind"],
        status=sides[0]["status"],
        preferred_position_id=sides[0]["preferred_position_id"],
        positions=tuple(
            RecalledPosition(
                side["position_id"],
                tuple(side["relationship_ids"]),
                say(side) if side["relationship_ids"] else None,
            )
            for side in sorted(sides, key=itemgetter("position_id"))
        ),
    )


# Hardly any answer is part of a case, and the function is called only where one is.
_CONFLICTS: Final[LiteralString] = """
    SELECT * FROM told_cases(
        %(team_id)s, %(group_keys)s::text[], %(at)s, %(known)s::timestamptz, %(now)s, %(limit)s)
    WHERE EXISTS (
        SELECT FROM conflict_positions AS position
        WHERE position.team_id = %(team_id)s AND position.semantic_group_key = ANY (%(group_keys)s::text[]))
"""
