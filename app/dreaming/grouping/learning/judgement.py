"""Judgement: what a learned scorer says of the open pairs that it looked at. Pure."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np

from app.dreaming.grouping.candidates import Candidate, LeftOut, Rule
from app.dreaming.grouping.learning.features import Matrix
from app.dreaming.grouping.learning.holdout import HeldBack
from app.dreaming.grouping.paths import Flags, Graph, Ints
from app.dreaming.grouping.targets import TargetSpace


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Open pairs of one predicate, ascending, with their likelihoods.

    `carried` says which of them a rule with support ≥ 2 reaches.
    """

    space: TargetSpace
    pairs: Ints
    likelihoods: Matrix
    carried: Flags


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """One Judged per predicate that was looked at, and how to find what carries a candidate.

    `is_complete`: every open pair was judged, not only those that rules reach.
    """

    graph: Graph
    judged: tuple[Judged, ...]
    find_rules: Callable[[Candidate], tuple[Rule, ...]]
    left_out: LeftOut
    is_complete: bool


def locate_hidden(held: HeldBack, graph: Graph) -> dict[str, Ints]:
    """Return the hidden edges by predicate key as pairs of the graph that is left, ascending.

    An edge whose node lost its last edge is left out. For a symmetric predicate the smaller node comes first.
    """
    position_of = {node_id: position for position, node_id in enumerate(graph.node_ids)}
    found: dict[str, list[int]] = {}
    for target in held.targets:
        start, end = position_of.get(target.subject_id), position_of.get(target.object_id)
        if start is not None and end is not None:
            if held.inputs.predicates[target.predicate_key].symmetric:
                start, end = min(start, end), max(start, end)
            found.setdefault(target.predicate_key, []).append(start * graph.size + end)
    return {key: np.array(sorted(pairs), dtype=np.int64) for key, pairs in found.items()}


def label_hidden(pairs: Ints, hidden: Collection[int] | Ints | None) -> Flags:
    """Return which of the pairs are hidden edges."""
    if hidden is None:
        return np.zeros(len(pairs), dtype=np.bool_)
    return np.isin(pairs, np.asarray(hidden, dtype=np.int64))
