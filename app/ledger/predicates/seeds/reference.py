"""Seeded predicates about topics, citation and documentation."""

from app.ledger.predicates.seeds.kinds import ALL_KINDS, IDEAS, THINGS, USERS, WORKS
from app.ledger.vocabulary import Predicate

REFERENCE_PREDICATES: tuple[Predicate, ...] = (
    Predicate(
        key="has_topic",
        version=1,
        label="Has topic",
        verb_phrase="has the topic",
        aliases=("is about", "deals with", "Topic"),
        allowed_subject_kinds=USERS,
        allowed_object_kinds=ALL_KINDS,
    ),
    Predicate(
        key="cites",
        version=1,
        label="Cites",
        verb_phrase="cites",
        aliases=("references", "refers to"),
        allowed_subject_kinds=WORKS,
        allowed_object_kinds=ALL_KINDS,
    ),
    Predicate(
        key="documented_in",
        version=1,
        label="Documented in",
        verb_phrase="is documented in",
        allowed_subject_kinds=ALL_KINDS,
        allowed_object_kinds=WORKS,
    ),
    Predicate(
        key="defines",
        version=1,
        label="Defines",
        verb_phrase="defines",
        aliases=("specifies",),
        allowed_subject_kinds=THINGS,
        allowed_object_kinds=IDEAS,
    ),
    Predicate(
        key="has_homepage",
        version=1,
        label="Has homepage",
        verb_phrase="has the homepage",
        aliases=("Home-page",),
        allowed_subject_kinds=USERS,
        allowed_value_types=("string",),
        current_cardinality="one",
    ),
)
