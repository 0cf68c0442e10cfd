"""Entities and predicates, in lists and one by one."""

from typing import Annotated, TypeVar

from pydantic import Field, StringConstraints

from app.api.wire.shapes import (
    Answer,
    Closed,
    GivenName,
    IdempotencyKey,
    Name,
    PageQuery,
    UtcTime,
    Versioned,
)
from app.ledger.predicates.draft import PredicateChanges, PredicateDraft
from app.ledger.vocabulary import (
    Cardinality,
    EntityKind,
    Predicate,
    PredicateState,
    RelationshipKind,
    ValueType,
)

_T = TypeVar("_T")
Kinds = Annotated[list[EntityKind], Field(max_length=9)]
Types = Annotated[list[ValueType], Field(max_length=5)]
Aliases = Annotated[list[GivenName], Field(max_length=20)]
# The pattern comes first and leaves no text to check: behind a validator the contract would not tell it.
PredicateKey = Annotated[str, StringConstraints(pattern="^[a-z][a-z0-9_]{0,63}$")]


class EntitiesQuery(PageQuery):
    """`search` is part of a name or alias, whatever its case."""

    search: Name | None = None
    kind: EntityKind | None = None


class EntityAnswer(Answer):
    """A named thing."""

    entity_id: str
    name: str
    kind: EntityKind
    aliases: list[str]
    created_at: UtcTime


class PredicateBody(Closed):
    """A relation to register. All three lists empty: any entity; otherwise an empty list allows nothing."""

    predicate_key: PredicateKey
    label: GivenName
    verb_phrase: GivenName
    aliases: Aliases = Field(default=[])
    allowed_subject_kinds: Kinds = Field(default=[])
    allowed_object_kinds: Kinds = Field(default=[])
    allowed_value_types: Types = Field(default=[])
    relationship_kind: RelationshipKind = "state"
    current_cardinality: Cardinality = "many"
    symmetric: bool = False
    inverse_key: PredicateKey | None = None
    idempotency_key: IdempotencyKey | None = None

    def as_draft(self) -> PredicateDraft:
        """Return what the registry takes."""
        return PredicateDraft(
            predicate_key=self.predicate_key,
            label=self.label,
            verb_phrase=self.verb_phrase,
            aliases=tuple(self.aliases),
            allowed_subject_kinds=tuple(self.allowed_subject_kinds),
            allowed_object_kinds=tuple(self.allowed_object_kinds),
            allowed_value_types=tuple(self.allowed_value_types),
            relationship_kind=self.relationship_kind,
            current_cardinality=self.current_cardinality,
            symmetric=self.symmetric,
            inverse_key=self.inverse_key,
        )


class PredicateChangesBody(Versioned):
    """New values; a field that is missing or null stays as it is. Any change is a new version."""

    label: GivenName | None = None
    verb_phrase: GivenName | None = None
    aliases: Aliases | None = None
    allowed_subject_kinds: Kinds | None = None
    allowed_object_kinds: Kinds | None = None
    allowed_value_types: Types | None = None
    relationship_kind: RelationshipKind | None = None
    current_cardinality: Cardinality | None = None
    lifecycle_state: PredicateState | None = None
    idempotency_key: IdempotencyKey | None = None

    def as_changes(self) -> PredicateChanges:
        """Return what the registry takes."""
        return PredicateChanges(
            label=self.label,
            verb_phrase=self.verb_phrase,
            aliases=_given(self.aliases),
            allowed_subject_kinds=_given(self.allowed_subject_kinds),
            allowed_object_kinds=_given(self.allowed_object_kinds),
            allowed_value_types=_given(self.allowed_value_types),
            relationship_kind=self.relationship_kind,
            current_cardinality=self.current_cardinality,
            lifecycle_state=self.lifecycle_state,
            expected_version=self.expected_version,
        )


class PredicateAnswer(Answer):
    """A registered relation, one version of it."""

    predicate_key: str
    label: str
    aliases: list[str]
    allowed_subject_kinds: list[EntityKind]
    allowed_object_kinds: list[EntityKind]
    allowed_value_types: list[ValueType]
    relationship_kind: RelationshipKind
    current_cardinality: Cardinality
    symmetric: bool
    inverse_key: str | None
    verb_phrase: str
    version: int
    lifecycle_state: PredicateState


def write_predicate(predicate: Predicate) -> PredicateAnswer:
    """Return the predicate; outside, its key is called `predicate_key`."""
    return PredicateAnswer(
        predicate_key=predicate.key,
        label=predicate.label,
        aliases=list(predicate.aliases),
        allowed_subject_kinds=list(predicate.allowed_subject_kinds),
        allowed_object_kinds=list(predicate.allowed_object_kinds),
        allowed_value_types=list(predicate.allowed_value_types),
        relationship_kind=predicate.relationship_kind,
        current_cardinality=predicate.current_cardinality,
        symmetric=predicate.symmetric,
        inverse_key=predicate.inverse_key,
        verb_phrase=predicate.verb_phrase,
        version=predicate.version,
        lifecycle_state=predicate.lifecycle_state,
    )


def _given(items: list[_T] | None) -> tuple[_T, ...] | None:
    return None if items is None else tuple(items)
