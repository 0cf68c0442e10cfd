"""The parts of learned scoring, each against something that can be counted or solved another way."""

import numpy as np
import pytest
from scipy import sparse

from app.dreaming.grouping.learning.blend import Lesson, learn_blend, select_rows
from app.dreaming.grouping.learning.factorisation import factorise
from app.dreaming.grouping.learning.features import count_features
from app.dreaming.grouping.learning.holdout import hide_folds, hide_premises
from app.dreaming.grouping.learning.regression import fit_deviation, fit_logistic
from app.dreaming.grouping.learning.ridge import Labels, fit_ridge
from app.dreaming.grouping.learning.similarity import build_profiles, measure_likeness, predict_by_likeness
from app.dreaming.grouping.learning.witnesses import top_witness_confidences
from app.dreaming.grouping.paths import build_graph, plan_shapes
from app.dreaming.grouping.targets import open_spaces
from app.dreaming.model import Standing
from tests.unit.graphs import aim, identify, licence_chain, make_inputs, make_premise, spell

RNG = np.random.default_rng(7)


def made_up(pairs: int, features: int) -> tuple[sparse.csr_matrix, Labels]:
    values = RNG.poisson(0.6, (pairs, features)).astype(float)
    known = (RNG.random((2, pairs)) < 0.3).astype(float)
    return sparse.csr_matrix(values), Labels(np.arange(pairs), sparse.csr_matrix(known), np.array([1, -1]))


def test_a_feature_is_the_logarithm_of_the_paths_and_needs_three_pairs() -> None:
    triples = [f"a{n} depends_on b{n}" for n in range(3)] + [f"b{n} uses c" for n in range(3)]
    graph = build_graph(make_inputs(*triples, "a0 depends_on b1"))
    plan = plan_shapes(graph)
    features = count_features(graph, plan.shapes)
    forward, uses = (
        next(
            number
            for number, each in enumerate(graph.directions)
            if each.forward and graph.predicates[each.predicate].key == key
        )
        for key in ("depends_on", "uses")
    )
    column = features.shapes.index((forward, uses))
    position = {node_id: number for number, node_id in enumerate(graph.node_ids)}
    for start, paths in (("a0", 2), ("a1", 1), ("b0", 0)):
        row = position[start] * graph.size + position["c"]
        assert features.values[row, column] == pytest.approx(np.log1p(paths))
    assert all(features.values[:, [place]].nnz >= 3 for place in range(len(features.shapes)))


def test_pending_candidates_alone_are_no_feature() -> None:
    triples = [f"a{n} depends_on b{n}" for n in range(3)] + [f"b{n} uses c" for n in range(3)]
    graph = build_graph(make_inputs(*(make_premise(triple, is_candidate=True) for triple in triples)))
    assert count_features(graph, plan_shapes(graph).shapes).values.nnz == 0


@pytest.mark.parametrize(("pairs", "features"), [(60, 8), (60, 250), (20, 45)])
def test_the_unseen_value_is_what_a_fit_without_the_own_label_says(pairs: int, features: int) -> None:
    values, labels = made_up(pairs, features)
    penalty = 30.0
    (fit,) = fit_ridge(values, labels, penalties=(penalty,))
    dense = values.toarray()
    table = (dense - dense.mean(axis=0)) / dense.std(axis=0)
    for number, own in enumerate(labels.own):
        seen = np.delete(table, own, axis=1) if own >= 0 else table
        label = labels.known.toarray()[number]
        base = label.mean()
        for row in range(0, pairs, 7):
            rest = np.arange(pairs) != row
            gram = seen[rest].T @ seen[rest] + penalty * np.eye(seen.shape[1])
            alone = np.linalg.solve(gram, seen[rest].T @ (label[rest] - base))
            # (fitted − leverage · label) / (1 − leverage), where the fit is of labels less their mean.
            expected = seen[row] @ alone + base
            assert fit.unseen[number, row] == pytest.approx(expected, abs=1e-8)


