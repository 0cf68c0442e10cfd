"""The seeded predicates as a whole."""

from collections import Counter

import pytest

from app.ledger.predicates.inflections import is_past
from app.ledger.predicates.phrases import split_phrase
from app.ledger.predicates.seed import SEEDED_BY_KEY, SEEDED_PREDICATES
from app.ledger.vocabulary import Predicate


@pytest.fixture(params=SEEDED_PREDICATES, ids=lambda predicate: predicate.key)
def predicate(request: pytest.FixtureRequest) -> Predicate:
    value = request.param
    assert isinstance(value, Predicate)
    return value


def test_there_are_about_sixty_in_order_of_their_keys() -> None:
    keys = [predicate.key for predicate in SEEDED_PREDICATES]

    assert 50 <= len(keys) <= 75
    assert keys == sorted(set(keys))
    assert dict(SEEDED_BY_KEY) == {predicate.key: predicate for predicate in SEEDED_PREDICATES}


def test_no_key_label_or_alias_names_two_predicates() -> None:
    words: Counter[str] = Counter()
    for predicate in SEEDED_PREDICATES:
        own = {predicate.key, predicate.label, predicate.verb_phrase, *predicate.aliases}
        words.update({word.casefold().replace("_", " ").replace("-", " ") for word in own})

    assert [word for word, count in words.items() if count > 1] == []


def test_aliases_are_unique_case_folded() -> None:
    aliases = [alias.casefold() for predicate in SEEDED_PREDICATES for alias in predicate.aliases]

    assert len(aliases) == len(set(aliases))


def test_an_inverse_is_mutual_with_its_kinds_swapped(predicate: Predicate) -> None:
    if predicate.inverse_key is None:
        return
    inverse = SEEDED_BY_KEY[predicate.inverse_key]

    assert inverse.key != predicate.key
    assert inverse.inverse_key == predicate.key
    assert inverse.allowed_subject_kinds == predicate.allowed_object_kinds
    assert inverse.allowed_object_kinds == predicate.allowed_subject_kinds
    assert inverse.allowed_value_types == predicate.allowed_value_types == ()
    assert inverse.relationship_kind == predicate.relationship_kind


def test_a_symmetric_predicate_has_equal_kinds_and_neither_inverse_nor_values(predicate: Predicate) -> None:
    if predicate.symmetric:
        assert predicate.allowed_subject_kinds == predicate.allowed_object_kinds
        assert predicate.inverse_key is None
        assert predicate.allowed_value_types == ()


def test_the_verb_phrase_is_third_person_singular(predicate: Predicate) -> None:
    head, _ = split_phrase(predicate.verb_phrase)

    if predicate.relationship_kind == "event":
        assert head == "was" or is_past(head)
    else:
        assert head.endswith("s")
        assert head not in ("was", "does")


def test_the_default_kind_is_taken_wherever_an_entity_is(predicate: Predicate) -> None:
    assert predicate.accepts_subject("other")
    if not predicate.allowed_value_types:
        assert predicate.accepts_entity_object("other")


def test_kinds_are_listed_once(predicate: Predicate) -> None:
    for kinds in (predicate.allowed_subject_kinds, predicate.allowed_object_kinds):
        assert len(kinds) == len(set(kinds))


def test_benefits_from_takes_any_entity() -> None:
    assert SEEDED_BY_KEY["benefits_from"].accepts_any_entity


@pytest.mark.parametrize(
    ("alias", "key"),
    [
        ("Requires-Dist", "depends_on"),
        ("License", "licensed_under"),
        ("License-Expression", "licensed_under"),
        ("Requires-Python", "requires_python"),
        ("Topic", "has_topic"),
    ],
)
def test_package_metadata_keys_are_aliases(alias: str, key: str) -> None:
    assert alias in SEEDED_BY_KEY[key].aliases


def test_cardinality_and_values_of_package_metadata() -> None:
    assert SEEDED_BY_KEY["licensed_under"].current_cardinality == "one"
    assert SEEDED_BY_KEY["depends_on"].current_cardinality == "many"
    assert SEEDED_BY_KEY["requires_python"].accepts_value_object("string")
    assert not SEEDED_BY_KEY["requires_python"].accepts_entity_object("other")
