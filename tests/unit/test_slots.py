"""Which stored positions a new one can meet."""

from dataclasses import dataclass

from app.ledger.identity import Edge
from app.ledger.relationships.slots import Place, neighbourhood
from app.ledger.vocabulary import Predicate

LICENSED = Predicate("licensed_under", 1, "Licensed under", "is licensed under", current_cardinality="one")
DEPENDS = Predicate("depends_on", 1, "Depends on", "depends on")
CAPITAL_OF = Predicate("capital_of", 1, "Capital of", "is the capital of", inverse_key="has_capital")
HAS_CAPITAL = Predicate(
    "has_capital", 1, "Has capital", "has capital", current_cardinality="one", inverse_key="capital_of"
)
TWIN = Predicate("twin_of", 1, "Twin of", "is the twin of", symmetric=True, current_cardinality="one")


@dataclass
class Stored:
    subject_entity_id: str
    predicate_key: str
    object_id: str


def place(subject: str, key: str, object_id: str) -> Place:
    return Place("team", Edge(subject, key, object_id), "+", None)


def test_one_valued_predicate_has_one_slot_for_its_subject() -> None:
    near = neighbourhood(place("a", "licensed_under", "mit"), LICENSED, None)
    assert near.shares_slot(Stored("a", "licensed_under", "bsd"))
    assert not near.shares_slot(Stored("b", "licensed_under", "bsd"))
    assert not near.shares_slot(Stored("a", "depends_on", "bsd"))


def test_many_valued_predicate_has_no_slot() -> None:
    assert neighbourhood(place("a", "depends_on", "b"), DEPENDS, None).slots == ()


def test_inverse_statement_fills_the_same_slot() -> None:
    near = neighbourhood(place("fr", "has_capital", "lyon"), HAS_CAPITAL, CAPITAL_OF)
    assert near.shares_slot(Stored("fr", "has_capital", "paris"))
    assert near.shares_slot(Stored("paris", "capital_of", "fr"))
    turned = neighbourhood(place("paris", "capital_of", "fr"), CAPITAL_OF, HAS_CAPITAL)
    assert turned.shares_slot(Stored("fr", "has_capital", "lyon"))
    assert turned.shares_slot(Stored("lyon", "capital_of", "fr"))
    assert not turned.shares_slot(Stored("paris", "capital_of", "tx"))
    assert set(near.turn_keys) & set(turned.turn_keys)


def test_symmetric_one_valued_predicate_fills_both_ends() -> None:
    near = neighbourhood(place("a", "twin_of", "b"), TWIN, None)
    for stored in (("a", "c"), ("c", "a"), ("b", "c"), ("c", "b")):
        assert near.shares_slot(Stored(stored[0], "twin_of", stored[1]))


def test_positions_of_opposite_polarity_find_each_other() -> None:
    plus = neighbourhood(place("a", "depends_on", "b"), DEPENDS, None)
    minus = neighbourhood(Place("team", Edge("a", "depends_on", "b"), "-", None), DEPENDS, None)
    assert (plus.group_key, plus.opposite_group_key) == (minus.opposite_group_key, minus.group_key)
