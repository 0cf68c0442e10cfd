"""The seeded predicates: about sixty relations that every team's list starts with.

Pure data, put together from `seeds`. Teams register their own predicates beside them; a key or alias that is taken
here is taken for every team.
"""

from collections.abc import Mapping
from types import MappingProxyType

from app.ledger.predicates.seeds.composition import COMPOSITION_PREDICATES
from app.ledger.predicates.seeds.events import EVENT_PREDICATES
from app.ledger.predicates.seeds.lifecycle import LIFECYCLE_PREDICATES
from app.ledger.predicates.seeds.people import PEOPLE_PREDICATES
from app.ledger.predicates.seeds.place import PLACE_PREDICATES
from app.ledger.predicates.seeds.production import PRODUCTION_PREDICATES
from app.ledger.predicates.seeds.reference import REFERENCE_PREDICATES
from app.ledger.predicates.seeds.technology import TECHNOLOGY_PREDICATES
from app.ledger.vocabulary import Predicate

SEEDED_PREDICATES: tuple[Predicate, ...] = tuple(
    sorted(
        PEOPLE_PREDICATES
        + TECHNOLOGY_PREDICATES
        + COMPOSITION_PREDICATES
        + REFERENCE_PREDICATES
        + PRODUCTION_PREDICATES
        + LIFECYCLE_PREDICATES
        + PLACE_PREDICATES
        + EVENT_PREDICATES,
        key=lambda predicate: predicate.key,
    )
)

SEEDED_BY_KEY: Mapping[str, Predicate] = MappingProxyType(
    {predicate.key: predicate for predicate in SEEDED_PREDICATES}
)
