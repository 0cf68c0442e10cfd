"""Taking back: what is sent and what changed; one evidence item."""

from typing import Any, Literal

from app.api.wire.shapes import Answer, Closed, IdempotencyKey, Reason, UtcTime
from app.ledger.vocabulary import EvidenceState, SourceType, Status
from app.tenancy.authority import Authority


class RetractBody(Closed):
    """Why it is taken back."""

    reason: Reason | None = None
    idempotency_key: IdempotencyKey | None = None


class ChangedAnswer(Answer):
    """A Relationship, or the evidence itself, which has no version."""

    id: str
    status: Status | Literal["retracted"]
    version: int | None


class RetractionAnswer(Answer):
    """All that changed, what was asked for first; empty where it had been taken back already."""

    changed: list[ChangedAnswer]


class EvidenceAnswer(Answer):
    """Verbatim text and where it comes from.

    If it was held and never released, all but its submitter and operators get no content, labels and metadata;
    `quarantine_reason` says what was found in it.
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
    supersedes_evidence_ids: list[str]
    labels: list[str]
    metadata: dict[str, Any]  # The submitter's own JSON.
    cited_by: list[str]
    created_at: UtcTime
