"""Questions about evidence that counts no more: nobody is asked any longer, and the ingest goes on."""

from collections.abc import Mapping
from typing import LiteralString

from app.kernel.database import Writing
from app.remember.placement_state import settle_ingests


async def withdraw_questions(
    w: Writing, team_id: str, reasons: Mapping[str, str], *, profile_id: str
) -> None:
    """Leave no open review of a proposal that has lost all of its evidence, and the proposal rejected.

    Run it in the transaction in which the evidence stopped counting; `reasons` says why, by evidence id. An ingest
    that has nothing else to wait for ends.
    """
    found = await w.fetch_all(_ASKED_IN_VAIN, {"team_id": team_id, "evidence_ids": sorted(reasons)})
    if not found:
        return
    why = {row["review_id"]: reasons[row["evidence_id"]] for row in found}
    await w.execute(
        _WITHDRAW,
        {
            "team_id": team_id,
            "review_ids": list(why),
            "reasons": list(why.values()),
            "profile_id": profile_id,
        },
    )
    await settle_ingests(w, team_id, (row["ingest_id"] for row in found))


# In the order in which whoever answers takes them.
_ASKED_IN_VAIN: LiteralString = """
    SELECT task.id AS review_id, outcome.ingest_id, item.evidence_id
    FROM ingest_evidence AS item
    JOIN ingests ON ingests.team_id = item.team_id AND ingests.id = item.ingest_id
    JOIN placement_outcomes AS outcome
      ON outcome.team_id = item.team_id AND outcome.ingest_id = item.ingest_id
    JOIN review_tasks AS task ON task.team_id = outcome.team_id AND task.id = outcome.review_id
    CROSS JOIN LATERAL (
        SELECT (span->>0)::int AS place FROM jsonb_array_elements(
            ingests.proposal->'relationships'->outcome.position->'evidence') AS span
        GROUP BY 1
    ) AS cited
    WHERE item.team_id = %(team_id)s AND item.evidence_id = ANY (%(evidence_ids)s)
      AND cited.place = item.evidence_index
      AND task.status = 'open' AND task.relationship_id IS NULL
      AND NOT EXISTS (
          SELECT FROM jsonb_array_elements(
              ingests.proposal->'relationships'->outcome.position->'evidence') AS span
          JOIN ingest_evidence AS other
            ON other.team_id = item.team_id AND other.ingest_id = item.ingest_id
           AND other.evidence_index = (span->>0)::int
          JOIN evidence ON evidence.team_id = other.team_id AND evidence.id = other.evidence_id
          LEFT JOIN source_revisions AS revision
            ON revision.team_id = evidence.team_id AND revision.source_id = evidence.source_id
           AND revision.revision = evidence.source_revision
          WHERE evidence.state IN ('active', 'quarantined') AND revision.is_current IS NOT FALSE)
    ORDER BY task.id, item.evidence_index FOR UPDATE OF task
"""
_WITHDRAW: LiteralString = """
    WITH gone AS (
        SELECT * FROM unnest(%(review_ids)s::text[], %(reasons)s::text[]) AS one (review_id, reason)
    ), withdrawn AS (
        UPDATE review_tasks AS task
        SET status = 'resolved', choice = '{"choice": "withdrawn"}', close_reason = gone.reason,
            closed_at = clock_timestamp(), closed_by_profile_id = %(profile_id)s
        FROM gone WHERE task.team_id = %(team_id)s AND task.id = gone.review_id
    )
    UPDATE placement_outcomes AS outcome
    SET category = 'relationship_rejected', reason = gone.reason, predicate_options = '{}',
        placed_at = clock_timestamp()
    FROM gone WHERE outcome.team_id = %(team_id)s AND outcome.review_id = gone.review_id
"""
