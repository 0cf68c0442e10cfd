"""The split of the output budget: moved by outcomes, within bounds, the same each time."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.dreaming.grouping.groups import form_groups
from app.dreaming.grouping.split import keeps_bounds, tune_split, weigh_predicates
from app.dreaming.model import Group
from app.hypotheses.outcomes import OutcomeCounts
from tests.unit.graphs import licence_chain, make_inputs, make_premise

KEYS = ("depends_on", "licensed_under", "uses", "has_topic")
PLACES = st.dictionaries(st.sampled_from(KEYS), st.integers(1, 20), min_size=1)
PLENTY = dict.fromkeys(KEYS, 1_000)
WEIGHTS = st.dictionaries(st.sampled_from(KEYS), st.floats(0.5, 2.0))


def count(key: str, *, version: str = "rules-v1", **counts: int) -> OutcomeCounts:
    given_counts = dict.fromkeys(("confirmed", "refuted", "rejected", "expired", "ignored", "undecided"), 0)
    given_counts |= counts
    return OutcomeCounts(key, "rules", version, sum(given_counts.values()), **given_counts)


@given(PLACES, WEIGHTS)
def test_a_split_keeps_the_sum_and_never_halves_more_or_doubles_more(
    places: dict[str, int], weights: dict[str, float]
) -> None:
    split = tune_split(places, weights, PLENTY)
    assert sum(split.values()) == sum(places.values())
    assert keeps_bounds(places, split)
    assert split == tune_split(dict(reversed(places.items())), weights, PLENTY)
    total = sum(places.values())
    for key, tuned in split.items():
        assert tuned <= max(places[key], total // 2, 1)


def test_equal_weights_move_nothing() -> None:
    places = {"depends_on": 7, "uses": 5, "has_topic": 3}
    assert tune_split(places, {}, PLENTY) == places
    assert tune_split(places, dict.fromkeys(places, 2.0), PLENTY) == places
    assert tune_split({}, {}, PLENTY) == {}


def test_what_turned_out_right_gets_places_of_what_turned_out_wrong() -> None:
    outcomes = [count("uses", confirmed=20), count("depends_on", rejected=10, refuted=10)]
    weights = weigh_predicates(outcomes, generator_version="rules-v1")
    assert weights["uses"] > 1 > weights["depends_on"] >= 0.5
    assert tune_split({"uses": 4, "depends_on": 8, "has_topic": 8}, weights, PLENTY) == {
        "uses": 8,
        "depends_on": 4,
        "has_topic": 8,
    }


def test_a_predicate_gets_at_most_double_where_all_others_get_fewer() -> None:
    places, weights = {"uses": 2, "depends_on": 10, "has_topic": 10}, {"depends_on": 0.5, "has_topic": 0.5}
    assert tune_split(places, weights | {"uses": 2.0}, PLENTY) == {
        "uses": 4,
        "depends_on": 9,
        "has_topic": 9,
    }


def test_a_predicate_gets_no_more_places_than_it_has_ideas() -> None:
    places, weights = {"uses": 4, "depends_on": 4, "has_topic": 4}, {"uses": 2.0, "depends_on": 0.5}
    assert tune_split(places, weights, PLENTY | {"uses": 5})["uses"] == 5


@pytest.mark.parametrize(
    "outcomes",
    [
        [],
        [count("uses", undecided=40), count("depends_on", expired=9)],
        [count("uses", confirmed=40, version="rules-v0"), count("depends_on", rejected=40, version="other")],
    ],
    ids=["nothing", "undecided", "other versions"],
)
def test_what_nobody_decided_or_another_version_dreamed_weighs_nothing(
    outcomes: list[OutcomeCounts],
) -> None:
    assert weigh_predicates(outcomes, generator_version="rules-v1") == {}


@given(st.lists(st.tuples(st.sampled_from(KEYS), st.integers(0, 50), st.integers(0, 50)), max_size=6))
def test_weights_are_bounded(rows: list[tuple[str, int, int]]) -> None:
    outcomes = [count(key, confirmed=right, rejected=wrong) for key, right, wrong in rows]
    weights = weigh_predicates(outcomes, generator_version="rules-v1")
    assert all(0.5 <= weight <= 2.0 for weight in weights.values())


def form(weights: dict[str, float], *, max_outputs: int = 9) -> tuple[list[Group], object]:
    triples = licence_chain(known=3, open_=6)
    for first, then in (("depends_on", "uses"), ("has_part", "compatible_with")):
        for number in range(9):
            triples.append(f"{first}-{number} {first} of-{first}-{number}")
            if number < 3:
                triples.append(f"{first}-{number} {then} of-{first}-{number}")
    inputs = make_inputs(*map(make_premise, triples))
    inputs = replace(inputs, split_weights=weights)
    grouping = form_groups(inputs, max_groups=40, max_outputs=max_outputs)
    return list(grouping.groups), grouping.split


def test_groups_follow_the_split_and_keep_their_likelihoods() -> None:
    plain, no_split = form({})
    assert no_split == ()
    weights = {"licensed_under": 0.5, "uses": 2.0}
    tuned, split = form(weights)
    before = Counter(group.target.predicate_key for group in plain[:9])
    after = Counter(group.target.predicate_key for group in tuned[:9])
    assert after["licensed_under"] < before["licensed_under"]
    assert keeps_bounds(before, after)
    assert isinstance(split, tuple)
    assert {share.predicate_key: (share.untuned, share.tuned) for share in split} == {
        key: (before[key], after[key]) for key in before
    }
    known = {group.target: group.likelihood for group in plain}
    assert all(known.get(group.target, group.likelihood) == group.likelihood for group in tuned)
    assert form(weights) == (tuned, split)
