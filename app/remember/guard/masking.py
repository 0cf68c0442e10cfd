"""Masking of a whole submission, field by field, with a count of what was masked where. Pure."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from app.remember.guard.mask import (
    KnownSecrets,
    MaskedText,
    RepeatedSecrets,
    distinguish,
    mask_json,
    mask_named,
    mask_text,
)
from app.remember.submission import (
    EntityProposal,
    EvidenceItem,
    RelationshipProposal,
    Submission,
    ValueProposal,
)


@dataclass(slots=True)
class Masking:
    """One pass over one submission. `counts` is by place and kind of secret.

    Refs and proposal ids link parts of a submission and must stay different from each other: a masked one that
    is taken gets a number.
    """

    repeated: RepeatedSecrets
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    _refs: dict[str, str] = field(default_factory=dict, repr=False)
    _proposal_ids: dict[str, str] = field(default_factory=dict, repr=False)

    def mask(self, submission: Submission) -> Submission:
        """Return the submission without secrets."""
        return Submission(
            evidence=tuple(
                self._evidence(f"evidence.{at}", one) for at, one in enumerate(submission.evidence)
            ),
            entities=tuple(
                self._entity(f"proposal.entities.{at}", one) for at, one in enumerate(submission.entities)
            ),
            relationships=tuple(
                self._relationship(f"proposal.relationships.{at}", one)
                for at, one in enumerate(submission.relationships)
            ),
        )

    def _evidence(self, where: str, item: EvidenceItem) -> EvidenceItem:
        metadata = mask_json(item.metadata, self.repeated)
        self._count(f"{where}.metadata", metadata.counts)
        assert isinstance(metadata.value, dict)  # An object stays an object.
        return replace(
            item,
            content=self._text(f"{where}.content", item.content),
            source_group=self._optional(f"{where}.source_group", item.source_group),
            source_key=self._optional(f"{where}.source_key", item.source_key),
            source_revision=self._optional(f"{where}.source_revision", item.source_revision),
            previous_source_revision=self._optional(
                f"{where}.previous_source_revision", item.previous_source_revision
            ),
            supersedes_evidence_ids=self._texts(
                f"{where}.supersedes_evidence_ids", item.supersedes_evidence_ids
            ),
            labels=self._texts(f"{where}.labels", item.labels),
            metadata=metadata.value,
        )

    def _entity(self, where: str, entity: EntityProposal) -> EntityProposal:
        return replace(
            entity,
            ref=self._link(f"{where}.ref", entity.ref, self._refs),
            name=self._text(f"{where}.name", entity.name),
            aliases=self._texts(f"{where}.aliases", entity.aliases),
            known_entity_id=self._optional(f"{where}.known_entity_id", entity.known_entity_id),
        )

    def _relationship(self, where: str, proposal: RelationshipProposal) -> RelationshipProposal:
        object_ref, target = proposal.object_ref, proposal.correction_target
        return replace(
            proposal,
            proposal_id=self._link(f"{where}.proposal_id", proposal.proposal_id, self._proposal_ids),
            subject_ref=self._link(f"{where}.subject_ref", proposal.subject_ref, self._refs),
            predicate=self._text(f"{where}.predicate", proposal.predicate),
            object_ref=None
            if object_ref is None
            else self._link(f"{where}.object_ref", object_ref, self._refs),
            object_value=self._value(f"{where}.object_value", proposal.object_value, proposal.predicate),
            scope=self._optional(f"{where}.scope", proposal.scope),
            correction_target=target
            and replace(
                target,
                relationship_id=self._text(
                    f"{where}.correction_target.relationship_id", target.relationship_id
                ),
            ),
            client_comment=self._optional(f"{where}.client_comment", proposal.client_comment),
        )

    def _value(self, where: str, proposal: ValueProposal | None, predicate: str) -> ValueProposal | None:
        if proposal is None:
            return None
        value = proposal.value
        if isinstance(value, str):
            # `has_password` gives its value away as a key does.
            named = mask_named(value, (predicate,))
            value = self._keep(f"{where}.value", mask_text(value, self.repeated) if named is None else named)
        return replace(proposal, value=value, unit=self._optional(f"{where}.unit", proposal.unit))

    def _link(self, where: str, text: str, links: dict[str, str]) -> str:
        if text not in links:
            links[text] = distinguish(self._text(where, text), set(links.values()))
        return links[text]

    def _texts(self, where: str, texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(self._text(where, text) for text in texts)

    def _optional(self, where: str, text: str | None) -> str | None:
        return None if text is None else self._text(where, text)

    def _text(self, where: str, text: str) -> str:
        return self._keep(where, mask_text(text, self.repeated))

    def _keep(self, where: str, masked: MaskedText) -> str:
        self._count(where, masked.counts)
        return masked.text

    def _count(self, where: str, counts: Mapping[str, int]) -> None:
        for kind, number in counts.items():
            self.counts[where, kind] += number


def find_repeated(submission: Submission) -> RepeatedSecrets:
    """Return the secrets of the submission that stand in more than one place of it."""
    known = KnownSecrets()
    for item in submission.evidence:
        known.learn(item.content)
        known.learn_json([item.labels, item.metadata, item.source_key, item.source_group])
        known.learn_json([item.source_revision, item.previous_source_revision, item.supersedes_evidence_ids])
    for entity in submission.entities:
        known.learn_json([entity.ref, entity.name, entity.aliases, entity.known_entity_id])
    for proposal in submission.relationships:
        value, target = proposal.object_value, proposal.correction_target
        known.learn_json([proposal.proposal_id, proposal.subject_ref, proposal.object_ref])
        known.learn_json([proposal.predicate, proposal.scope, proposal.client_comment])
        known.learn_json([value and value.value, value and value.unit, target and target.relationship_id])
        if value is not None and isinstance(value.value, str):
            known.learn_named((proposal.predicate,), value.value)
    return known.repeated()
