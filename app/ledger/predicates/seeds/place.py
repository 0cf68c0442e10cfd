"""Seeded predicates about where things are."""

from app.ledger.predicates.seeds.kinds import ALL_KINDS, PLACES, THINGS
from app.ledger.vocabulary import Predicate

PLACE_PREDICATES: tuple[Predicate, ...] = (
    Predicate(
        key="located_in",
        version=1,
        label="Located in",
        verb_phrase="is located in",
        aliases=("is situated in", "lies in"),
        allowed_subject_kinds=ALL_KINDS,
        allowed_object_kinds=PLACES,
    ),
    Predicate(
        key="headquartered_in",
        version=1,
        label="Headquartered in",
        verb_phrase="is headquartered in",
        aliases=("has its headquarters in",),
        allowed_subject_kinds=THINGS,
        allowed_object_kinds=PLACES,
        current_cardinality="one",
    ),
    Predicate(
        key="capital_of",
        version=1,
        label="Capital of",
        verb_phrase="is the capital of",
        allowed_subject_kinds=PLACES,
        allowed_object_kinds=PLACES,
        inverse_key="has_capital",
    ),
    Predicate(
        key="has_capital",
        version=1,
        label="Has capital",
        verb_phrase="has the capital",
        allowed_subject_kinds=PLACES,
        allowed_object_kinds=PLACES,
        inverse_key="capital_of",
    ),
    Predicate(
        key="borders",
        version=1,
        label="Borders",
        verb_phrase="borders",
        aliases=("shares a border with",),
        allowed_subject_kinds=PLACES,
        allowed_object_kinds=PLACES,
        symmetric=True,
    ),
    Predicate(
        key="has_population",
        version=1,
        label="Has population",
        verb_phrase="has a population of",
        allowed_subject_kinds=PLACES,
        allowed_value_types=("number",),
        current_cardinality="one",
    ),
)
