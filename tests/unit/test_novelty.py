"""When a text adds nothing to texts that are there already."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.hypotheses.novelty import know_texts

STATEMENT = "Xapp may depend on Xlib."
RATIONALE = "Xapp uses Xlib, and what uses something mostly depends on it."
TWO = "Xapp uses Xlib. Xapp depends on Xlib."
ONE = "Yapp uses Ylib."
RECORD = "Name: xapp\nRequires-Dist: zlib"
OTHER_RECORD = "Name: wapp\nRequires-Dist: xlib"
KNOWN = know_texts([STATEMENT, RATIONALE], [TWO, ONE, RECORD, OTHER_RECORD])
NAMED = ("Xapp", "Xlib", "Yapp", "Ylib", "AnyIO", "MIT License")


@pytest.mark.parametrize(
    "text",
    [
        TWO,
        "Xapp depends on Xlib.",
        "xapp DEPENDS on\nx-lib",
        "depends on Xlib",
        "Xlib. Xapp",
        "Xapp depends on Xlib. Sure.",
        "Sure. Xapp depends on Xlib. Yes!",
        "Xapp depends on Xlib.\u200b Sure.",
        "“Xapp depends on Xlib.” Sure thing",
        "Xapp depends on Xlib. Xapp uses Xlib.",
        "Xapp depends on Xlib! Indeed: Xapp uses Xlib.",
        "Yapp uses Ylib. Sure.",
        "Sure, Yapp uses Ylib.",
        "Yapp uses Ylib, sure thing",
        "Yapp uses Ylib. Yapp uses Ylib. Yes, Ylib.",
        "Ｙａｐｐ uses Ylib。Sure",
        f"{ONE} {TWO} Sure.",
        f"{STATEMENT} {STATEMENT} Sure thing.",
        f"{RATIONALE} {ONE} Sure.",
        "Name: wapp\nRequires-Dist: xlib\nYes",
    ],
)
def test_a_piece_of_a_source_or_known_texts_with_little_else_add_nothing(text: str) -> None:
    assert KNOWN.cover(text, named=NAMED)


@pytest.mark.parametrize(
    "text",
    [
        "Xapp requires Xlib.",
        "The maintainer says that Xapp depends on Xlib.",
        "Xapp depends on Xlib since its second version.",
        "Yapp depends on Ylib.",
        "Yapp uses Ylib. It depends on it.",
        "Yapp uses Ylib and AnyIO.",
        "Yapp uses Ylib, AnyIO.",
        "Name: xapp\nRequires-Dist: xlib",
        "Name: xapp\nLicense: MIT",
        "",
        " ... ",
    ],
)
def test_a_sentence_that_no_source_holds_is_new(text: str) -> None:
    assert not KNOWN.cover(text, named=NAMED)


def test_nothing_is_known_of_nothing() -> None:
    nothing = know_texts(["", " \n"], ["", "..."])
    assert not nothing.cover("Xapp depends on Xlib.")
    assert not nothing.cover("")


def test_pieces_of_words_are_no_pieces() -> None:
    assert not know_texts([], ["Subxapp depends on Xlibs."]).cover("xapp depends on Xlib")


@given(st.text(max_size=60), st.text(max_size=60))
def test_what_stands_in_a_source_as_whole_words_adds_nothing(before: str, after: str) -> None:
    claim = "Xapp depends on Xlib"
    assert know_texts([], [f"{before} . {claim} . {after}"]).cover(claim)


def test_a_thousand_long_sources_are_compared_in_time() -> None:
    sources = [f"Package {number} depends on library {number}. " * 80 for number in range(1_000)]
    known = know_texts([STATEMENT], sources)
    text = "An honest sentence. It says quite another thing. " * 80
    started = time.process_time()
    assert not known.cover(text)
    assert known.cover("Package 999 depends on library 999. Sure.")
    assert time.process_time() - started < 1


def test_a_text_that_says_one_source_many_times_is_compared_in_time_in_proportion() -> None:
    def seconds(times: int) -> float:
        known = know_texts([STATEMENT], ["Xapp uses Xlib. Xapp depends on it. It has an owner. "] * 20)
        text = "Xapp uses Xlib. Xapp depends on it. It has an owner. Sure it does. " * times
        started = time.process_time()
        assert not known.cover(text)
        return time.process_time() - started

    assert any(seconds(100) < 3 * seconds(50) + 0.02 for _ in range(3))
