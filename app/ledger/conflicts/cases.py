"""Conflict cases: positions of different profiles that cannot both hold, opened and listed.

An open case takes its positions out of eligibility, so whoever opens it writes a transition for each of their
Relationships.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, LiteralString

from app.kernel.database import Reading, Row, Writing
from app.kernel.errors import NotFound
from app.kernel.ids import is_id, new_id
from app.kernel.pages import NewestFirst, Page
from app.ledger.conflicts.events import note_case
from app.ledger.relationships.rows import StoredRelationship
from app.ledger.vocabulary import CaseEvent

CONFLICT_DUE_DAYS: Final = 7

ConflictKind = Literal["other_object", "opposite_polarity"]
ConflictState = Literal["open", "overdue", "resolved", "dismissed"]


@dataclass(frozen=True, slots=True)
class ConflictPosition:
    """One side of a case with the Relationships that hold it, in the order of their ids."""

    position_id: str
    semantic_group_key: str
    relationship_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Conflict:
    """A conflict case; `state` is `overdue` for an open one past `due_at`."""

    case_id: str
    kind: ConflictKind
    state: ConflictState
    subject_entity_id: str
    predicate_key: str
    positions: tuple[ConflictPosition, ...]
    preferred_position_id: str | None
    opened_at: datetime
    due_at: datetime
    closed_at: datetime | None
    closed_by_profile_id: str | None
    close_reason: str | None


async def open_conflict(
    w: Writing,
    team_id: str,
    kind: ConflictKind,
    newcomer: StoredRelationship,
    rivals: Sequence[StoredRelationship],
    *,
    has_gained: bool,
) -> frozenset[str]:
    """Leave an open case that holds the newcomer's group and those of its rivals; return the groups it gained.

    An open case that holds one of them already is widened. Where a case has been decided between these very
    groups it stays decided, unless the newcomer `has_gained` (a new owner, a higher tier, another window) and
    was not preferred: then that case is open again, with all its groups. A case that was only dismissed because a
    position was withdrawn has decided nothing. All are locked by the caller, who writes the transitions of the
    gained groups.
    """
    groups = sorted({newcomer.semantic_group_key, *(rival.semantic_group_key for rival in rivals)})
    cases = await w.fetch_all(_CASES_OF_GROUPS, {"team_id": team_id, "kind": kind, "groups": groups})
    actor_id = newcomer.owner_profile_id
    decided = [row for row in cases if row["is_decided"] and set(groups) <= set(row["held"])]
    if decided:
        if not has_gained or any(row["preferred"] == newcomer.semantic_group_key for row in decided):
            return frozenset()
        again = decided[-1]
        await w.execute(_REOPEN, {"team_id": team_id, "case_id": again["id"], "due_days": CONFLICT_DUE_DAYS})
        await note_case(w, team_id, again["id"], "reopened", actor_profile_id=actor_id)
        return frozenset(again["held"])
    open_case = next((row for row in cases if row["status"] == "open"), None)
    case_id: str = open_case["id"] if open_case else new_id("con")
    gained = [group for group in groups if open_case is None or group not in open_case["held"]]
    params: dict[str, object] = {"team_id": team_id, "case_id": case_id, "kind": kind}
    if open_case is None:
        params |= {
            "subject_entity_id": newcomer.subject_entity_id,
            "predicate_key": newcomer.predicate_key,
            "due_days": CONFLICT_DUE_DAYS,
        }
        await w.execute(_INSERT_CASE, params)
    if gained:
        params |= {"ids": [new_id("pos") for _ in gained], "groups": gained}
        await w.execute(_INSERT_POSITIONS, params)
        event: CaseEvent = "widened" if open_case else "opened"
        await note_case(w, team_id, case_id, event, actor_profile_id=actor_id)
    return frozenset(gained)


async def conflicts_of_group(
    reading: Reading,
    team_id: str,
    group: str,
    *,
    now: datetime,
    known_at: datetime | None = None,
    after: str = "",
    limit: int = 100,
) -> list[Conflict]:
    """Return the cases, in any state, that hold the equivalence group, oldest first, after the case `after`.

    With `known_at` as they stood then, with the sides that somebody had taken by then.
    """
    params = {"team_id": team_id, "group": group, "known": known_at, "after": after, "limit": limit}
    rows = await reading.fetch_all(_CONFLICTS_OF_GROUP, params)
    return [_read_conflict(row, known_at or now) for row in rows]


async def list_conflicts(
    reading: Reading,
    team_id: str,
    *,
    now: datetime,
    state: ConflictState | None = None,
    limit: int = 20,
    cursor: str | None = None,
) -> Page[Conflict]:
    """Return a page of the team's cases, newest first.

    Raises:
        InvalidInput: `invalid_cursor`.
    """
    filters = {"team_id": team_id, "state": state}
    paging = NewestFirst("list_conflicts", filters)
    after_at, after_id = paging.position(cursor)
    params = {**filters, "now": now, "limit": limit + 1, "after_at": after_at, "after_id": after_id}
    rows = await reading.fetch_all(_LIST_CONFLICTS, params)
    conflicts = [_read_conflict(row, now) for row in rows]
    return paging.page(conflicts, limit, lambda conflict: (conflict.opened_at, conflict.case_id))


async def get_conflict(reading: Reading, team_id: str, case_id: str, *, now: datetime) -> Conflict:
    """Return the case.

    Raises:
        NotFound: missing, malformed or another team's.
    """
    row = (
        await reading.fetch_one(_GET_CONFLICT, {"team_id": team_id, "id": case_id})
        if is_id(case_id, "con")
        else None
    )
    if row is None:
        raise NotFound("No such conflict.")
    return _read_conflict(row, now)


def _read_conflict(row: Row, now: datetime) -> Conflict:
    is_overdue = row["status"] == "open" and row["due_at"] <= now
    return Conflict(
        case_id=row["id"],
        kind=row["kind"],
        state="overdue" if is_overdue else row["status"],
        subject_entity_id=row["subject_entity_id"],
        predicate_key=row["predicate_key"],
        positions=tuple(
            ConflictPosition(one["id"], one["group"], tuple(one["relationship_ids"]))
            for one in row["positions"] or ()
        ),
        preferred_position_id=row["preferred_position_id"],
        opened_at=row["opened_at"],
        due_at=row["due_at"],
        closed_at=row["closed_at"],
        closed_by_profile_id=row["closed_by_profile_id"],
        close_reason=row["close_reason"],
    )


_CASES_OF_GROUPS: LiteralString = """
    SELECT c.id, c.status,
           c.status = 'resolved'
               OR c.status = 'dismissed' AND c.close_reason IS DISTINCT FROM 'position_withdrawn' AS is_decided,
           (SELECT semantic_group_key FROM conflict_positions AS preferred
            WHERE preferred.team_id = c.team_id AND preferred.id = c.preferred_position_id) AS preferred,
           ARRAY(SELECT semantic_group_key FROM conflict_positions AS held
                 WHERE held.team_id = c.team_id AND held.case_id = c.id) AS held
    FROM conflict_cases AS c
    WHERE c.team_id = %(team_id)s AND c.kind = %(kind)s AND c.id IN (
        SELECT case_id FROM conflict_positions
        WHERE team_id = %(team_id)s AND semantic_group_key = ANY (%(groups)s))
    ORDER BY c.opened_at, c.id
