"""The latest merge of an entity undone: positions get back what they were, from the before-image."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime
from typing import LiteralString

from app.kernel.database import Writing
from app.kernel.errors import WrongState
from app.ledger.conflicts.entrance import Entrance, enter_position
from app.ledger.conflicts.withdrawal import settle_withdrawn
from app.ledger.predicates.registry import list_predicates
from app.ledger.relationships.neighbours import lock_with_neighbours
from app.ledger.relationships.rows import Change, StoredRelationship, change_relationship
from app.ledger.reweigh import reweigh
from app.ledger.vocabulary import LIVING, WITHDRAWN
from app.remember.ended_reviews import end_reviews
from app.remember.merging.brought import Brought, Holdings, find_holdings
from app.remember.merging.lending import give_back, restore_verdict, take_back
from app.remember.merging.merge import Merged, find_changes
from app.remember.merging.rows import (
    MovedPosition,
    find_merge,
    insert_undoing,
    lock_entities,
    set_survivor,
    take_merge_turn,
)
from app.remember.merging.successor import settle_disputes, settle_held
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
    holdings = await find_holdings(w, team_id, [current[one] for one in successors])
    brought = {one.relationship_id: one for one in holdings.brought if one.merge_id == merge.merge_id}
    await set_survivor(w, team_id, entity_id, None)
    taken = [await _take_back(w, entrance, one, holdings, current) for one in brought.values()]
    await _end_lent_disputes(w, entrance, list(brought.values()), holdings, current)
    withdrawn = [current[one.relationship_id] for one in taken if one is not None]
    settled = await settle_withdrawn(w, team_id, withdrawn, current, actor_profile_id=caller.profile_id)
    current |= {one.relationship_id: one for one in settled}
    for moved in merge.moved:
        if current[moved.relationship_id].status == "superseded":
            await _restore(w, entrance, moved, brought.get(moved.relationship_id), holdings, before, current)
    await settle_disputes(w, entrance, current)
    await settle_held(w, entrance, current)
    await insert_undoing(w, team_id, merge, reason=reason, profile_id=caller.profile_id)
    return Merged(merge.merge_id, entity_id, merge.survivor_id, find_changes(before, current))


async def _take_back(
    w: Writing,
    entrance: Entrance,
    brought: Brought,
    holdings: Holdings,
    current: dict[str, StoredRelationship],
) -> StoredRelationship | None:
    """Take from the successor what only this merge carried; return it as it stands, or None if it had ended."""
    successor_id, actor_id = brought.successor_id, entrance.actor_profile_id
    successor = current[successor_id]
    await give_back(w, entrance, successor_id, holdings.lost_without(brought))
    if successor.status in WITHDRAWN:
        return None
    if holdings.is_left_without(brought):
        others = [other.relationship_id for other in holdings.others_on(brought)]
        await restore_verdict(w, entrance.team_id, successor_id, others)
        current[successor_id] = await reweigh(
            w, entrance.team_id, successor, reason=entrance.reason, actor_profile_id=actor_id
        )
        return current[successor_id]
    change = Change(
        reason=entrance.reason,
        effect="source_lost" if successor.status in LIVING else "harmless",
        actor_profile_id=actor_id,
        status="retracted",
    )
    changed = await change_relationship(w, entrance.team_id, successor, change)
    await end_reviews(w, entrance.team_id, [changed], reason="relationship_retracted", profile_id=actor_id)
    current[successor_id] = changed
    return changed


async def _end_lent_disputes(
    w: Writing,
    entrance: Entrance,
    brought: Collection[Brought],
    holdings: Holdings,
    current: dict[str, StoredRelationship],
) -> None:
    """Let each successor enter anew that only this merge made a side of a dispute."""
    lent = [
        one.successor_id
        for one in brought
        if current[one.successor_id].status == "disputed"
        and not any(other.status == "disputed" for other in holdings.others_on(one))
    ]
    for row in await w.fetch_all(_DISPUTED_BY_MERGES, {"team_id": entrance.team_id, "ids": sorted(lent)}):
        await enter_position(w, entrance, current[row["relationship_id"]], "active", current)


async def _restore(
    w: Writing,
    entrance: Entrance,
    moved: MovedPosition,
    brought: Brought | None,
    holdings: Holdings,
    before: Mapping[str, StoredRelationship],
    current: dict[str, StoredRelationship],
) -> None:
    """Leave the old position as it was, but for what its owner has taken back of it on the survivor since."""
    old, status = current[moved.relationship_id], moved.status
    if brought is not None:
        await take_back(w, entrance, moved.relationship_id, holdings.taken_back(brought))
        if ending := holdings.ending_since(brought):
            status = ending
        elif before[brought.successor_id].status == "superseded":
            # Whoever ended the successor meant the position, whatever the entity is called.
            status = "superseded"
    if status in WITHDRAWN:
        # Not undone but taken back: no later merge brings it back.
        entrance = replace(entrance, reason="taken_back")
    await enter_position(w, entrance, old, status, current)


_DISPUTED_BY_MERGES: LiteralString = """
    SELECT relationship_id FROM (
        SELECT DISTINCT ON (relationship_id) relationship_id, reason FROM relationship_transitions
        WHERE team_id = %(team_id)s AND relationship_id = ANY (%(ids)s)
          AND to_status = 'disputed' AND from_status IS DISTINCT FROM 'disputed'
        ORDER BY relationship_id, version DESC
    ) AS entered
    WHERE reason = 'entity_merged' ORDER BY relationship_id
"""
# A later merge went on from where this one left a position; it has its own before-image.
_MERGED_SINCE: LiteralString = """
    SELECT r.id FROM relationships AS r
    JOIN relationship_transitions AS t
      ON t.team_id = r.team_id AND t.relationship_id = r.id AND t.version = r.version
    WHERE r.team_id = %(team_id)s AND r.id = ANY (%(ids)s) AND t.reason = 'entity_merged'
      AND t.to_status = 'superseded' LIMIT 1
"""
