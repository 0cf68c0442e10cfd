"""Scoring: which open targets the premises point at, and how likely each is. Pure.

Three ways, by what there is to learn from:

* fewer than 100 recorded edges: the best rule alone (rule_scoring.py), which is silent more often than not;
* a small graph: every open pair is judged by the blend (learning/small.py);
* a large one: the pairs that rules reach are (learning/large.py).

**Likelihood** is the chance that a pair with these signals is a recorded edge, learned on hidden premises (for
a young team: the best rule's confidence, support / (body + 5)). It reads low where memory is incomplete, because
true edges that nobody recorded count as misses. **Confidence** says how much the rule with the largest share
rests on, support / (support + 5): 0.29 with two cases, 0.5 with five, 0.95 with a hundred. Order: likelihood,
then how often the predicate is known to hold of the object, then the names; so the order is total.

A target that no rule with support ≥ 2 reaches is never a candidate: what cannot be explained is not proposed.
"""

from collections.abc import Sequence

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # It ships no type information.

from app.dreaming.grouping.candidates import (
    LEAST_CONFIDENCE,
    LEAST_SUPPORT,
    LIKELIHOOD_FLOOR,
    Candidate,
    Rule,
    Scores,
    estimate_confidence,
)
from app.dreaming.grouping.learning.holdout import HeldBack
from app.dreaming.grouping.learning.judgement import Judgement
from app.dreaming.grouping.learning.large import FOLDS, judge_large
from app.dreaming.grouping.learning.ranking import rank_judged
from app.dreaming.grouping.learning.small import count_folds, is_small, judge_small
from app.dreaming.grouping.paths import Graph, build_graph
from app.dreaming.grouping.rule_scoring import score_by_rules
from app.dreaming.model import Inputs

__all__ = [
    "LEAST_CONFIDENCE",
    "LEAST_SUPPORT",
    "LIKELIHOOD_FLOOR",
    "Candidate",
    "Rule",
    "Scores",
    "estimate_confidence",
    "score_candidates",
]

LEAST_EDGES_TO_LEARN = 100
MAX_TARGETS_PER_PREDICATE = 1_000


def score_candidates(
    inputs: Inputs,
    *,
    least_support: int = LEAST_SUPPORT,
    least_confidence: float = LEAST_CONFIDENCE,
    least_likelihood: float = 0.0,
    max_targets_per_predicate: int = MAX_TARGETS_PER_PREDICATE,
) -> Scores:
    """Return the open targets, at most so many per predicate, best first.

    A target below `least_likelihood` is left out. `least_support` and `least_confidence` are those of a rule
    that may carry; with a support below 2 nothing is learned and every path counts, which is only affordable
    for few premises. Equal inputs, in whatever order, give equal scores.
    """
    graph = build_graph(inputs)
    judgement = judge_open_pairs(inputs, graph) if least_support >= LEAST_SUPPORT else None
    if judgement is not None:
        return rank_judged(
            judgement, least_likelihood=least_likelihood, max_targets_per_predicate=max_targets_per_predicate
        )
    return score_by_rules(
        inputs,
        graph,
        least_support=least_support,
        least_confidence=least_confidence,
        least_likelihood=least_likelihood,
        max_targets_per_predicate=max_targets_per_predicate,
    )


def judge_open_pairs(
    inputs: Inputs, graph: Graph | None = None, *, holdouts: Sequence[HeldBack] | None = None
) -> Judgement | None:
    """Return what was learned of the open pairs; None where there is too little to learn from.

    Args:
        graph: that of the inputs, where it is there already.
        holdouts: what to learn from, instead of holdouts of these inputs.
    """
    graph = graph or build_graph(inputs)
    edges = count_recorded(graph)
    if edges < LEAST_EDGES_TO_LEARN:
        return None
    # One thread: sums come out the same whatever the machine, and small products do not wait for busy cores.
    with threadpool_limits(limits=1, user_api="blas"):
        if is_small(graph):
            return judge_small(inputs, graph, edges=edges, holdouts=holdouts)
        return judge_large(inputs, graph, holdouts=holdouts)


def count_lessons(inputs: Inputs) -> int:
    """Return how many fifths of these inputs are hidden in turn to learn from."""
    graph = build_graph(inputs)
    return count_folds(count_recorded(graph)) if is_small(graph) else FOLDS


def count_recorded(graph: Graph) -> int:
    """Return the number of premises in the graph that are not pending candidates."""
    return sum(not premise.is_candidate for premise in graph.premises)
