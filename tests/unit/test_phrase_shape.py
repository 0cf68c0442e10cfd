"""What may name a relation, and what may stand between subject and object."""

import pytest

from app.ledger.predicates.phrase_shape import find_name_fault, find_phrase_fault
from app.ledger.predicates.seed import SEEDED_PREDICATES
from app.ledger.vocabulary import Predicate


@pytest.mark.parametrize("predicate", SEEDED_PREDICATES, ids=lambda predicate: predicate.key)
def test_every_seeded_name_passes(predicate: Predicate) -> None:
    assert find_phrase_fault(predicate.verb_phrase) is None
    for name in (predicate.key, predicate.label, *predicate.aliases):
        assert find_name_fault(name) is None


@pytest.mark.parametrize(
    "name",
    [
        "lacks",
        "denies",
        "needs",
        "is a",
        "belongs to",
        "Home-page",
        "knits",
        "appears in",
        "依赖",
        "Full name",
    ],
)
def test_a_relation_of_its_own_may_be_a_name(name: str) -> None:
    assert find_name_fault(name) is None


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "-- ",
        "…",
        "\u200b",
        "is",
        "has been",
        "of the",
        "does not depend on",
        "does_not_depend_on",
        "doesn't use",
        "doesn’t use",
        "no longer uses",
        "NEVER uses",
        "cannot run on",
        "may use",
        "possibly uses",
        "is unlikely to use",
        "seems to use",
        "fails to implement",
        "uses if",
        "Name",
        "name",
        "CLASSIFIER",
    ],
)
def test_what_denies_doubts_says_nothing_or_frames_records_is_no_name(name: str) -> None:
    assert find_name_fault(name) is not None
    assert find_phrase_fault(name) is not None


@pytest.mark.parametrize(
    "phrase", ["depends on", "is part of", "was born in", "took place in", "has a lid of"]
)
def test_a_verb_phrase_begins_with_its_finite_verb(phrase: str) -> None:
    assert find_phrase_fault(phrase) is None


@pytest.mark.parametrize(
    "phrase",
    [
        "depend on",
        "are part of",
        "part of",
        "Depends on",
        "depends_on",
        "depends on.",
        "uses , and",
        "uses; hates",
        "does use",
        "依赖",
        "was",
        "12s of",
    ],
)
def test_anything_else_is_no_verb_phrase(phrase: str) -> None:
    assert find_phrase_fault(phrase) is not None