def test_both_ways_of_inverting_say_the_same_and_own_features_weigh_nothing() -> None:
    values, labels = made_up(40, 39)
    wide = sparse.hstack([values, values[:, :2]], format="csr")
    (by_pairs,) = fit_ridge(wide, labels, penalties=(20.0,))
    tall = sparse.vstack([wide, wide], format="csr")
    assert tall.shape[0] > tall.shape[1] > 40
    assert by_pairs.weights[0, 1] == 0.0
    (by_features,) = fit_ridge(
        tall,
        Labels(np.arange(80), sparse.hstack([labels.known, labels.known], format="csr"), labels.own),
        penalties=(40.0,),
    )
    assert by_features.fitted[:, :40] == pytest.approx(by_pairs.fitted, abs=1e-8)
    assert by_features.weights == pytest.approx(by_pairs.weights, abs=1e-8)


def test_a_factorisation_completes_a_block_with_one_hole() -> None:
    block = np.kron(np.eye(2), np.ones((6, 6)))
    block[1, 2] = 0
    (found,) = factorise([sparse.csr_matrix(block)], 12)
    assert found[1, 2] > 0.4
    assert abs(found[1, 8]) < 0.05
    assert factorise([], 12).shape == (0, 12, 12)


def test_nodes_with_the_same_neighbours_predict_each_others_edges() -> None:
    triples = [f"{node} uses {thing}" for node in ("a", "b", "c") for thing in ("x", "y", "z")]
    graph = build_graph(
        make_inputs(*triples, "a depends_on p", "b depends_on p", "e depends_on q", "e uses w")
    )
    known = sparse.lil_matrix((graph.size, graph.size))
    position = {node_id: number for number, node_id in enumerate(graph.node_ids)}
    for subject, object_ in (("a", "p"), ("b", "p"), ("e", "q")):
        known[position[subject], position[object_]] = 1
    by_subjects = predict_by_likeness(known.tocsr(), measure_likeness(build_profiles(graph)))[0]
    score = by_subjects.reshape(graph.size, graph.size)[position["c"]]
    assert score[position["p"]] > 3 * max(score[position["q"]], 0.01)


def test_a_witness_rule_counts_nodes_with_the_trait_and_never_its_own_edge() -> None:
    triples = [f"a{n} uses t" for n in range(4)] + [f"a{n} depends_on p" for n in range(3)]
    graph = build_graph(make_inputs(*triples))
    number = next(
        number
        for number, each in enumerate(graph.directions)
        if each.forward and graph.predicates[each.predicate].key == "depends_on"
    )
    direction = graph.directions[number]
    known = sparse.csr_matrix(
        (np.ones(3), (direction.sources, direction.targets)), shape=(graph.size, graph.size)
    )
    best = top_witness_confidences(build_profiles(graph), known, own_direction=number, count=2)
    position = {node_id: place for place, node_id in enumerate(graph.node_ids)}
    assert best[position["a3"], position["p"]] == pytest.approx([3 / (4 + 5), 0.0])
    assert best[position["a0"], position["p"]] == pytest.approx([3 / (4 + 5), 0.0])


def test_a_logistic_regression_recovers_the_chance_it_was_drawn_with() -> None:
    signals = RNG.normal(size=(20_000, 2))
    chance = 1 / (1 + np.exp(-(signals[:, 0] - 2)))
    labels = (RNG.random(20_000) < chance).astype(float)
    model = fit_logistic(signals, labels, np.ones(20_000), strength=1.0)
    assert np.abs(model.predict(signals) - chance).max() < 0.05
    doubled = fit_logistic(signals[:5_000], labels[:5_000], np.full(5_000, 2.0), strength=1.0)
    twice = fit_logistic(
        np.vstack([signals[:5_000]] * 2), np.concatenate([labels[:5_000]] * 2), np.ones(10_000), strength=1.0
    )
    assert doubled.coefficients == pytest.approx(twice.coefficients, abs=1e-6)


