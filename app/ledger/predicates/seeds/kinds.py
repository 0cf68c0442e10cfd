"""Groups of entity kinds that the seeded predicates share. Each holds `other`, the default kind."""

from app.ledger.vocabulary import EntityKind

PEOPLE: tuple[EntityKind, ...] = ("person", "concept", "other")
GROUPS: tuple[EntityKind, ...] = ("organization", "project", "concept", "other")
ACTORS: tuple[EntityKind, ...] = ("person", "organization", "project", "concept", "other")
EMPLOYERS: tuple[EntityKind, ...] = ("organization", "project", "person", "concept", "other")
WORKS: tuple[EntityKind, ...] = ("project", "product", "document", "concept", "other")
THINGS: tuple[EntityKind, ...] = ("organization", "project", "product", "document", "concept", "other")
USERS: tuple[EntityKind, ...] = (
    "person",
    "organization",
    "project",
    "product",
    "document",
    "event",
    "concept",
    "other",
)
PLACES: tuple[EntityKind, ...] = ("place", "concept", "other")
EVENTS: tuple[EntityKind, ...] = ("event", "project", "concept", "other")
IDEAS: tuple[EntityKind, ...] = ("concept", "document", "product", "other")
ALL_KINDS: tuple[EntityKind, ...] = (
    "person",
    "organization",
    "project",
    "product",
    "place",
    "document",
    "event",
    "concept",
    "other",
)
