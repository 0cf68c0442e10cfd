"""Which stored positions a new one can meet: its group, the opposite one, and rivals for one-valued slots. Pure.

A slot is one-valued where a state predicate has current cardinality `one`: for its subject, and, through the
inverse, for its object; a symmetric one is one-valued for both endpoints. Read backwards, an inverse statement
fills the same slot from its other side.
"""

from dataclasses import dataclass
from typing import Literal, Protocol

from app.ledger.identity import Edge, semantic_group_key
from app.ledger.vocabulary import Polarity, Predicate


class Filler(Protocol):
    """What of a stored position tells which slots it fills."""

    @property
    def subject_entity_id(self) -> str: ...

    @property
    def predicate_key(self) -> str: ...

    @property
    def object_id(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Slot:
    """Room for one current position: those with this predicate and this entity on this side fill it."""

    side: Literal["subject", "object"]
    entity_id: str
    predicate_key: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a new position stands."""

    team_id: str
    edge: Edge
    polarity: Polarity
    scope: str | None


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Where a position's relatives are; `also` are Relationship ids to look at besides.

    `turn_keys` name what positions take turns for: any two that can meet share one.
    """

    group_key: str
    opposite_group_key: str
    slots: tuple[Slot, ...]
    turn_keys: tuple[str, ...]
    also: tuple[str, ...]

    def shares_slot(self, other: Filler) -> bool:
        """Whether the stored position fills a one-valued slot that the new one fills too."""
        fills = (
            Slot("subject", other.subject_entity_id, other.predicate_key),
            Slot("object", other.object_id, other.predicate_key),
        )
        return any(slot in self.slots for slot in fills)


def neighbourhood(
    place: Place, predicate: Predicate, inverse: Predicate | None, *, also: tuple[str, ...] = ()
) -> Neighbourhood:
    """Return where the relatives of a position are; `inverse` is the predicate's registered inverse, if any."""
    edge = place.edge
    is_turnable = predicate.symmetric or predicate.inverse_key is not None
    family = min(predicate.key, predicate.inverse_key or predicate.key)
    endpoints = (edge.subject_id, edge.object_id) if is_turnable else (edge.subject_id,)
    opposite: Polarity = "-" if place.polarity == "+" else "+"
    return Neighbourhood(
        group_key=_group_key(place, predicate, place.polarity),
        opposite_group_key=_group_key(place, predicate, opposite),
        slots=_slots(edge, predicate, inverse),
        turn_keys=tuple(f"{family}/{entity_id}" for entity_id in endpoints),
        also=also,
    )


def _slots(edge: Edge, predicate: Predicate, inverse: Predicate | None) -> tuple[Slot, ...]:
    slots: list[Slot] = []
    if is_one_valued(predicate):
        slots.append(Slot("subject", edge.subject_id, predicate.key))
        if predicate.symmetric:
            slots.append(Slot("object", edge.subject_id, predicate.key))
            slots += [Slot(side, edge.object_id, predicate.key) for side in ("subject", "object")]
        elif inverse is not None:
            slots.append(Slot("object", edge.subject_id, inverse.key))
    if inverse is not None and is_one_valued(inverse):
        slots += [Slot("subject", edge.object_id, inverse.key), Slot("object", edge.object_id, predicate.key)]
    return tuple(slots)


def is_one_valued(predicate: Predicate) -> bool:
    """Return whether its subject has one current object only."""
    return predicate.relationship_kind == "state" and predicate.current_cardinality == "one"


def _group_key(place: Place, predicate: Predicate, polarity: Polarity) -> str:
    return semantic_group_key(place.team_id, place.edge, predicate, polarity=polarity, scope=place.scope)
