"""Strict reading, fencing, pauses."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.llm.faults import read_retry_after
from app.llm.fence import CLOSING, OPENING, fence
from app.llm.reading import RepeatedKeys, Unreadable, find_field_fault, is_share, is_text, read_json
from app.llm.retrying import LONGEST_PAUSE_SECONDS, MOST_TRIES, Try, pause_before_next


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nothing",
        '```json\n{"a": 1}\n```',
        '{"a": 1} and more',
        'Here: {"a": 1}',
        '{"a": 1',
        "{'a': 1}",
        '{"a": 1,}',
        "[" * 100_000,
        f'{{"a": {"9" * 5000}}}',
        '"' + "x" * 1_000_001 + '"',
    ],
)
def test_what_is_not_one_document_is_unreadable(text: str) -> None:
    assert isinstance(read_json(text), Unreadable)


def test_a_repeated_key_spoils_its_own_object_only() -> None:
    assert read_json('[{"a": 1, "a": 2}, {"b": 3}]') == [RepeatedKeys("a"), {"b": 3}]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"a": 1, "b": 2}', None),
        ('{"a": 1}', "the field b is missing"),
        ('{"a": 1, "b": null}', "the field b is null"),
        ('{"a": 1, "b": 2, "c": 3}', "it has an unknown field"),
        ('{"a": 1, "b": 2, "B": 3}', "it has an unknown field"),
        ("[1]", "it is not an object"),
        ('"a"', "it is not an object"),
        ('{"a": 1, "b": 2, "b": 2}', "the field b is repeated"),
        ('{"a": 1, "b": 2, "c": 2, "c": 2}', "an unknown field is repeated"),
    ],
)
def test_an_object_has_exactly_its_fields(text: str, fault: str | None) -> None:
    assert find_field_fault(read_json(text), ("a", "b")) == fault


def test_a_share_is_a_number_from_0_to_1() -> None:
    assert all(is_share(number) for number in (0, 1, 0.5))
    wrong = (True, "0.5", None, 1.0001, -0.1, float("nan"), float("inf"), [0.5], 10**400)
    assert not any(is_share(number) for number in wrong)
    assert read_json("[NaN]") != read_json("[0]")
    assert not is_share(read_json("NaN"))


def test_text_can_be_stored() -> None:
    assert is_text("wörds 🎈")
    assert not any(is_text(text) for text in ("a\x00", "\ud800", 1, None))


@settings(max_examples=40)
@given(st.recursive(st.text() | st.integers(), lambda inner: st.dictionaries(st.text(), inner)))
def test_a_fence_holds_whatever_is_inside_and_says_the_same(document: object) -> None:
    fenced = fence(document)
    opening, middle, closing = fenced.split("\n")
    assert (opening, closing) == (OPENING, CLOSING)
    assert "<" not in middle
    assert ">" not in middle
    assert json.loads(middle) == document


def test_invisible_characters_become_visible() -> None:
    assert "\u202e" not in fence({"name": "a\u202eb\u200bc\U000e0041"})


def test_pauses_grow_and_end() -> None:
    pauses = [pause_before_next(Try(n), seconds_left=1000, jitter=0.0) for n in range(1, MOST_TRIES + 1)]
    assert pauses == [1, 2, 4, 8, None]


@given(st.integers(1, 4), st.floats(0, 1), st.floats(0, 120), st.none() | st.floats(0, 1000))
def test_a_pause_fits_the_deadline_and_respects_the_provider(
    number: int, jitter: float, left: float, asked: float | None
) -> None:
    pause = pause_before_next(Try(number, asked), seconds_left=left, jitter=jitter)
    if pause is not None:
        assert 0 < pause < left
        assert pause >= (asked or 0)
        assert pause <= max(LONGEST_PAUSE_SECONDS, (asked or 0) * 1.11)


def test_retry_after_is_seconds_or_a_date() -> None:
    now = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
    assert read_retry_after("7.5", now=now) == 7.5
    assert read_retry_after("Mon, 30 Nov 2026 12:00:30 GMT", now=now) == 30
    for nonsense in (
        None,
        "",
        "soon",
        "-1",
        "nan",
        "-inf",
        "Mon, 30 Nov 2026 11:00:00 GMT",
        "Mon, 99 Nov 2026",
    ):
        assert read_retry_after(nonsense, now=now) is None


@pytest.mark.parametrize("header", ["90000", "1e9", "1e999", "inf", "Tue, 30 Nov 2100 12:00:00 GMT"])
def test_whoever_is_asked_to_wait_for_days_does_not_try_again(header: str) -> None:
    now = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
    asked = read_retry_after(header, now=now)
    assert asked is not None
    assert pause_before_next(Try(1, asked), seconds_left=570, jitter=0.5) is None
