"""Grouping: the connected sets of premises around open targets that one cycle looks at. Pure.

Targets come from scoring.py, best first. What regenerating could not change is left out before the budget
is spent:

* a live Hypothesis holds the target, and no premise of the paths is new to it and no recorded source has a
higher version than recorded (a submitted one is left alone always);
* the target was rejected, and no premise of the paths became eligible after that moment.

Recorded premises are taken as cumulative: a Hypothesis that was reinforced keeps the premises of before.
Another profile's copy of a recorded premise is not new (Spec: "copied positions do not multiply dream
weight").

Diversity holds for every beginning of the list, so that whatever a later budget cuts off keeps it: among the
first n, at most n/4 of one subject, n/2 of one predicate, n/2 of one object, 3n/4 of one connected component,
each rounded up, as long as another one has candidates. Where they cannot hold together, the earlier named goes
first.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.dreaming.candidates import (
    LEAST_CONFIDENCE,
    LEAST_SUPPORT,
    LIKELIHOOD_FLOOR,
    Candidate,
    Scores,
)
from app.dreaming.explanation import explain_candidate
from app.dreaming.model import CarryingPath, Group, Inputs, LiveHypothesis, Premise
from app.dreaming.paths import Graph, Ints
from app.dreaming.scoring import score_candidates

SPARE_TARGETS_PER_PREDICATE = 250


@dataclass(frozen=True, slots=True)
class Grouping:
    """The groups in the order in which they are to be used, and what the path caps left out of the search."""

    groups: tuple[Group, ...]
    dropped_shapes: int
    dropped_paths: int


def form_groups(
    inputs: Inputs,
    *,
    max_groups: int,
    least_support: int = LEAST_SUPPORT,
    least_likelihood: float = LIKELIHOOD_FLOOR,
) -> Grouping:
    """Return at most `max_groups` groups; equal inputs, in whatever order, give equal groups in equal order.

    The floors are those of the `rules` generator. With both at 0 every open target that some path reaches may
    be a group, which is only affordable for few premises (some hundreds).
    """
    if max_groups <= 0:
        return Grouping((), 0, 0)
    standing = inputs.standing
    scores = score_candidates(
        inputs,
        least_support=least_support,
        least_confidence=min(least_likelihood, LEAST_CONFIDENCE),
        least_likelihood=least_likelihood,
        max_targets_per_predicate=SPARE_TARGETS_PER_PREDICATE + len(standing.live) + len(standing.suppressed),
    )
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
    groups = []
    for place in _choose_diverse(open_candidates, scores.graph, max_groups):
        candidate = open_candidates[place]
        paths = known.get(candidate) or explain_candidate(scores, candidate, inputs.nodes)
        keys = dict.fromkeys(key for path in paths for key in path.premise_keys)
        groups.append(Group(candidate.target, tuple(keys), paths, candidate.likelihood))
    return Grouping(tuple(groups), scores.dropped_shapes, scores.dropped_paths)


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


def _choose_diverse(candidates: Sequence[Candidate], graph: Graph, limit: int) -> list[int]:
    """Return positions of at most `limit` candidates: always the best one that the shares still allow."""
    components = _find_components(graph)
    shares = [
        (np.array([each.start for each in candidates], dtype=np.int64), 1, 4),
        (_number_distinct([each.target.predicate_key for each in candidates]), 1, 2),
        (np.array([each.end for each in candidates], dtype=np.int64), 1, 2),
        (np.array([components[each.start] for each in candidates], dtype=np.int64), 3, 4),
    ]
    taken = [np.zeros(int(codes.max(initial=0)) + 1, dtype=np.int64) for codes, _, _ in shares]
    is_left = np.ones(len(candidates), dtype=np.bool_)
    chosen: list[int] = []
    while len(chosen) < limit and is_left.any():
        fits = is_left
        for (codes, part, whole), counts in zip(shares, taken, strict=True):
            allowed = -(-part * (len(chosen) + 1) // whole)
            within = fits & (counts[codes] < allowed)
            fits = within if within.any() else fits
        place = int(np.argmax(fits))
        is_left[place] = False
        for (codes, _, _), counts in zip(shares, taken, strict=True):
            counts[codes[place]] += 1
        chosen.append(place)
    return chosen


def _number_distinct(words: Sequence[str]) -> Ints:
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(word, len(numbers)) for word in words], dtype=np.int64)


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
