"""What may become a predicate: a draft, changes to one, and the rules that both have to keep. Pure."""

import re
import unicodedata
from dataclasses import dataclass, replace
from typing import Final, TypeVar, get_args

from app.kernel.errors import FieldError, InvalidInput
from app.ledger.nodes.names import fold_name
from app.ledger.predicates.phrase_shape import find_name_fault, find_phrase_fault
from app.ledger.vocabulary import (
    Cardinality,
    EntityKind,
    Predicate,
    PredicateState,
    RelationshipKind,
    ValueType,
)

T = TypeVar("T")

MAX_ALIASES: Final = 20
MAX_NAME_LENGTH: Final = 256
_KEY = re.compile(r"[a-z][a-z0-9_]{0,63}")


@dataclass(frozen=True, slots=True)
class PredicateDraft:
    """A predicate that a team wants to register; see `Predicate` for the meaning of the fields."""

    predicate_key: str
    label: str
    verb_phrase: str
    aliases: tuple[str, ...] = ()
    allowed_subject_kinds: tuple[EntityKind, ...] = ()
    allowed_object_kinds: tuple[EntityKind, ...] = ()
    allowed_value_types: tuple[ValueType, ...] = ()
    relationship_kind: RelationshipKind = "state"
    current_cardinality: Cardinality = "many"
    symmetric: bool = False
    inverse_key: str | None = None

    def as_predicate(self) -> Predicate:
        """Return it as version 1, active."""
        return Predicate(
            key=self.predicate_key,
            version=1,
            label=self.label.strip(),
            verb_phrase=self.verb_phrase.strip(),
            aliases=tuple(alias.strip() for alias in self.aliases),
            allowed_subject_kinds=self.allowed_subject_kinds,
            allowed_object_kinds=self.allowed_object_kinds,
            allowed_value_types=self.allowed_value_types,
            relationship_kind=self.relationship_kind,
            current_cardinality=self.current_cardinality,
            symmetric=self.symmetric,
            inverse_key=self.inverse_key,
        )


@dataclass(frozen=True, slots=True)
class PredicateChanges:
    """New values for a predicate; None leaves a field as it is. Key, symmetry and inverse never change."""

    label: str | None = None
    verb_phrase: str | None = None
    aliases: tuple[str, ...] | None = None
    allowed_subject_kinds: tuple[EntityKind, ...] | None = None
    allowed_object_kinds: tuple[EntityKind, ...] | None = None
    allowed_value_types: tuple[ValueType, ...] | None = None
    relationship_kind: RelationshipKind | None = None
    current_cardinality: Cardinality | None = None
    lifecycle_state: PredicateState | None = None
    expected_version: int | None = None

    def applied_to(self, predicate: Predicate) -> Predicate:
        """Return the predicate with the new values and its old version number."""
        return replace(
            predicate,
            label=predicate.label if self.label is None else self.label.strip(),
            verb_phrase=predicate.verb_phrase if self.verb_phrase is None else self.verb_phrase.strip(),
            aliases=(
                predicate.aliases if self.aliases is None else tuple(alias.strip() for alias in self.aliases)
            ),
            allowed_subject_kinds=_given(self.allowed_subject_kinds, predicate.allowed_subject_kinds),
            allowed_object_kinds=_given(self.allowed_object_kinds, predicate.allowed_object_kinds),
            allowed_value_types=_given(self.allowed_value_types, predicate.allowed_value_types),
            relationship_kind=_given(self.relationship_kind, predicate.relationship_kind),
            current_cardinality=_given(self.current_cardinality, predicate.current_cardinality),
            lifecycle_state=_given(self.lifecycle_state, predicate.lifecycle_state),
        )


def check_predicate(
    predicate: Predicate, *, inverse: Predicate | None, before: Predicate | None = None
) -> None:
    """Say nothing if the predicate can be registered; `inverse` is the one that `inverse_key` names, if any.

    `before` is the version that it follows: what was named by older rules keeps its names and can be retired.
    The inverse of a new predicate is the primary direction of both, so its key sorts first: identities that
    exist already stay as they are.

    Raises:
        InvalidInput: with every wrong field.
    """
    errors = [*_check_texts(predicate, before), *_check_lists(predicate), *_check_symmetry(predicate)]
    if predicate.inverse_key is not None:
        errors += _check_inverse(predicate, inverse)
    if errors:
        raise InvalidInput("The predicate cannot be registered like this.", errors=tuple(errors))


