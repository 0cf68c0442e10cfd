"""Which targets are taken by a Hypothesis today, on what it rests, and which one that has ended keeps away."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, LiteralString, cast

from app.kernel.database import Reading, Row, Writing

LiveStatus = Literal["proposed", "reinforced", "stale", "submitted"]


@dataclass(frozen=True, slots=True)
class HeldTarget:
    """The one live Hypothesis of a target and what is recorded for it.

    `source_group_keys` are all premises that it ever rested on, so that two equally good reasons do not
    reinforce it in turn. Once it has lost a source, only what is left of its last generation counts: a
    premise that one profile withdrew and another still holds is another premise, and may revive it.
    """

    hypothesis_id: str
    status: LiveStatus
    source_group_keys: frozenset[str]
    source_versions: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class EndedTarget:
    """The newest ended Hypothesis of a target without a live one.

    `suppressed_since`: when it was rejected, or when its submission ended without an active Relationship;
    None where the submission succeeded, which keeps nothing away.
    """

    hypothesis_id: str
    suppressed_since: datetime | None


async def lock_open_hypotheses(writing: Writing, team_id: str, *, subject_ids: Sequence[str]) -> None:
    """Lock, in id order, every Hypothesis that a cycle may change: open ones, and stale ones of the subjects.

    Sources are locked before; that is the one lock order everywhere (Design, section 3).
    """
    await writing.fetch_all(_LOCK, {"team_id": team_id, "subject_ids": list(subject_ids)})


async def read_held_targets(
    reading: Reading, team_id: str, *, subject_ids: Sequence[str]
) -> dict[str, HeldTarget]:
    """Return the live Hypotheses about these subjects by target identity."""
    rows = await reading.fetch_all(_HELD, {"team_id": team_id, "subject_ids": list(subject_ids)})
    return {row["target_identity"]: _held_target(row) for row in rows}


async def read_ended_targets(
    reading: Reading, team_id: str, *, subject_ids: Sequence[str]
) -> dict[str, EndedTarget]:
    """Return the newest ended Hypothesis of each target of these subjects that no live one holds."""
    rows = await reading.fetch_all(_ENDED, {"team_id": team_id, "subject_ids": list(subject_ids)})
    return {row["target_identity"]: EndedTarget(row["id"], row["suppressed_since"]) for row in rows}


async def has_lost_ground(reading: Reading, team_id: str, hypothesis_id: str) -> bool:
    """Return whether a current source is not eligible now, or the predicate no longer takes the target's ends."""
    params = {"team_id": team_id, "hypothesis_id": hypothesis_id}
    row = await reading.fetch_one(_LOST_GROUND, params)
    return row is not None


def _held_target(row: Row) -> HeldTarget:
    lost = frozenset(row["lost_group_keys"] or ())
    kept = frozenset(row["current_group_keys"] or ()) - lost
    return HeldTarget(
        hypothesis_id=row["id"],
        status=cast(LiveStatus, row["status"]),
        source_group_keys=kept if lost else frozenset(row["group_keys"]),
        source_versions=dict(zip(row["relationship_ids"], row["versions"], strict=True)),
    )


_LOCK: LiteralString = """
    SELECT id FROM hypotheses
    WHERE team_id = %(team_id)s
      AND (status IN ('proposed', 'reinforced')
           OR status = 'stale' AND subject_entity_id = ANY (%(subject_ids)s))
    ORDER BY id FOR UPDATE
"""

_LOST_GROUND: LiteralString = """
    SELECT FROM hypothesis_targets AS target
    WHERE target.team_id = %(team_id)s AND target.hypothesis_id = %(hypothesis_id)s
      AND (target.fault IS NOT NULL OR EXISTS (
          SELECT FROM hypothesis_sources AS s
          LEFT JOIN LATERAL (
              SELECT true AS is_eligible FROM eligible_relationships AS e
              WHERE e.team_id = s.team_id AND e.relationship_id = s.relationship_id OFFSET 0
          ) AS eligible ON true
          WHERE s.team_id = target.team_id AND s.hypothesis_id = target.hypothesis_id AND s.is_current
            AND eligible.is_eligible IS NULL))
"""

# Only a stale Hypothesis can have lost a source; OFFSET 0 keeps the planner from computing the eligibility of
# the whole team for a handful of sources.
_HELD: LiteralString = """
    SELECT h.id, h.target_identity, h.status,
           array_agg(s.semantic_group_key) AS group_keys,
           array_agg(s.relationship_id) AS relationship_ids,
           array_agg(s.version) AS versions,
           array_agg(s.semantic_group_key) FILTER (WHERE s.is_current) AS current_group_keys,
           array_agg(s.semantic_group_key)
               FILTER (WHERE h.status = 'stale' AND s.is_current AND eligible.is_eligible IS NULL)
               AS lost_group_keys
    FROM hypotheses AS h
    JOIN hypothesis_sources AS s ON s.team_id = h.team_id AND s.hypothesis_id = h.id
    LEFT JOIN LATERAL (
        SELECT true AS is_eligible FROM eligible_relationships AS e
        WHERE h.status = 'stale' AND e.team_id = s.team_id AND e.relationship_id = s.relationship_id
        OFFSET 0
    ) AS eligible ON true
    WHERE h.team_id = %(team_id)s AND h.subject_entity_id = ANY (%(subject_ids)s)
      AND (h.status IN ('proposed', 'reinforced', 'stale') OR h.status = 'submitted' AND h.submission_is_open)
    GROUP BY h.team_id, h.id
"""

_ENDED: LiteralString = """
    SELECT DISTINCT ON (h.target_identity) h.target_identity, h.id,
           CASE h.status
               WHEN 'rejected' THEN (
                   SELECT max(e.created_at) FROM hypothesis_events AS e
                   WHERE e.team_id = h.team_id AND e.hypothesis_id = h.id AND e.event = 'reject')
               ELSE (
                   SELECT CASE WHEN bool_or(s.ended_active) THEN NULL ELSE max(s.ended_at) END
                   FROM hypothesis_submissions AS s
                   WHERE s.team_id = h.team_id AND s.hypothesis_id = h.id)
           END AS suppressed_since
    FROM hypotheses AS h
    WHERE h.team_id = %(team_id)s AND h.subject_entity_id = ANY (%(subject_ids)s)
      AND (h.status = 'rejected' OR h.status = 'submitted' AND NOT h.submission_is_open)
      AND NOT EXISTS (
          SELECT FROM hypotheses AS live
          WHERE live.team_id = h.team_id AND live.target_identity = h.target_identity
            AND (live.status IN ('proposed', 'reinforced', 'stale')
                 OR live.status = 'submitted' AND live.submission_is_open))
    ORDER BY h.target_identity, h.created_at DESC, h.id DESC
"""
