"""Supports and verdicts that a merge hands on to a successor, and what of them its undoing takes back."""

from collections.abc import Collection, Mapping
from typing import LiteralString

from app.kernel.database import Writing
from app.kernel.ids import new_id
from app.ledger.conflicts.entrance import Entrance
from app.remember.merging.brought import TakenBack


async def take_over(w: Writing, entrance: Entrance, old_id: str, successor_id: str) -> tuple[str, ...]:
    """Give the successor the old position's granted supports, and the verdicts that it ever needs of them.

    Those are the last one on each citation and the last one that entailed it. Returns the citations of the
    supports, also of those that the successor has of its own.
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


async def give_back(w: Writing, entrance: Entrance, successor_id: str, citation_ids: Collection[str]) -> None:
    """Revoke the supports that a merge lent a position, but for those that it has of its own by now."""
    await _revoke(w, entrance, successor_id, citation_ids, reason=entrance.reason, is_lent=True)


async def take_back(w: Writing, entrance: Entrance, old_id: str, words: Mapping[str, TakenBack]) -> None:
    """Revoke supports of an old position for the reasons for which its owner took them back, by citation."""
    for reason in sorted({word.reason for word in words.values()}):
        ids = [citation_id for citation_id, word in words.items() if word.reason == reason]
        await _revoke(w, entrance, old_id, ids, reason=reason, is_lent=False)


async def _revoke(
    w: Writing,
    entrance: Entrance,
    relationship_id: str,
    citation_ids: Collection[str],
    *,
    reason: str,
    is_lent: bool,
) -> None:
    await w.execute(
        _REVOKE,
        {
            "team_id": entrance.team_id,
            "id": relationship_id,
            "citation_ids": sorted(citation_ids),
            "is_lent": is_lent,
            "reason": reason,
            "profile_id": entrance.actor_profile_id,
        },
    )


async def restore_verdict(w: Writing, team_id: str, successor_id: str, other_ids: Collection[str]) -> None:
    """Leave as its last verdict the last one that is its own, or that `other_ids` hand on by lasting merges."""
    params = {"team_id": team_id, "new_id": successor_id, "other_ids": sorted(other_ids), "id": new_id("ver")}
    await w.execute(_RESTORE_VERDICT, params)


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
        verifier_kind, verifier_version, rationale, is_own)
    SELECT event.team_id, copy.id, %(new_id)s, event.citation_id, event.verdict, event.confidence,
           event.schema_valid, event.verifier_kind, event.verifier_version, event.rationale, false
    FROM unnest(%(ids)s::text[], %(from_ids)s::text[]) AS copy (id, from_id)
    JOIN verification_events AS event ON event.team_id = %(team_id)s AND event.id = copy.from_id
    ORDER BY event.created_at, event.id
"""
_COPY_SUPPORTS: LiteralString = """
    WITH earlier AS (
        SELECT citation_id FROM supports
        WHERE team_id = %(team_id)s AND relationship_id = %(new_id)s
    ), gained AS (
        INSERT INTO supports (team_id, relationship_id, citation_id, is_granted, is_own)
        SELECT team_id, %(new_id)s, citation_id, true, false FROM supports
        WHERE team_id = %(team_id)s AND relationship_id = %(old_id)s AND is_granted
        ON CONFLICT (team_id, relationship_id, citation_id) DO UPDATE SET is_granted = true, is_own = false
            WHERE NOT supports.is_granted
        RETURNING citation_id
    ), told AS (
        INSERT INTO support_events (team_id, relationship_id, citation_id, event, reason, actor_profile_id)
        SELECT %(team_id)s, %(new_id)s, gained.citation_id,
               CASE WHEN earlier.citation_id IS NULL THEN 'granted' ELSE 'reinstated' END,
               %(reason)s, %(profile_id)s
        FROM gained LEFT JOIN earlier USING (citation_id)
    )
    SELECT citation_id FROM supports
    WHERE team_id = %(team_id)s AND relationship_id = %(old_id)s AND is_granted ORDER BY citation_id
"""
_REVOKE: LiteralString = """
    WITH revoked AS (
        UPDATE supports SET is_granted = false
        WHERE team_id = %(team_id)s AND relationship_id = %(id)s AND is_granted
          AND citation_id = ANY (%(citation_ids)s) AND NOT (%(is_lent)s AND is_own)
        RETURNING citation_id
    )
    INSERT INTO support_events (team_id, relationship_id, citation_id, event, reason, actor_profile_id)
    SELECT %(team_id)s, %(id)s, citation_id, 'revoked', %(reason)s, %(profile_id)s FROM revoked
"""
_RESTORE_VERDICT: LiteralString = """
    WITH told AS (
        SELECT * FROM verification_events
        WHERE team_id = %(team_id)s AND relationship_id = %(new_id)s AND schema_valid
    ), kept AS (
        SELECT * FROM told
        WHERE is_own OR EXISTS (SELECT FROM verification_events AS other
                                WHERE other.team_id = told.team_id AND other.citation_id = told.citation_id
                                  AND other.relationship_id = ANY (%(other_ids)s))
        ORDER BY created_at DESC, id DESC LIMIT 1
    )
    INSERT INTO verification_events (team_id, id, relationship_id, citation_id, verdict, confidence, schema_valid,
        verifier_kind, verifier_version, rationale, is_own)
    SELECT team_id, %(id)s, relationship_id, citation_id, verdict, confidence, schema_valid, verifier_kind,
           verifier_version, rationale, is_own
    FROM kept WHERE id <> (SELECT id FROM told ORDER BY created_at DESC, id DESC LIMIT 1)
"""
