"""Evaluation: does the ranking beat popularity and chance on edges that were held back? Pure.

Three rankings under the same constraints (targets.py: absent, kinds allowed, slot free):

* `rules`: the product's own (scoring.py).
* `popularity`: log(1 + out-degree of the subject) + log(1 + in-degree of the object), within the predicate.
* `random`: a seeded hash of the pair; the same seed gives the same order.

Popularity and random draw from all open pairs of a node seen as the predicate's subject and a node seen as
its object (either, for a symmetric predicate), so that they are not made weak by hopeless pairs. Where only
one edge can be current at a node, the nodes seen have no room left; there, all nodes are drawn that have
any edge of that side. Ties go by node order.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from app.dreaming.grouping.paths import Graph, Ints, build_graph
from app.dreaming.grouping.scoring import score_candidates
from app.dreaming.grouping.targets import TargetSpace, open_spaces
from app.dreaming.model import Inputs, Target
from app.ledger.identity import digest

Method = Literal["rules", "popularity", "random"]
Reals = npt.NDArray[np.float64]

_PAIRS_AT_ONCE = 500_000


def rank_targets(
    inputs: Inputs, *, by: Method, limit: int, predicate_key: str | None = None, seed: int = 0
) -> tuple[Target, ...]:
    """Return the best `limit` open targets of one predicate, or of all, best first."""
    if by == "rules":
        scores = score_candidates(inputs, max_targets_per_predicate=limit)
        targets = (candidate.target for candidate in scores.candidates)
        return tuple(
            target for target in targets if predicate_key is None or target.predicate_key == predicate_key
        )[:limit]
    graph = build_graph(inputs)
    best = _Best(limit)
    for number, space in enumerate(open_spaces(inputs, graph)):
        if space is not None and predicate_key in (None, space.predicate.key):
            for pairs, degrees in _draw_pairs(graph, number, space):
                best.add(number, pairs, degrees if by == "popularity" else _hash_pairs(pairs, number, seed))
    return tuple(
        Target(
            graph.node_ids[pair // graph.size],
            graph.predicates[number].key,
            graph.node_ids[pair % graph.size],
        )
        for number, pair in zip(best.numbers.tolist(), best.pairs.tolist(), strict=True)
    )


def precision_at(k: int, ranked: Sequence[Target], held_out: Collection[Target]) -> float:
    """Return the share of the first k that was held out; places that a short ranking lacks are misses."""
    return sum(target in held_out for target in ranked[:k]) / k


class _Best:
    """The `limit` highest scores seen so far, in total order: score, then predicate, then pair."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._scores: Reals = np.empty(0)
        self.numbers: Ints = np.empty(0, dtype=np.int64)
        self.pairs: Ints = np.empty(0, dtype=np.int64)

    def add(self, number: int, pairs: Ints, scores: Reals) -> None:
        all_scores = np.concatenate((self._scores, scores))
        all_numbers = np.concatenate((self.numbers, np.full(len(pairs), number, dtype=np.int64)))
        all_pairs = np.concatenate((self.pairs, pairs))
        order = np.lexsort((all_pairs, all_numbers, -all_scores))[: self._limit]
        self._scores, self.numbers, self.pairs = all_scores[order], all_numbers[order], all_pairs[order]


def _draw_pairs(graph: Graph, number: int, space: TargetSpace) -> Iterator[tuple[Ints, Reals]]:
    """Yield the open pairs of nodes seen with the predicate and their popularity, in bounded pieces."""
    outgoing, incoming = _count_degrees(graph, {number})
    some_outgoing, some_incoming = _count_degrees(graph, set(range(len(graph.predicates))))
    drawn_from = some_outgoing if space.one_per_subject else outgoing
    drawn_to = some_incoming if space.one_per_object else incoming
    subjects = np.flatnonzero((drawn_from > 0) & space.subjects)
    objects = np.flatnonzero((drawn_to > 0) & space.objects)
    step = max(1, _PAIRS_AT_ONCE // max(1, len(objects)))
    for begin in range(0, len(subjects), step):
        rows = subjects[begin : begin + step]
        pairs = space.keep_open((rows[:, None] * graph.size + objects[None, :]).ravel())
        degrees = np.log1p(outgoing[pairs // graph.size]) + np.log1p(incoming[pairs % graph.size])
        yield pairs, degrees


def _count_degrees(graph: Graph, numbers: Collection[int]) -> tuple[Ints, Ints]:
    outgoing = np.zeros(graph.size, dtype=np.int64)
    incoming = np.zeros(graph.size, dtype=np.int64)
    for direction in graph.directions:
        if direction.predicate in numbers and direction.forward:
            outgoing += np.bincount(direction.sources, minlength=graph.size)
            incoming += np.bincount(direction.targets, minlength=graph.size)
    return outgoing, incoming


def _hash_pairs(pairs: Ints, number: int, seed: int) -> Reals:
    """Return a number in 0..1 per pair that looks random and depends on pair, predicate and seed."""
    start = int(digest("random", str(seed), str(number))[:16], 16)
    mixed = pairs.astype(np.uint64) + np.uint64(start)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return (mixed >> np.uint64(11)).astype(np.float64) / 2.0**53
