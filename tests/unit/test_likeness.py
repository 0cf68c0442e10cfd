"""Names that are nearly what a query says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ledger.nodes.names import fold_name
from app.recall.likeness import LEAST_LIKE, MAX_WINDOWS, likeness, misspelt_windows, weigh_alike
from app.recall.names import Piece, candidate_names, keep_longest


@pytest.mark.parametrize(
    ("one", "other", "changes"),
    [("abcd", "abcd", 0), ("abcd", "abdc", 1), ("abcd", "abd", 1), ("abcd", "abxd", 1), ("abcd", "abccd", 1)],
)
def test_each_slip_is_one_change(one: str, other: str, changes: int) -> None:
    assert likeness(one, other) == likeness(other, one) == 1 - changes / max(len(one), len(other))


@given(st.text(max_size=12), st.text(max_size=12))
def test_likeness_is_a_share_and_whole_for_the_same_only(one: str, other: str) -> None:
    assert 0 <= likeness(one, other) <= 1
    assert (likeness(one, other) == 1) is (one == other != "")


def test_runs_with_a_word_that_nothing_explains_are_looked_at() -> None:
    query = "What does Lumne Gateway use from FastAPI?"
    covered = keep_longest(candidate_names(query), ["fastapi"])["fastapi"]
    windows = misspelt_windows(query, covered, {"what", "does", "use", "from"})
    assert {"lumne gateway", "lumne", "gateway"} <= set(windows)
    assert "fastapi" not in windows
    assert misspelt_windows("FastAPI", covered=[Piece(0, 7)], understood=()) == {}


def test_a_run_holds_all_words_of_a_found_name_or_none() -> None:
    query = "what else must be installed for New York, Inc. today"
    covered = keep_longest(candidate_names(query), ["new york, inc."])["new york, inc."]
    windows = misspelt_windows(query, covered, {"what", "must", "be", "for"})
    assert {"else", "installed", "today", "new york, inc. today"} <= set(windows)
    assert [window for window in windows if ("york" in window) is not ("inc" in window)] == []


def test_a_whole_name_is_preferred_to_its_parts() -> None:
    windows = misspelt_windows("Lumne Gateway", (), ())
    found = weigh_alike(
        windows, [("lumne", "lumen"), ("lumne gateway", "lumen gateway"), ("gateway", "gateways")]
    )
    assert [one.folded_name for one in found] == ["lumen gateway"]


@pytest.mark.parametrize(
    ("said", "written", "other", "is_alike"),
    [
        # What is said beside a long name makes it no other, and not a longer one either.
        ("know of opentelemetry-exporter", "opentelemetry-exporter", "opentelemetry-exporter", False),
        ("willow compiler goes", "willow compiler", "willow compiler 2", False),
        ("after willow compiler", "willow compiler", "old willow compiler", False),
        ("willow compiler gatway", "willow compiler", "willow compiler gateway", True),
        ("crane securixy desk", "crane", "crane security desk", True),
        # A longer name that does not hold the one as written is weighed as a whole.
        ("crane securiyt desk", "crane", "crano security desk", True),
        ("crane desk", "crane", "cranes desk", True),
    ],
)
def test_beside_a_name_as_written_the_other_words_count(
    said: str, written: str, other: str, is_alike: bool
) -> None:
    named = keep_longest(candidate_names(said), [written])
    windows = {said: misspelt_windows(said, named[written], ())[said]}
    assert bool(weigh_alike(windows, [(said, other)], named)) is is_alike


def test_names_that_are_equally_near_stay_side_by_side() -> None:
    windows = misspelt_windows("Kestrxl", (), ())
    found = weigh_alike(windows, [("kestrxl", "kestral"), ("kestrxl", "kestrel"), ("kestrxl", "quartz")])
    assert [one.folded_name for one in found] == ["kestral", "kestrel"]


@given(st.text("abcd", min_size=1, max_size=14), st.text("abcd", min_size=1, max_size=14))
def test_only_what_is_not_alike_is_left_out_unseen(one: str, other: str) -> None:
    found = weigh_alike({one: Piece(0, len(one))}, [(one, other)])
    assert [alike.folded_name for alike in found] == ([other] if likeness(one, other) >= LEAST_LIKE else [])


@given(st.text(max_size=512))
def test_any_query_has_bounded_windows_that_are_folded(query: str) -> None:
    windows = misspelt_windows(query, (), ())
    assert len(windows) <= MAX_WINDOWS
    assert all(window == fold_name(window) for window in windows)


def test_no_run_goes_across_what_parts_a_sentence() -> None:
    windows = misspelt_windows("Falcon Securixy Desk is headed by the Bank of Amercia, who else", (), ())
    assert {"falcon securixy desk", "bank of amercia"} <= set(windows)
    assert [window for window in windows if {"is", "who"} & set(window.split())] == []
