"""The list of evidence that the guard ever held, for operators: why, what waits for it, what was decided."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, LiteralString

from app.kernel.database import Reading, Row
from app.kernel.pages import NewestFirst, Page
from app.ledger.vocabulary import SourceType
from app.tenancy.authority import Authority

QuarantineStatus = Literal["held", "released", "discarded", "retracted"]


@dataclass(frozen=True, slots=True)
class QuarantinedEvidence:
    """One item. `retracted` means taken back by its submitter before anybody decided.

    `proposal_ids` are the proposals of its ingest that cite it, in the order of the submission.
    """

    evidence_id: str
    profile_id: str
    ingest_id: str | None
    status: QuarantineStatus
    quarantine_reason: str
    content: str
    labels: tuple[str, ...]
    metadata: dict[str, object]
    source_type: SourceType
    authority: Authority
    source_key: str | None
    source_revision: str | None
    proposal_ids: tuple[str, ...]
    created_at: datetime
    decided_at: datetime | None
    decided_by_profile_id: str | None
    decision_reason: str | None


async def list_quarantined(
    reading: Reading,
    team_id: str,
    *,
    status: QuarantineStatus | None = None,
    limit: int = 20,
    cursor: str | None = None,
) -> Page[QuarantinedEvidence]:
    """Return a page of the team's held evidence, newest first.

    Raises:
        InvalidInput: `invalid_cursor`.
    """
    filters = {"team_id": team_id, "status": status}
    paging = NewestFirst("list_quarantine", filters)
    after_at, after_id = paging.position(cursor)
    params = {**filters, "limit": limit + 1, "after_at": after_at, "after_id": after_id}
    rows = await reading.fetch_all(_LIST, params)
    items = [_read(row) for row in rows]
    return paging.page(items, limit, lambda item: (item.created_at, item.evidence_id))


def _read(row: Row) -> QuarantinedEvidence:
    return QuarantinedEvidence(
        **row | {"labels": tuple(row["labels"]), "proposal_ids": tuple(row["proposal_ids"])}
    )


_LIST: LiteralString = """
    SELECT listed.* FROM (
        SELECT e.id AS evidence_id, e.profile_id, item.ingest_id,
               coalesce(decided.decision, CASE e.state WHEN 'quarantined' THEN 'held' ELSE e.state END) AS status,
               e.quarantine_reason, e.content, e.labels, e.metadata, e.source_type, e.authority, s.source_key,
               coalesce(revision.name, e.source_revision) AS source_revision,
               ARRAY(SELECT outcome.proposal_id FROM placement_outcomes AS outcome
                     WHERE outcome.team_id = item.team_id AND outcome.ingest_id = item.ingest_id
                       AND EXISTS (
                           SELECT FROM jsonb_array_elements(
                               ingests.proposal->'relationships'->outcome.position->'evidence') AS span
                           WHERE (span->>0)::int = item.evidence_index)
                     ORDER BY outcome.position) AS proposal_ids,
               e.created_at, decided.created_at AS decided_at, decided.actor_profile_id AS decided_by_profile_id,
               decided.reason AS decision_reason
        FROM evidence AS e
        LEFT JOIN sources AS s ON s.team_id = e.team_id AND s.id = e.source_id
        LEFT JOIN source_revisions AS revision
          ON revision.team_id = e.team_id AND revision.source_id = e.source_id
         AND revision.revision = e.source_revision
        LEFT JOIN ingest_evidence AS item ON item.team_id = e.team_id AND item.evidence_id = e.id
        LEFT JOIN ingests ON ingests.team_id = item.team_id AND ingests.id = item.ingest_id
        LEFT JOIN evidence_decisions AS decided
          ON decided.team_id = e.team_id AND decided.evidence_id = e.id
        WHERE e.team_id = %(team_id)s AND e.quarantine_reason IS NOT NULL
          AND (%(after_at)s::timestamptz IS NULL
               OR (e.created_at, e.id) < (%(after_at)s::timestamptz, %(after_id)s::text))
    ) AS listed
    WHERE %(status)s::text IS NULL OR listed.status = %(status)s
    ORDER BY listed.created_at DESC, listed.evidence_id DESC LIMIT %(limit)s
"""
