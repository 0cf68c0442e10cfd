"""What a merge hands to a successor and its undoing takes back: supports, verdicts, the end of disputes."""

from collections.abc import Sequence
from typing import LiteralString

from app.kernel.database import Writing
from app.kernel.ids import new_id
from app.ledger.conflicts.entrance import Entrance, enter_position
from app.ledger.relationships.neighbours import lock_groups, near_of
from app.ledger.relationships.rows import StoredRelationship


async def settle_disputes(w: Writing, entrance: Entrance, current: dict[str, StoredRelationship]) -> None:
    """Let each disputed position enter anew whose owner no longer disputes the opposite.

    Two sides that were moved may meet others of their owner's, or only one of them may have come back.
    """
    for relationship_id in sorted(current):
        one = current[relationship_id]
        if one.status != "disputed":
            continue
        opposite_key = near_of(entrance.team_id, one, entrance.predicates).opposite_group_key
        others = await lock_groups(w, entrance.team_id, [opposite_key])
        if not any(
            other.status == "disputed" and other.owner_profile_id == one.owner_profile_id for other in others
        ):
            await enter_position(w, entrance, one, "active", current)


async def take_over(w: Writing, entrance: Entrance, old_id: str, successor_id: str) -> tuple[str, ...]:
    """Give the successor the old position's granted supports, and the verdicts that it ever needs of them.

    Those are the last one on each citation and the last one that entailed it. Returns the citations gained.
    """
    params: dict[str, object] = {
        "team_id": entrance.team_id,
        "old_id": old_id,
        "new_id": successor_id,
        "reason": entrance.reason,
        "profile_id": entrance.actor_profile_id,
    }
    # The verdict that entailed a support may be the last one too.
    verdicts = list(dict.fromkeys(row["id"] for row in await w.fetch_all(_LAST_VERDICTS, params)))
    await w.execute(
        _COPY_VERDICTS,
        params
        | {
            "ids": [new_id("ver") for _ in verdicts],
            "from_ids": verdicts,
        },
    )
    return tuple(row["citation_id"] for row in await w.fetch_all(_COPY_SUPPORTS, params))


async def give_back(w: Writing, entrance: Entrance, successor_id: str, citation_ids: Sequence[str]) -> None:
    """Revoke the supports that a position got by a merge."""
    await w.execute(
        _GIVE_BACK,
        {
            "team_id": entrance.team_id,
            "new_id": successor_id,
            "citation_ids": list(citation_ids),
            "reason": entrance.reason,
            "profile_id": entrance.actor_profile_id,
        },
    )


_LAST_VERDICTS: LiteralString = """
    SELECT DISTINCT ON (citation_id, which.verdict) id, citation_id
    FROM verification_events AS event
    CROSS JOIN LATERAL (VALUES ('last'), (CASE WHEN event.verdict = 'entailed' THEN 'entailed' END))
        AS which (verdict)
    WHERE team_id = %(team_id)s AND relationship_id = %(old_id)s AND schema_valid AND which.verdict IS NOT NULL
    ORDER BY citation_id, which.verdict, created_at DESC, id DESC
"""
# In the order in which they were given, so that the final verdict stays the final one.
_COPY_VERDICTS: LiteralString = """
    INSERT INTO verification_events (team_id, id, relationship_id, citation_id, verdict, confidence, schema_valid,
        verifier_kind, verifier_version, rationale)
    SELECT event.team_id, copy.id, %(new_id)s, event.citation_id, event.verdict, event.confidence,
           event.schema_valid, event.verifier_kind, event.verifier_version, event.rationale
    FROM unnest(%(ids)s::text[], %(from_ids)s::text[]) AS copy (id, from_id)
    JOIN verification_events AS event ON event.team_id = %(team_id)s AND event.id = copy.from_id
    ORDER BY event.created_at, event.id
"""
_COPY_SUPPORTS: LiteralString = """
    WITH earlier AS (
        SELECT citation_id FROM supports
        WHERE team_id = %(team_id)s AND relationship_id = %(new_id)s
    ), gained AS (
        INSERT INTO supports (team_id, relationship_id, citation_id, is_granted)
        SELECT team_id, %(new_id)s, citation_id, true FROM supports
        WHERE team_id = %(team_id)s AND relationship_id = %(old_id)s AND is_granted
        ON CONFLICT (team_id, relationship_id, citation_id) DO UPDATE SET is_granted = true
            WHERE NOT supports.is_granted
        RETURNING citation_id
    )
    INSERT INTO support_events (team_id, relationship_id, citation_id, event, reason, actor_profile_id)
    SELECT %(team_id)s, %(new_id)s, gained.citation_id,
           CASE WHEN earlier.citation_id IS NULL THEN 'granted' ELSE 'reinstated' END, %(reason)s, %(profile_id)s
    FROM gained LEFT JOIN earlier USING (citation_id)
    RETURNING citation_id
"""
_GIVE_BACK: LiteralString = """
    WITH revoked AS (
        UPDATE supports SET is_granted = false
        WHERE team_id = %(team_id)s AND relationship_id = %(new_id)s AND is_granted
          AND citation_id = ANY (%(citation_ids)s)
        RETURNING citation_id
    )
    INSERT INTO support_events (team_id, relationship_id, citation_id, event, reason, actor_profile_id)
    SELECT %(team_id)s, %(new_id)s, citation_id, 'revoked', %(reason)s, %(profile_id)s FROM revoked
"""
