"""The one step by which a position comes to stand beside others, whatever lets it in.

A review asks about its owner's own that cannot hold with it; what others hold against it opens a conflict case.
Placing and accepting may also close windows first, because new evidence or their owner said so (`consequences`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import LiteralString

from app.kernel.database import Writing
from app.ledger.conflicts.cases import open_conflict
from app.ledger.conflicts.closing import close_cases
from app.ledger.conflicts.consequences import Consequences, find_barring, find_others
from app.ledger.evidence.supports import weigh_supports
from app.ledger.relationships.neighbours import lock_groups, near_of
from app.ledger.relationships.rows import Change, StoredRelationship, change_relationship, effect_of
from app.ledger.reviews import ReviewDraft, open_review
from app.ledger.vocabulary import HOLDING, LIVING, Predicate, ReviewKind, Status


@dataclass(frozen=True, slots=True)
class Entrance:
    """Who lets positions in, why, and with which predicates."""

    team_id: str
    reason: str
    actor_profile_id: str
    predicates: Mapping[str, Predicate]


async def enter_position(
    w: Writing,
    entrance: Entrance,
    stored: StoredRelationship,
    wanted: Status,
    current: dict[str, StoredRelationship],
) -> dict[str, StoredRelationship]:
    """Leave a stored position at the tier of its supports, in the wanted status if they carry it.

    A side of a dispute needs none: its owner's decision stands without them. Where the position would be active
    beside one of its owner's that cannot hold with it, it is held by a review: what merely comes back supersedes
    nothing. Another owner's opens a conflict case. A case that it was a side of closes if it has no conflict
    without it.

    Args:
        current: what is locked, by id; it is kept up to date.

    Returns:
        Every Relationship that changed, by id.
    """
    team_id = entrance.team_id
    tier = await weigh_supports(w, team_id, stored.relationship_id)
    status = wanted
    if tier == "candidate" and wanted == "active":
        status = "pending_evidence"
    position = replace(stored, tier=tier, status=status)
    near = near_of(team_id, position, entrance.predicates)
    rivals = find_barring(position, near, list(current.values())) if status == "active" else []
    if rivals:
        status = "needs_review"
    changed = await change_relationship(
        w,
        team_id,
        stored,
        Change(
            reason=entrance.reason,
            effect=effect_of(stored.status, status),
            actor_profile_id=entrance.actor_profile_id,
            tier=tier,
            status=status,
            is_assessed=await _is_insufficient(w, team_id, stored.relationship_id),
            restarts=stored.status not in LIVING,
        ),
    )
    told = {changed.relationship_id: changed}
    current |= told
    if rivals:
        is_opposite = any(one.semantic_group_key == near.opposite_group_key for one in rivals)
        kind: ReviewKind = "policy" if is_opposite else "temporal"
        draft = ReviewDraft(kind, entrance.reason, relationship_id=changed.relationship_id)
        await open_review(w, team_id, draft)
    elif status in HOLDING:
        others = find_others(changed, near, list(current.values()))
        told |= await open_cases(w, team_id, changed, stored, current, others)
    if stored.status in HOLDING and status not in HOLDING:
        told |= await close_cases(
            w,
            team_id,
            [changed.semantic_group_key],
            current,
            entrance.predicates,
            actor_profile_id=entrance.actor_profile_id,
            changed=[changed.relationship_id],
        )
    current |= told
    return told


async def open_cases(
    w: Writing,
    team_id: str,
    stored: StoredRelationship,
    own: StoredRelationship | None,
    current: Mapping[str, StoredRelationship],
    following: Consequences,
) -> dict[str, StoredRelationship]:
    """Leave a case open with what other owners hold against `stored`; return what changed by it, by id.

    `own` is the position as it was before. Every Relationship in a position that now stands in a conflict gets its
    transition, whoever owns it.
    """
    gained = _has_gained(own, stored)
    disputed: set[str] = set()
    if rivals := following.other_objects:
        disputed |= await open_conflict(w, team_id, "other_object", stored, rivals, has_gained=gained)
    if rivals := following.opposites:
        disputed |= await open_conflict(w, team_id, "opposite_polarity", stored, rivals, has_gained=gained)
    known = dict(current)
    if disputed:
        # A reopened case may hold groups that this position never meets.
        known = {one.relationship_id: one for one in await lock_groups(w, team_id, disputed)} | known
    told: dict[str, StoredRelationship] = {}
    for one in sorted(known.values(), key=lambda one: one.relationship_id):
        is_new = own is None and one.relationship_id == stored.relationship_id
        if one.semantic_group_key in disputed and one.status in LIVING and not is_new:
            change = Change(
                reason="conflict_opened", effect="source_lost", actor_profile_id=stored.owner_profile_id
            )
            told[one.relationship_id] = await change_relationship(w, team_id, one, change)
    return told


def _has_gained(own: StoredRelationship | None, stored: StoredRelationship) -> bool:
    """Whether the position weighs more than before: it holds anew, is a fact now, or has another window."""
    if own is None or own.status not in HOLDING:
        return True
    if (own.valid_from, own.valid_to) != (stored.valid_from, stored.valid_to):
        return True
    return stored.tier == "fact" != own.tier


async def _is_insufficient(w: Writing, team_id: str, relationship_id: str) -> bool:
    """Whether the latest valid verdict is insufficient, on evidence that still counts."""
    row = await w.fetch_one(_LATEST, {"team_id": team_id, "id": relationship_id})
    return row is not None and row["verdict"] == "insufficient" and bool(row["counts"])


_LATEST: LiteralString = """
    SELECT event.verdict, evidence.state = 'active' AND coalesce(revision.is_current, true) AS counts
    FROM verification_events AS event
    JOIN citations ON citations.team_id = event.team_id AND citations.id = event.citation_id
    JOIN evidence ON evidence.team_id = citations.team_id AND evidence.id = citations.evidence_id
    LEFT JOIN source_revisions AS revision
      ON revision.team_id = evidence.team_id AND revision.source_id = evidence.source_id
     AND revision.revision = evidence.source_revision
    WHERE event.team_id = %(team_id)s AND event.relationship_id = %(id)s AND event.schema_valid
    ORDER BY event.created_at DESC, event.id DESC LIMIT 1
"""
