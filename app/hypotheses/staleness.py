"""Staleness found late: what has run out, and what a lost event should have staled.

The ledger stales dependents in the transaction that causes it; this finds the rest, when a cycle ends (all of its
team) and in the sweep between cycles (`sweep.py`, some of every team). Each stale Hypothesis gets one event with
the first cause that applies, in the order written; what should have been told at once has the reason `found_late`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, LiteralString

from app.kernel.database import Writing

HYPOTHESES_AT_ONCE: Final = 200


@dataclass(frozen=True, slots=True)
class Sweep:
    """What is known about the open Hypotheses that are looked at.

    `expired_before`: what was not reinforced since then goes by the retention rule. The rest is a finishing
    cycle's: `regenerated_ids` were reinforced or confirmed as they are by this run. Only a run that looked at
    everything (`is_complete`) may say that a Hypothesis flagged `needs_reassessment` was not regenerated.
    """

    expired_before: datetime
    cycle_run_id: str | None = None
    regenerated_ids: Sequence[str] = ()
    is_complete: bool = False


async def stale_ended_hypotheses(writing: Writing, team_id: str, sweep: Sweep) -> int:
    """Leave no open Hypothesis that should be stale, and return how many became so; their rows are locked.

    Source: Design, section 7 (`source_lost`, `target_active`, `target_contradicted`, `not_reinforced`,
    `retention_expired`; `target_unfit` names the fault of its predicate as reason); Spec: Recall And Staleness.
    """
    rows = await writing.fetch_all(_OPEN, {"team_id": team_id})
    ids = [row["id"] for row in rows]
    batches = [ids[at : at + HYPOTHESES_AT_ONCE] for at in range(0, len(ids), HYPOTHESES_AT_ONCE)]
    return sum([await stale_ended_among(writing, team_id, batch, sweep) for batch in batches])


async def stale_ended_among(writing: Writing, team_id: str, ids: Sequence[str], sweep: Sweep) -> int:
    """Do so among the open ones of these Hypotheses, whose rows are locked; at most some hundreds at once."""
    return await writing.execute(
        STALE_ENDED,
        {
            "team_id": team_id,
            "ids": list(ids),
            "cycle_run_id": sweep.cycle_run_id,
            "regenerated_ids": list(sweep.regenerated_ids),
            "is_complete": sweep.is_complete,
            "expired_before": sweep.expired_before,
        },
    )


_OPEN: LiteralString = """
    SELECT id FROM hypotheses
    WHERE team_id = %(team_id)s AND status IN ('proposed', 'reinforced') ORDER BY id
"""

# What settles a target is the same here and in the trigger that usually does this work. A window that opens by
# itself has no event: only this finds it. Each OFFSET 0 keeps the planner at looking up a handful of rows by key;
# for a team that the statistics do not know yet it would work out all that is eligible, or loop over it. There any
# index of the team looks as good as the one by target, too: so the targets are looked up all at once, which passes
# over the team at most once, and not once for each.
STALE_ENDED: LiteralString = """
    WITH settled AS MATERIALIZED (
        SELECT position.target_identity, bool_or(position.polarity = '+') AS is_active,
               bool_or(position.polarity = '-') AS is_denied
        FROM settled_positions(%(team_id)s, statement_timestamp()) AS position
        WHERE position.target_identity = ANY (ARRAY (
            SELECT target_identity FROM hypotheses WHERE team_id = %(team_id)s AND id = ANY (%(ids)s)))
        GROUP BY position.target_identity
    ), open AS MATERIALIZED (
        SELECT h.id, h.status, target.fault, lost.versions,
            CASE
                WHEN lost.versions IS NOT NULL THEN 'source_lost'
                WHEN settled.is_active THEN 'target_active'
                WHEN settled.is_denied THEN 'target_contradicted'
                WHEN target.fault IS NOT NULL THEN 'target_unfit'
                WHEN %(is_complete)s AND h.needs_reassessment AND h.id <> ALL (%(regenerated_ids)s)
                    THEN 'not_reinforced'
                WHEN h.reinforced_at < %(expired_before)s THEN 'retention_expired'
            END AS cause
        FROM hypotheses AS h
        LEFT JOIN LATERAL (
            SELECT jsonb_object_agg(s.relationship_id, r.version) AS versions
            FROM hypothesis_sources AS s
            CROSS JOIN LATERAL (
                SELECT version FROM relationships
                WHERE team_id = s.team_id AND id = s.relationship_id OFFSET 0
            ) AS r
            LEFT JOIN LATERAL (
                SELECT true AS is_eligible FROM eligible_relationships AS e
                WHERE e.team_id = s.team_id AND e.relationship_id = s.relationship_id OFFSET 0
            ) AS eligible ON true
            WHERE s.team_id = h.team_id AND s.hypothesis_id = h.id AND s.is_current
              AND eligible.is_eligible IS NULL
            OFFSET 0
        ) AS lost ON true
        LEFT JOIN settled ON settled.target_identity = h.target_identity
        LEFT JOIN LATERAL (
            SELECT fault FROM hypothesis_targets
            WHERE team_id = h.team_id AND hypothesis_id = h.id
            OFFSET 0
        ) AS target ON true
        WHERE h.team_id = %(team_id)s AND h.id = ANY (%(ids)s) AND h.status IN ('proposed', 'reinforced')
    ), staled AS (
        UPDATE hypotheses AS h
        SET status = 'stale', needs_reassessment = false, row_version = h.row_version + 1,
            updated_at = clock_timestamp()
        FROM open
        WHERE h.team_id = %(team_id)s AND h.id = open.id AND open.cause IS NOT NULL AND h.id = ANY (%(ids)s)
        RETURNING h.id, open.status AS from_status, open.cause, open.fault, open.versions
    )
    INSERT INTO hypothesis_events
        (team_id, hypothesis_id, event, from_status, to_status, reason, actor_kind, cycle_run_id, versions_seen)
    SELECT %(team_id)s, staled.id, staled.cause, staled.from_status, 'stale',
           CASE WHEN staled.cause = 'target_unfit' THEN staled.fault
                WHEN staled.cause IN ('source_lost', 'target_active', 'target_contradicted') THEN 'found_late' END,
           'cycle', %(cycle_run_id)s, coalesce(staled.versions, '{}')
    FROM staled ORDER BY staled.id
"""
