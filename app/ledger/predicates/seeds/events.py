"""Seeded predicates about what happens."""

from app.ledger.predicates.seeds.kinds import ALL_KINDS, EVENTS, PLACES
from app.ledger.vocabulary import Predicate

EVENT_PREDICATES: tuple[Predicate, ...] = (
    Predicate(
        key="took_place_in",
        version=1,
        label="Took place in",
        verb_phrase="took place in",
        aliases=("was held in", "happened in"),
        allowed_subject_kinds=EVENTS,
        allowed_object_kinds=PLACES,
        relationship_kind="event",
    ),
    Predicate(
        key="took_place_on",
        version=1,
        label="Took place on",
        verb_phrase="took place on",
        aliases=("was held on", "happened on"),
        allowed_subject_kinds=EVENTS,
        allowed_value_types=("date", "date_time"),
        relationship_kind="event",
    ),
    Predicate(
        key="caused",
        version=1,
        label="Caused",
        verb_phrase="caused",
        aliases=("led to", "resulted in"),
        allowed_subject_kinds=ALL_KINDS,
        allowed_object_kinds=ALL_KINDS,
        relationship_kind="event",
    ),
)
