"""Evaluation: three rankings on equal terms, and edges held back honestly."""

import pytest

from app.dreaming.grouping.evaluation import Method, precision_at, rank_targets
from app.dreaming.grouping.learning.holdout import hide_premises
from app.dreaming.model import Standing
from tests.unit.graphs import aim, identify, licence_chain, make_inputs, spell

METHODS: tuple[Method, ...] = ("rules", "popularity", "random")


def test_rules_find_the_licence_that_was_held_back() -> None:
    inputs = make_inputs(*licence_chain(known=6, open_=1))
    assert spell(rank_targets(inputs, by="rules", limit=3)[0]) == "a6 licensed_under l"


def test_popularity_ranks_by_both_degrees_within_the_predicate() -> None:
    inputs = make_inputs(
        "a depends_on x", "a depends_on y", "b depends_on x", "c depends_on x", "c depends_on z", "a uses z"
    )
    ranked = rank_targets(inputs, by="popularity", limit=10, predicate_key="depends_on")
    # Objects y and z have one edge each, subjects a and c two, b one; ties go by node order.
    assert [spell(target) for target in ranked] == [
        "a depends_on z",
        "c depends_on y",
        "b depends_on y",
        "b depends_on z",
    ]


def test_a_predicate_with_one_place_draws_subjects_that_have_it_free() -> None:
    inputs = make_inputs("a licensed_under l", "b licensed_under l", "c licensed_under m", "d uses a")
    ranked = rank_targets(inputs, by="popularity", limit=10, predicate_key="licensed_under")
    assert [spell(target) for target in ranked] == ["d licensed_under l", "d licensed_under m"]


def test_random_depends_on_the_seed_alone_and_covers_all_open_pairs() -> None:
    inputs = make_inputs(*(f"s{number} uses t{number}" for number in range(6)))
    first = rank_targets(inputs, by="random", limit=100, seed=1)
    assert first == rank_targets(inputs, by="random", limit=100, seed=1)
    second = rank_targets(inputs, by="random", limit=100, seed=2)
    assert first != second
    assert (
        set(first)
        == set(second)
        == {aim(f"s{left} uses t{right}") for left in range(6) for right in range(6) if left != right}
    )
    assert rank_targets(inputs, by="random", limit=5, seed=1) == first[:5]


@pytest.mark.parametrize("by", ["popularity", "random"])
def test_a_symmetric_pair_is_drawn_once(by: Method) -> None:
    inputs = make_inputs("a compatible_with b", "c compatible_with d")
    ranked = [spell(target) for target in rank_targets(inputs, by=by, limit=100)]
    assert sorted(ranked) == [
        "a compatible_with c",
        "a compatible_with d",
        "b compatible_with c",
        "b compatible_with d",
    ]


@pytest.mark.parametrize("by", METHODS)
def test_all_rankings_obey_the_same_constraints(by: Method) -> None:
    blocked = identify("a6 licensed_under l")
    inputs = make_inputs(*licence_chain(known=6, open_=2), standing=Standing(active=frozenset({blocked})))
    ranked = [spell(target) for target in rank_targets(inputs, by=by, limit=1000)]
    assert "a7 licensed_under l" in ranked
    assert "a6 licensed_under l" not in ranked
    assert not {"a0 licensed_under l", "a0 depends_on b0"} & set(ranked)
    assert not [target for target in ranked if target.split()[0] == target.split()[2]]
    assert len(ranked) == len(set(ranked))


def test_hidden_edges_leave_no_trace() -> None:
    triples = licence_chain(known=10, open_=0)
    standing = Standing(
        active=frozenset(identify(triple) for triple in triples),
        taken_slots={
            (triple.split()[0], "licensed_under"): frozenset({"l"})
            for triple in triples
            if "licensed_under" in triple
        },
    )
    inputs = make_inputs(*triples, standing=standing)
    hidden = [premise for premise in inputs.premises if premise.predicate_key == "licensed_under"][:4]
    held = hide_premises(inputs, hidden)
    assert len(held.targets) == 4
    assert {target.predicate_key for target in held.targets} == {"licensed_under"}
    assert len(held.inputs.premises) == len(inputs.premises) - 4
    for target in held.targets:
        assert identify(spell(target)) not in held.inputs.standing.active
        assert (target.subject_id, "licensed_under") not in held.inputs.standing.taken_slots


def test_precision_counts_missing_places_as_misses() -> None:
    ranked = [aim("a uses b"), aim("a uses c")]
    assert precision_at(1, ranked, {aim("a uses b")}) == 1.0
    assert precision_at(10, ranked, {aim("a uses b")}) == 0.1
