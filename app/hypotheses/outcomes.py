"""What became of the guesses: the track record of each predicate and generator version.

It is shown to operators, and moves places of the output budget between predicates (`dreaming.grouping.split`).
It is no evidence: nothing here changes a likelihood, a Hypothesis or a Relationship.
"""

from dataclasses import dataclass
from typing import LiteralString

from app.kernel.database import Reading


@dataclass(frozen=True, slots=True)
class OutcomeCounts:
    """Hypotheses of one predicate by what became of them, each counted once, under the first that applies.

    `confirmed`: evidence made the target active, submitted for it or not. `refuted`: evidence made its opposite
    active, or a submission against it did. `rejected` by a client. `expired`: the retention rule ended it.
    `ignored`: somebody passed it by. `undecided`: all others. `generator_version` is that of the last generation.
    """

    predicate_key: str
    generator_kind: str
    generator_version: str
    dreamed: int
    confirmed: int
    refuted: int
    rejected: int
    expired: int
    ignored: int
    undecided: int

    @property
    def decided(self) -> int:
        """How many somebody, or evidence, has said something about."""
        return self.confirmed + self.refuted + self.rejected + self.ignored


async def read_outcomes(reading: Reading, team_id: str) -> tuple[OutcomeCounts, ...]:
    """Return the team's counts, ordered by predicate, generator kind and version."""
    rows = await reading.fetch_all(_OUTCOMES, {"team_id": team_id})
    return tuple(OutcomeCounts(**row) for row in rows)


# Looked up one by one, by index: joins against a team that the statistics do not know yet would loop.
_OUTCOMES: LiteralString = """
    WITH ended AS (
        SELECT h.predicate_key, h.generator_kind, h.generator_version, h.status,
               CASE WHEN h.status = 'submitted' THEN (
                   SELECT s.decision FROM hypothesis_submissions AS s
                   WHERE s.team_id = h.team_id AND s.hypothesis_id = h.id AND s.ended_active
                   ORDER BY s.created_at DESC LIMIT 1) END AS decision,
               CASE WHEN h.status = 'stale' THEN (
                   SELECT e.event FROM hypothesis_events AS e
                   WHERE e.team_id = h.team_id AND e.hypothesis_id = h.id AND e.to_status = 'stale'
                     AND e.from_status <> 'stale'
                   ORDER BY e.id DESC LIMIT 1) END AS cause,
               EXISTS (
                   SELECT FROM hypothesis_events AS e
                   WHERE e.team_id = h.team_id AND e.hypothesis_id = h.id AND e.event = 'ignore'
                   OFFSET 0) AS is_ignored
        FROM hypotheses AS h WHERE h.team_id = %(team_id)s
    ), judged AS (
        SELECT predicate_key, generator_kind, generator_version,
               CASE WHEN decision = 'confirm_true' OR cause = 'target_active' THEN 'confirmed'
                    WHEN decision = 'confirm_false' OR cause = 'target_contradicted' THEN 'refuted'
                    WHEN status = 'rejected' THEN 'rejected'
                    WHEN cause = 'retention_expired' THEN 'expired'
                    WHEN is_ignored THEN 'ignored'
                    ELSE 'undecided' END AS outcome
        FROM ended
    )
    SELECT predicate_key, generator_kind, generator_version, count(*) AS dreamed,
           count(*) FILTER (WHERE outcome = 'confirmed') AS confirmed,
           count(*) FILTER (WHERE outcome = 'refuted') AS refuted,
           count(*) FILTER (WHERE outcome = 'rejected') AS rejected,
           count(*) FILTER (WHERE outcome = 'expired') AS expired,
           count(*) FILTER (WHERE outcome = 'ignored') AS ignored,
           count(*) FILTER (WHERE outcome = 'undecided') AS undecided
    FROM judged
    GROUP BY predicate_key, generator_kind, generator_version
    ORDER BY predicate_key, generator_kind, generator_version
"""
