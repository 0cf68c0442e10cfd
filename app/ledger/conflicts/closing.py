"""Cases that have lost their conflict: nothing in them disagrees any more, so they close, deciding nothing.

`is_conflicting` is pure. Everything runs in the transaction that changed the position.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import LiteralString

from app.kernel.database import Row, Writing
from app.ledger.conflicts.events import note_case
from app.ledger.relationships.neighbours import near_of
from app.ledger.relationships.rows import (
    Change,
    StoredRelationship,
    change_relationship,
    lock_relationships,
)
from app.ledger.vocabulary import HOLDING, LIVING, Predicate


def is_conflicting(
    one: StoredRelationship, other: StoredRelationship, team_id: str, predicates: Mapping[str, Predicate]
) -> bool:
    """Return whether two positions of different owners cannot both hold as they stand."""
    if one.owner_profile_id == other.owner_profile_id or one.scope != other.scope:
        return False
    if not {one.status, other.status} <= HOLDING or not one.overlaps(other.valid_from, other.valid_to):
        return False
    near = near_of(team_id, one, predicates)
    if other.semantic_group_key == near.opposite_group_key:
        return True
    is_both_affirmed = one.polarity == other.polarity == "+"
    return is_both_affirmed and other.semantic_group_key != near.group_key and near.shares_slot(other)


async def close_cases(
    w: Writing,
    team_id: str,
    groups: Collection[str],
    current: dict[str, StoredRelationship],
    predicates: Mapping[str, Predicate],
    *,
    actor_profile_id: str,
    changed: Collection[str] = (),
) -> dict[str, StoredRelationship]:
    """Leave no undecided or resolved case of the groups without a conflict; return what that gives back, by id.

    `current` is what is locked, by id, and is kept up to date; `changed` has changed already and is told about.
    """
    freed: dict[str, StoredRelationship] = {}
    for case in await w.fetch_all(_UNSETTLED, {"team_id": team_id, "groups": sorted(groups)}):
        held = await _holders(w, team_id, case, current)
        pairs = ((one, other) for place, one in enumerate(held) for other in held[place + 1 :])
        if any(is_conflicting(one, other, team_id, predicates) for one, other in pairs):
            continue
        params = {"team_id": team_id, "case_id": case["id"], "profile_id": actor_profile_id}
        await w.execute(_CLOSE, params)
        await note_case(w, team_id, case["id"], "withdrawn", actor_profile_id=actor_profile_id)
        for one in held:
            if one.relationship_id not in changed and one.status in LIVING:
                change = Change(
                    reason="conflict_withdrawn",
                    effect="harmless",
                    actor_profile_id=actor_profile_id,
                    restarts=True,
                )
                freed[one.relationship_id] = await change_relationship(w, team_id, one, change)
                current[one.relationship_id] = freed[one.relationship_id]
    return freed


async def _holders(
    w: Writing, team_id: str, case: Row, current: dict[str, StoredRelationship]
) -> Sequence[StoredRelationship]:
    """Return every Relationship in one of the case's positions, locked, as this transaction sees it."""
    far = [one for one in case["relationship_ids"] if one not in current]
    if far:
        current |= {one.relationship_id: one for one in await lock_relationships(w, team_id, far)}
    return [current[one] for one in case["relationship_ids"] if one in current]


_UNSETTLED: LiteralString = """
    SELECT c.id, ARRAY(
        SELECT r.id FROM conflict_positions AS position
        JOIN relationships AS r
          ON r.team_id = position.team_id AND r.semantic_group_key = position.semantic_group_key
        WHERE position.team_id = c.team_id AND position.case_id = c.id ORDER BY r.id) AS relationship_ids
    FROM conflict_cases AS c
    WHERE c.team_id = %(team_id)s AND c.status IN ('open', 'resolved') AND c.id IN (
        SELECT case_id FROM conflict_positions
        WHERE team_id = %(team_id)s AND semantic_group_key = ANY (%(groups)s))
    ORDER BY c.id FOR UPDATE
"""
_CLOSE: LiteralString = """
    UPDATE conflict_cases
    SET status = 'dismissed', close_reason = 'position_withdrawn', preferred_position_id = NULL,
        closed_at = clock_timestamp(), closed_by_profile_id = %(profile_id)s
    WHERE team_id = %(team_id)s AND id = %(case_id)s
"""