def test_a_deviation_needs_evidence() -> None:
    signals = RNG.normal(size=(4_000, 1))
    labels = (signals[:, 0] + RNG.normal(size=4_000) > 0).astype(float)
    model = fit_logistic(signals, labels, np.ones(4_000), strength=1.0)
    few = fit_deviation(model, signals[:10], 1 - labels[:10], np.ones(10), strength=0.01)
    many = fit_deviation(model, signals, 1 - labels, np.ones(4_000), strength=0.01)
    assert np.abs(few).max() < 0.1 < 1.0 < np.abs(many).max()


def test_rows_stand_for_all_absent_pairs() -> None:
    signals = RNG.random((1, 1_000)).astype(np.float32)
    labels = np.arange(1_000) < 10
    rows, weights = select_rows(signals, labels, order_by=0, other_rows=50)
    assert weights.sum() == pytest.approx(1_000)
    assert len(rows) == len(set(rows.tolist())) == 10 + 40 + 50
    hardest = np.argsort(-signals[0, 10:])[:40] + 10
    assert set(hardest.tolist()) <= set(rows.tolist())


def test_nothing_is_learned_where_nothing_hidden_could_be_found() -> None:
    plain = np.array([True])
    assert learn_blend([], plain=plain, strength=1.0) is None
    empty = Lesson(np.zeros((5, 1)), np.zeros(5), np.ones(5), np.full(5, "uses"))
    assert learn_blend([empty], plain=plain, strength=1.0) is None


def test_folds_hide_every_known_edge_once_and_depend_on_content_alone() -> None:
    triples = licence_chain(known=10, open_=2)
    inputs = make_inputs(*triples, make_premise("a0 uses b1", is_candidate=True))
    folds = list(hide_folds(inputs, folds=5))
    hidden = [spell(target) for fold in folds for target in fold.targets]
    assert sorted(hidden) == sorted(triples)
    backwards = make_inputs(make_premise("a0 uses b1", is_candidate=True), *reversed(triples))
    assert [fold.targets for fold in hide_folds(backwards, folds=5)] == [fold.targets for fold in folds]
    for fold in folds:
        assert len(fold.inputs.premises) == len(inputs.premises) - len(fold.targets)


def test_what_the_database_says_of_a_hidden_edge_is_hidden_with_it() -> None:
    hidden, kept = "a0 licensed_under l", "a1 licensed_under l"
    standing = Standing(
        active=frozenset({identify(hidden), identify(kept)}),
        taken_slots={("a0", "licensed_under"): frozenset({"l"}), ("a1", "licensed_under"): frozenset({"l"})},
    )
    inputs = make_inputs(*licence_chain(known=3, open_=0), standing=standing)
    held = hide_premises(inputs, [make_premise(hidden)])
    assert held.targets == {aim(hidden)}
    assert held.inputs.standing.active == {identify(kept)}
    assert held.inputs.standing.taken_slots == {("a1", "licensed_under"): {"l"}}
    graph = build_graph(held.inputs)
    spaces = {each.predicate.key: each for each in open_spaces(held.inputs, graph) if each is not None}
    pair = graph.node_ids.index("a0") * graph.size + graph.node_ids.index("l")
    assert spaces["licensed_under"].keep_open(np.array([pair])).tolist() == [pair]


@pytest.mark.parametrize(("key", "other"), [("compatible_with", "compatible_with"), ("has_part", "part_of")])
def test_a_slot_is_hidden_in_each_direction_in_which_it_can_be_read(key: str, other: str) -> None:
    standing = Standing(taken_slots={("a", key): frozenset({"b", "c"}), ("b", other): frozenset({"a"})})
    inputs = make_inputs(f"a {key} b", "c uses d", standing=standing)
    held = hide_premises(inputs, [make_premise(f"a {key} b")])
    assert held.inputs.standing.taken_slots == {("a", key): {"c"}}
