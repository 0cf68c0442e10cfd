"""Seeded predicates about succession, versions and dates."""

from app.ledger.predicates.seeds.kinds import ALL_KINDS, THINGS, WORKS
from app.ledger.vocabulary import Predicate

LIFECYCLE_PREDICATES: tuple[Predicate, ...] = (
    Predicate(
        key="preceded_by",
        version=1,
        label="Preceded by",
        verb_phrase="was preceded by",
        aliases=("is the successor of", "is the successor to"),
        allowed_subject_kinds=ALL_KINDS,
        allowed_object_kinds=ALL_KINDS,
        relationship_kind="event",
        inverse_key="succeeded_by",
    ),
    Predicate(
        key="succeeded_by",
        version=1,
        label="Succeeded by",
        verb_phrase="was succeeded by",
        aliases=("is the predecessor of", "is the predecessor to"),
        allowed_subject_kinds=ALL_KINDS,
        allowed_object_kinds=ALL_KINDS,
        relationship_kind="event",
        inverse_key="preceded_by",
    ),
    Predicate(
        key="replaces",
        version=1,
        label="Replaces",
        verb_phrase="replaces",
        aliases=("supersedes", "Obsoletes-Dist"),
        allowed_subject_kinds=THINGS,
        allowed_object_kinds=THINGS,
    ),
    Predicate(
        key="has_version",
        version=1,
        label="Has version",
        verb_phrase="has version",
        aliases=("is at version", "Version"),
        allowed_subject_kinds=WORKS,
        allowed_value_types=("string",),
        current_cardinality="one",
    ),
    Predicate(
        key="released_on",
        version=1,
        label="Released on",
        verb_phrase="was released on",
        aliases=("was published on",),
        allowed_subject_kinds=WORKS,
        allowed_value_types=("date",),
        relationship_kind="event",
    ),
)
