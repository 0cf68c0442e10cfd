"""Statements, hedged statements and denials of every kind of verb phrase."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ledger.predicates.inflections import (
    base_verb,
    bases_of_past,
    past_participle,
    past_tense,
    present_participle,
    third_person,
)
from app.ledger.predicates.phrases import (
    base_form,
    hedged_statement,
    is_hedged,
    negated_statement,
    passive_phrase,
    statement,
)
from app.ledger.predicates.seed import SEEDED_PREDICATES
from app.ledger.vocabulary import Predicate
from tests.unit.seeded_statements import SAID


@pytest.mark.parametrize(
    ("verb_phrase", "plain", "hedged", "negated"),
    [
        ("depends on", "A depends on B.", "A may depend on B.", "A does not depend on B."),
        (
            "is licensed under",
            "A is licensed under B.",
            "A may be licensed under B.",
            "A is not licensed under B.",
        ),
        ("has the topic", "A has the topic B.", "A may have the topic B.", "A does not have the topic B."),
        ("relies on", "A relies on B.", "A may rely on B.", "A does not rely on B."),
        ("publishes", "A publishes B.", "A may publish B.", "A does not publish B."),
        ("was founded by", "A was founded by B.", "A may have been founded by B.", "A was not founded by B."),
        ("vetted", "A vetted B.", "A may have vetted B.", "A has not vetted B."),
        ("created", "A created B.", "A may have created B.", "A did not create B."),
        ("wrote", "A wrote B.", "A may have written B.", "A did not write B."),
        (
            "took place in",
            "A took place in B.",
            "A may have taken place in B.",
            "A did not take place in B.",
        ),
        ("can run on", "A can run on B.", "A possibly can run on B.", "A cannot run on B."),
        ("must precede", "A must precede B.", "A possibly must precede B.", "A must not precede B."),
    ],
)
def test_phrases_read_like_english(verb_phrase: str, plain: str, hedged: str, negated: str) -> None:
    assert statement("A", verb_phrase, "B") == plain
    assert hedged_statement("A", verb_phrase, "B") == hedged
    assert negated_statement("A", verb_phrase, "B") == negated


@pytest.mark.parametrize(
    ("verb_phrase", "base"),
    [
        ("depends on", "depend on"),
        ("is licensed under", "be licensed under"),
        ("has topic", "have topic"),
        ("uses", "use"),
    ],
)
def test_the_base_form_follows_may(verb_phrase: str, base: str) -> None:
    assert base_form(verb_phrase) == base


@pytest.mark.parametrize(
    ("verb_phrase", "passive"),
    [
        ("uses", "is used by"),
        ("depends on", "is depended on by"),
        ("leads", "is led by"),
        ("founded", "was founded by"),
        ("wrote", "was written by"),
        ("is part of", None),
        ("has the topic", None),
        ("takes part in", None),
        ("can use", None),
        ("requires Python", None),
    ],
)
def test_only_an_active_phrase_has_a_passive(verb_phrase: str, passive: str | None) -> None:
    assert passive_phrase(verb_phrase) == passive


@pytest.mark.parametrize("predicate", SEEDED_PREDICATES, ids=lambda predicate: predicate.key)
def test_every_seeded_predicate_hedges_and_only_the_hedged_statement_is_hedged(predicate: Predicate) -> None:
    assert is_hedged(hedged_statement("FastAPI", predicate.verb_phrase, "Starlette"))
    assert not is_hedged(statement("FastAPI", predicate.verb_phrase, "Starlette"))
    assert not is_hedged(negated_statement("FastAPI", predicate.verb_phrase, "Starlette"))


@pytest.mark.parametrize("predicate", SEEDED_PREDICATES, ids=lambda predicate: predicate.key)
def test_every_seeded_predicate_reads_like_english_stated_hedged_and_denied(predicate: Predicate) -> None:
    subject, object_name, stated, possible, denied = SAID[predicate.key]
    end = "" if object_name.endswith(".") else "."
    for make, phrase in ((statement, stated), (hedged_statement, possible), (negated_statement, denied)):
        assert make(subject, predicate.verb_phrase, object_name) == f"{subject} {phrase} {object_name}{end}"


def test_a_sentence_ends_with_one_full_stop() -> None:
    assert statement("A", "uses", "Foo Inc.") == "A uses Foo Inc."


@pytest.mark.parametrize(
    ("text", "hedged"),
    [
        ("A may use B.", True),
        ("A might use B.", True),
        ("A could use B.", True),
        ("Possibly A uses B.", True),
        ("Perhaps A uses B.", True),
        ("May uses B.", False),
        ("A uses mayonnaise.", False),
        ("A uses may-fly.", False),
        ("A uses B.", False),
        ("", False),
    ],
)
def test_a_hedge_is_a_whole_word_and_no_name(text: str, hedged: bool) -> None:
    assert is_hedged(text) is hedged


@given(
    subject=st.text(max_size=20),
    verb_phrase=st.text(min_size=1, max_size=20),
    object_name=st.text(max_size=20),
)
def test_any_phrase_makes_a_hedged_sentence(subject: str, verb_phrase: str, object_name: str) -> None:
    hedged = hedged_statement(subject, verb_phrase, object_name)

    assert is_hedged(hedged)
    assert hedged.endswith((".", "。"))


@pytest.mark.parametrize(
    ("base", "third", "past", "participle", "progressive"),
    [
        ("depend", "depends", "depended", "depended", "depending"),
        ("use", "uses", "used", "used", "using"),
        ("rely", "relies", "relied", "relied", "relying"),
        ("employ", "employs", "employed", "employed", "employing"),
        ("publish", "publishes", "published", "published", "publishing"),
        ("plan", "plans", "planned", "planned", "planning"),
        ("refer", "refers", "referred", "referred", "referring"),
        ("benefit", "benefits", "benefited", "benefited", "benefiting"),
        ("write", "writes", "wrote", "written", "writing"),
        ("run", "runs", "ran", "run", "running"),
        ("found", "founds", "founded", "founded", "founding"),
        ("lie", "lies", "lay", "lain", "lying"),
        ("cache", "caches", "cached", "cached", "caching"),
        ("focus", "focuses", "focused", "focused", "focusing"),
        ("have", "has", "had", "had", "having"),
        ("be", "is", "was", "been", "being"),
    ],
)
def test_verbs_are_inflected(base: str, third: str, past: str, participle: str, progressive: str) -> None:
    assert (past_tense(base), past_participle(base), present_participle(base)) == (
        past,
        participle,
        progressive,
    )
    assert base_verb(third) == base
    if base != "cache":
        assert third_person(base) == third
    if past not in ("was", "had"):
        assert base in bases_of_past(past)
