"""Seeded predicates about parts, kinds and likeness."""

from app.ledger.predicates.seeds.kinds import ALL_KINDS, IDEAS
from app.ledger.vocabulary import Predicate

COMPOSITION_PREDICATES: tuple[Predicate, ...] = (
    Predicate(
        key="has_part",
        version=1,
        label="Has part",
        verb_phrase="includes",
        aliases=("contains", "comprises", "has the part"),
        allowed_subject_kinds=ALL_KINDS,
        allowed_object_kinds=ALL_KINDS,
        inverse_key="part_of",
    ),
    Predicate(
        key="part_of",
        version=1,
        label="Part of",
        verb_phrase="is part of",
        aliases=("is a part of", "is a component of"),
        allowed_subject_kinds=ALL_KINDS,
        allowed_object_kinds=ALL_KINDS,
        inverse_key="has_part",
    ),
    Predicate(
        key="instance_of",
        version=1,
        label="Instance of",
        verb_phrase="is an instance of",
        aliases=("is an example of",),
        allowed_subject_kinds=ALL_KINDS,
        allowed_object_kinds=IDEAS,
    ),
    Predicate(
        key="kind_of",
        version=1,
        label="Kind of",
        verb_phrase="is a kind of",
        aliases=("is a type of", "is a subclass of"),
        allowed_subject_kinds=IDEAS,
        allowed_object_kinds=IDEAS,
    ),
    Predicate(
        key="derived_from",
        version=1,
        label="Derived from",
        verb_phrase="is derived from",
        aliases=("is based on", "is a fork of"),
        allowed_subject_kinds=ALL_KINDS,
        allowed_object_kinds=ALL_KINDS,
    ),
    Predicate(
        key="related_to",
        version=1,
        label="Related to",
        verb_phrase="is related to",
        symmetric=True,
    ),
)
