"""Which relations a query asks about."""

import pytest

from app.ledger.nodes.names import fold_name
from app.ledger.predicates.seed import SEEDED_PREDICATES
from app.recall.names import Piece, candidate_names
from app.recall.relations import PredicateWords, Wanted, learn, read_relations, understood_words

VOCABULARY = learn(
    PredicateWords(
        one.key, (one.label, one.verb_phrase, *one.aliases), one.symmetric, bool(one.allowed_value_types)
    )
    for one in SEEDED_PREDICATES
)


def read(query: str, name: str = "Lumen") -> Wanted:
    pieces = [Piece(*span) for run, span in candidate_names(query) if run == fold_name(name)]
    return read_relations(query, pieces, VOCABULARY)


@pytest.mark.parametrize(
    ("query", "key", "is_subject"),
    [
        ("What does Lumen depend on?", "depends_on", True),
        ("What depends on Lumen?", "depends_on", False),
        ("the dependencies of Lumen", "depends_on", True),
        ("what Lumen relies on", "depends_on", True),
        ("Who is the maintainer of Lumen?", "maintained_by", True),
        ("things maintained by Lumen", "maintained_by", False),
        ("Where are the headquarters of Lumen?", "headquartered_in", True),
        ("Which license does Lumen have?", "licensed_under", True),
        ("LICENCES of Lumen", "licensed_under", True),
        ("What is Lumen written in?", "written_in", True),
        ("Who is in charge of Lumen?", "responsible_for", False),
        ("Who are the sponsors of Lumen?", "funded_by", True),
    ],
)
def test_a_predicate_is_known_by_any_form_of_its_names_and_the_side_by_the_order(
    query: str, key: str, is_subject: bool
) -> None:
    best = max(read(query).relations, key=lambda one: one.fit)
    found = next(one for one in read(query).relations if one.key == key)
    assert found.fit == best.fit > 0.9
    assert (found.as_subject > found.as_object) is is_subject


@pytest.mark.parametrize(
    "query",
    ["What does Lumen depend on, and what depends on it?", "What depends on Lumen or depends on Copper?"],
)
def test_what_is_asked_for_twice_beside_each_other_is_no_chain(query: str) -> None:
    assert read(query).chains == ()


def test_both_sides_of_a_symmetric_predicate_fit_alike() -> None:
    found = next(one for one in read("alternatives to Lumen").relations if one.key == "alternative_to")
    assert found.as_subject == found.as_object > 0.9


@pytest.mark.parametrize(
    ("query", "first", "second"),
    [
        ("Where is the maintainer of Lumen headquartered?", "maintained_by", "headquartered_in"),
        ("What is everything that Lumen depends on licensed under?", "depends_on", "licensed_under"),
        ("Who is responsible for what Lumen depends on?", "depends_on", "responsible_for"),
        ("What do the alternatives to Lumen depend on?", "alternative_to", "depends_on"),
        ("What do the dependencies of Lumen depend on?", "depends_on", "depends_on"),
        ("What depends on what depends on Lumen?", "depends_on", "depends_on"),
        ("What do Lumen's dependencies depend on?", "depends_on", "depends_on"),
    ],
)
def test_two_relations_are_a_chain_from_the_one_nearer_to_the_name(
    query: str, first: str, second: str
) -> None:
    chains = read(query).chains
    assert (first, second) in {(one.first.key, one.second.key) for one in chains}
    fits = {(one.first.key, one.second.key): one.fit for one in chains}
    assert fits[first, second] == max(fits.values()) > 0.9


@pytest.mark.parametrize(
    "query", ["What does Lumen depend on?", "Lumen", "who requires Python for Lumen", ""]
)
def test_one_relation_or_none_is_no_chain(query: str) -> None:
    assert read(query).chains == ()


def test_words_of_the_name_ask_for_nothing() -> None:
    assert read("Depends On", "Depends On").relations == ()
    assert read("人工智能").relations == ()


def test_words_that_the_vocabulary_explains_are_told_from_others() -> None:
    understood = understood_words("What does Lumne Gateway depend on", VOCABULARY)
    assert understood == {"what", "does", "depend", "on"}


@pytest.mark.parametrize(
    ("query", "is_all"),
    [
        ("What does Lumen depend on?", True),
        ("the licence of Lumen", True),
        ("Where is the maintainer of Lumen headquartered?", True),
        ("What does Lumen depend on in production?", False),
        ("What does Lumen depend on in 2024?", False),
        ("Who maintains what Lumen 中文 depends on?", False),
        ("What does Lumen depend on in May?", False),
        ("What does Lumen S depend on?", False),
        ("what does lumen s depend on?", False),
        ("On what does a Lumen depend?", True),
        ("What does Lumen++ depend on?", False),
        ("What does .Lumen depend on?", False),
        ("What does Lumen' depend on?", False),
        ("What's what Lumen depends on?", True),
        ('On what does "Lumen" depend...', True),
        # A value may be called so, too.
        ("What requires Python Lumen?", False),
        ("Lumen", False),
    ],
)
def test_a_question_is_whole_where_names_and_one_relation_or_chain_account_for_every_word(
    query: str, is_all: bool
) -> None:
    assert read(query).is_all is is_all
