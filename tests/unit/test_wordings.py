"""One name, whatever its spelling or the form of its verb."""

import pytest

from app.ledger.predicates.seed import SEEDED_BY_KEY, SEEDED_PREDICATES
from app.ledger.predicates.wordings import direct_names, fold_words, reversed_names
from app.ledger.vocabulary import Predicate
from app.remember.lexical.forms import predicate_forms


def named(verb_phrase: str, key: str = "unheard_of") -> Predicate:
    return Predicate(key, 1, key, verb_phrase)


@pytest.mark.parametrize(
    "spelling", ["depends on", " Depends  ON", "depends_on", "Depends-On", "ｄｅｐｅｎｄｓ on", "depends on."]
)
def test_case_separators_widths_and_edges_do_not_matter(spelling: str) -> None:
    assert fold_words(spelling) == "depends on"


@pytest.mark.parametrize(
    ("phrase", "key"),
    [
        ("depend on", "depends_on"),
        ("depended on", "depends_on"),
        ("is depending on", "depends_on"),
        ("requires", "depends_on"),
        ("require", "depends_on"),
        ("Requires_Dist", "depends_on"),
        ("licensed under", "licensed_under"),
        ("are licensed under", "licensed_under"),
        ("released under", "licensed_under"),
        ("is part of", "part_of"),
        ("is the part of", "part_of"),
        ("has been created by", "created_by"),
        ("has created", "created"),
        ("creates", "created"),
        ("are using", "uses"),
        ("run on", "runs_on"),
        ("is running on", "runs_on"),
        ("is lying in", "located_in"),
        # No such verb, but its -ing form would be read as the other's.
        ("dependes on", "depends_on"),
    ],
)
def test_a_form_of_a_name_is_the_same_name(phrase: str, key: str) -> None:
    assert direct_names(named(phrase)) & direct_names(SEEDED_BY_KEY[key])


@pytest.mark.parametrize(
    ("phrase", "key"), [("is used by", "uses"), ("is required by", "depends_on"), ("funds", "funded_by")]
)
def test_the_passive_is_a_reversed_name(phrase: str, key: str) -> None:
    assert direct_names(named(phrase)) & reversed_names(SEEDED_BY_KEY[key])
    assert not direct_names(named(phrase)) & direct_names(SEEDED_BY_KEY[key])


@pytest.mark.parametrize(
    ("one", "other"),
    [("is called", "calls"), ("is written in", "was written by"), ("lives in", "lies in"), ("owns", "owes")],
)
def test_other_relations_keep_their_own_names(one: str, other: str) -> None:
    first, second = named(one, "first"), named(other, "second")
    assert not direct_names(first) & (direct_names(second) | reversed_names(second))


@pytest.mark.parametrize("predicate", SEEDED_PREDICATES, ids=lambda predicate: predicate.key)
def test_whatever_evidence_is_read_as_the_predicate_is_its_name(predicate: Predicate) -> None:
    for form in predicate_forms(predicate):
        if not form.negated:
            taken = reversed_names(predicate) if form.reversed else direct_names(predicate)
            assert direct_names(named(" ".join(form.words))) & taken, form.words


def test_seeded_predicates_share_no_name_but_with_their_inverse() -> None:
    for one in SEEDED_PREDICATES:
        for other in SEEDED_PREDICATES:
            if other.key != one.key:
                assert not direct_names(one) & direct_names(other), (one.key, other.key)
                if other.key != one.inverse_key:
                    assert not direct_names(one) & reversed_names(other), (one.key, other.key)
