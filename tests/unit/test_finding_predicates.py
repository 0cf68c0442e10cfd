"""Under which words a proposal finds a predicate."""

from dataclasses import replace

import pytest

from app.ledger.predicates.registry import find_predicate
from app.ledger.predicates.seed import SEEDED_BY_KEY, SEEDED_PREDICATES

SEWS = replace(SEEDED_BY_KEY["uses"], key="sews", label="Sews", verb_phrase="sews", aliases=("mends",))
STITCHES = replace(SEWS, key="stitches", label="Stitches", verb_phrase="stitches", aliases=("sews", "mends"))
REGISTRY = {"sews": SEWS, "stitches": STITCHES}


def test_every_name_of_a_seeded_predicate_finds_it_whatever_its_case() -> None:
    for predicate in SEEDED_PREDICATES:
        for name in (predicate.key, predicate.label, predicate.verb_phrase, *predicate.aliases):
            for spelling in (name, name.upper(), f" {name.replace(' ', '  ')} "):
                assert find_predicate(SEEDED_BY_KEY, spelling) == predicate, spelling


@pytest.mark.parametrize("name", ["works-for", "work for", "worked for", "works for a", "employed", ""])
def test_no_other_word_finds_one(name: str) -> None:
    assert find_predicate(SEEDED_BY_KEY, name) is None


def test_a_key_comes_before_the_names_of_others() -> None:
    assert find_predicate(REGISTRY, "Sews") == SEWS
    assert find_predicate({**REGISTRY, "sews": replace(SEWS, lifecycle_state="retired")}, "Sews") == STITCHES


def test_a_name_that_an_old_registry_gave_to_two_finds_neither() -> None:
    assert find_predicate(REGISTRY, "mends") is None
    assert find_predicate({"stitches": STITCHES}, "mends") == STITCHES
