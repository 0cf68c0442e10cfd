"""Examining one proposal: are its endpoints clear, its predicate registered and valid for both? Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.ledger.nodes.values import parse_value
from app.ledger.predicates.registry import find_predicate, nearest_predicates
from app.ledger.vocabulary import Predicate, ReviewKind, TypedValue
from app.remember.claim import Claim
from app.remember.outcomes import Category
from app.remember.resolve import Known, New, Resolution, Unclear
from app.remember.submission import RelationshipProposal


@dataclass(frozen=True, slots=True)
class Ready:
    """A proposal that can be judged. Exactly one of `object_entity` and `value` is set."""

    proposal: RelationshipProposal
    predicate: Predicate
    inverse: Predicate | None
    subject: Known | New
    object_entity: Known | New | None
    value: TypedValue | None

    @property
    def claim(self) -> Claim:
        return Claim(
            subject_names=self.subject.names,
            predicate=self.predicate,
            object_names=() if self.object_entity is None else self.object_entity.names,
            value=self.value,
            polarity=self.proposal.polarity,
            inverse=self.inverse,
        )


@dataclass(frozen=True, slots=True)
class Held:
    """A proposal that no Relationship is made of. With a `review` a person can decide; `options` are for it.

    `entity_ref` is the endpoint that an identity review is about.
    """

    category: Category
    reason: str
    review: ReviewKind | None = None
    options: tuple[str, ...] = ()
    entity_ref: str | None = None


def examine(
    proposal: RelationshipProposal,
    entities: Mapping[str, Resolution],
    predicates: Mapping[str, Predicate],
) -> Ready | Held:
    """Return the proposal with what its words mean, or why it is held. Nothing is coerced.

    Source: Design, section 4, steps 3 and 4.
    """
    subject = entities[proposal.subject_ref]
    object_entity = None if proposal.object_ref is None else entities[proposal.object_ref]
    for ref, endpoint in ((proposal.subject_ref, subject), (proposal.object_ref, object_entity)):
        if isinstance(endpoint, Unclear):
            return Held("identity_needs_review", endpoint.reason, "identity", endpoint.options, ref)
    # The loop has returned for an unclear endpoint; this says so to the type checker.
    assert not isinstance(subject, Unclear)
    assert not isinstance(object_entity, Unclear)
    if (
        isinstance(subject, Known)
        and isinstance(object_entity, Known)
        and subject.entity_id == object_entity.entity_id
    ):
        return Held("relationship_rejected", "self_loop")
    value = _read_value(proposal)
    fitting = {
        key: predicate
        for key, predicate in predicates.items()
        if _accepts(predicate, subject, object_entity, value)
    }
    predicate = find_predicate(predicates, proposal.predicate)
    if predicate is None or predicate.key not in fitting:
        reason = "predicate_unknown" if predicate is None else "endpoint_kind_invalid"
        options = nearest_predicates(fitting, proposal.predicate)
        return Held("predicate_needs_review", reason, "predicate", options)
    inverse = predicates.get(predicate.inverse_key) if predicate.inverse_key else None
    return Ready(proposal, predicate, inverse, subject, object_entity, value)


def describe_misfit(
    proposal: RelationshipProposal, entities: Mapping[str, Resolution], predicates: Mapping[str, Predicate]
) -> str | None:
    """Return which end has a kind that the predicate does not take, and which it takes; None if all fits."""
    predicate = find_predicate(predicates, proposal.predicate)
    subject, object_entity = entities[proposal.subject_ref], entities.get(proposal.object_ref or "")
    if predicate is None or isinstance(subject, Unclear) or isinstance(object_entity, Unclear):
        return None
    value = _read_value(proposal)
    if _accepts(predicate, subject, object_entity, value):
        return None
    if not predicate.accepts_subject(subject.kind):
        return _misfit("subject", subject.kind, predicate.key, predicate.allowed_subject_kinds)
    allowed = (*predicate.allowed_object_kinds, *(f"{one} value" for one in predicate.allowed_value_types))
    if object_entity is not None:
        return _misfit("object", object_entity.kind, predicate.key, allowed)
    assert value is not None, "a proposal has either object"
    return _misfit("object", f"{value.value_type} value", predicate.key, allowed)


def _read_value(proposal: RelationshipProposal) -> TypedValue | None:
    literal = proposal.object_value
    return None if literal is None else parse_value(literal.type, literal.value, literal.unit)


def _misfit(end: str, kind: str, key: str, allowed: Sequence[str]) -> str:
    return f"The {end} is of kind {kind}, and {key} takes these: {', '.join(allowed) or 'none'}."


def _accepts(
    predicate: Predicate, subject: Known | New, object_entity: Known | New | None, value: TypedValue | None
) -> bool:
    if not predicate.accepts_subject(subject.kind):
        return False
    if object_entity is not None:
        return predicate.accepts_entity_object(object_entity.kind)
    return value is not None and predicate.accepts_value_object(value.value_type)
