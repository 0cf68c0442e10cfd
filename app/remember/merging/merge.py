"""One entity becomes another: its positions get successors there, in one transaction."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import LiteralString

from app.kernel.database import Writing
from app.kernel.errors import FieldError, InvalidInput, WrongState
from app.kernel.ids import new_id
from app.ledger.conflicts.entrance import Entrance, enter_position
from app.ledger.conflicts.withdrawal import settle_withdrawn
from app.ledger.identity import Edge, target_identity
from app.ledger.nodes.entities import Entity, find_entities_by_id
from app.ledger.nodes.typed_values import get_value_text
from app.ledger.predicates.registry import hold_predicates
from app.ledger.relationships.neighbours import lock_related, near_of
from app.ledger.relationships.rows import (
    Change,
    StoredRelationship,
    change_relationship,
    find_relationships,
    insert_relationship,
)
from app.ledger.retraction import Changed
from app.ledger.vocabulary import ENDED, LIVING
from app.remember.document import write_document
from app.remember.merging.lending import take_over
from app.remember.merging.rows import (
    MovedPosition,
    give_window,
    insert_merge,
    is_ended_by_undoing,
    lock_entities,
    set_survivor,
    take_merge_turn,
)
from app.remember.merging.successor import settle_disputes, settle_held
from app.tenancy.callers import Caller


@dataclass(frozen=True, slots=True)
class Merged:
    """A merge, or what its undoing changed. `changed` holds each Relationship as it stands afterwards, by id."""

    merge_id: str
    entity_id: str
    survivor_id: str
    changed: tuple[Changed, ...]


async def merge_entities(
    w: Writing, caller: Caller, entity_id: str, *, into: str, reason: str | None, now: datetime
) -> Merged:
    """Leave the entity merged into the survivor: its names lead there, its living positions stand there.

    Raises:
        NotFound: one of the two is malformed, missing or another team's.
        InvalidInput: they are the same, or of kinds that no one thing is.
        WrongState: `entity_merged`, one of them is merged already; `review_open`, a review holds one of the
            positions.
    """
    team_id = caller.team_id
    await take_merge_turn(w, team_id)
    await _check_mergeable(w, team_id, entity_id, into)
    moved_ids = [row["id"] for row in await w.fetch_all(_LIVING, {"team_id": team_id, "id": entity_id})]
    olds = await find_relationships(w, team_id, moved_ids)
    predicates = await hold_predicates(w, team_id)
    nears = [near_of(team_id, one, predicates) for one in olds]
    nears += [near_of(team_id, _moved(one, entity_id, into), predicates) for one in olds]
    current = {one.relationship_id: one for one in await lock_related(w, team_id, nears)} if nears else {}
    before = dict(current)
    # What its owner ended while we waited for the locks is not brought back.
    olds = [current[one] for one in moved_ids if current[one].status not in ENDED]
    moved_ids = [one.relationship_id for one in olds]
    if await w.fetch_one(_HELD, {"team_id": team_id, "ids": moved_ids}) is not None:
        raise WrongState("A review holds one of the positions; resolve it first.", code="review_open")
    entrance = Entrance(team_id, "entity_merged", caller.profile_id, predicates)
    await set_survivor(w, team_id, entity_id, into)
    for old in olds:
        await _supersede(w, entrance, old, current)
    closed = [current[one.relationship_id] for one in olds]
    settled = await settle_withdrawn(w, team_id, closed, current, actor_profile_id=caller.profile_id)
    current |= {one.relationship_id: one for one in settled}
    moved = [await _succeed(w, entrance, old, entity_id, into, current) for old in olds]
    await settle_disputes(w, entrance, current)
    await settle_held(w, entrance, current)
    merge_id = await insert_merge(
        w, team_id, entity_id, into, moved, reason=reason, profile_id=caller.profile_id
    )
    return Merged(merge_id, entity_id, into, find_changes(before, current))


def find_changes(
    before: Mapping[str, StoredRelationship], after: Mapping[str, StoredRelationship]
) -> tuple[Changed, ...]:
    """Return every Relationship that is new or has another version, in the order of the ids."""
    return tuple(
        Changed(one.relationship_id, one.status, one.version)
        for _, one in sorted(after.items())
        if one.relationship_id not in before or before[one.relationship_id].version != one.version
    )


async def _check_mergeable(w: Writing, team_id: str, entity_id: str, into: str) -> None:
    entities = await lock_entities(w, team_id, [entity_id, into])
    if entity_id == into:
        fault = FieldError("into_entity_id", "same_entity", "An entity is itself already.")
        raise InvalidInput("The entities cannot be merged.", errors=(fault,))
    kinds = {row["kind"] for row in entities.values()} - {"other"}
    if len(kinds) > 1:
        fault = FieldError(
            "into_entity_id", "kind_differs", f"One thing is not {' and '.join(sorted(kinds))}."
        )
        raise InvalidInput("The entities cannot be merged.", errors=(fault,))
    if any(row["is_merged"] for row in entities.values()):
        raise WrongState("One of the entities is merged already.", code="entity_merged")


def _moved(old: StoredRelationship, entity_id: str, into: str) -> StoredRelationship:
    """Return the position with the survivor in the entity's place; its identities are still the old ones."""
    return replace(
        old,
        subject_entity_id=into if old.subject_entity_id == entity_id else old.subject_entity_id,
        object_entity_id=into if old.object_entity_id == entity_id else old.object_entity_id,
    )


