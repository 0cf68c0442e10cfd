"""Best-rule scores, counted by hand, and what may be a target at all."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.dreaming.grouping.paths import build_graph, plan_shapes
from app.dreaming.grouping.rule_counts import Walker, count_rules
from app.dreaming.grouping.scoring import Candidate, estimate_confidence, score_candidates
from app.dreaming.model import Inputs, Standing
from tests.unit.graphs import (
    PREDICATES,
    identify,
    licence_chain,
    make_inputs,
    make_premise,
    spell,
)


def score(*triples: str, standing: Standing | None = None, least_support: int = 2) -> dict[str, Candidate]:
    inputs = make_inputs(*triples, standing=standing)
    scored = score_candidates(inputs, least_support=least_support)
    return {spell(candidate.target): candidate for candidate in scored.candidates}


def test_the_likelihood_is_support_over_body_plus_five() -> None:
    best = score(*licence_chain(known=3, open_=2))["a3 licensed_under l"]
    assert (best.rules[0].support, best.rules[0].body) == (3, 5)
    assert best.likelihood == 3 / (5 + 5)


def test_a_rule_that_was_right_once_says_nothing() -> None:
    assert score(*licence_chain(known=1, open_=1)) == {}
    assert "a1 licensed_under l" in score(*licence_chain(known=1, open_=1), least_support=1)


def test_an_edge_is_never_its_own_evidence() -> None:
    assert score("a depends_on b", "c depends_on d", "e depends_on f", least_support=1) == {}
    assert score("a compatible_with b", "c compatible_with d", "e compatible_with f", least_support=1) == {}
    assert score("a part_of b", "c part_of d", "f has_part e", least_support=1) == {}


def test_a_one_step_rule_never_speaks_for_its_own_predicate() -> None:
    graph = build_graph(
        make_inputs("a depends_on b", "b depends_on a", "a compatible_with b", "a has_part b")
    )
    tables = count_rules(Walker(graph, plan_shapes(graph).shapes), least_support=1, least_confidence=0.0)
    shapes = plan_shapes(graph).shapes
    spoken = 0
    for number, table in enumerate(tables):
        for position in table.shapes.tolist():
            first = graph.directions[shapes[position][0]]
            assert len(shapes[position]) == 2 or not (first.forward and first.predicate == number)
            spoken += 1
    assert spoken > 0


def test_an_edge_read_backwards_may_speak_for_the_other_direction_only() -> None:
    both_ways = ("a uses b", "b uses a", "c uses d", "d uses c")
    best = score(*both_ways, "e uses f")
    assert list(best) == ["f uses e"]
    assert (best["f uses e"].rules[0].support, best["f uses e"].rules[0].body) == (4, 5)


def test_for_a_symmetric_predicate_one_edge_is_one_case() -> None:
    shared = [f"{side}{number} uses t{number}" for number in range(3) for side in "ab"]
    best = score(*shared, "a0 compatible_with b0", "a1 compatible_with b1")["a2 compatible_with b2"]
    assert (best.rules[0].support, best.rules[0].body) == (2, 3)
    assert "b2 compatible_with a2" not in score(*shared, "a0 compatible_with b0", "a1 compatible_with b1")


def test_an_inverse_pair_is_proposed_in_its_primary_direction() -> None:
    triples = [f"p{number} depends_on w{number}" for number in range(3)]
    found = score(*triples, "w0 part_of p0", "w1 part_of p1")
    assert "p2 has_part w2" in found
    assert not any("part_of" in target.split() for target in found)


def rank_licences(*triples: str) -> list[str]:
    return [target for target in score(*triples) if "licensed_under" in target]


def test_the_next_rules_break_ties_then_the_known_edges_of_the_object_then_the_ids() -> None:
    chain = licence_chain(known=3, open_=2)
    assert rank_licences(*chain) == ["a3 licensed_under l", "a4 licensed_under l"]
    second_rule = ["a0 uses l", "a1 uses l", "a4 uses l"]
    assert rank_licences(*chain, *second_rule) == ["a4 licensed_under l", "a3 licensed_under l"]
    # a2x comes before a3 by its id and has the same rules, but only l is the licence of many.
    rare = [
        triple.replace("4", "2x").replace("b2x licensed_under l", "b2x licensed_under z") for triple in chain
    ]
    assert rank_licences(*rare) == ["a3 licensed_under l", "a2x licensed_under z"]


def test_pending_candidates_are_no_support_and_may_be_the_target() -> None:
    premises = [make_premise(triple) for triple in licence_chain(known=2, open_=1)]
    exact = make_premise("a2 licensed_under l", is_candidate=True)
    (candidate,) = [
        each
        for each in score_candidates(make_inputs(*premises, exact)).candidates
        if each.target.predicate_key == "licensed_under"
    ]
    assert spell(candidate.target) == "a2 licensed_under l"
    assert (candidate.rules[0].support, candidate.rules[0].body) == (2, 3)


def test_what_is_active_denied_or_has_its_slot_taken_is_no_target() -> None:
    chain, target = licence_chain(), "a3 licensed_under l"
    key = identify(target)
    assert target in score(*chain)
    assert target not in score(*chain, standing=Standing(active=frozenset({key})))
    assert target not in score(*chain, standing=Standing(opposite=frozenset({key})))
    slots = {("a3", "licensed_under"): frozenset({"other"})}
    assert target not in score(*chain, standing=Standing(taken_slots=slots))
    assert target not in score(*chain, "a3 licensed_under other")


def test_a_scoped_position_leaves_the_unscoped_slot_free() -> None:
    premises = [make_premise(triple) for triple in licence_chain()]
    scoped = make_premise("a3 licensed_under other", scope="docs")
    found = score_candidates(make_inputs(*premises, scoped)).candidates
    assert "a3 licensed_under l" in {spell(each.target) for each in found}


@pytest.mark.parametrize("busy", ["a2", "b2"])
def test_a_symmetric_predicate_with_one_place_has_it_on_either_side(busy: str) -> None:
    married = replace(PREDICATES["compatible_with"], current_cardinality="one")
    triples = [f"{side}{number} uses t{number}" for number in range(3) for side in "ab"]
    triples += ["a0 compatible_with b0", "a1 compatible_with b1"]
    predicates = PREDICATES | {"compatible_with": married}
    for extra, is_open in (([], True), ([f"{busy} compatible_with x"], False)):
        found = score_candidates(make_inputs(*triples, *extra, predicates=predicates)).candidates
        assert ("a2 compatible_with b2" in {spell(each.target) for each in found}) is is_open


@pytest.mark.parametrize(
    "blocker",
    [
        make_premise("a3 licensed_under l", scope="docs"),
        make_premise("a3 licensed_under l", is_valid_now=False),
    ],
)
def test_a_premise_that_carries_no_path_still_blocks_its_own_edge(blocker: object) -> None:
    premises = [make_premise(triple) for triple in licence_chain()]
    inputs = make_inputs(*premises)
    assert "a3 licensed_under l" in {spell(each.target) for each in score_candidates(inputs).candidates}
    blocked = replace(inputs, premises=(*inputs.premises, blocker))  # type: ignore[arg-type]  # parametrized
    assert "a3 licensed_under l" not in {spell(each.target) for each in score_candidates(blocked).candidates}


def test_endpoint_kinds_and_retired_predicates_rule_targets_out() -> None:
    chain = licence_chain()
    people_only = replace(
        PREDICATES["licensed_under"], allowed_subject_kinds=("person",), allowed_object_kinds=("document",)
    )
    retired = replace(PREDICATES["licensed_under"], lifecycle_state="retired")
    for predicate in (people_only, retired):
        predicates = PREDICATES | {"licensed_under": predicate}
        found = score_candidates(make_inputs(*chain, predicates=predicates)).candidates
        assert not [each for each in found if each.target.predicate_key == "licensed_under"]


def test_a_value_is_proposed_as_object_where_the_predicate_takes_values() -> None:
    triples = [f"a{number} depends_on b{number}" for number in range(3)]
    triples += [f"b{number} requires_python v3" for number in range(3)]
    found = score(*triples, "a0 requires_python v3", "a1 requires_python v3")
    assert "a2 requires_python v3" in found
    assert not [target for target in found if target.startswith("v")]


def test_the_limit_per_predicate_keeps_the_best() -> None:
    inputs = make_inputs(*licence_chain(known=3, open_=6))
    everything = score_candidates(inputs).candidates
    limited = score_candidates(inputs, max_targets_per_predicate=2).candidates
    own = [each for each in everything if each.target.predicate_key == "licensed_under"]
    assert [each for each in limited if each.target.predicate_key == "licensed_under"] == own[:2]


def test_confidence_grows_with_the_cases() -> None:
    assert [round(estimate_confidence(cases), 2) for cases in (0, 2, 5, 100)] == [0.0, 0.29, 0.5, 0.95]


def test_ties_go_by_name_whatever_the_ids() -> None:
    chain = licence_chain(known=3, open_=3)
    inputs = make_inputs(*chain)
    # The last by name gets the first id.
    anew = {node_id: f"n{number:02d}" for number, node_id in enumerate(sorted(inputs.nodes, reverse=True))}
    entered_anew = replace(
        make_inputs(*(" ".join(anew.get(part, part) for part in triple.split()) for triple in chain)),
        nodes={anew[node_id]: replace(node, node_id=anew[node_id]) for node_id, node in inputs.nodes.items()},
    )

    def spell_names(inputs: Inputs) -> list[tuple[str, str, float]]:
        return [
            (
                inputs.nodes[one.target.subject_id].name,
                inputs.nodes[one.target.object_id].name,
                one.likelihood,
            )
            for one in score_candidates(inputs).candidates
        ]

    first = spell_names(inputs)
    assert len({likelihood for *_, likelihood in first}) < len(first)
    assert spell_names(entered_anew) == first


NODES = st.sampled_from(["a", "b", "c", "d", "e", "v1"])
KEYS = st.sampled_from(sorted(PREDICATES))
TRIPLES = st.lists(st.tuples(NODES, KEYS, NODES), max_size=25, unique=True)


@given(TRIPLES, st.randoms(use_true_random=False), st.integers(1, 5))
def test_neither_order_nor_copies_change_a_score(
    triples: list[tuple[str, str, str]], random: object, copies: int
) -> None:
    premises = [make_premise(" ".join(triple)) for triple in triples if triple[0] != "v1"]
    copied = [make_premise(" ".join(triple), copies=copies) for triple in triples if triple[0] != "v1"]
    random.shuffle(copied)  # type: ignore[attr-defined]  # hypothesis does not name its Random
    first = score_candidates(make_inputs(*premises), least_support=0, least_confidence=0.0)
    second = score_candidates(make_inputs(*copied), least_support=0, least_confidence=0.0)
    assert first.candidates == second.candidates
    for candidate in first.candidates:
        assert candidate.target.subject_id != candidate.target.object_id
        assert not candidate.target.subject_id.startswith("v")
        assert 0 <= candidate.likelihood < 1
