"""Rule counts: how often each shape of path was right about each predicate. Pure.

    body       = pairs that the shape connects support    = those of them that the predicate is known to
    hold for (pending candidates do not count as known) confidence = support / (body + 5)

For a symmetric predicate pairs have no order, so that one edge is one case and not two; a shape and its
mirror are then one rule. A shape of one step never speaks for its own predicate: the edge would be its own
evidence.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from app.dreaming.paths import Graph, Ints, Shape, mirror_shape, sort_distinct, spread_ranges, walk_pairs

PRIOR_CASES = 5
# Pairs kept from the first walk so that the second need not walk again; 8 bytes each.
MAX_REMEMBERED_PAIRS = 8_000_000


@dataclass(frozen=True, slots=True, eq=False)
class RuleTable:
    """The rules of one predicate, best first, as parallel arrays; `shapes` are positions in the plan."""

    shapes: Ints
    supports: Ints
    bodies: Ints
    confidences: npt.NDArray[np.float64]


class Walker:
    """Gives the pairs of planned shapes, and remembers as many as its bound allows."""

    def __init__(self, graph: Graph, shapes: Sequence[Shape]) -> None:
        self.graph = graph
        self.shapes = shapes
        self._remembered: dict[tuple[int, bool], Ints] = {}
        self._room = MAX_REMEMBERED_PAIRS

    def pairs(self, position: int, *, folded: bool) -> Ints:
        """Return the shape's pairs, ascending; folded: without order, the smaller node first."""
        known = self._remembered.get((position, folded))
        if known is not None:
            return known
        pairs = walk_pairs(self.graph, self.shapes[position])
        if folded:
            starts, ends = np.divmod(pairs, self.graph.size)
            pairs = sort_distinct(np.minimum(starts, ends) * self.graph.size + np.maximum(starts, ends))
        if len(pairs) <= self._room:
            self._room -= len(pairs)
            self._remembered[position, folded] = pairs
        return pairs


def count_rules(walker: Walker, *, least_support: int, least_confidence: float) -> tuple[RuleTable, ...]:
    """Return one table per predicate of the graph, holding the rules that reach both floors.

    Order: confidence, then support, then the plan's own order.
    """
    graph = walker.graph
    heads = [_Heads(graph, symmetric=symmetric) for symmetric in (False, True)]
    columns: list[list[Ints]] = [[], [], [], []]
    for position, shape in enumerate(walker.shapes):
        for each in heads:
            if not len(each.predicates) or (each.symmetric and mirror_shape(graph, shape) < shape):
                continue
            pairs = walker.pairs(position, folded=each.symmetric)
            supports = each.count_known(pairs)
            confidences = supports / (len(pairs) + PRIOR_CASES)
            keep = (supports >= least_support) & (confidences >= least_confidence)
            own = graph.directions[shape[0]]
            if len(shape) == 1 and own.forward:
                keep &= each.predicates != own.predicate
            rows = np.flatnonzero(keep)
            constant = np.ones(len(rows), dtype=np.int64)
            found = (each.predicates[rows], constant * position, supports[rows], constant * len(pairs))
            for column, values in zip(columns, found, strict=True):
                column.append(values)
    nothing = [np.empty(0, dtype=np.int64)]
    predicates, shapes, supports, bodies = (np.concatenate(nothing + column) for column in columns)
    confidences = supports / (bodies + PRIOR_CASES)
    order = np.lexsort((shapes, -supports, -confidences, predicates))
    bounds = np.searchsorted(predicates[order], np.arange(len(graph.predicates) + 1))
    rules = [order[low:high] for low, high in pairwise(bounds.tolist())]
    return tuple(RuleTable(shapes[rows], supports[rows], bodies[rows], confidences[rows]) for rows in rules)


class _Heads:
    """The known edges of all symmetric, or of all other, predicates, for looking pairs up in one go."""

    def __init__(self, graph: Graph, *, symmetric: bool) -> None:
        self.symmetric = symmetric
        self.predicates = np.array(
            [number for number, predicate in enumerate(graph.predicates) if predicate.symmetric == symmetric],
            dtype=np.int64,
        )
        keys, owners = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
        for direction in graph.directions:
            if direction.forward and graph.predicates[direction.predicate].symmetric == symmetric:
                known = ~direction.candidate
                if symmetric:
                    known &= direction.sources < direction.targets
                keys.append(direction.keys[known])
                owners.append(np.full(int(known.sum()), direction.predicate, dtype=np.int64))
        all_keys, all_owners = np.concatenate(keys), np.concatenate(owners)
        order = np.argsort(all_keys, kind="stable")
        self._owners = all_owners[order]
        self._pairs, self._starts, self._counts = np.unique(
            all_keys[order], return_index=True, return_counts=True
        )
        self._width = len(graph.predicates)

    def count_known(self, pairs: Ints) -> Ints:
        """Return for each of `predicates` how many of the pairs it is known to hold for.

        The pairs ascend and are distinct.
        """
        few, many = (pairs, self._pairs) if len(pairs) < len(self._pairs) else (self._pairs, pairs)
        if not len(few):
            return np.zeros(len(self.predicates), dtype=np.int64)
        places = np.minimum(np.searchsorted(many, few), len(many) - 1)
        is_shared = many[places] == few
        rows = places[is_shared] if few is pairs else np.flatnonzero(is_shared)
        owners = self._owners[spread_ranges(self._starts[rows], self._counts[rows])]
        counts = np.bincount(owners, minlength=self._width).astype(np.int64)
        return counts[self.predicates]
