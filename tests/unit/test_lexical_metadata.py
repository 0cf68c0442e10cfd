"""The metadata of every installed package: what it states is entailed, what it conditions is not."""

from collections.abc import Iterator

import pytest

from app.cli.demo.evidence import Claim as StatedClaim
from app.cli.demo.evidence import Document, Headers, read_headers, write_document
from app.ledger.predicates.seed import SEEDED_BY_KEY
from app.ledger.vocabulary import Span, TypedValue
from app.remember.claim import Citation, Claim
from app.remember.lexical.judge import judge_lexically

PACKAGES = read_headers()


def _claim(headers: Headers, stated: StatedClaim) -> Claim:
    is_value = stated.predicate == "requires_python"
    return Claim(
        (headers.package,),
        SEEDED_BY_KEY[stated.predicate],
        () if is_value else (stated.spelling,),
        TypedValue("string", stated.target) if is_value else None,
    )


def _spans(document: Document, stated: StatedClaim) -> Iterator[Span]:
    position = 0
    for line in document.content.split("\n"):
        if line.startswith("Name:") or line == stated.line:
            yield Span(position, position + len(line))
        position += len(line) + 1


@pytest.mark.parametrize("headers", PACKAGES, ids=lambda headers: headers.package)
def test_metadata_states_what_it_does_not_condition(headers: Headers) -> None:
    document = write_document(headers, set())
    for stated in document.claims:
        judgement = judge_lexically(
            _claim(headers, stated), Citation(document.content, tuple(_spans(document, stated))[:4])
        )

        expected = "insufficient" if stated.is_conditional else "entailed"
        assert judgement.verdict == expected, (stated.line, judgement.code)


def test_there_is_metadata_to_read() -> None:
    assert len(PACKAGES) > 10
