"""What follows when a position no longer holds: cases without two sides close, disputes with oneself end.

Everything runs in the transaction that changed the position.
"""

from collections.abc import Collection, Iterable, Mapping

from app.kernel.database import Writing
from app.ledger.conflicts.closing import close_cases
from app.ledger.conflicts.entrance import Entrance, enter_position
from app.ledger.predicates.registry import list_predicates
from app.ledger.relationships.neighbours import lock_groups, lock_with_neighbours, near_of
from app.ledger.relationships.rows import StoredRelationship


async def settle_withdrawn(
    w: Writing,
    team_id: str,
    changed: Collection[StoredRelationship],
    locked: Mapping[str, StoredRelationship],
    *,
    actor_profile_id: str,
) -> list[StoredRelationship]:
    """Leave no undecided or resolved case without a conflict, and no dispute with only one side.

    Args:
        changed: positions as they are since this transaction changed them.
        locked: what it holds locked, by id, as it was read; see `lock_with_neighbours`.
        actor_profile_id: whose change it is.

    Returns:
        What was changed besides, as it stands now, in the order in which it was first changed.
    """
    if not changed:
        return []
    current = {**locked, **{one.relationship_id: one for one in changed}}
    entrance = Entrance(team_id, "reinstated", actor_profile_id, await list_predicates(w, team_id))
    settled = await close_cases(
        w,
        team_id,
        {one.semantic_group_key for one in changed},
        current,
        entrance.predicates,
        actor_profile_id=actor_profile_id,
        changed={one.relationship_id for one in changed},
    )
    for one in changed:
        if one.status != "disputed":
            settled |= await _end_disputes(w, entrance, one, current)
    return list(settled.values())


async def _end_disputes(
    w: Writing, entrance: Entrance, one: StoredRelationship, current: dict[str, StoredRelationship]
) -> dict[str, StoredRelationship]:
    """Let disputed positions enter anew whose owner no longer holds the opposite; return what changed, by id."""
    near = near_of(entrance.team_id, one, entrance.predicates)
    # What was corrected need not be anywhere near what corrects it.
    _add(current, await lock_groups(w, entrance.team_id, (near.group_key, near.opposite_group_key)))
    disputed = [
        other
        for other in current.values()
        if other.status == "disputed" and other.owner_profile_id == one.owner_profile_id
    ]
    if any(other.semantic_group_key == near.group_key for other in disputed):
        return {}
    opposites = [other for other in disputed if other.semantic_group_key == near.opposite_group_key]
    changed: dict[str, StoredRelationship] = {}
    for opposite_id in sorted(opposite.relationship_id for opposite in opposites):
        _add(current, (await lock_with_neighbours(w, entrance.team_id, [opposite_id])).values())
        changed |= await enter_position(w, entrance, current[opposite_id], "active", current)
    return changed


def _add(current: dict[str, StoredRelationship], locked: Iterable[StoredRelationship]) -> None:
    """Note what is locked besides; what is known already is as this transaction left it."""
    for one in locked:
        current.setdefault(one.relationship_id, one)
