"""Rule counts: how often each shape of path was right about each predicate. Pure.

    body       = pairs that the shape connects, at least as closely as the rule asks for (walking.py)
    support    = those of them that the predicate is known to hold for (pending candidates are not known)
    confidence = support / (body + 5)

For a symmetric predicate pairs have no order, so that one edge is one case and not two; a shape and its
mirror are then one rule. A shape of one step never speaks for its own predicate: the edge would be its own
evidence.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from app.dreaming.grouping.paths import Graph, Ints, Shape, mirror_shape, spread_ranges
from app.dreaming.grouping.walking import LEAST_MIDDLES, Levels, fold_pairs, walk_close_pairs, walk_pairs

PRIOR_CASES = 5
# Pairs kept from the first walk so that the second need not walk again; 8 bytes each.
MAX_REMEMBERED_PAIRS = 8_000_000


@dataclass(frozen=True, slots=True, eq=False)
class RuleTable:
    """The rules of one predicate, best first, as parallel arrays; `shapes` are positions in the plan.

    `levels` say how closely a pair has to be connected.
    """

    shapes: Ints
    levels: Ints
    supports: Ints
    bodies: Ints
    confidences: npt.NDArray[np.float64]


class Walker:
    """Gives the pairs of planned shapes, and remembers as many as its bound allows.

    `is_close` says whether closeness is told apart; else every pair is of level 0.
    """

    def __init__(self, graph: Graph, shapes: Sequence[Shape], *, is_close: bool = False) -> None:
        self.graph = graph
        self.shapes = shapes
        self.top_level = len(LEAST_MIDDLES) - 1 if is_close else 0
        self._remembered: dict[tuple[int, bool], tuple[Ints, Levels]] = {}
        self._room = MAX_REMEMBERED_PAIRS

    def pairs(self, position: int, *, folded: bool) -> tuple[Ints, Levels]:
        """Return the shape's pairs, ascending, and their levels; folded: without order, the smaller node first."""
        known = self._remembered.get((position, folded))
        if known is not None:
            return known
        shape = self.shapes[position]
        if self.top_level:
            pairs, levels = walk_close_pairs(self.graph, shape)
        else:
            pairs = walk_pairs(self.graph, shape)
            levels = np.zeros(len(pairs), dtype=np.int8)
        if folded:
            pairs, levels = fold_pairs(self.graph, pairs, levels)
        if len(pairs) <= self._room:
            self._room -= len(pairs)
            self._remembered[position, folded] = pairs, levels
        return pairs, levels


def count_rules(walker: Walker, *, least_support: int, least_confidence: float) -> tuple[RuleTable, ...]:
    """Return one table per predicate of the graph, holding the rules that reach both floors.

    A level that no pair of the shape falls short of makes no rule of its own. Order: confidence, then support,
    then the plan's own order, then the less close.
    """
    graph = walker.graph
    heads = [_Heads(graph, symmetric=symmetric) for symmetric in (False, True)]
    columns: list[list[Ints]] = [[], [], [], [], []]
    for position, shape in enumerate(walker.shapes):
        for each in heads:
            if not len(each.predicates) or (each.symmetric and mirror_shape(graph, shape) < shape):
                continue
            pairs, levels = walker.pairs(position, folded=each.symmetric)
            own = graph.directions[shape[0]]
            speaks = np.ones(len(each.predicates), dtype=np.bool_)
            if len(shape) == 1 and own.forward:
                speaks = each.predicates != own.predicate
            known = each.count_known(pairs, levels, top_level=walker.top_level)
            bodies = np.cumsum(np.bincount(levels, minlength=walker.top_level + 1)[::-1])[::-1].tolist()
            for level, supports in enumerate(known):
                if level and bodies[level] == bodies[level - 1]:
                    continue
                confidences = supports / (bodies[level] + PRIOR_CASES)
                keep = speaks & (supports >= least_support) & (confidences >= least_confidence)
                rows = np.flatnonzero(keep)
                constant = np.ones(len(rows), dtype=np.int64)
                found = (
                    each.predicates[rows],
                    constant * position,
                    constant * level,
                    supports[rows],
                    constant * bodies[level],
                )
                for column, values in zip(columns, found, strict=True):
                    column.append(values)
    nothing = [np.empty(0, dtype=np.int64)]
    predicates, shapes, rule_levels, supports, bodies = (np.concatenate(nothing + each) for each in columns)
    confidences = supports / (bodies + PRIOR_CASES)
    order = np.lexsort((rule_levels, shapes, -supports, -confidences, predicates))
    bounds = np.searchsorted(predicates[order], np.arange(len(graph.predicates) + 1))
    rules = [order[low:high] for low, high in pairwise(bounds.tolist())]
    return tuple(
        RuleTable(shapes[rows], rule_levels[rows], supports[rows], bodies[rows], confidences[rows])
        for rows in rules
    )


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

    def count_known(self, pairs: Ints, levels: Levels, *, top_level: int) -> Ints:
        """Return levels × `predicates`: of how many pairs, at least so close, each is known to hold.

        The pairs ascend and are distinct.
        """
        few, many = (pairs, self._pairs) if len(pairs) < len(self._pairs) else (self._pairs, pairs)
        if not len(few):
            return np.zeros((top_level + 1, len(self.predicates)), dtype=np.int64)
        places = np.minimum(np.searchsorted(many, few), len(many) - 1)
        is_shared = many[places] == few
        shared = np.flatnonzero(is_shared)
        rows, own = (places[shared], shared) if few is pairs else (shared, places[shared])
        owners = self._owners[spread_ranges(self._starts[rows], self._counts[rows])]
        slots = owners + self._width * np.repeat(levels[own].astype(np.int64), self._counts[rows])
        counts = np.bincount(slots, minlength=self._width * (top_level + 1)).astype(np.int64)
        exactly = counts.reshape(top_level + 1, self._width)[:, self.predicates]
        at_least: Ints = np.cumsum(exactly[::-1], axis=0)[::-1]
        return at_least
