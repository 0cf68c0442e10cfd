"""Carriers: which rules carry the score of a pair in a small graph, and how much each. Pure.

Two scorers divide their prediction exactly among what it rests on, both in the same unit, the predicted value of
a 0/1 label:

* the ridge among the shapes of path that reach the pair: weight · ln(1 + paths);
* the likeness among the traits of the pair's subject, and of its object: for each, what the nodes that share
  it say.

A rule takes part if it was right at least twice with a confidence of .02. The factorisation divides among
nothing, and carries nothing.
"""

import numpy as np

from app.dreaming.grouping.candidates import (
    LEAST_CONFIDENCE,
    LEAST_SUPPORT,
    Candidate,
    Rule,
    Trait,
    weigh_rules,
)
from app.dreaming.grouping.learning.best_rules import place_rules
from app.dreaming.grouping.learning.features import Matrix, Sparse
from app.dreaming.grouping.learning.signals import Signals
from app.dreaming.grouping.paths import Ints
from app.dreaming.grouping.rule_counts import PRIOR_CASES


class Carriers:
    """Finds the carrying rules of candidates, one at a time; remembers what a predicate needs for it."""

    def __init__(self, signals: Signals) -> None:
        self._signals = signals
        self._by_trait = signals.profiles.tocsc()
        graph = signals.graph
        self._place_of = {graph.predicates[head].key: place for place, head in enumerate(signals.heads)}
        self._forward = {each.predicate: n for n, each in enumerate(graph.directions) if each.forward}
        self._rule_rows: dict[int, Ints] = {}

    def find_rules(self, candidate: Candidate) -> tuple[Rule, ...]:
        """Return the one to three rules with the largest parts of the score, the largest first."""
        place = self._place_of[candidate.target.predicate_key]
        known = self._signals.known[place]
        own = self._forward[self._signals.heads[place]]
        back = self._signals.graph.reverse[own]
        outward = known[:, candidate.end].toarray().ravel()
        inward = known[candidate.start].toarray().ravel()
        return weigh_rules(
            self._shape_rules(candidate, place)
            + self._trait_rules("subject", candidate.start, outward, own * len(outward) + candidate.end)
            + self._trait_rules("object", candidate.end, inward, back * len(inward) + candidate.start)
        )

    def _shape_rules(self, candidate: Candidate, place: int) -> list[Rule]:
        signals = self._signals
        head, size = signals.heads[place], signals.graph.size
        symmetric, table = signals.graph.predicates[head].symmetric, signals.tables[head]
        if place not in self._rule_rows:
            self._rule_rows[place] = place_rules(
                signals.graph, signals.features, signals.shapes, table, symmetric=symmetric
            )
        pairs = [candidate.start * size + candidate.end]
        if symmetric:
            pairs.append(candidate.end * size + candidate.start)
        weights: dict[int, float] = {}
        for pair in pairs:
            row = signals.features.values[pair]
            for column, value in zip(row.indices.tolist(), row.data.tolist(), strict=True):
                rule = int(self._rule_rows[place][column])
                if rule >= 0:
                    part = float(signals.ridge.weights[place, column]) * value / len(pairs)
                    weights[rule] = weights.get(rule, 0.0) + part
        return [
            Rule(signals.shapes[table.shapes[row]], int(table.supports[row]), int(table.bodies[row]), weight)
            for row, weight in weights.items()
        ]

    def _trait_rules(self, side: str, node: int, labels: Matrix, own: int) -> list[Rule]:
        profiles: Sparse = self._signals.profiles
        traits = profiles.indices[profiles.indptr[node] : profiles.indptr[node + 1]]
        traits = traits[traits != own]
        sharing = self._by_trait[:, traits]
        bodies = np.asarray(sharing.sum(axis=0)).ravel()
        supports = sharing.T @ labels
        parts = sharing.T @ (self._signals.likeness.shares @ (labels - labels.mean()))
        rules = []
        for trait, body, support, part in zip(
            traits.tolist(), bodies.tolist(), supports.tolist(), parts.tolist(), strict=True
        ):
            if support >= LEAST_SUPPORT and support / (body + PRIOR_CASES) >= LEAST_CONFIDENCE:
                direction, neighbour = divmod(trait, len(labels))
                found = Trait("subject" if side == "subject" else "object", direction, neighbour)
                rules.append(Rule((), int(support), int(body), part, found))
        return rules
