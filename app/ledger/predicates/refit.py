"""What follows for Relationships when their predicate is retired or takes fewer kinds."""

from collections.abc import Collection
from typing import LiteralString

from app.kernel.database import Writing
from app.ledger.vocabulary import Predicate


async def lock_fitting(w: Writing, team_id: str, predicate_key: str) -> tuple[str, ...]:
    """Lock the predicate's active and pending Relationships that fit it now; return their ids in order.

    Run it before the predicate changes. Positions that are held, closed or withdrawn are no inputs anyway.
    """
    rows = await w.fetch_all(_LOCK_FITTING, {"team_id": team_id, "predicate_key": predicate_key})
    return tuple(row["id"] for row in rows)


async def withdraw_unfit(
    w: Writing, team_id: str, locked_ids: Collection[str], *, reason: str, actor_profile_id: str
) -> int:
    """Leave a version and a `source_lost` transition on each locked one that its predicate no longer fits.

    Run it after the predicate changed, in the same transaction; tier and status stay, since nobody's position
    has changed. Their dependents become stale for the same reason when the transaction ends. Returns how many.
    """
    return await w.execute(
        _WITHDRAW,
        {
            "team_id": team_id,
            "ids": list(locked_ids),
            "reason": reason,
            "actor_profile_id": actor_profile_id,
        },
    )


def may_unfit(before: Predicate, after: Predicate) -> bool:
    """Whether something that fits the predicate before may not fit it afterwards."""
    return _fit(before) != _fit(after) or after.lifecycle_state == "retired" != before.lifecycle_state


def _fit(predicate: Predicate) -> tuple[object, ...]:
    return (predicate.allowed_subject_kinds, predicate.allowed_object_kinds, predicate.allowed_value_types)


# The view's other conditions are never computed here, since nothing asks for them.
_LOCK_FITTING: LiteralString = """
    SELECT r.id FROM relationships AS r
    JOIN relationship_eligibility AS e ON e.team_id = r.team_id AND e.relationship_id = r.id
    WHERE r.team_id = %(team_id)s AND r.predicate_key = %(predicate_key)s
      AND r.status IN ('active', 'pending_evidence') AND e.predicate_fits
    ORDER BY r.id FOR NO KEY UPDATE OF r
"""
_WITHDRAW: LiteralString = """
    WITH changed AS (
        UPDATE relationships AS r SET version = r.version + 1, changed_at = clock_timestamp()
        FROM relationship_eligibility AS e
        WHERE r.team_id = %(team_id)s AND r.id = ANY (%(ids)s)
          AND e.team_id = r.team_id AND e.relationship_id = r.id AND NOT e.predicate_fits
        RETURNING r.team_id, r.id, r.version, r.tier, r.status, r.valid_to
    )
    INSERT INTO relationship_transitions
        (team_id, relationship_id, version, from_tier, to_tier, from_status, to_status, from_valid_to,
         to_valid_to, reason, effect, actor_profile_id)
    SELECT team_id, id, version, tier, tier, status, status, valid_to, valid_to, %(reason)s, 'source_lost',
           %(actor_profile_id)s
    FROM changed ORDER BY id
"""
