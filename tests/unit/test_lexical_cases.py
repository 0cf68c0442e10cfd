"""The lexical verifier against the labelled table: precision before recall."""

from collections.abc import Sequence

import pytest

from app.ledger.vocabulary import Span, Verdict
from app.remember.claim import Citation
from app.remember.lexical.judge import judge_lexically
from tests.unit.lexical_case import Case, Label, make_claim
from tests.unit.lexical_cases import CASES
from tests.unit.lexical_other_traps import OTHER_TRAPS
from tests.unit.lexical_seeded_cases import SEEDED_CASES
from tests.unit.lexical_traps import TRAPS

LABELLED = (*CASES, *SEEDED_CASES)
# The rules were written against the even cases; the odd ones only measure.
DEVELOPMENT_HALF, TEST_HALF = LABELLED[::2], LABELLED[1::2]
_VERDICTS: dict[Label, Verdict] = {"E": "entailed", "C": "contradicted", "I": "insufficient"}


@pytest.mark.parametrize("half", [DEVELOPMENT_HALF, TEST_HALF], ids=["development", "test"])
def test_precision_is_perfect_and_recall_at_least_80_percent(half: Sequence[Case]) -> None:
    answered = [case for case in half if judge_lexically(case.claim, case.citation).verdict == "entailed"]
    right = sum(case.label == "E" for case in answered)
    entailed = sum(case.label == "E" for case in half)

    assert right == len(answered)
    assert right / entailed >= 0.80


@pytest.mark.parametrize("case", LABELLED, ids=lambda case: case.text[:60])
def test_no_labelled_case_gets_a_stronger_verdict_than_a_careful_reader_gives(case: Case) -> None:
    judgement = judge_lexically(case.claim, case.citation)

    assert judgement.verdict in (_VERDICTS[case.label], "insufficient"), judgement.code


@pytest.mark.parametrize(
    "case", [case for case in LABELLED if case.label == "C"], ids=lambda case: case.text[:60]
)
def test_explicit_negation_contradicts_an_affirmative_claim(case: Case) -> None:
    assert judge_lexically(case.claim, case.citation).verdict == "contradicted"


def test_the_table_is_large_and_spread_over_predicates() -> None:
    assert len(LABELLED) >= 300
    assert len({case.predicate for case in LABELLED}) >= 55


@pytest.mark.parametrize("text", TRAPS)
def test_a_sentence_that_only_looks_like_the_claim_is_not_entailed(text: str) -> None:
    claim = make_claim("FastAPI", "depends_on", "Starlette")

    assert judge_lexically(claim, Citation(text, (Span(0, len(text)),))).verdict != "entailed"


@pytest.mark.parametrize("text", [text for text in TRAPS if "FastAPI depends on Starlette" in text])
def test_cutting_the_words_that_take_it_back_out_of_the_span_does_not_help(text: str) -> None:
    claim = make_claim("FastAPI", "depends_on", "Starlette")
    start = text.index("FastAPI depends on Starlette")
    span = Span(start, start + len("FastAPI depends on Starlette"))

    assert judge_lexically(claim, Citation(text, (span,))).verdict != "entailed"


@pytest.mark.parametrize("case", OTHER_TRAPS, ids=lambda case: case.text[:60])
def test_a_text_that_only_looks_like_its_claim_does_not_entail_it(case: Case) -> None:
    assert judge_lexically(case.claim, case.citation).verdict != "entailed"
