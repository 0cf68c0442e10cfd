"""Grouping: the connected sets of premises around open targets that one cycle looks at. Pure.

Targets come from scoring.py, best first. What regenerating could not change is left out before the budget
is spent:

* a live Hypothesis holds the target, and no premise of the paths is new to it and no recorded source has a
higher version than recorded (a submitted one is left alone always);
* the target was rejected, and no premise of the paths became eligible after that moment.

Recorded premises are taken as cumulative: a Hypothesis that was reinforced keeps the premises of before.
Another profile's copy of a recorded premise is not new (Spec: "copied positions do not multiply dream
weight").

The choice is diverse (diversity.py): of any beginning of the list at most a quarter is of one subject and half
of one predicate, and, rounded up, half of one object and three quarters of one connected component, as long as
others have candidates. Outcomes may move some of the first places between predicates (split.py).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from app.dreaming.grouping.candidates import (
    LEAST_CONFIDENCE,
    LEAST_SUPPORT,
    LIKELIHOOD_FLOOR,
    Candidate,
    LeftOut,
    Scores,
)
from app.dreaming.grouping.diversity import Allowance, Share, choose_diverse, half, number_distinct, quarter
from app.dreaming.grouping.explanation import explain_candidate
from app.dreaming.grouping.paths import Graph
from app.dreaming.grouping.scoring import score_candidates
from app.dreaming.grouping.split import PredicateShare, keeps_bounds, tune_split
from app.dreaming.model import CarryingPath, Group, Inputs, LiveHypothesis, Premise, Target

SPARE_TARGETS_PER_PREDICATE = 250


@dataclass(frozen=True, slots=True)
class Grouping:
    """The groups in the order in which they are to be used, and what the caps left out of the search.

    `split` is given where outcomes moved places between predicates. `open_identities` are those of all
    targets that the groups were chosen from; `find_likelihood` tells of any other, too (candidates.py).
    """

    groups: tuple[Group, ...]
    left_out: LeftOut
    split: tuple[PredicateShare, ...] = ()
    open_identities: frozenset[str] = frozenset()
    find_likelihood: Callable[[Target], float | None] = field(default=lambda _: None, compare=False)


def form_groups(
    inputs: Inputs,
    *,
    max_groups: int,
    max_outputs: int = 0,
    least_support: int = LEAST_SUPPORT,
    least_likelihood: float = LIKELIHOOD_FLOOR,
) -> Grouping:
    """Return at most `max_groups` groups; equal inputs, in whatever order, give equal groups in equal order.

    The floors are those of the `rules` generator. With both at 0 every open target that some path reaches may
    be a group, which is only affordable for few premises (some hundreds). The first `max_outputs` groups are
    those that outcomes may split anew.
    """
    if max_groups <= 0:
        return Grouping((), LeftOut())
    scores = score_candidates(
        inputs,
        least_support=least_support,
        least_confidence=min(least_likelihood, LEAST_CONFIDENCE),
        least_likelihood=least_likelihood,
        max_targets_per_predicate=count_targets_needed(inputs),
    )
    return group_candidates(inputs, scores, max_groups=max_groups, max_outputs=max_outputs)


def count_targets_needed(inputs: Inputs) -> int:
    """Return how many candidates of a predicate are enough, whatever of them turns out to be held."""
    return SPARE_TARGETS_PER_PREDICATE + len(inputs.standing.live) + len(inputs.standing.suppressed)


def group_candidates(inputs: Inputs, scores: Scores, *, max_groups: int, max_outputs: int = 0) -> Grouping:
    """Return at most `max_groups` groups around candidates that have been scored; see `form_groups`."""
    standing = inputs.standing
    premises = {premise.group_key: premise for premise in scores.graph.premises}
    known: dict[Candidate, tuple[CarryingPath, ...]] = {}
    open_candidates = []
    for candidate in scores.candidates:
        if candidate.identity in standing.live or candidate.identity in standing.suppressed:
            paths = _explain_anew(inputs, scores, candidate, premises)
            if paths is None:
                continue
            known[candidate] = paths
        open_candidates.append(candidate)
    identities = frozenset(candidate.identity for candidate in open_candidates)
    places, split = _choose(open_candidates, scores.graph, max_groups, max_outputs, inputs.split_weights)
    groups = []
    for place in places:
        candidate = open_candidates[place]
        paths = known.get(candidate) or explain_candidate(scores, candidate, inputs.nodes)
        keys = dict.fromkeys(key for path in paths for key in path.premise_keys)
        groups.append(Group(candidate.target, tuple(keys), paths, candidate.likelihood))
    return Grouping(tuple(groups), scores.left_out, split, identities, scores.find_likelihood)


def _explain_anew(
    inputs: Inputs, scores: Scores, candidate: Candidate, premises: dict[str, Premise]
) -> tuple[CarryingPath, ...] | None:
    """Return paths that justify looking at a held or rejected target again, or None when there are none."""
    live = inputs.standing.live.get(candidate.identity)
    if live is not None and live.status == "submitted":
        return None
    rejected_at = inputs.standing.suppressed.get(candidate.identity)

    def is_fresh(premise: Premise) -> bool:
        # A live row ended the suppression when it came back, so it alone decides.
        if live is not None:
            return _is_new_to(live, premise)
        return rejected_at is not None and premise.eligible_since > rejected_at

    paths = explain_candidate(scores, candidate, inputs.nodes, is_fresh=is_fresh)
    return paths if any(is_fresh(premises[key]) for path in paths for key in path.premise_keys) else None


def _is_new_to(live: LiveHypothesis, premise: Premise) -> bool:
    return premise.group_key not in live.source_group_keys or any(
        source.version > live.source_versions.get(source.relationship_id, source.version)
        for source in premise.sources
    )


def _choose(
    candidates: Sequence[Candidate],
    graph: Graph,
    limit: int,
    max_outputs: int,
    weights: Mapping[str, float],
) -> tuple[list[int], tuple[PredicateShare, ...]]:
    """Return the places of at most `limit` candidates, and how outcomes split the first of them, if they did."""
    components = _find_components(graph)
    keys = [each.target.predicate_key for each in candidates]
    predicates = number_distinct(keys)
    shares = [
        Share(number_distinct([each.start for each in candidates]), quarter),
        Share(predicates, half),
        Share(number_distinct([each.end for each in candidates]), lambda picks: -(-picks // 2)),
        Share(
            number_distinct([components[each.start] for each in candidates]), lambda picks: -(-3 * picks // 4)
        ),
    ]
    untuned = choose_diverse(shares, limit=limit)
    before = Counter(keys[place] for place in untuned[:max_outputs])
    quotas = tune_split(before, weights, Counter(keys))
    if quotas == before:
        return untuned, ()
    allow = _allow_quotas(list(dict.fromkeys(keys)), quotas, max_outputs)
    tuned = choose_diverse([*shares[:2], Share(predicates, allow), *shares[2:]], limit=limit)
    after = Counter(keys[place] for place in tuned[:max_outputs])
    # Other shares may have kept a predicate from its places; then nothing is moved.
    if after == before or not keeps_bounds(before, after):
        return untuned, ()
    return tuned, tuple(
        PredicateShare(key, weights.get(key, 1.0), before[key], after[key]) for key in sorted(before)
    )


def _allow_quotas(keys: Sequence[str], quotas: Mapping[str, int], max_outputs: int) -> Allowance:
    """Return the allowance of each predicate, in the order of its number: its quota, then no bound."""
    allowed = np.array([quotas.get(key, 0) for key in keys], dtype=np.int64)
    return lambda picks: allowed if picks <= max_outputs else picks


def _find_components(graph: Graph) -> list[int]:
    """Return for each node the smallest node of its connected component (union-find, halving paths)."""
    parents = list(range(graph.size))

    def find_root(node: int) -> int:
        while parents[node] != node:
            parents[node] = parents[parents[node]]
            node = parents[node]
        return node

    for direction in graph.directions:
        for source, target in zip(direction.sources.tolist(), direction.targets.tolist(), strict=True):
            first, second = sorted((find_root(source), find_root(target)))
            parents[second] = first
    return [find_root(node) for node in range(graph.size)]
