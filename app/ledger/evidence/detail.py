"""One evidence item whole, with its source and what cites it."""

from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString

from app.kernel.database import Reading
from app.kernel.errors import NotFound
from app.kernel.ids import is_id
from app.ledger.vocabulary import EvidenceState, SourceType
from app.tenancy.authority import Authority
from app.tenancy.callers import Caller


@dataclass(frozen=True, slots=True)
class EvidenceDetail:
    """Verbatim text and where it comes from.

    If the item was held and never released, `content` is None, and labels and metadata are empty, for all but its
    submitter and operators: they may speak to whoever reads them. `quarantine_reason` says why it was held.
    `is_current` is about the source's revision; `cited_by` are Relationships that rest on it or were judged by it,
    in the order of their ids.
    """

    evidence_id: str
    profile_id: str
    content: str | None
    source_type: SourceType
    authority: Authority
    source_group: str
    source_key: str | None
    source_revision: str | None
    is_current: bool
    state: EvidenceState
    quarantine_reason: str | None
    supersedes_evidence_ids: tuple[str, ...]
    labels: tuple[str, ...]
    metadata: dict[str, object]
    cited_by: tuple[str, ...]
    created_at: datetime


async def get_evidence_detail(reading: Reading, caller: Caller, evidence_id: str) -> EvidenceDetail:
    """Return the evidence item as the caller may see it.

    Raises:
        NotFound: missing, malformed or another team's.
    """
    params = {"team_id": caller.team_id, "id": evidence_id}
    row = await reading.fetch_one(_GET, params) if is_id(evidence_id, "evd") else None
    if row is None:
        raise NotFound("No such evidence.")
    may_read = row["profile_id"] == caller.profile_id or "operate" in caller.scopes
    if not row.pop("was_cleared") and not may_read:
        row |= {"content": None, "labels": (), "metadata": {}}
    return EvidenceDetail(
        **row
        | {
            "supersedes_evidence_ids": tuple(row["supersedes_evidence_ids"]),
            "labels": tuple(row["labels"]),
            "cited_by": tuple(row["cited_by"]),
        }
    )


_GET: LiteralString = """
    SELECT e.id AS evidence_id, e.profile_id, e.content, e.source_type, e.authority, e.source_group,
           s.source_key, coalesce(revision.name, e.source_revision) AS source_revision,
           coalesce(revision.is_current, true) AS is_current, e.state,
           e.quarantine_reason,
           e.state = 'active' OR e.state = 'retracted' AND (e.quarantine_reason IS NULL OR EXISTS (
               SELECT FROM evidence_decisions AS decided
               WHERE decided.team_id = e.team_id AND decided.evidence_id = e.id
                 AND decided.decision = 'released')) AS was_cleared,
           e.supersedes_evidence_ids, e.labels, e.metadata, e.created_at,
           ARRAY(SELECT link.relationship_id FROM citations AS c
                 JOIN (SELECT team_id, relationship_id, citation_id FROM supports
                       UNION SELECT team_id, relationship_id, citation_id FROM verification_events) AS link
                   ON link.team_id = c.team_id AND link.citation_id = c.id
                 WHERE c.team_id = e.team_id AND c.evidence_id = e.id
                 GROUP BY link.relationship_id ORDER BY link.relationship_id) AS cited_by
    FROM evidence AS e
    LEFT JOIN sources AS s ON s.team_id = e.team_id AND s.id = e.source_id
    LEFT JOIN source_revisions AS revision
      ON revision.team_id = e.team_id AND revision.source_id = e.source_id
     AND revision.revision = e.source_revision
    WHERE e.team_id = %(team_id)s AND e.id = %(id)s
"""
