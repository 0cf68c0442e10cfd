"""A Relationship that a review held goes on: accepted, rejected or disputed, with what follows from it.

Nothing is taken from the time when it was held: its supports are weighed anew, and so are the positions around it.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from app.kernel.database import Writing
from app.kernel.errors import WrongState
from app.ledger.conflicts.consequences import find_others, find_own_rivals, follow
from app.ledger.conflicts.entrance import open_cases
from app.ledger.conflicts.withdrawal import settle_withdrawn
from app.ledger.evidence.supports import revoke_supports, weigh_supports
from app.ledger.nodes.entities import lock_endpoints
from app.ledger.predicates.registry import list_predicates
from app.ledger.relationships.neighbours import lock_with_neighbours, near_of
from app.ledger.relationships.rows import (
    Change,
    StoredRelationship,
    change_relationship,
    effect_of,
    find_relationships,
)
from app.ledger.relationships.slots import Neighbourhood
from app.ledger.retraction import withdraw_reviews
from app.ledger.reviews import Review, close_review
from app.ledger.vocabulary import ENDED, LIVING, Status
from app.remember.ended_reviews import retell
from app.remember.review_choices import ACCEPT, DISPUTE, REJECT, refuse_choice
from app.remember.store import carry_out
from app.tenancy.callers import Caller

# What a review holds back, and what it may bring back to life.
_WAITING: frozenset[Status] = frozenset({"needs_review", "superseded", "pending_evidence", "quarantined"})


async def go_on(
    w: Writing, caller: Caller, review: Review, *, choice: str, reason: str | None, now: datetime
) -> StoredRelationship:
    """Leave the review closed and its Relationship where the choice puts it, one version higher.

    Accepted, it is active if it has support, and its owner's own positions that cannot hold beside it are
    superseded; another owner's open a conflict case. Rejected, it loses its supports; a superseded one just stays
    so. Disputed, it and its owner's opposite positions are all `disputed`. One that has ended leaves no
    other review open.

    Raises:
        InvalidInput: `choice_invalid`, its owner holds no opposite any more that it could be disputed with.
        WrongState: the review is resolved already; `entity_merged`, what it is about has another position now.
    """
    team_id, relationship_id = caller.team_id, review.relationship_id or ""
    [held] = await find_relationships(w, team_id, [relationship_id])
    ends = [one for one in (held.subject_entity_id, held.object_entity_id) if one is not None]
    if not await lock_endpoints(w, team_id, ends) and choice != REJECT:
        raise WrongState("One of its ends is merged into another entity.", code="entity_merged")
    locked = await lock_with_neighbours(w, team_id, [relationship_id])
    stored = locked[relationship_id]
    await close_review(
        w, team_id, review.review_id, choice={"choice": choice}, reason=reason, profile_id=caller.profile_id
    )
    if choice == REJECT:
        stored = await _reject(w, team_id, stored, locked, reason)
    else:
        stored = await _accept(w, team_id, stored, locked, reason, now, is_disputed=choice == DISPUTE)
    if stored.status in ENDED:
        reason = f"relationship_{stored.status}"
        await withdraw_reviews(w, team_id, [relationship_id], reason=reason, profile_id=caller.profile_id)
    await retell(w, team_id, [stored])
    return stored


async def _reject(
    w: Writing,
    team_id: str,
    stored: StoredRelationship,
    locked: Mapping[str, StoredRelationship],
    note: str | None,
) -> StoredRelationship:
    actor_id = stored.owner_profile_id
    is_over = stored.status in ENDED
    if not is_over:
        await revoke_supports(
            w, team_id, stored.relationship_id, reason="review_rejected", profile_id=actor_id
        )
    change = Change(
        reason="review_rejected",
        effect="source_lost" if stored.status in LIVING else "harmless",
        actor_profile_id=actor_id,
        status=stored.status if is_over else "rejected",
        note=note,
    )
    changed = await change_relationship(w, team_id, stored, change)
    await settle_withdrawn(w, team_id, [changed], locked, actor_profile_id=actor_id)
    return changed


async def _accept(
    w: Writing,
    team_id: str,
    stored: StoredRelationship,
    locked: Mapping[str, StoredRelationship],
    note: str | None,
    now: datetime,
    *,
    is_disputed: bool,
) -> StoredRelationship:
    near = near_of(team_id, stored, await list_predicates(w, team_id))
    related = list(locked.values())
    tier = await weigh_supports(w, team_id, stored.relationship_id)
    is_over = stored.status == "superseded"
    change = Change(
        reason="review_accepted",
        effect="harmless",
        actor_profile_id=stored.owner_profile_id,
        tier=tier,
        restarts=True,
        note=note,
    )
    if tier == "candidate":
        status: Status = "pending_evidence" if stored.status in _WAITING - {"superseded"} else stored.status
        return await change_relationship(w, team_id, stored, replace(change, status=status))
    if is_disputed:
        return await _dispute(w, team_id, stored, near, related, replace(change, reason="disputed"))
    position = replace(stored, tier=tier, status="active", valid_to=None if is_over else stored.valid_to)
    targets = find_own_rivals(position, near, related)
    following = follow(position, near, related, targets=targets, now=now)
    effect = effect_of(stored.status, "active")
    changed = await change_relationship(
        w, team_id, stored, replace(change, status="active", effect=effect, reopens=is_over)
    )
    await carry_out(w, team_id, changed, stored, related, following)
    return changed


async def _dispute(
    w: Writing,
    team_id: str,
    stored: StoredRelationship,
    near: Neighbourhood,
    related: list[StoredRelationship],
    change: Change,
) -> StoredRelationship:
    """Leave the position and its owner's opposite ones disputed: both stay on record, neither is an input.

    What other owners hold against it opens a conflict case.
    """
    opposites = [
        one
        for one in find_own_rivals(stored, near, related)
        if one.semantic_group_key == near.opposite_group_key
    ]
    if not opposites:
        raise refuse_choice(f"Its owner no longer holds the opposite: choose {ACCEPT} or {REJECT}.")
    current = {one.relationship_id: one for one in related}
    for opposite in opposites:
        if opposite.status == "active":
            current[opposite.relationship_id] = await change_relationship(
                w, team_id, opposite, replace(change, tier=None, status="disputed", effect="source_lost")
            )
    effect = effect_of(stored.status, "disputed")
    changed = await change_relationship(w, team_id, stored, replace(change, status="disputed", effect=effect))
    current[changed.relationship_id] = changed
    # A disputed position is a side of cases as an active one is.
    others = find_others(changed, near, list(current.values()))
    await open_cases(w, team_id, changed, stored, current, others)
    return changed
