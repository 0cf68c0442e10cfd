"""From the bodies of `remember` and of feedback to what the domain takes."""

from collections.abc import Sequence

from app.api.wire.remember import EvidenceBody, ProposalBody, RelationshipBody
from app.remember.submission import (
    CitedSpan,
    CorrectionTarget,
    EntityProposal,
    EvidenceItem,
    RelationshipProposal,
    Submission,
    ValueProposal,
)


def read_submission(evidence: Sequence[EvidenceBody], proposal: ProposalBody) -> Submission:
    """Return the submission as the client wrote it."""
    return Submission(
        evidence=tuple(_read_evidence(item) for item in evidence),
        entities=tuple(
            EntityProposal(
                ref=entity.ref,
                name=entity.name,
                entity_kind=entity.entity_kind,
                aliases=tuple(entity.aliases),
                known_entity_id=entity.known_entity_id,
            )
            for entity in proposal.entities
        ),
        relationships=tuple(_read_relationship(proposed) for proposed in proposal.relationships),
    )


def read_optional_submission(
    evidence: Sequence[EvidenceBody] | None, proposal: ProposalBody | None
) -> Submission | None:
    """Return the submission, or None where the client sent neither part."""
    if evidence is None and proposal is None:
        return None
    return read_submission(evidence or (), proposal or ProposalBody())


def _read_evidence(item: EvidenceBody) -> EvidenceItem:
    return EvidenceItem(
        content=item.content,
        source_type=item.source_type,
        authority=item.authority,
        source_group=item.source_group,
        source_key=item.source_key,
        source_revision=item.source_revision,
        previous_source_revision=item.previous_source_revision,
        supersedes_evidence_ids=tuple(item.supersedes_evidence_ids),
        labels=tuple(item.labels),
        metadata=item.metadata,
    )


def _read_relationship(proposed: RelationshipBody) -> RelationshipProposal:
    value, target = proposed.object_value, proposed.correction_target
    return RelationshipProposal(
        proposal_id=proposed.proposal_id,
        subject_ref=proposed.subject_ref,
        predicate=proposed.predicate,
        evidence=tuple(CitedSpan(span.evidence_index, span.start, span.end) for span in proposed.evidence),
        object_ref=proposed.object_ref,
        object_value=None if value is None else ValueProposal(value.type, value.value, value.unit),
        polarity=proposed.polarity,
        modality=proposed.modality,
        scope=proposed.scope,
        valid_from=proposed.valid_from,
        valid_to=proposed.valid_to,
        correction_target=(
            None if target is None else CorrectionTarget(target.relationship_id, target.expected_version)
        ),
        client_comment=proposed.client_comment,
    )
