"""Evidence that the guard held: the list, and what an operator decides."""

from typing import Any

from app.api.wire.shapes import Answer, Closed, IdempotencyKey, PageQuery, Reason, UtcTime
from app.ledger.vocabulary import EvidenceState, SourceType
from app.remember.quarantined import QuarantineStatus
from app.tenancy.authority import Authority


class QuarantineQuery(PageQuery):
    """`held` are those that nobody decided about yet."""

    status: QuarantineStatus | None = None


class QuarantinedAnswer(Answer):
    """Hostile until somebody decides otherwise: the text is for a person's eyes, not for a model.

    `proposal_ids` are the proposals of the submission that cite it.
    """

    evidence_id: str
    profile_id: str
    ingest_id: str | None
    status: QuarantineStatus
    quarantine_reason: str
    content: str
    labels: list[str]
    metadata: dict[str, Any]  # The submitter's own JSON.
    source_type: SourceType
    authority: Authority
    source_key: str | None
    source_revision: str | None
    proposal_ids: list[str]
    created_at: UtcTime
    decided_at: UtcTime | None
    decided_by_profile_id: str | None
    decision_reason: str | None


class DecideEvidenceBody(Closed):
    """Why it is released or discarded."""

    reason: Reason | None = None
    idempotency_key: IdempotencyKey | None = None


class DecidedAnswer(Answer):
    """`goes_on` are the proposals that are due again; `is_changed` is false where it was decided so before."""

    evidence_id: str
    state: EvidenceState
    ingest_id: str | None
    goes_on: list[str]
    is_changed: bool
