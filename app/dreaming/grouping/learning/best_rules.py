"""Best rules: the highest confidences of the rules that reach each pair. Pure.

Correlated rules are never added up; the blend sees the best few side by side, in order.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from app.dreaming.grouping.learning.features import Features, Matrix, Sparse
from app.dreaming.grouping.paths import Graph, Shape, mirror_shape
from app.dreaming.grouping.rule_counts import RuleTable

Ints = npt.NDArray[np.int64]


def place_rules(
    graph: Graph, features: Features, shapes: Sequence[Shape], table: RuleTable, *, symmetric: bool
) -> Ints:
    """Return for each feature the row of its rule in the table, −1 for none.

    `shapes` is the plan that the table points into. For a symmetric predicate a shape and its mirror are one rule.
    """
    columns = {shape: column for column, shape in enumerate(features.shapes)}
    rows = np.full(len(features.shapes), -1, dtype=np.int64)
    for row, position in enumerate(table.shapes.tolist()):
        shape = shapes[position]
        for each in {shape, mirror_shape(graph, shape)} if symmetric else {shape}:
            column = columns.get(each)
            if column is not None:
                rows[column] = row
    return rows


def top_confidences(values: Sparse, rule_rows: Ints, table: RuleTable, *, count: int) -> Matrix:
    """Return pairs × `count`: the best confidences per pair, falling, 0 where there are fewer rules.

    `values` holds the features (pairs × features) of which `rule_rows` names the rules.
    """
    best = np.zeros((values.shape[0], count))
    ranks = np.where(rule_rows >= 0, len(table.shapes) - rule_rows, 0)
    data = ranks[values.indices]
    filled = np.flatnonzero(np.diff(values.indptr))
    starts = values.indptr[filled]
    lengths = np.diff(values.indptr)[filled]
    by_rank = np.concatenate(([0.0], table.confidences[::-1]))
    for place in range(count if len(filled) else 0):
        highest = np.maximum.reduceat(data, starts)
        best[filled, place] = by_rank[highest]
        data[data == np.repeat(highest, lengths)] = 0
    return best
