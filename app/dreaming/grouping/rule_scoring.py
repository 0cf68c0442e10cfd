"""Scoring by the best rule: for teams too young to learn from, and for what has to look at every path. Pure.

A rule is a shape (paths.py) that speaks for a predicate, such as "X depends_on Z, Z licensed_under Y → X
licensed_under Y"; rule_counts.py says how often it was right. A target's order is the confidence of its
best rule; the next two break ties, then how often the predicate is known to hold of the object, then the
ids, so the order is total. Correlated rules are never added up: measured, that is far behind (Design,
section 6). The likelihood is the best rule's confidence: the share of pairs with this path that memory
records, pulled down where the path was seen few times.
"""

from collections.abc import Iterable

import numpy as np

from app.dreaming.grouping.candidates import MAX_RULES_PER_TARGET, Candidate, LeftOut, Rule, Scores, own_rules
from app.dreaming.grouping.paths import Graph, Ints, plan_shapes
from app.dreaming.grouping.rule_counts import RuleTable, Walker, count_rules
from app.dreaming.grouping.targets import TargetSpace, open_spaces
from app.dreaming.model import Inputs, Target

# A noisy graph has thousands of weak rules per predicate; the strongest of them settle most ties.
MAX_RULES_FOR_TIES = 200
_NO_RULE = -1


def score_by_rules(
    inputs: Inputs,
    graph: Graph,
    *,
    least_support: int,
    least_confidence: float,
    least_likelihood: float,
    max_targets_per_predicate: int,
) -> Scores:
    """Return the open targets that rules reach, at most so many per predicate, best first.

    A rule below `least_support` or `least_confidence` takes no part, not even in ties.
    """
    plan = plan_shapes(graph, least_paths=least_support)
    walker = Walker(graph, plan.shapes)
    tables = count_rules(walker, least_support=least_support, least_confidence=least_confidence)
    candidates: list[Candidate] = []
    for space, table in zip(open_spaces(inputs, graph), tables, strict=True):
        if space is not None:
            pairs, ranks = _reach_targets(
                walker, space, table, limit=max_targets_per_predicate, floor=least_likelihood
            )
            degrees = space.count_known_at_object(pairs)
            found = [
                _describe(space, walker, table, pair, degree, row)
                for pair, degree, row in zip(pairs.tolist(), degrees.tolist(), ranks.tolist(), strict=True)
            ]
            candidates.extend(sorted(found, key=_order_of)[:max_targets_per_predicate])
    candidates.sort(key=_order_of)

    def find_likelihood(target: Target) -> float | None:
        spaces = zip(open_spaces(inputs, graph), tables, strict=True)
        return _find_likelihood(walker, spaces, target)

    left_out = LeftOut(plan.dropped_shapes, plan.dropped_paths)
    return Scores(graph, tuple(candidates), left_out, own_rules, find_likelihood)


def _find_likelihood(
    walker: Walker, spaces: Iterable[tuple[TargetSpace | None, RuleTable]], target: Target
) -> float | None:
    """Return the confidence of the best rule that reaches an open target, None where none does."""
    node_ids = walker.graph.node_ids
    if target.subject_id not in node_ids or target.object_id not in node_ids:
        return None
    ends = node_ids.index(target.subject_id), node_ids.index(target.object_id)
    for space, table in spaces:
        if space is None or space.predicate.key != target.predicate_key:
            continue
        start, end = sorted(ends) if space.predicate.symmetric else ends
        pair = start * len(node_ids) + end
        if not len(space.keep_open(np.array([pair], dtype=np.int64))):
            return None
        for position, confidence in zip(table.shapes.tolist(), table.confidences.tolist(), strict=True):
            if pair in walker.pairs(position, folded=space.predicate.symmetric)[0]:
                return float(confidence)
    return None


def _reach_targets(
    walker: Walker, space: TargetSpace, table: RuleTable, *, limit: int, floor: float
) -> tuple[Ints, Ints]:
    """Return the open pairs that the rules reach, and per pair the rows of its three best rules (-1: none).

    Rules come best first, so a pair's first three are its best. Once `limit` pairs are there and the
    confidence falls, no new pair could still come before them: from then on a bounded number of rules only
    settles ties. The same holds once every open pair is there.
    """
    pairs = np.empty(0, dtype=np.int64)
    rows = np.empty((0, MAX_RULES_PER_TARGET), dtype=np.int64)
    limit = min(limit, space.count_open())
    closing, ties_left = floor, MAX_RULES_FOR_TIES
    for row, (position, confidence) in enumerate(zip(table.shapes, table.confidences, strict=True)):
        reached, _ = walker.pairs(int(position), folded=space.predicate.symmetric)
        places = np.searchsorted(pairs, reached)
        is_there = np.zeros(len(reached), dtype=np.bool_)
        inside = places < len(pairs)
        is_there[inside] = pairs[places[inside]] == reached[inside]
        hits = places[is_there]
        unfilled = hits[rows[hits, -1] == _NO_RULE]
        rows[unfilled, (rows[unfilled] != _NO_RULE).sum(axis=1)] = row
        if confidence >= closing:
            new = space.keep_open(reached[~is_there])
            pairs, rows = _insert(pairs, rows, new, row)
            if len(pairs) >= limit:
                closing = float(confidence)
        else:
            ties_left -= 1
            if not ties_left or not (rows[:, -1] == _NO_RULE).any():
                break
    return pairs, rows


def _insert(pairs: Ints, rows: Ints, new: Ints, row: int) -> tuple[Ints, Ints]:
    if not len(new):
        return pairs, rows
    fresh = np.full((len(new), MAX_RULES_PER_TARGET), _NO_RULE, dtype=np.int64)
    fresh[:, 0] = row
    together = np.concatenate((pairs, new))
    order = np.argsort(together, kind="stable")
    return together[order], np.concatenate((rows, fresh))[order]


def _describe(
    space: TargetSpace, walker: Walker, table: RuleTable, pair: int, degree: int, rows: list[int]
) -> Candidate:
    start, end = divmod(pair, walker.graph.size)
    rules = tuple(
        Rule(
            walker.shapes[table.shapes[row]],
            int(table.supports[row]),
            int(table.bodies[row]),
            float(table.confidences[row]),
        )
        for row in rows
        if row != _NO_RULE
    )
    target = Target(space.node_ids[start], space.predicate.key, space.node_ids[end])
    return Candidate(target, space.identity_of(pair), start, end, degree, rules[0].confidence, rules)


def _order_of(candidate: Candidate) -> tuple[list[float], int, int, str, int]:
    """Ties go by the positions of the nodes, which go by name: the same knowledge entered anew ranks the same."""
    confidences = [-rule.confidence for rule in candidate.rules]
    confidences += [0.0] * (MAX_RULES_PER_TARGET - len(confidences))
    return (
        confidences,
        -candidate.object_degree,
        candidate.start,
        candidate.target.predicate_key,
        candidate.end,
    )
