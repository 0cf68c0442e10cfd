"""Measures: how good a judgement is, against edges that it has not seen. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.dreaming.grouping.learning.features import Matrix
from app.dreaming.grouping.learning.holdout import HeldBack
from app.dreaming.grouping.learning.judgement import Judgement, label_hidden, locate_hidden
from app.dreaming.model import Target

BINS = 10
LEAST_SAID = 0.05


@dataclass(frozen=True, slots=True)
class Ranks:
    """Over both sides of every asked edge: mean reciprocal rank, and the share at rank 1 and up to 10."""

    mrr: float
    hits_at_1: float
    hits_at_10: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """`base_brier` is the Brier score of always saying the base rate.

    `bins`: (mean said, share found, pairs) per tenth, among pairs of which at least .05 was said;
    `reliability_error` is the mean distance of said and found over these bins, each counting by its pairs.
    """

    brier: float
    base_brier: float
    reliability_error: float
    bins: tuple[tuple[float, float, int], ...]


def rank_among_absent(judgement: Judgement, *, known: Sequence[Target], asked: Sequence[Target]) -> Ranks:
    """Return how high the asked edges stand among the absent pairs of their subject, and of their object.

    Ties count as their mean rank; an edge of a node or predicate that was not there to learn from counts as 0.
    """
    node_ids = judgement.graph.node_ids
    size = len(node_ids)
    position_of = {node_id: position for position, node_id in enumerate(node_ids)}
    scores = {}
    for each in judgement.judged:
        square = np.full((size, size), -np.inf)
        square.flat[each.pairs] = each.likelihoods
        scores[each.space.predicate.key] = square
    absent = {key: np.isfinite(square) for key, square in scores.items()}
    for target in known:
        start, end = position_of.get(target.subject_id), position_of.get(target.object_id)
        if start is not None and end is not None and target.predicate_key in absent:
            absent[target.predicate_key][start, end] = False
    ranks: list[float] = []
    for target in asked:
        start, end = position_of.get(target.subject_id), position_of.get(target.object_id)
        if start is None or end is None or target.predicate_key not in scores:
            ranks += [np.inf, np.inf]
            continue
        square, is_absent = scores[target.predicate_key], absent[target.predicate_key]
        own = float(square[start, end])
        ranks.append(_rank(square[start][is_absent[start]], own))
        ranks.append(_rank(square[:, end][is_absent[:, end]], own))
    found = np.array(ranks)
    if not len(found):
        return Ranks(0.0, 0.0, 0.0)
    return Ranks(float(np.mean(1 / found)), float(np.mean(found <= 1)), float(np.mean(found <= 10)))


def _rank(others: Matrix, own: float) -> float:
    return 1 + float((others > own).sum()) + float((others == own).sum()) / 2


def measure_calibration(judgement: Judgement, held: HeldBack) -> Calibration:
    """Return how honest the likelihoods of the open pairs are, where the held back edges are what is true."""
    hidden = locate_hidden(held, judgement.graph)
    said_parts, true_parts = [np.empty(0)], [np.empty(0, dtype=np.bool_)]
    for each in judgement.judged:
        said_parts.append(each.likelihoods)
        true_parts.append(label_hidden(each.pairs, hidden.get(each.space.predicate.key)))
    said, true = np.concatenate(said_parts), np.concatenate(true_parts).astype(np.float64)
    if not len(said):
        return Calibration(0.0, 0.0, 0.0, ())
    base = float(true.mean())
    bins = []
    for number in range(BINS):
        low, high = max(number / BINS, LEAST_SAID), (number + 1) / BINS
        rows = (said >= low) & ((said < high) | (number == BINS - 1))
        if rows.any():
            bins.append((float(said[rows].mean()), float(true[rows].mean()), int(rows.sum())))
    distance = sum(abs(first - second) * count for first, second, count in bins)
    return Calibration(
        brier=float(np.mean((said - true) ** 2)),
        base_brier=base * (1 - base),
        reliability_error=distance / sum(count for _, _, count in bins) if bins else 0.0,
        bins=tuple((round(first, 4), round(second, 4), count) for first, second, count in bins),
    )
