"""Tables of the semantic ledger.

Written by `remember` and by the ledger's own lifecycle only; the dreamer's role cannot write any of them.
"""

from app.ledger.models.cases import ConflictCase, ConflictEvent, ConflictPosition, ReviewTask
from app.ledger.models.evidence import Citation, Evidence, EvidenceDecision, Source, SourceRevision
from app.ledger.models.nodes import (
    Entity,
    EntityMergeEvent,
    EntityName,
    PredicateName,
    PredicateVersion,
    TypedValueRow,
)
from app.ledger.models.relationships import (
    Relationship,
    RelationshipDocument,
    RelationshipTransition,
    Support,
    SupportEvent,
    VerificationEvent,
)

__all__ = [
    "Citation",
    "ConflictCase",
    "ConflictEvent",
    "ConflictPosition",
    "Entity",
    "EntityMergeEvent",
    "EntityName",
    "Evidence",
    "EvidenceDecision",
    "PredicateName",
    "PredicateVersion",
    "Relationship",
    "RelationshipDocument",
    "RelationshipTransition",
    "ReviewTask",
    "Source",
    "SourceRevision",
    "Support",
    "SupportEvent",
    "TypedValueRow",
    "VerificationEvent",
]
