"""The closed words that a placement answers with. Pure."""

from typing import Literal

ProcessingState = Literal["queued", "processing", "awaiting_review", "completed", "failed"]

Category = Literal[
    "relationship_fact",
    "relationship_validated_claim",
    "relationship_pending_evidence",
    "relationship_needs_review",
    "predicate_needs_review",
    "identity_needs_review",
    "relationship_rejected",
    "evidence_quarantined",
    "processing_failed",
]

ACTIVE_CATEGORIES: frozenset[Category] = frozenset({"relationship_fact", "relationship_validated_claim"})
REVIEW_CATEGORIES: frozenset[Category] = frozenset(
    {"relationship_needs_review", "predicate_needs_review", "identity_needs_review"}
)
