"""Fusing rankings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.recall.ranking import Channel, fuse


def test_first_in_every_channel_scores_one() -> None:
    fused = fuse([Channel("text", ("a", "b")), Channel("names", ("a",)), Channel("graph", ("a", "b"), 0.5)])
    assert fused[0].key == "a"
    assert fused[0].score == pytest.approx(1.0)
    # What three channels of unequal weight add up to, in floating point.
    assert fused[0].score <= 1.0
    assert fused[0].matched_by == ("text", "names", "graph")
    assert fused[1].matched_by == ("text", "graph")


def test_two_channels_outweigh_one_better_rank() -> None:
    fused = fuse([Channel("text", ("a", "b")), Channel("names", ("c", "b"))])
    assert [one.key for one in fused] == ["b", "a", "c"]


def test_a_lighter_channel_says_less() -> None:
    fused = fuse([Channel("graph", ("a",), 0.5), Channel("text", ("b",))])
    assert [one.key for one in fused] == ["b", "a"]


def test_equal_scores_are_ordered_by_key() -> None:
    assert [one.key for one in fuse([Channel("text", ("b",)), Channel("names", ("a",))])] == ["a", "b"]


def test_no_channel_finds_nothing() -> None:
    assert fuse([]) == ()


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8), max_size=4))
def test_every_key_comes_once_and_scores_fall(rankings: list[list[str]]) -> None:
    channels = [Channel(str(number), tuple(keys)) for number, keys in enumerate(rankings)]
    fused = fuse(channels)
    assert fuse(channels, 3) == fused[:3]
    assert sorted(one.key for one in fused) == sorted({key for keys in rankings for key in keys})
    scores = [one.score for one in fused]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)
