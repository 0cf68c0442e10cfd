"""Every reason that a placement can give is explained in a sentence that says also what to do."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

import app.ledger.conflicts as conflicts
import app.remember as remember
from app.ledger.conflicts import crowding
from app.ledger.vocabulary import Modality, Verdict
from app.remember.lexical.judge import RATIONALES
from app.remember.reasons import explain_reason

_CODE = re.compile(r"[a-z]+(_[a-z]+)+")
# Where the code makes a reason: arguments of these, and all words that these functions return or choose from.
_MAKERS = {"Held", "Outcome", "Unclear"}
_CHOOSERS = {"_why_in_vain", "_refuse_target", "_reason", "_review", "examine", "_place_unjudged"}
_IN_SQL = re.compile(r"reason = (?:CASE .*?)?'(\w+)'|ELSE '(\w+)'|THEN '(\w+)'")
# Words that stand beside a reason: categories, kinds of reviews, statuses, effects.
_BESIDE = re.compile(
    r"relationship_\w+|predicate_needs_review|identity_needs_review|processing_failed|pending_evidence"
)


def made_reasons() -> Iterator[str]:
    for package in (remember, conflicts):
        for path in Path(package.__path__[0]).glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                is_maker = isinstance(node, ast.Call) and getattr(node.func, "id", "") in _MAKERS
                is_chooser = (
                    isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name in _CHOOSERS
                )
                if is_maker or is_chooser:
                    yield from words_of(node)


def words_of(node: ast.AST) -> Iterator[str]:
    for one in ast.walk(node):
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and _CODE.fullmatch(one.value):
            yield one.value


def sql_reasons() -> Iterator[str]:
    for name in ("ended_reviews", "review_resolution", "work", "outcome_rows"):
        text = (Path(remember.__path__[0]) / f"{name}.py").read_text()
        for found in _IN_SQL.finditer(text):
            yield from (one for one in found.groups() if one)


REASONS = sorted(
    {
        *(one for one in made_reasons() if not _BESIDE.fullmatch(one)),
        *(one for one in sql_reasons() if one not in ("withdrawn", "choice")),
        *(code for code in RATIONALES if code not in ("record_states", "sentence_states")),
        *(f"modality_{one}" for one in get_args(Modality) if one != "statement"),
        *(one for one in get_args(Verdict) if one != "entailed"),
        *("evidence_discarded", "superseded_already", crowding.REASON),
        *("verifier_refused", "verifier_invalid_answer", "verifier_malformed", "verifier_truncated"),
    }
)


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_has_a_sentence_and_says_what_to_do(reason: str) -> None:
    message = explain_reason(reason)
    assert message is not None
    assert re.fullmatch(r"[A-Z].*\. [A-Z].*\.", message), "two sentences"
    assert len(message) < 300


def test_the_reasons_are_really_found() -> None:
    assert {
        *("predicate_unknown", "endpoint_kind_invalid", "generic_name", "ambiguous_name", "self_loop"),
        *("echo_of_hypothesis", "scope_not_cited", "stale_input", "own_opposite_position", "not_owner"),
        *("below_write_threshold", "review_rejected", "attempts_exhausted", "evidence_quarantined"),
    } <= set(REASONS)


def test_a_word_that_is_no_reason_of_ours_has_none() -> None:
    assert explain_reason("timeout") is None
