"""Hubs: absent pairs of two nodes that a predicate is so often recorded of that an edge between them is likely.

Pure and bounded. In a large graph most of what is likely needs no path of two steps: a common subject and a
common object of a predicate have an edge unless it was not recorded. Such a pair is looked at if its draw
(degrees.py) is at least .3, at most 4 000 pairs a predicate, and if a trait carries it: an edge of the subject
that at least two of the nodes with an edge to the object have, too, or the same the other way round. Pairs with
such a draw beyond these bounds are counted.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from app.dreaming.grouping.candidates import LEAST_SUPPORT, Candidate, Rule, Trait
from app.dreaming.grouping.learning.degrees import Degrees
from app.dreaming.grouping.learning.features import Matrix, Sparse
from app.dreaming.grouping.learning.signals import collect_known
from app.dreaming.grouping.learning.similarity import build_profiles
from app.dreaming.grouping.paths import Flags, Graph, Ints
from app.dreaming.grouping.rule_counts import PRIOR_CASES
from app.dreaming.grouping.targets import TargetSpace

LEAST_DRAW = 0.3
MAX_PAIRS = 4_000
_MOST_NODES = 400
_ROWS_AT_ONCE = 500


@dataclass(frozen=True, slots=True, eq=False)
class HubPairs:
    """The pairs to look at, known ones included, ascending; of how many more the draw is as high."""

    pairs: Ints
    left_out: int


def list_hub_pairs(space: TargetSpace, degrees: Degrees) -> HubPairs:
    """Return the pairs of two nodes with the highest draws."""
    starts = _most_common(degrees.outgoing * space.subjects)
    ends = _most_common(degrees.incoming * space.objects)
    pairs = (starts[:, None] * len(space.node_ids) + ends[None, :]).ravel()
    first, second = np.divmod(pairs, len(space.node_ids))
    pairs = pairs[first < second if space.predicate.symmetric else first != second]
    drawn = degrees.draw(pairs)
    order = np.argsort(-drawn, kind="stable")[:MAX_PAIRS]
    kept: Ints = np.sort(pairs[order[drawn[order] >= LEAST_DRAW]])
    return HubPairs(kept, _count_pairs(space, degrees) - len(kept))


def _count_pairs(space: TargetSpace, degrees: Degrees) -> int:
    """Return of how many pairs of two different nodes the draw is high enough, without listing them."""
    # Nodes of one degree have one part, and there are few degrees.
    froms, from_counts = np.unique(degrees.as_subject[space.subjects], return_counts=True)
    tos, to_counts = np.unique(degrees.as_object[space.objects], return_counts=True)
    ordered = int(from_counts @ (np.outer(froms, tos) >= LEAST_DRAW) @ to_counts)
    alone = space.subjects & space.objects & (degrees.as_subject * degrees.as_object >= LEAST_DRAW)
    ordered -= int(alone.sum())
    return ordered // 2 if space.predicate.symmetric else ordered


def _most_common(degrees: Ints) -> Ints:
    order = np.argsort(-degrees, kind="stable")[:_MOST_NODES]
    found: Ints = order[degrees[order] > 0]
    return found


class HubCarriers:
    """Says which pairs a trait carries, and which traits those are."""

    def __init__(self, graph: Graph) -> None:
        heads, known = collect_known(graph)
        self._known = {graph.predicates[head].key: each for head, each in zip(heads, known, strict=True)}
        forward = {each.predicate: number for number, each in enumerate(graph.directions) if each.forward}
        self._own = {graph.predicates[head].key: forward[head] for head in heads}
        self._reverse = graph.reverse
        self._profiles = build_profiles(graph)
        self._by_trait = self._profiles.tocsc()

    def find_carried(self, key: str, pairs: Ints) -> Flags:
        """Return which pairs of the predicate at least one trait carries."""
        if key not in self._known or not len(pairs):
            return np.zeros(len(pairs), dtype=np.bool_)
        known = self._known[key]
        starts, ends = np.divmod(pairs, known.shape[0])
        return self._share_trait(known.T.tocsr(), starts, ends) | self._share_trait(known, ends, starts)

    def _share_trait(self, having: Sparse, nodes: Ints, others: Ints) -> Flags:
        """Return for each pair whether two nodes with the edge to `other` share a trait with `node`.

        The pair is absent, so that its own edge is no trait of `node`.
        """
        distinct, places = np.unique(others, return_inverse=True)
        common = having[distinct] @ self._profiles
        common.data = (common.data >= LEAST_SUPPORT).astype(np.float64)
        common.eliminate_zeros()
        flags = np.zeros(len(nodes), dtype=np.bool_)
        for begin in range(0, len(nodes), _ROWS_AT_ONCE):
            rows = slice(begin, begin + _ROWS_AT_ONCE)
            shared = self._profiles[nodes[rows]].multiply(common[places[rows]])
            flags[rows] = np.asarray(shared.sum(axis=1)).ravel() > 0
        return flags

    def find_rules(self, candidate: Candidate) -> list[Rule]:
        """Return the traits that carry a pair, weighed by their confidence."""
        key = candidate.target.predicate_key
        known, own = self._known[key], self._own[key]
        outward = known[:, [candidate.end]].toarray().ravel()
        inward = known[[candidate.start]].toarray().ravel()
        return self._trait_rules("subject", candidate.start, outward, own, candidate.end) + self._trait_rules(
            "object", candidate.end, inward, self._reverse[own], candidate.start
        )

    def _trait_rules(
        self, side: Literal["subject", "object"], node: int, labels: Matrix, own: int, other: int
    ) -> list[Rule]:
        size = len(labels)
        traits = self._profiles.indices[self._profiles.indptr[node] : self._profiles.indptr[node + 1]]
        traits = traits[traits != own * size + other]
        sharing = self._by_trait[:, traits]
        bodies = np.asarray(sharing.sum(axis=0)).ravel().tolist()
        supports = np.asarray(sharing.T @ labels).ravel().tolist()
        return [
            Rule(
                (), int(support), int(body), support / (body + PRIOR_CASES), Trait(side, *divmod(trait, size))
            )
            for trait, body, support in zip(traits.tolist(), bodies, supports, strict=True)
            if support >= LEAST_SUPPORT
        ]
