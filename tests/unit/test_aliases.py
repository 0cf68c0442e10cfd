"""An alias counts when spelling or evidence backs it, never on the client's word alone."""

import time

import pytest

from app.remember.aliases import keep_backed_aliases
from app.remember.submission import EntityProposal


def kept(name: str, alias: str, text: str = "FastAPI depends on Starlette.") -> bool:
    entity = EntityProposal(ref="e", name=name, aliases=(alias,))
    [kept] = keep_backed_aliases([entity], [text])
    return kept.aliases == (alias,)


@pytest.mark.parametrize(
    ("name", "alias"),
    [
        ("typing-extensions", "typing_extensions"),
        ("ruamel.yaml", "ruamel-yaml"),
        ("FastAPI", "fastapi"),
        ("PostgreSQL", "Postgre SQL"),
    ],
)
def test_another_spelling_counts(name: str, alias: str) -> None:
    assert kept(name, alias)


@pytest.mark.parametrize(
    ("name", "alias"),
    [("BobCorp", "FastAPI"), ("C++", "C"), ("C#", "C"), ("C", "C++"), ("x", "-"), ("FastAPI", "FastAPI 2")],
)
def test_another_name_does_not(name: str, alias: str) -> None:
    assert not kept(name, alias)


@pytest.mark.parametrize(
    "text",
    [
        "JavaScript (JS) runs in browsers.",
        "JS (JavaScript) runs in browsers.",
        "We use javascript, also known as js, everywhere.",
        "JS, short for JavaScript, runs in browsers.",
        "JavaScript (also known as JS) runs in browsers.",
    ],
)
def test_alias_that_the_evidence_introduces_counts(text: str) -> None:
    assert kept("JavaScript", "JS", text)


@pytest.mark.parametrize(
    "text",
    ["JavaScript and JS.", "JavaScript (JSX) runs.", "TypeScript (JS) runs.", "NotJavaScript (JS) runs.", ""],
)
def test_alias_that_only_stands_in_the_evidence_does_not(text: str) -> None:
    assert not kept("JavaScript", "JS", text)


def test_as_many_long_aliases_as_may_be_are_looked_for_in_time() -> None:
    words = "The billing service depends on the ledger service of the old house in the harbour. " * 48
    entities = [
        EntityProposal(
            f"e{place}", "service", aliases=tuple(f"{one} {place} {words[:240]}" for one in range(20))
        )
        for place in range(100)
    ]
    started = time.process_time()
    kept = keep_backed_aliases(entities, [words[:4000]] * 20)
    assert not any(entity.aliases for entity in kept)
    assert time.process_time() - started < 1
