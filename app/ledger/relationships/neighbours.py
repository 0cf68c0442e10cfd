"""Locking a position together with everything that it can meet, in the one order that all changes keep.

The team's predicates first, which say how many can hold, then turns for slots, then Relationships by id. Who
changes a position holds these, so that conflict cases, disputes and windows are decided by one transaction at a
time.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import LiteralString

from app.kernel.database import Writing
from app.ledger.identity import Edge
from app.ledger.predicates.registry import hold_predicates
from app.ledger.relationships.rows import (
    RELATIONSHIP_COLUMNS,
    StoredRelationship,
    find_relationships,
    read_relationship,
)
from app.ledger.relationships.slots import Neighbourhood, Place, neighbourhood
from app.ledger.vocabulary import Predicate


async def lock_related(w: Writing, team_id: str, nears: Sequence[Neighbourhood]) -> list[StoredRelationship]:
    """Lock and return everything that positions there could meet: their groups, the opposites, slot rivals.

    First waits for every other placement in the same slots, so that two first positions see each other. In the
    order of the ids.
    """
    keys = {f"{team_id}/slot/{key}" for near in nears for key in near.turn_keys}
    slots = sorted({(slot.side, slot.entity_id, slot.predicate_key) for near in nears for slot in near.slots})
    params: dict[str, object] = {
        "team_id": team_id,
        "group_keys": sorted({key for near in nears for key in (near.group_key, near.opposite_group_key)}),
        "also": sorted({one for near in nears for one in near.also}),
        "sides": [side for side, _, _ in slots],
        "entity_ids": [entity_id for _, entity_id, _ in slots],
        "predicate_keys": [predicate_key for _, _, predicate_key in slots],
    }
    # The second one sees what was committed while the first one waited.
    _, rows = await w.fetch_each((_TAKE_TURNS, {"keys": sorted(keys)}), (_RELATED, params))
    return [read_relationship(row) for row in rows]


async def lock_with_neighbours(
    w: Writing, team_id: str, ids: Collection[str]
) -> dict[str, StoredRelationship]:
    """Lock the Relationships and everything that they could meet; return all of it by id.

    An id that is none of the team's is not among them.
    """
    predicates = await hold_predicates(w, team_id)
    found = await find_relationships(w, team_id, ids)
    nears = [near_of(team_id, stored, predicates) for stored in found]
    return {one.relationship_id: one for one in await lock_related(w, team_id, nears)} if nears else {}


async def lock_groups(w: Writing, team_id: str, group_keys: Collection[str]) -> list[StoredRelationship]:
    """Lock and return every Relationship of these equivalence groups, in the order of the ids."""
    rows = await w.fetch_all(_OF_GROUPS, {"team_id": team_id, "group_keys": sorted(group_keys)})
    return [read_relationship(row) for row in rows]


def near_of(team_id: str, stored: StoredRelationship, predicates: Mapping[str, Predicate]) -> Neighbourhood:
    """Return where the relatives of a stored position are."""
    predicate = predicates[stored.predicate_key]
    inverse = predicates.get(predicate.inverse_key) if predicate.inverse_key else None
    edge = Edge(stored.subject_entity_id, stored.predicate_key, stored.object_id)
    place = Place(team_id, edge, stored.polarity, stored.scope)
    return neighbourhood(place, predicate, inverse, also=(stored.relationship_id,))


_TAKE_TURNS: LiteralString = """
    SELECT pg_advisory_xact_lock(hashtextextended(key, 3)) FROM unnest(%(keys)s::text[]) AS key
"""
# Look-ups gathered into an array first: an OR over them, or a join with their union, reads the whole team. NO KEY
# UPDATE, because a Hypothesis that cites a Relationship needs its key only.
_RELATED: LiteralString = (
    "SELECT "
    + RELATIONSHIP_COLUMNS
    + """
    FROM relationships WHERE team_id = %(team_id)s AND id = ANY (%(also)s::text[] || ARRAY(
        SELECT id FROM relationships
        WHERE team_id = %(team_id)s AND semantic_group_key = ANY (%(group_keys)s)
        UNION ALL SELECT r.id
        FROM unnest(%(sides)s::text[], %(entity_ids)s::text[], %(predicate_keys)s::text[])
             AS slot (side, entity_id, predicate_key)
        JOIN relationships AS r
          ON r.team_id = %(team_id)s AND r.subject_entity_id = slot.entity_id
         AND r.predicate_key = slot.predicate_key AND slot.side = 'subject'
        UNION ALL SELECT r.id
        FROM unnest(%(sides)s::text[], %(entity_ids)s::text[], %(predicate_keys)s::text[])
             AS slot (side, entity_id, predicate_key)
        JOIN relationships AS r
          ON r.team_id = %(team_id)s AND r.object_entity_id = slot.entity_id
         AND r.predicate_key = slot.predicate_key AND slot.side = 'object'))
    ORDER BY id FOR NO KEY UPDATE
"""
)
_OF_GROUPS: LiteralString = (
    "SELECT "
    + RELATIONSHIP_COLUMNS
    + """
    FROM relationships WHERE team_id = %(team_id)s AND semantic_group_key = ANY (%(group_keys)s)
    ORDER BY id FOR NO KEY UPDATE
"""
)
