"""Tokens and sentences: where a name begins and ends, and where a sentence does."""

import pytest

from app.remember.lexical.sentences import split_sentences
from app.remember.lexical.tokens import name_tokens, tokenize


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("C++.", ["C++", "."]),
        ("(.NET)", ["(", ".NET", ")"]),
        ("ASP.NET", ["ASP.NET"]),
        ("a/b", ["a/b"]),
        ("x: y", ["x", ":", "y"]),
        ("FastAPI's", ["FastAPI's"]),
        ("don\u2019t,", ["don\u2019t", ","]),
        ("anyio[trio]>=3", ["anyio[trio]>=3"]),
        ("f(x)", ["f(x)"]),
        ("`fastapi`", ["`", "fastapi", "`"]),
        ("**bold**", ["*", "*", "bold", "*", "*"]),
        ("搜索。", ["搜", "索", "。"]),
        ("FastAPI依赖Starlette", ["FastAPI", "依", "赖", "Starlette"]),
        ("hi🦊", ["hi", "🦊"]),
        ("👩\u200d🚀!", ["👩\u200d🚀", "!"]),
        ("a—b", ["a", "—", "b"]),
        ("<4,>=3", ["<4,>=3"]),
        ("שלום,", ["שלום", ","]),
    ],
)
def test_text_is_cut_at_token_boundaries(text: str, tokens: list[str]) -> None:
    assert [token.text for token in tokenize(text)] == tokens


def test_names_are_compared_case_folded_and_composed() -> None:
    assert name_tokens("STRASSE Café") == name_tokens("straße Cafe\u0301")


@pytest.mark.parametrize("name", ["", "   ", "...", '"', "-"])
def test_a_name_without_a_word_is_recognised_nowhere(name: str) -> None:
    assert name_tokens(name) == ()


@pytest.mark.parametrize(
    ("content", "sentences"),
    [
        ("One. Two.", ["One.", "Two."]),
        ("One? Two! Three", ["One?", "Two!", "Three"]),
        ("It costs 2.5 euros. Yes.", ["It costs 2.5 euros.", "Yes."]),
        ("Dr. Smith met J. Doe.", ["Dr. Smith met J. Doe."]),
        ("see e.g. FastAPI.", ["see e.g. FastAPI."]),
        ("It is not true\nthat it works.", ["It is not true\nthat it works."]),
        ("Title\n\nText", ["Title", "Text"]),
        ("Title\r\n \r\nText", ["Title", "Text"]),
        ("前。后。", ["前。", "后。"]),
        ('He left." Then', ['He left."', "Then"]),
        ("fast. and then", ["fast. and then"]),
    ],
)
def test_a_sentence_ends_late_rather_than_early(content: str, sentences: list[str]) -> None:
    found = split_sentences(content)

    assert [content[sentence.start : sentence.end] for sentence in found] == sentences