"""
_INSERT_CASE: LiteralString = """
    INSERT INTO conflict_cases (team_id, id, kind, status, subject_entity_id, predicate_key, due_at)
    VALUES (%(team_id)s, %(case_id)s, %(kind)s, 'open', %(subject_entity_id)s, %(predicate_key)s,
            clock_timestamp() + make_interval(days => %(due_days)s))
"""
_REOPEN: LiteralString = """
    UPDATE conflict_cases
    SET status = 'open', preferred_position_id = NULL, closed_at = NULL, closed_by_profile_id = NULL,
        close_reason = NULL, due_at = clock_timestamp() + make_interval(days => %(due_days)s)
    WHERE team_id = %(team_id)s AND id = %(case_id)s
"""
_INSERT_POSITIONS: LiteralString = """
    INSERT INTO conflict_positions (team_id, id, case_id, semantic_group_key)
    SELECT %(team_id)s, id, %(case_id)s, group_key
    FROM unnest(%(ids)s::text[], %(groups)s::text[]) AS added (id, group_key)
"""
_POSITIONS: LiteralString = """
    SELECT jsonb_agg(jsonb_build_object(
               'id', position.id, 'group', position.semantic_group_key, 'relationship_ids', held.ids)
           ORDER BY position.id)
    FROM conflict_positions AS position
    CROSS JOIN LATERAL (
        SELECT coalesce(array_agg(r.id ORDER BY r.id), '{}') AS ids FROM relationships AS r
        WHERE r.team_id = position.team_id AND r.semantic_group_key = position.semantic_group_key
"""
_CONFLICT_COLUMNS: LiteralString = (
    """
    SELECT c.id, c.kind, c.status, c.subject_entity_id, c.predicate_key, c.preferred_position_id, c.opened_at,
           c.due_at, c.closed_at, c.closed_by_profile_id, c.close_reason, ("""
    + _POSITIONS
    + """
    ) AS held WHERE position.team_id = c.team_id AND position.case_id = c.id) AS positions
    FROM conflict_cases AS c
    WHERE c.team_id = %(team_id)s
"""
)
_CONFLICTS_OF_GROUP: LiteralString = (
    """
    SELECT c.id, c.kind, seen.status, c.subject_entity_id, c.predicate_key, seen.preferred_position_id,
           c.opened_at, c.due_at, seen.closed_at, seen.closed_by_profile_id, seen.close_reason, ("""
    + _POSITIONS
    + """
          AND (%(known)s::timestamptz IS NULL OR EXISTS (
              SELECT FROM relationship_transitions AS entered
              WHERE entered.team_id = r.team_id AND entered.relationship_id = r.id AND entered.version = 1
                AND entered.created_at <= %(known)s))
    ) AS held
    WHERE position.team_id = c.team_id AND position.case_id = c.id
      AND (%(known)s::timestamptz IS NULL OR held.ids <> '{}')) AS positions
    FROM conflict_cases AS c
    JOIN cases_known(%(team_id)s, %(known)s::timestamptz) AS seen ON seen.case_id = c.id
    WHERE c.team_id = %(team_id)s AND c.id > %(after)s
      AND c.id IN (SELECT case_id FROM conflict_positions
                   WHERE team_id = %(team_id)s AND semantic_group_key = %(group)s)
    ORDER BY c.id LIMIT %(limit)s
"""
)
_GET_CONFLICT: LiteralString = _CONFLICT_COLUMNS + " AND c.id = %(id)s"
_LIST_CONFLICTS: LiteralString = (
    _CONFLICT_COLUMNS
    + """
      AND (%(state)s::text IS NULL
           OR %(state)s = CASE WHEN c.status = 'open' AND c.due_at <= %(now)s THEN 'overdue' ELSE c.status END)
      AND (%(after_at)s::timestamptz IS NULL
           OR (c.opened_at, c.id) < (%(after_at)s::timestamptz, %(after_id)s::text))
    ORDER BY c.opened_at DESC, c.id DESC LIMIT %(limit)s
"""
)
