"""Plain clauses, names and what stands around a sentence: known words pass, unknown ones do not."""

import pytest

from app.ledger.predicates.phrases import statement
from app.ledger.predicates.seed import SEEDED_PREDICATES
from app.ledger.vocabulary import Predicate
from app.remember.lexical.names import usable_names
from app.remember.lexical.plain_clause import is_plain_clause
from app.remember.lexical.tokens import is_plain_script, mixes_scripts, tokenize

VERBS = frozenset({"depends"})


@pytest.mark.parametrize(
    "text",
    [
        "FastAPI is fast.",
        "Starlette depends on AnyIO",
        "- Starlette depends on AnyIO",
        "Pydantic is licensed under MIT.",
        "The framework supports Linux and Windows.",
        "The user confirmed that FastAPI uses Pydantic.",
        "FastAPI was created in 2018.",
    ],
)
def test_a_clause_of_names_and_known_words_is_plain(text: str) -> None:
    assert is_plain_clause(tokenize(text))


@pytest.mark.parametrize("predicate", SEEDED_PREDICATES, ids=lambda one: one.key)
def test_what_the_service_says_itself_is_plain_but_of_succession(predicate: Predicate) -> None:
    text = statement("Lumen", predicate.verb_phrase, "Copper")
    tells_of_an_end = predicate.key in ("preceded_by", "succeeded_by", "replaces")
    assert is_plain_clause(tokenize(text)) is not tells_of_an_end


@pytest.mark.parametrize(
    "text",
    [
        "It is fast.",
        "That is true.",
        "Bob made it.",
        "Flask does.",
        "FastAPI is free of code.",
        "FastAPI is Dead.",
        "FastAPI is fast?",
        "FastAPI was abandoned in 2018.",
        "The text is small.",
        "Bob leads this text.",
        "Bob maintains that FastAPI uses Pydantic.",
        "Bob maintains FastAPI uses Pydantic.",
        "Bob maintains Fiction.",
        "Bob Maintains FastAPI.",
        "It is part of FastAPI.",
        "FastAPI is an alternative to that.",
        "The dream showed that FastAPI uses Pydantic.",
        "0 frameworks depend on Starlette.",
        "FastAPI is fast. Flask is small.",
        "FastAPI",
        "",
    ],
)
def test_a_clause_with_an_unknown_word_a_pointer_or_a_cue_is_not_plain(text: str) -> None:
    assert not is_plain_clause(tokenize(text))


@pytest.mark.parametrize(
    "name",
    [
        "FastAPI",
        "C++",
        "x: y",
        "Bank of England",
        "May Foundation",
        "release manager",
        "The Best Tool",
        "搜索",
    ],
)
def test_a_name_that_is_nothing_but_a_name_is_usable(name: str) -> None:
    assert len(usable_names((name,), VERBS)) == 1


@pytest.mark.parametrize(
    "name",
    [
        *(
            "It is a legend that FastAPI",
            "FastAPI rarely",
            "Rarely FastAPI",
            "perhaps FastAPI",
            "not FastAPI",
        ),
        *("tool that depends", "one two three four five six seven", "FastAPI to", "n\u043et FastAPI", "Who?"),
        *("Starlette in dreams", "Bob says FastAPI", ""),
    ],
)
def test_a_name_that_holds_a_verb_a_cue_or_a_disguise_is_not_usable(name: str) -> None:
    assert usable_names((name,), VERBS) == ()


@pytest.mark.parametrize("text", ["n\u043et", "n\u200bot", "\u0578ot", "\uff4eot", "n\u0336ot"])
def test_a_word_with_letters_of_another_script_or_invisible_signs_is_not_plain(text: str) -> None:
    assert not is_plain_script(text)
    assert mixes_scripts(text)


def test_accents_are_plain() -> None:
    assert is_plain_script("Café")
    assert not mixes_scripts("Café")
