"""An alias counts when spelling or evidence backs it, never on the client's word alone."""

import pytest

from app.remember.aliases import keep_backed_aliases
from app.remember.submission import EntityProposal


def kept(name: str, alias: str, text: str = "FastAPI depends on Starlette.") -> bool:
    entity = EntityProposal(ref="e", name=name, aliases=(alias,))
    return keep_backed_aliases(entity, [text]).aliases == (alias,)


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
