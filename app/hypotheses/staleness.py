"""The sweep of a cycle: it stales what has run out, and what a lost event should have staled.

The ledger stales dependents in the transaction that causes it; this finds the rest. Each stale Hypothesis gets
one event with the first cause that applies, in the order written.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString

from app.kernel.database import Writing


@dataclass(frozen=True, slots=True)
class Sweep:
    """What a finishing cycle knows about the open Hypotheses.

    `regenerated_ids` were reinforced or confirmed as they are by this run. Only a run that looked at everything
    (`is_complete`) may say that a Hypothesis flagged `needs_reassessment` was not regenerated.
    `expired_before`: what was not reinforced since then goes by the retention rule.
    """

    cycle_run_id: str
    regenerated_ids: Sequence[str]
    is_complete: bool
    expired_before: datetime


async def stale_ended_hypotheses(writing: Writing, team_id: str, sweep: Sweep) -> int:
    """Leave no open Hypothesis that should be stale, and return how many became so; their rows are locked.

    Source: Design, section 7 (`source_lost`, `target_active`, `target_contradicted`, `not_reinforced`,
    `retention_expired`; `target_unfit` names the fault of its predicate as reason); Spec: Recall And Staleness.
    """
    return await writing.execute(
        _SWEEP,
        {
            "team_id": team_id,
            "cycle_run_id": sweep.cycle_run_id,
            "regenerated_ids": list(sweep.regenerated_ids),
            "is_complete": sweep.is_complete,
            "expired_before": sweep.expired_before,
        },
    )


# What settles a target is the same here and in the trigger that usually does this work. A window that opens by
# itself has no event: only this finds it.
_SWEEP: LiteralString = """
    WITH open AS (
        SELECT h.id, h.status, target.fault,
            CASE
                WHEN EXISTS (
                    SELECT FROM hypothesis_sources AS s
                    LEFT JOIN LATERAL (
                        SELECT true AS is_eligible FROM eligible_relationships AS e
                        WHERE e.team_id = s.team_id AND e.relationship_id = s.relationship_id OFFSET 0
                    ) AS eligible ON true
                    WHERE s.team_id = h.team_id AND s.hypothesis_id = h.id AND s.is_current
                      AND eligible.is_eligible IS NULL
                ) THEN 'source_lost'
                WHEN EXISTS (
                    SELECT FROM settled_positions(%(team_id)s, statement_timestamp()) AS settled
                    WHERE settled.target_identity = h.target_identity AND settled.polarity = '+'
                ) THEN 'target_active'
                WHEN EXISTS (
                    SELECT FROM settled_positions(%(team_id)s, statement_timestamp()) AS settled
                    WHERE settled.target_identity = h.target_identity AND settled.polarity = '-'
                ) THEN 'target_contradicted'
                WHEN target.fault IS NOT NULL THEN 'target_unfit'
                WHEN %(is_complete)s AND h.needs_reassessment AND h.id <> ALL (%(regenerated_ids)s)
                    THEN 'not_reinforced'
                WHEN h.reinforced_at < %(expired_before)s THEN 'retention_expired'
            END AS cause
        FROM hypotheses AS h
        JOIN hypothesis_targets AS target ON target.team_id = h.team_id AND target.hypothesis_id = h.id
        WHERE h.team_id = %(team_id)s AND h.status IN ('proposed', 'reinforced')
    ), staled AS (
        UPDATE hypotheses AS h
        SET status = 'stale', needs_reassessment = false, row_version = h.row_version + 1,
            updated_at = clock_timestamp()
        FROM open
        WHERE h.team_id = %(team_id)s AND h.id = open.id AND open.cause IS NOT NULL
        RETURNING h.id, open.status AS from_status, open.cause, open.fault
    )
    INSERT INTO hypothesis_events
        (team_id, hypothesis_id, event, from_status, to_status, reason, actor_kind, cycle_run_id)
    SELECT %(team_id)s, staled.id, staled.cause, staled.from_status, 'stale',
           CASE staled.cause WHEN 'target_unfit' THEN staled.fault END, 'cycle', %(cycle_run_id)s
    FROM staled ORDER BY staled.id
"""
