"""Positions that stood beside one another when their predicate began to let one hold only, or stopped doing so.

Crowded positions are looked at in the order in which they were made, each as if it came to stand beside the older
ones now: it waits for a review if one of them is its owner's, and opens a conflict case with another owner's. A
change of a predicate supersedes nothing. Where many may hold again, cases that had no other reason close; what a
review holds stays held until its owner answers.

A portion at a time, so that no transaction grows with the team; each leaves the ledger in order.
"""

from typing import Final, LiteralString

from app.kernel.database import Writing
from app.ledger.conflicts.closing import close_cases
from app.ledger.conflicts.consequences import find_barring, find_others
from app.ledger.conflicts.entrance import Entrance, enter_position, open_cases
from app.ledger.relationships.neighbours import lock_with_neighbours, near_of
from app.ledger.relationships.rows import StoredRelationship
from app.ledger.relationships.slots import is_one_valued
from app.ledger.vocabulary import HOLDING, Predicate

PORTION: Final = 100
REASON: Final = "predicate_changed"


def changes_crowd(before: Predicate | None, after: Predicate) -> bool:
    """Whether positions that stand may have become rivals, or have stopped being such."""
    return is_one_valued(after) if before is None else is_one_valued(before) != is_one_valued(after)


async def settle_crowd(w: Writing, entrance: Entrance, key: str, *, after: str = "") -> str | None:
    """Leave the next positions of the predicate, or its next cases, as its current version has them.

    `after` is what the call before returned. The entrance's predicates are the current ones, and held.

    Returns:
        Where the next call goes on; None: all is settled.
    """
    predicate = entrance.predicates[key]
    if is_one_valued(predicate):
        return await _settle_positions(w, entrance, predicate, after)
    return await _settle_cases(w, entrance, predicate, after)


async def _settle_positions(w: Writing, entrance: Entrance, predicate: Predicate, after: str) -> str | None:
    # Read backwards, a symmetric predicate and an inverse fill the same slots from their other side.
    sides = [("subject", predicate.key)]
    if predicate.symmetric:
        sides.append(("object", predicate.key))
    if predicate.inverse_key is not None:
        sides.append(("object", predicate.inverse_key))
    params: dict[str, object] = {
        "team_id": entrance.team_id,
        "sides": [side for side, _ in sides],
        "keys": [key for _, key in sides],
        "after": after,
        "limit": PORTION,
    }
    ids = [row["id"] for row in await w.fetch_all(_CROWDED, params)]
    current = await lock_with_neighbours(w, entrance.team_id, ids)
    for relationship_id in ids:
        await _meet_older(w, entrance, current, relationship_id)
    return ids[-1] if len(ids) == PORTION else None


async def _meet_older(
    w: Writing, entrance: Entrance, current: dict[str, StoredRelationship], relationship_id: str
) -> None:
    stored = current[relationship_id]
    if stored.status not in HOLDING:
        return
    near = near_of(entrance.team_id, stored, entrance.predicates)
    older = {key: one for key, one in current.items() if key <= relationship_id}
    if stored.status == "active" and find_barring(stored, near, list(older.values())):
        current |= await enter_position(w, entrance, stored, "active", older)
        return
    others = find_others(stored, near, list(older.values()))
    current |= await open_cases(w, entrance.team_id, stored, stored, current, others)


async def _settle_cases(w: Writing, entrance: Entrance, predicate: Predicate, after: str) -> str | None:
    params: dict[str, object] = {
        "team_id": entrance.team_id,
        "keys": [predicate.key, *([predicate.inverse_key] if predicate.inverse_key else [])],
        "after": after,
        "limit": PORTION,
    }
    rows = await w.fetch_all(_CASES, params)
    members = sorted({member for row in rows for member in row["relationship_ids"]})
    current = await lock_with_neighbours(w, entrance.team_id, members)
    groups = {current[member].semantic_group_key for member in members}
    await close_cases(
        w,
        entrance.team_id,
        groups,
        current,
        entrance.predicates,
        actor_profile_id=entrance.actor_profile_id,
    )
    return rows[-1]["id"] if len(rows) == PORTION else None


_CROWDED: LiteralString = """
    WITH fillers AS (
        SELECT r.id, r.semantic_group_key,
               CASE family.side WHEN 'subject' THEN r.subject_entity_id ELSE r.object_entity_id END AS entity_id
        FROM unnest(%(sides)s::text[], %(keys)s::text[]) AS family (side, predicate_key)
        JOIN relationships AS r ON r.team_id = %(team_id)s AND r.predicate_key = family.predicate_key
        WHERE r.status IN ('active', 'disputed') AND r.polarity = '+'
    ), crowded AS (
        SELECT entity_id FROM fillers WHERE entity_id IS NOT NULL
        GROUP BY entity_id HAVING count(DISTINCT semantic_group_key) > 1
    )
    SELECT DISTINCT fillers.id FROM fillers JOIN crowded USING (entity_id)
    WHERE fillers.id > %(after)s ORDER BY id LIMIT %(limit)s
"""
_CASES: LiteralString = """
    SELECT c.id, ARRAY(
        SELECT r.id FROM conflict_positions AS position
        JOIN relationships AS r
          ON r.team_id = position.team_id AND r.semantic_group_key = position.semantic_group_key
        WHERE position.team_id = c.team_id AND position.case_id = c.id) AS relationship_ids
    FROM conflict_cases AS c
    WHERE c.team_id = %(team_id)s AND c.predicate_key = ANY (%(keys)s) AND c.kind = 'other_object'
      AND c.status IN ('open', 'resolved') AND c.id > %(after)s
    ORDER BY c.id LIMIT %(limit)s
"""