async def _supersede(
    w: Writing, entrance: Entrance, old: StoredRelationship, current: dict[str, StoredRelationship]
) -> None:
    change = Change(
        reason=entrance.reason,
        effect="source_lost" if old.status in LIVING else "harmless",
        actor_profile_id=entrance.actor_profile_id,
        status="superseded",
    )
    current[old.relationship_id] = await change_relationship(w, entrance.team_id, old, change)


async def _succeed(
    w: Writing,
    entrance: Entrance,
    old: StoredRelationship,
    entity_id: str,
    into: str,
    current: dict[str, StoredRelationship],
) -> MovedPosition:
    """Leave a position on the survivor that says what the old one said, unless its owner has ended that one.

    Returns the entry of the before-image.
    """
    moved = _moved(old, entity_id, into)
    if moved.subject_entity_id == moved.object_entity_id:
        return MovedPosition(old.relationship_id, old.tier, old.status, None, ())
    near = near_of(entrance.team_id, moved, entrance.predicates)
    identity = (moved.owner_profile_id, near.group_key, moved.valid_from)
    own = next((one for one in current.values() if _identity(one) == identity), None)
    comes_back = own is not None and await is_ended_by_undoing(w, entrance.team_id, own)
    # A position that has ended otherwise is not brought back by a merge: its owner's word stands.
    if own is not None and own.status in ENDED and not comes_back:
        return MovedPosition(old.relationship_id, old.tier, old.status, None, ())
    if own is not None and comes_back:
        own = await give_window(
            w,
            entrance.team_id,
            own,
            moved.valid_to,
            reason=entrance.reason,
            actor_id=entrance.actor_profile_id,
        )
    successor = own or await _insert(w, entrance, moved, near.group_key)
    current[successor.relationship_id] = successor
    citations = await take_over(w, entrance, old.relationship_id, successor.relationship_id)
    is_open = comes_back or successor.status == "pending_evidence"
    await enter_position(w, entrance, successor, old.status if is_open else successor.status, current)
    return MovedPosition(old.relationship_id, old.tier, old.status, successor.relationship_id, citations)


def _identity(one: StoredRelationship) -> tuple[str, str, datetime | None]:
    return (one.owner_profile_id, one.semantic_group_key, one.valid_from)


async def _insert(
    w: Writing, entrance: Entrance, moved: StoredRelationship, group_key: str
) -> StoredRelationship:
    predicate = entrance.predicates[moved.predicate_key]
    edge = Edge(moved.subject_entity_id, moved.predicate_key, moved.object_id)
    successor = replace(
        moved,
        relationship_id=new_id("rel"),
        predicate_version=predicate.version,
        semantic_group_key=group_key,
        target_identity=target_identity(edge, predicate),
        tier="candidate",
        status="pending_evidence",
        version=1,
        eligible_since=None,
    )
    ends = [one for one in (moved.subject_entity_id, moved.object_entity_id) if one is not None]
    entities: Mapping[str, Entity] = await find_entities_by_id(w, entrance.team_id, ends)
    if moved.object_entity_id is not None:
        object_names = entities[moved.object_entity_id].names
    else:
        object_names = (await get_value_text(w, entrance.team_id, moved.object_id),)
    body = write_document(
        entities[moved.subject_entity_id].names, predicate, object_names, polarity=moved.polarity
    )
    await insert_relationship(
        w, entrance.team_id, successor, reason=entrance.reason, effect="harmless", document=body
    )
    return successor


_LIVING: LiteralString = """
    SELECT id FROM relationships
    WHERE team_id = %(team_id)s AND (subject_entity_id = %(id)s OR object_entity_id = %(id)s)
      AND status NOT IN ('superseded', 'retracted', 'rejected')
    ORDER BY id
"""
_HELD: LiteralString = """
    SELECT FROM review_tasks
    WHERE team_id = %(team_id)s AND relationship_id = ANY (%(ids)s) AND status = 'open' LIMIT 1
"""
