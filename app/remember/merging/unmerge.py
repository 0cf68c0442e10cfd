"""The latest merge of an entity undone: positions get back what they were, from the before-image."""

from datetime import datetime
from typing import LiteralString

from app.kernel.database import Writing
from app.kernel.errors import WrongState
from app.ledger.conflicts.entrance import Entrance, enter_position
from app.ledger.conflicts.withdrawal import settle_withdrawn
from app.ledger.evidence.supports import effective_weights, revoke_supports
from app.ledger.predicates.registry import list_predicates
from app.ledger.relationships.neighbours import lock_with_neighbours
from app.ledger.relationships.rows import Change, StoredRelationship, change_relationship
from app.ledger.reweigh import reweigh
from app.ledger.vocabulary import ENDED, LIVING, WITHDRAWN, Status
from app.remember.ended_reviews import end_reviews
from app.remember.merging.merge import Merged, find_changes
from app.remember.merging.rows import (
    MovedPosition,
    find_merge,
    insert_undoing,
    lock_entities,
    set_survivor,
    take_merge_turn,
)
from app.remember.merging.successor import give_back, settle_disputes
from app.tenancy.callers import Caller


async def unmerge_entity(
    w: Writing, caller: Caller, entity_id: str, *, reason: str | None, now: datetime
) -> Merged:
    """Leave the entity one of its own again, with the positions that it had.

    Raises:
        NotFound: malformed, missing or another team's.
        WrongState: `not_merged`; `survivor_merged` or `merged_since`, a later merge has to be undone first.
    """
    team_id = caller.team_id
    await take_merge_turn(w, team_id)
    merge = await find_merge(w, team_id, entity_id)
    entities = await lock_entities(w, team_id, [entity_id, *([merge.survivor_id] if merge else [])])
    if merge is None or entities[entity_id]["merged_into_id"] != merge.survivor_id:
        raise WrongState("The entity is not merged.", code="not_merged")
    if entities[merge.survivor_id]["is_merged"]:
        raise WrongState(
            "What it was merged into is merged itself; unmerge that first.", code="survivor_merged"
        )
    ids = {one.relationship_id for one in merge.moved}
    ids |= {one.successor_id for one in merge.moved if one.successor_id is not None}
    current = await lock_with_neighbours(w, team_id, ids)
    before = dict(current)
    successors = [one.successor_id for one in merge.moved if one.successor_id is not None]
    if await w.fetch_one(_MERGED_SINCE, {"team_id": team_id, "ids": successors}) is not None:
        raise WrongState(
            "An entity at the other end has been merged since; unmerge that first.", code="merged_since"
        )
    entrance = Entrance(team_id, "entity_unmerged", caller.profile_id, await list_predicates(w, team_id))
    await set_survivor(w, team_id, entity_id, None)
    taken = [await _take_back(w, entrance, one, current) for one in merge.moved]
    withdrawn = [one for one in taken if one is not None]
    settled = await settle_withdrawn(w, team_id, withdrawn, current, actor_profile_id=caller.profile_id)
    current |= {one.relationship_id: one for one in settled}
    for moved in merge.moved:
        old = current[moved.relationship_id]
        if old.status == "superseded":
            status = _restored_status(moved, before)
            if status in WITHDRAWN:
                await revoke_supports(
                    w, team_id, old.relationship_id, reason=entrance.reason, profile_id=caller.profile_id
                )
            await enter_position(w, entrance, old, status, current)
    await settle_disputes(w, entrance, current)
    await insert_undoing(w, team_id, merge, reason=reason, profile_id=caller.profile_id)
    return Merged(merge.merge_id, entity_id, merge.survivor_id, find_changes(before, current))


async def _take_back(
    w: Writing, entrance: Entrance, moved: MovedPosition, current: dict[str, StoredRelationship]
) -> StoredRelationship | None:
    """Take from the successor what came with the merge; return it as it stands, or None where there is none."""
    if moved.successor_id is None:
        return None
    successor = current[moved.successor_id]
    await give_back(w, entrance, moved.successor_id, moved.citation_ids)
    if successor.status in ENDED:
        return None
    actor_id = entrance.actor_profile_id
    if moved.is_created and not await effective_weights(w, entrance.team_id, moved.successor_id):
        change = Change(
            reason=entrance.reason,
            effect="source_lost" if successor.status in LIVING else "harmless",
            actor_profile_id=actor_id,
            status="retracted",
        )
        changed = await change_relationship(w, entrance.team_id, successor, change)
        await end_reviews(
            w, entrance.team_id, [changed], reason="relationship_retracted", profile_id=actor_id
        )
    else:
        changed = await reweigh(
            w, entrance.team_id, successor, reason=entrance.reason, actor_profile_id=actor_id
        )
    current[moved.successor_id] = changed
    return changed


def _restored_status(moved: MovedPosition, before: dict[str, StoredRelationship]) -> Status:
    # Whoever ended a successor meant the position, whatever the entity is called.
    if moved.successor_id is not None and before[moved.successor_id].status in ENDED:
        return before[moved.successor_id].status
    return moved.status


# A later merge went on from where this one left a position; it has its own before-image.
_MERGED_SINCE: LiteralString = """
    SELECT r.id FROM relationships AS r
    JOIN relationship_transitions AS t
      ON t.team_id = r.team_id AND t.relationship_id = r.id AND t.version = r.version
    WHERE r.team_id = %(team_id)s AND r.id = ANY (%(ids)s) AND t.reason = 'entity_merged'
      AND t.to_status = 'superseded' LIMIT 1
"""
