"""What `remember` takes: evidence, and a client's proposal of what it says. Pure.

Mirrors the bodies of the doors, whose defaults are these. `from_stored` and `as_stored` carry the proposal through
the placement ledger.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from app.ledger.vocabulary import EntityKind, Modality, Polarity, SourceType, ValueType
from app.tenancy.authority import Authority


@dataclass(frozen=True, slots=True)
class EvidenceItem:
    """Verbatim text, 1..4000 code points, and where it comes from."""

    content: str
    source_type: SourceType = "manual"
    authority: Authority = "unknown"
    source_group: str | None = None
    source_key: str | None = None
    source_revision: str | None = None
    previous_source_revision: str | None = None
    supersedes_evidence_ids: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    metadata: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EntityProposal:
    """A thing that the evidence names. `known_entity_id` is a hint: it is checked, never trusted.

    `is_decided` is set by a review, never by a client: then that Entity is meant, whatever its names.
    """

    ref: str
    name: str
    entity_kind: EntityKind = "other"
    aliases: tuple[str, ...] = ()
    known_entity_id: str | None = None
    is_decided: bool = False


@dataclass(frozen=True, slots=True)
class ValueProposal:
    """A typed literal as JSON gives it."""

    type: ValueType
    value: object
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class CitedSpan:
    """Half-open range of code points in the evidence item with this index."""

    evidence_index: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class CorrectionTarget:
    """The caller's own Relationship that the proposal replaces, as the caller saw it."""

    relationship_id: str
    expected_version: int


@dataclass(frozen=True, slots=True)
class RelationshipProposal:
    """What the cited text is said to state. Exactly one of `object_ref` and `object_value` is set.

    `is_scope_decided` and `is_window_decided` are set by a review, never by a client: then
    they hold, cited or not.
    """

    proposal_id: str
    subject_ref: str
    predicate: str
    evidence: tuple[CitedSpan, ...]
    object_ref: str | None = None
    object_value: ValueProposal | None = None
    polarity: Polarity = "+"
    modality: Modality = "statement"
    scope: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    correction_target: CorrectionTarget | None = None
    client_comment: str | None = None
    is_scope_decided: bool = False
    is_window_decided: bool = False


@dataclass(frozen=True, slots=True)
class Submission:
    """One call of `remember`."""

    evidence: tuple[EvidenceItem, ...]
    entities: tuple[EntityProposal, ...] = ()
    relationships: tuple[RelationshipProposal, ...] = ()


def as_stored(submission: Submission) -> dict[str, object]:
    """Return the proposal, without the evidence, as JSON."""
    return {
        "entities": [
            {
                "ref": entity.ref,
                "name": entity.name,
                "entity_kind": entity.entity_kind,
                "aliases": list(entity.aliases),
                "known_entity_id": entity.known_entity_id,
            }
            for entity in submission.entities
        ],
        "relationships": [_relationship_as_stored(proposal) for proposal in submission.relationships],
    }


# JSON that `as_stored` made itself; its shape is known, its static type is not.
def from_stored(
    proposal: Mapping[str, Any],
) -> tuple[tuple[EntityProposal, ...], tuple[RelationshipProposal, ...]]:
    """Return the entities and relationships of a stored proposal."""
    entities = tuple(
        EntityProposal(**(entity | {"aliases": tuple(entity["aliases"])})) for entity in proposal["entities"]
    )
    return entities, tuple(_relationship_from_stored(stored) for stored in proposal["relationships"])


def _relationship_as_stored(proposal: RelationshipProposal) -> dict[str, object]:
    value, target = proposal.object_value, proposal.correction_target
    return {
        "proposal_id": proposal.proposal_id,
        "subject_ref": proposal.subject_ref,
        "predicate": proposal.predicate,
        "evidence": [[span.evidence_index, span.start, span.end] for span in proposal.evidence],
        "object_ref": proposal.object_ref,
        "object_value": value and {"type": value.type, "value": value.value, "unit": value.unit},
        "polarity": proposal.polarity,
        "modality": proposal.modality,
        "scope": proposal.scope,
        "valid_from": proposal.valid_from and proposal.valid_from.isoformat(),
        "valid_to": proposal.valid_to and proposal.valid_to.isoformat(),
        "correction_target": target and [target.relationship_id, target.expected_version],
        "client_comment": proposal.client_comment,
    }


def _relationship_from_stored(stored: Mapping[str, Any]) -> RelationshipProposal:  # As above.
    value, target = stored["object_value"], stored["correction_target"]
    moments = {
        name: stored[name] and datetime.fromisoformat(stored[name]) for name in ("valid_from", "valid_to")
    }
    return RelationshipProposal(
        **{
            **stored,
            **moments,
            "evidence": tuple(CitedSpan(*span) for span in stored["evidence"]),
            "object_value": value and ValueProposal(**value),
            "correction_target": target and CorrectionTarget(*target),
        }
    )