def _check_texts(predicate: Predicate, before: Predicate | None) -> list[FieldError]:
    errors = []
    accepted = frozenset(text for _, text in _list_texts(before)) if before is not None else frozenset()
    if not _KEY.fullmatch(predicate.key):
        message = "A key is a lower-case ASCII word of at most 64 letters, digits and underscores."
        errors.append(FieldError("predicate_key", "malformed", message))
    for field, text in _list_texts(predicate):
        if not 1 <= len(text) <= MAX_NAME_LENGTH or any(
            unicodedata.category(c) in ("Cc", "Cs") for c in text
        ):
            errors.append(FieldError(field, "malformed", "Give 1 to 256 printable characters."))
            continue
        fault = find_phrase_fault(text) if field == "verb_phrase" else find_name_fault(text)
        if fault is not None and text not in accepted:
            errors.append(FieldError(field, "not_a_name", fault))
    return errors


def _list_texts(predicate: Predicate) -> list[tuple[str, str]]:
    """Return the texts that name the predicate, each with its field."""
    texts = [
        ("predicate_key", predicate.key),
        ("label", predicate.label),
        ("verb_phrase", predicate.verb_phrase),
    ]
    return texts + [(f"aliases.{index}", alias) for index, alias in enumerate(predicate.aliases)]


def _check_lists(predicate: Predicate) -> list[FieldError]:
    errors = []
    if len(predicate.aliases) > MAX_ALIASES:
        errors.append(FieldError("aliases", "too_many", f"At most {MAX_ALIASES} aliases."))
    names = [fold_name(name) for name in (predicate.key, *predicate.aliases)]
    if len(set(names)) < len(names):
        errors.append(FieldError("aliases", "repeated", "A name is given twice."))
    for field, words, known in (
        ("allowed_subject_kinds", predicate.allowed_subject_kinds, get_args(EntityKind)),
        ("allowed_object_kinds", predicate.allowed_object_kinds, get_args(EntityKind)),
        ("allowed_value_types", predicate.allowed_value_types, get_args(ValueType)),
    ):
        if set(words) - set(known):
            errors.append(FieldError(field, "unknown_word", f"Known are {', '.join(known)}."))
    return errors


def _check_symmetry(predicate: Predicate) -> list[FieldError]:
    if not predicate.symmetric:
        return []
    errors = []
    if predicate.inverse_key is not None:
        errors.append(FieldError("inverse_key", "not_allowed", "A symmetric predicate is its own inverse."))
    if set(predicate.allowed_subject_kinds) != set(predicate.allowed_object_kinds):
        message = "A symmetric predicate allows the same kinds on both sides."
        errors.append(FieldError("allowed_object_kinds", "not_symmetric", message))
    if predicate.allowed_value_types:
        message = "A Value is never a subject, so a symmetric predicate takes none."
        errors.append(FieldError("allowed_value_types", "not_allowed", message))
    return errors


def _check_inverse(predicate: Predicate, inverse: Predicate | None) -> list[FieldError]:
    if inverse is None or inverse.key == predicate.key:
        return [FieldError("inverse_key", "unknown", "The inverse is not a registered predicate.")]
    errors = []
    if inverse.symmetric or inverse.inverse_key not in (None, predicate.key):
        errors.append(FieldError("inverse_key", "taken", "That predicate has another inverse."))
    elif inverse.inverse_key is None and inverse.key > predicate.key:
        message = "The inverse's key must sort before the new one: it is the primary direction of both."
        errors.append(FieldError("inverse_key", "not_primary", message))
    kinds = (set(predicate.allowed_subject_kinds), set(predicate.allowed_object_kinds))
    if kinds != (set(inverse.allowed_object_kinds), set(inverse.allowed_subject_kinds)):
        message = "The inverse must allow the same kinds with the sides swapped."
        errors.append(FieldError("allowed_subject_kinds", "not_inverse", message))
    if predicate.allowed_value_types or inverse.allowed_value_types:
        message = "A Value is never a subject, so predicates with an inverse take none."
        errors.append(FieldError("allowed_value_types", "not_allowed", message))
    return errors


def _given(value: T | None, current: T) -> T:
    return current if value is None else value
