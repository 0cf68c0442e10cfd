"""The echo rule: when a text only says a Hypothesis again."""

import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.hypotheses.independence import fold, fold_statements, repeats, restates

STATEMENT = "FastAPI may depend on Starlette."
WORDS = st.lists(
    st.sampled_from(["fastapi", "may", "depend", "on", "starlette", "c"]), min_size=0, max_size=6
)


@pytest.mark.parametrize(
    "text",
    [
        "FastAPI may depend on Starlette.",
        "FASTAPI MAY DEPEND ON STARLETTE",
        "  fastapi\tmay  depend\non starlette !",
        "“FastAPI” may — depend on: (Starlette)",
        "**FastAPI** may depend on `Starlette`",
        "Fast-API may depend on Starlette",
        "Fast\u200bAPI may depend on Starl\u00adette.",
        "ＦａｓｔＡＰＩ　ｍａｙ　ｄｅｐｅｎｄ　ｏｎ　Ｓｔａｒｌｅｔｔｅ．",
        "FastAPI might depend on Starlette.",
        "FastAPI depend on Starlette.",
        "FastAPI may well depend on Starlette.",
        "Yes: FastAPI may depend on Starlette.",
        "FastAPI may depend on",
    ],
)
def test_the_same_words_or_one_token_edit_restate_a_statement(text: str) -> None:
    assert restates(text, ["Something else entirely.", STATEMENT])


@pytest.mark.parametrize(
    "text",
    [
        "FastAPI depends on Starlette.",
        "The maintainer confirmed that FastAPI depends on Starlette.",
        "FastAPI may well depend on Starlette soon.",
        "Starlette may depend on FastAPI.",
        "Requires-Dist: starlette>=0.40",
        "FastAPI",
        "",
        " \n\u200b",
        "...",
    ],
)
def test_two_edits_or_more_are_honest_text(text: str) -> None:
    assert not restates(text, [STATEMENT])


def test_evidence_that_honestly_contains_may_is_not_an_echo() -> None:
    assert not restates("FastAPI may depend on Starlette only until version 2.", [STATEMENT])


def test_tokens_are_characters_where_words_have_no_spaces() -> None:
    statement = "东京可能是日本的首都。"
    assert fold(statement) == tuple("东京可能是日本的首都")
    assert restates("东京可能是日本首都", [statement])
    assert not restates("东京是日本的首都", [statement])
    assert fold("FastAPI可能依赖Starlette") == ("fastapi", "可", "能", "依", "赖", "starlette")
    assert fold("ｶﾞｲﾄﾞ") == ("ガ", "イ", "ド")
    assert fold("한국어 문장") == ("한국어", "문장")


def test_marks_stay_with_their_word_and_rendering_marks_vanish() -> None:
    assert fold("हिन्दी") == ("हिन्दी",)
    assert fold("Cafe\u0301") == fold("CAFÉ") == ("café",)
    assert fold("a\ufe0fb") == ("ab",)


def test_symbols_alone_are_compared_as_they_are() -> None:
    assert restates("👍", ["👍"])
    assert not restates("👍", ["👎"])
    assert not restates("👍", ["FastAPI may depend on Starlette."])


def test_an_edit_must_leave_a_token_standing() -> None:
    assert restates("MIT", ["mit"])
    assert restates("MIT licence", ["MIT"])
    assert not restates("yes", ["no"])
    assert not restates("", ["no"])
    assert not restates("", [""])


@pytest.mark.parametrize(
    ("text", "is_strung"),
    [
        (STATEMENT, True),
        (f"{STATEMENT} {STATEMENT}", True),
        (f"{STATEMENT} Both are used by the same things!", True),
        (f"both are used by the same things; {STATEMENT} {STATEMENT.upper()}", True),
        (f"{STATEMENT} Yes.", False),
        (f"Yes. {STATEMENT} {STATEMENT}", False),
        (f"{STATEMENT} Both are used by the same", False),
        ("", False),
        (" ... ", False),
    ],
)
def test_statements_in_a_row_with_nothing_between_are_strung_together(text: str, is_strung: bool) -> None:
    statements = fold_statements([STATEMENT, "Both are used by the same things."])
    assert statements.strung_together_by(text) is is_strung


def test_a_source_evidence_is_repeated_only_by_the_same_words() -> None:
    sources = ["FastAPI depends on Starlette."]
    assert repeats("fastapi depends on  starlette", sources)
    assert not repeats("FastAPI depends on Pydantic.", sources)
    assert not repeats("", sources)


@given(WORDS, WORDS)
def test_the_one_pass_check_agrees_with_the_textbook_distance(left: list[str], right: list[str]) -> None:
    is_near = _distance(left, right) <= 1 and max(len(left), len(right)) >= 2
    is_same = "".join(left) == "".join(right) and bool(left)
    assert restates(" ".join(left), [" ".join(right)]) == (is_near or is_same)


@given(st.text(), st.text())
def test_restating_is_mutual_and_includes_repeating(left: str, right: str) -> None:
    assert restates(left, [right]) == restates(right, [left])
    assert restates(left, [left]) == repeats(left, [left]) == bool(fold(left))
    if repeats(left, [right]):
        assert restates(left, [right])


def test_ten_thousand_statements_are_compared_without_a_table_for_each() -> None:
    statements = [f"Package {number} may depend on library {number * 7}." for number in range(10_000)]
    folded = fold_statements(statements)
    started = time.process_time()
    assert folded.restated_by("Package 9999 might depend on library 69993")
    assert not folded.restated_by("An honest sentence about quite another thing here")
    assert time.process_time() - started < 0.5


def _distance(left: Sequence[str], right: Sequence[str]) -> int:
    row = list(range(len(right) + 1))
    for index, token in enumerate(left, 1):
        above, row = row, [index]
        for column, other in enumerate(right, 1):
            row.append(min(above[column] + 1, row[-1] + 1, above[column - 1] + (token != other)))
    return row[-1]
