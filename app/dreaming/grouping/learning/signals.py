"""Signals: what every scorer says of every pair of a small graph, side by side. Pure.

Each signal is a number per predicate and pair, computed from the recorded edges of the graph at hand. For a
symmetric predicate both orders of a pair are one target, and get the mean of the two.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from app.dreaming.grouping.learning.best_rules import place_rules, top_confidences
from app.dreaming.grouping.learning.factorisation import factorise
from app.dreaming.grouping.learning.features import Features, Sparse, count_features
from app.dreaming.grouping.learning.ridge import Fit, Labels, find_columns, fit_ridge
from app.dreaming.grouping.learning.similarity import (
    Likeness,
    build_profiles,
    deepen_profiles,
    measure_likeness,
    predict_by_likeness,
)
from app.dreaming.grouping.learning.witnesses import top_witness_confidences
from app.dreaming.grouping.paths import Graph, Shape, plan_shapes
from app.dreaming.grouping.rule_counts import RuleTable, Walker, count_rules

Ints = npt.NDArray[np.int64]

STEP_PENALTY = 300.0
PATH_PENALTIES = (3_000.0, 10_000.0)
LEAST_SUPPORT = 2
LEAST_CONFIDENCE = 0.02
SIGNALS = (
    "rule_1", "rule_2", "rule_3", "step_rule_1", "step_rule_2",
    "step_ridge",
    "ridge_fitted", "ridge_unseen", "shy_ridge_fitted", "shy_ridge_unseen",
    "factorisation",
    "like_subjects", "like_objects", "like_both", "deep_like_both",
    "subject_witness_1", "subject_witness_2", "object_witness_1", "object_witness_2",
    "degree_out", "degree_in", "degree_subject", "degree_object",
)  # fmt: skip
# Degrees are logarithms already; of all other signals the blend takes the logarithm, too.
PLAIN_SIGNALS = np.array([name.startswith("degree") for name in SIGNALS], dtype=np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class Signals:
    """What the scorers say, and what explanations are made of.

    `values`: signals × heads × pairs (start · nodes + end). `heads` are the predicates with recorded edges and
    `known` those edges per head, nodes × nodes, both ways for a symmetric predicate. `shapes` is the plan that
    `tables` point into. `ridge` has a row of weights per head.
    """

    graph: Graph
    heads: tuple[int, ...]
    values: npt.NDArray[np.float32]
    shapes: tuple[Shape, ...]
    features: Features
    tables: tuple[RuleTable, ...]
    ridge: Fit
    profiles: Sparse
    likeness: Likeness
    known: tuple[Sparse, ...]
    dropped_shapes: int
    dropped_paths: int


def read_signals(graph: Graph) -> Signals:
    """Return the signals of the graph; nothing is known of a predicate without recorded edges."""
    heads, known = collect_known(graph)
    plan = plan_shapes(graph, least_paths=LEAST_SUPPORT)
    tables = count_rules(
        Walker(graph, plan.shapes), least_support=LEAST_SUPPORT, least_confidence=LEAST_CONFIDENCE
    )
    features = count_features(graph, plan.shapes)
    labels = _label_pairs(graph, heads, known, features)
    values = np.zeros((len(SIGNALS), len(heads), graph.size**2), dtype=np.float32)
    for place, head in enumerate(heads):
        symmetric = graph.predicates[head].symmetric
        rule_rows = place_rules(graph, features, plan.shapes, tables[head], symmetric=symmetric)
        values[0:3, place] = top_confidences(features.values, rule_rows, tables[head], count=3).T
        one_step = np.where([len(shape) == 1 for shape in features.shapes], rule_rows, -1)
        values[3:5, place] = top_confidences(features.values, one_step, tables[head], count=2).T
    ridge = _add_ridges(values, features, labels)
    values[10] = factorise(known, graph.size).reshape(len(heads), -1)
    profiles = build_profiles(graph)
    likeness, deep_likeness = measure_likeness(profiles), measure_likeness(deepen_profiles(profiles, known))
    for place, matrix in enumerate(known):
        values[11:14, place] = predict_by_likeness(matrix, likeness)
        values[14, place] = predict_by_likeness(matrix, deep_likeness)[2]
    _add_witnesses(values, graph, heads, known, profiles)
    _add_degrees(values, graph, known)
    for place, head in enumerate(heads):
        if graph.predicates[head].symmetric:
            square = values[:, place].reshape(-1, graph.size, graph.size)
            values[:, place] = ((square + square.transpose(0, 2, 1)) / 2).reshape(len(SIGNALS), -1)
    return Signals(
        graph=graph,
        heads=heads,
        values=values,
        shapes=plan.shapes,
        features=features,
        tables=tables,
        ridge=ridge,
        profiles=profiles,
        likeness=likeness,
        known=known,
        dropped_shapes=plan.dropped_shapes,
        dropped_paths=plan.dropped_paths,
    )


def collect_known(graph: Graph) -> tuple[tuple[int, ...], tuple[Sparse, ...]]:
    """Return the predicates with recorded edges, and these edges as 0/1 matrices, nodes × nodes."""
    heads, known = [], []
    for direction in graph.directions:
        recorded = ~direction.candidate
        if direction.forward and recorded.any():
            ends = (direction.sources[recorded], direction.targets[recorded])
            heads.append(direction.predicate)
            known.append(sparse.csr_matrix((np.ones(len(ends[0])), ends), shape=(graph.size, graph.size)))
    return tuple(heads), tuple(known)


def _label_pairs(
    graph: Graph, heads: tuple[int, ...], known: tuple[Sparse, ...], features: Features
) -> Labels:
    """Return the labels over every pair that may be an edge at all: an Entity, and something else."""
    starts, ends = np.divmod(np.arange(graph.size**2), max(1, graph.size))
    rows = np.flatnonzero(graph.is_entity[starts] & (starts != ends)) if graph.size else starts
    columns = {shape: place for place, shape in enumerate(features.shapes)}
    forward = {each.predicate: number for number, each in enumerate(graph.directions) if each.forward}
    own = np.array([columns.get((forward[head],), -1) for head in heads], dtype=np.int64)
    flat = [matrix.reshape(1, graph.size**2) for matrix in known]
    whole = sparse.vstack(flat, format="csc")[:, rows] if flat else sparse.csc_matrix((0, len(rows)))
    return Labels(rows, whole.tocsr(), own)


def _add_ridges(values: npt.NDArray[np.float32], features: Features, labels: Labels) -> Fit:
    one_step = find_columns(features, {1})
    own = np.array([np.searchsorted(one_step, column) if column >= 0 else -1 for column in labels.own])
    (short,) = fit_ridge(
        features.values[:, one_step],
        Labels(labels.rows, labels.known, own.astype(np.int64)),
        penalties=(STEP_PENALTY,),
    )
    values[5][:, labels.rows] = short.unseen
    fits = fit_ridge(features.values, labels, penalties=PATH_PENALTIES)
    for place, fit in enumerate(fits):
        values[6 + 2 * place][:, labels.rows] = fit.fitted
        values[7 + 2 * place][:, labels.rows] = fit.unseen
    return fits[0]


def _add_witnesses(
    values: npt.NDArray[np.float32],
    graph: Graph,
    heads: tuple[int, ...],
    known: tuple[Sparse, ...],
    profiles: Sparse,
) -> None:
    forward = {each.predicate: number for number, each in enumerate(graph.directions) if each.forward}
    size = graph.size
    for place, head in enumerate(heads):
        own = forward[head]
        outward = top_witness_confidences(profiles, known[place], own_direction=own, count=2)
        values[15:17, place] = outward.reshape(-1, 2).T
        inward = top_witness_confidences(
            profiles, known[place].T.tocsr(), own_direction=graph.reverse[own], count=2
        )
        values[17:19, place] = inward.transpose(1, 0, 2).reshape(size * size, 2).T


def _add_degrees(values: npt.NDArray[np.float32], graph: Graph, known: tuple[Sparse, ...]) -> None:
    size = graph.size
    outgoing = np.array([np.asarray(matrix.sum(axis=1)).ravel() for matrix in known]).reshape(-1, size)
    incoming = np.array([np.asarray(matrix.sum(axis=0)).ravel() for matrix in known]).reshape(-1, size)
    everywhere = np.log1p(outgoing.sum(axis=0) + incoming.sum(axis=0))
    for place in range(len(known)):
        values[19, place] = np.repeat(np.log1p(outgoing[place]), size)
        values[20, place] = np.tile(np.log1p(incoming[place]), size)
        values[21, place] = np.repeat(everywhere, size)
        values[22, place] = np.tile(everywhere, size)
