"""Positions that what a merge, or its undoing, took away lets go on: sides of a dispute, and what it held."""

from dataclasses import replace
from typing import LiteralString

from app.kernel.database import Writing
from app.ledger.conflicts.consequences import find_barring
from app.ledger.conflicts.entrance import Entrance, enter_position
from app.ledger.relationships.neighbours import lock_groups, lock_with_neighbours, near_of
from app.ledger.relationships.rows import StoredRelationship
from app.remember.ended_reviews import end_reviews


async def settle_disputes(w: Writing, entrance: Entrance, current: dict[str, StoredRelationship]) -> None:
    """Let each disputed position enter anew whose owner no longer disputes the opposite.

    Two sides that were moved may meet others of their owner's, or only one of them may have come back.
    """
    for relationship_id in sorted(current):
        one = current[relationship_id]
        if one.status != "disputed":
            continue
        opposite_key = near_of(entrance.team_id, one, entrance.predicates).opposite_group_key
        others = await lock_groups(w, entrance.team_id, [opposite_key])
        if not any(
            other.status == "disputed" and other.owner_profile_id == one.owner_profile_id for other in others
        ):
            await enter_position(w, entrance, one, "active", current)


async def settle_held(w: Writing, entrance: Entrance, current: dict[str, StoredRelationship]) -> None:
    """Let each position enter anew that only a merge or an undoing holds, where nothing stands beside it now."""
    held = sorted(one.relationship_id for one in current.values() if one.status == "needs_review")
    reviews = await w.fetch_all(_HELD_BY_MERGES, {"team_id": entrance.team_id, "ids": held}) if held else []
    for relationship_id in sorted({row["relationship_id"] for row in reviews}):
        current |= await lock_with_neighbours(w, entrance.team_id, [relationship_id])
        one = current[relationship_id]
        position = replace(one, status="active")
        if find_barring(
            position, near_of(entrance.team_id, one, entrance.predicates), list(current.values())
        ):
            continue
        await enter_position(w, entrance, one, "active", current)
        await end_reviews(
            w,
            entrance.team_id,
            [current[relationship_id]],
            reason=entrance.reason,
            profile_id=entrance.actor_profile_id,
        )


_HELD_BY_MERGES: LiteralString = """
    SELECT id, relationship_id FROM review_tasks AS task
    WHERE team_id = %(team_id)s AND relationship_id = ANY (%(ids)s) AND status = 'open'
      AND NOT EXISTS (SELECT FROM review_tasks AS other
                      WHERE other.team_id = task.team_id AND other.relationship_id = task.relationship_id
                        AND other.status = 'open' AND other.reason NOT IN ('entity_merged', 'entity_unmerged'))
    ORDER BY relationship_id, id
"""
