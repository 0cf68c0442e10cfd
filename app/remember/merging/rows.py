"""Entities under lock, and the events of their merges."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, LiteralString

from app.kernel.database import Reading, Row, Writing
from app.kernel.errors import NotFound
from app.kernel.ids import is_id, new_id
from app.ledger.relationships.rows import Change, StoredRelationship, change_relationship
from app.ledger.vocabulary import Status, Tier


@dataclass(frozen=True, slots=True)
class MovedPosition:
    """One entry of a before-image: how a position stood, and what was made of it.

    `successor_id` is None where both ends became one thing, or the owner had ended the same on the survivor.
    `citation_ids` are the supports that the position had, and so the successor has by the merge.
    """

    relationship_id: str
    tier: Tier
    status: Status
    successor_id: str | None
    citation_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MergeEvent:
    """A merge that has not been undone."""

    merge_id: str
    entity_id: str
    survivor_id: str
    moved: tuple[MovedPosition, ...]


async def take_merge_turn(w: Writing, team_id: str) -> None:
    """Let no other merge of the team, or undoing, run until the transaction ends.

    Each looks at positions whose other end a second one could move away meanwhile. Taken before everything else.
    """
    await w.execute(_TAKE_TURN, {"key": f"{team_id}/merges"})


async def lock_entities(w: Writing, team_id: str, ids: Sequence[str]) -> dict[str, Row]:
    """Return kind and merge state of the entities; nobody places a position on them until the end.

    Raises:
        NotFound: one of them is malformed, missing or another team's.
    """
    known = [one for one in ids if is_id(one, "ent")]
    rows = await w.fetch_all(_LOCK, {"team_id": team_id, "ids": sorted(known)})
    if len({row["id"] for row in rows}) != len(set(ids)):
        raise NotFound("No such entity.")
    return {row["id"]: row for row in rows}


async def set_survivor(w: Writing, team_id: str, entity_id: str, survivor_id: str | None) -> None:
    """Leave the entity merged into the survivor, or with None an entity of its own again."""
    params = {"team_id": team_id, "id": entity_id, "survivor_id": survivor_id}
    await w.execute(_SET_SURVIVOR, params)


async def insert_merge(
    w: Writing,
    team_id: str,
    entity_id: str,
    survivor_id: str,
    moved: Sequence[MovedPosition],
    *,
    reason: str | None,
    profile_id: str,
) -> str:
    """Store the event of a merge and return its id."""
    merge_id = new_id("mrg")
    await w.execute(
        _INSERT_EVENT,
        {
            "team_id": team_id,
            "id": merge_id,
            "event": "merged",
            "entity_id": entity_id,
            "survivor_id": survivor_id,
            "undoes_id": None,
            "before_image": {"positions": [_as_stored(one) for one in moved]},
            "reason": reason,
            "profile_id": profile_id,
        },
    )
    return merge_id


async def insert_undoing(
    w: Writing, team_id: str, merge: MergeEvent, *, reason: str | None, profile_id: str
) -> None:
    """Store the event that undoes a merge; there can only be one."""
    await w.execute(
        _INSERT_EVENT,
        {
            "team_id": team_id,
            "id": new_id("mrg"),
            "event": "unmerged",
            "entity_id": merge.entity_id,
            "survivor_id": merge.survivor_id,
            "undoes_id": merge.merge_id,
            "before_image": {"positions": []},
            "reason": reason,
            "profile_id": profile_id,
        },
    )


async def is_ended_by_undoing(reading: Reading, team_id: str, stored: StoredRelationship) -> bool:
    """Whether the position is over because a merge was undone: its owner has not taken it back."""
    if stored.status != "retracted":
        return False
    params = {"team_id": team_id, "id": stored.relationship_id, "version": stored.version}
    return await reading.fetch_one(_ENDED_BY_UNDOING, params) is not None


async def give_window(
    w: Writing,
    team_id: str,
    stored: StoredRelationship,
    valid_to: datetime | None,
    *,
    reason: str,
    actor_id: str,
) -> StoredRelationship:
    """Leave what the undoing of a merge ended with this window's end, before it comes back.

    The one that it has is of a position that it was made of then.
    """
    if stored.valid_to == valid_to:
        return stored
    change = Change(reason, "harmless", actor_id, valid_to=valid_to, reopens=valid_to is None)
    return await change_relationship(w, team_id, stored, change)


async def find_merge(w: Writing, team_id: str, entity_id: str) -> MergeEvent | None:
    """Return the merge that made the entity another one, if it lasts."""
    row = await w.fetch_one(_FIND, {"team_id": team_id, "entity_id": entity_id})
    if row is None:
        return None
    positions = tuple(_from_stored(one) for one in row["before_image"]["positions"])
    return MergeEvent(row["id"], row["entity_id"], row["survivor_id"], positions)


def _as_stored(moved: MovedPosition) -> dict[str, object]:
    return {
        "relationship_id": moved.relationship_id,
        "tier": moved.tier,
        "status": moved.status,
        "successor_id": moved.successor_id,
        "citation_ids": list(moved.citation_ids),
    }


def _from_stored(stored: Mapping[str, Any]) -> MovedPosition:  # JSON that `_as_stored` made.
    # Images of before name more, and as citations only those that the successor lacked: see `brought`.
    return MovedPosition(
        stored["relationship_id"],
        stored["tier"],
        stored["status"],
        stored["successor_id"],
        tuple(stored["citation_ids"]),
    )


_TAKE_TURN: LiteralString = "SELECT pg_advisory_xact_lock(hashtextextended(%(key)s, 5))"
_LOCK: LiteralString = """
    SELECT id, kind, is_merged, merged_into_id FROM entities
    WHERE team_id = %(team_id)s AND id = ANY (%(ids)s) ORDER BY id FOR NO KEY UPDATE
"""
_SET_SURVIVOR: LiteralString = """
    UPDATE entities SET is_merged = %(survivor_id)s::text IS NOT NULL, merged_into_id = %(survivor_id)s
    WHERE team_id = %(team_id)s AND id = %(id)s
"""
_INSERT_EVENT: LiteralString = """
    INSERT INTO entity_merge_events
        (team_id, id, event, entity_id, survivor_id, undoes_id, before_image, reason, actor_profile_id)
    VALUES (%(team_id)s, %(id)s, %(event)s, %(entity_id)s, %(survivor_id)s, %(undoes_id)s, %(before_image)s,
            %(reason)s, %(profile_id)s)
"""
_ENDED_BY_UNDOING: LiteralString = """
    SELECT version FROM relationship_transitions
    WHERE team_id = %(team_id)s AND relationship_id = %(id)s AND version = %(version)s
      AND reason = 'entity_unmerged' AND to_status = 'retracted'
"""
_FIND: LiteralString = """
    SELECT merge.id, merge.entity_id, merge.survivor_id, merge.before_image
    FROM entity_merge_events AS merge
    WHERE merge.team_id = %(team_id)s AND merge.entity_id = %(entity_id)s AND merge.event = 'merged'
      AND NOT EXISTS (SELECT FROM entity_merge_events AS undoing
                      WHERE undoing.team_id = merge.team_id AND undoing.undoes_id = merge.id)
    ORDER BY merge.created_at DESC, merge.id DESC LIMIT 1
"""
