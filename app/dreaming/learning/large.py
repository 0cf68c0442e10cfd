"""Large graphs: only the pairs that good rules reach, and those of two hubs, are looked at. Pure and bounded.

What the kept rules of a predicate reach and is absent is the candidate and the negative set in one, so nothing
is sampled from all pairs of nodes; hubs.py says which pairs need no rule. Per predicate a ridge weighs the
rules; the same kind of blend as in a small graph, learned on one hidden fifth, makes a likelihood of it. Paths
through hubs are bounded by the plan of paths.py, which says what it left out; the growth beyond it is the
square of the number of predicates.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from app.dreaming.candidates import (
    LIKELIHOOD_FLOOR,
    MAX_RULES_PER_TARGET,
    Candidate,
    Rule,
    weigh_rules,
)
from app.dreaming.learning.blend import OTHER_ROWS, Lesson, learn_blend, select_rows
from app.dreaming.learning.features import Matrix, Sparse
from app.dreaming.learning.holdout import HeldBack, hide_folds
from app.dreaming.learning.hubs import HubCarriers, count_degrees, expect_edges, list_hub_pairs
from app.dreaming.learning.judgement import Judged, Judgement, label_hidden, locate_hidden
from app.dreaming.learning.ridge import Fit, Labels, fit_ridge
from app.dreaming.model import Inputs
from app.dreaming.paths import (
    Flags,
    Graph,
    Ints,
    Plan,
    build_graph,
    find_instances,
    mirror_shape,
    plan_shapes,
    sort_distinct,
)
from app.dreaming.rule_counts import PRIOR_CASES, RuleTable, Walker, count_rules
from app.dreaming.targets import TargetSpace, open_spaces

LEAST_SUPPORT = 4
LEAST_CONFIDENCE = 0.05
MAX_RULES = 40
MAX_PAIRS = 180_000
MAX_PATHS_PER_SHAPE = 60_000
MAX_PATHS = 30_000_000
STRENGTH = 1.0
FOLDS = 1
SIGNALS = (
    "rule_1", "rule_2", "rule_3", "ridge_fitted", "ridge_unseen", "expected",
    "rules", "degree_out", "degree_in", "degree_subject", "degree_object",
)  # fmt: skip
_PLAIN = np.array([False] * 6 + [True] * 5)
_ORDER_BY = SIGNALS.index("ridge_unseen")


@dataclass(frozen=True, slots=True, eq=False)
class _Reach:
    """What is looked at of one predicate: `signals` is pairs × signals, `weights` one per row of `table`.

    `is_ruled` says which pairs a rule reaches; the others are pairs of hubs.
    """

    space: TargetSpace
    table: RuleTable
    pairs: Ints
    signals: Matrix
    weights: Matrix
    is_ruled: Flags


def judge_large(
    inputs: Inputs, graph: Graph, *, holdouts: Sequence[HeldBack] | None = None
) -> Judgement | None:
    """Return what is likely among the pairs that are looked at; None where there was nothing to learn from.

    `holdouts` are what to learn from, instead of one fifth of the inputs themselves.
    """
    if holdouts is None:
        holdouts = list(hide_folds(inputs, folds=FOLDS))
    lessons = [lesson for held in holdouts for lesson in _take_lesson(held)]
    blend = learn_blend(lessons, plain=_PLAIN, strength=STRENGTH)
    if blend is None:
        return None
    plan = _plan(graph)
    hubs = HubCarriers(graph)
    judged, by_key = [], {}
    for reach in _reach_all(inputs, graph, plan):
        key = reach.space.predicate.key
        likelihoods = blend.judge(reach.signals, key)
        carried = reach.is_ruled.copy()
        asked = np.flatnonzero(~carried & (likelihoods >= LIKELIHOOD_FLOOR))
        carried[asked] = hubs.find_carried(key, reach.pairs[asked])
        judged.append(Judged(reach.space, reach.pairs, likelihoods, carried))
        by_key[key] = (reach.table, reach.weights)

    def find_rules(candidate: Candidate) -> tuple[Rule, ...]:
        table, weights = by_key[candidate.target.predicate_key]
        rules = _find_rules(graph, plan, candidate, table, weights)
        return weigh_rules(rules or hubs.find_rules(candidate))

    return Judgement(
        graph, tuple(judged), find_rules, plan.dropped_shapes, plan.dropped_paths, is_complete=False
    )


def _take_lesson(held: HeldBack) -> Iterator[Lesson]:
    graph = build_graph(held.inputs)
    hidden = locate_hidden(held, graph)
    signals, labels, keys = [], [], []
    for reach in _reach_all(held.inputs, graph, _plan(graph)):
        label = label_hidden(reach.pairs, hidden.get(reach.space.predicate.key))
        # A predicate's own share of the rows is enough; all of them would not fit at once.
        rows, _ = select_rows(reach.signals.T, label, order_by=_ORDER_BY, other_rows=OTHER_ROWS)
        rows.sort()
        signals.append(reach.signals[rows])
        labels.append(label[rows])
        keys.append(np.full(len(rows), reach.space.predicate.key))
    if not any(label.any() for label in labels):
        return
    together, label, key = np.concatenate(signals), np.concatenate(labels), np.concatenate(keys)
    rows, weights = select_rows(together.T, label, order_by=_ORDER_BY, other_rows=OTHER_ROWS)
    yield Lesson(together[rows], label[rows].astype(np.float64), weights, key[rows])


def _plan(graph: Graph) -> Plan:
    return plan_shapes(
        graph, least_paths=LEAST_SUPPORT, max_paths_per_shape=MAX_PATHS_PER_SHAPE, max_paths=MAX_PATHS
    )


def _reach_all(inputs: Inputs, graph: Graph, plan: Plan) -> Iterator[_Reach]:
    """Yield what is to be looked at of each predicate; one without a rule and without hubs is passed over."""
    walker = Walker(graph, plan.shapes)
    tables = count_rules(walker, least_support=LEAST_SUPPORT, least_confidence=LEAST_CONFIDENCE)
    everywhere = np.zeros(graph.size)
    for direction in graph.directions:
        everywhere += np.bincount(direction.sources, minlength=graph.size)
    for space, table in zip(open_spaces(inputs, graph), tables, strict=True):
        if space is None or not len(space.known):
            continue
        pairs, table_used, members = _gather(walker, space, table)
        if not len(pairs):
            continue
        is_known = np.isin(pairs, space.known)
        labels = Labels(
            np.arange(len(pairs)), sparse.csr_matrix(is_known[None, :].astype(np.float64)), np.array([-1])
        )
        if members.shape[1]:
            (fit,) = fit_ridge(members, labels, penalties=(PRIOR_CASES,), standardised=False)
        else:
            nothing = np.zeros((1, len(pairs)))
            fit = Fit(nothing, nothing, np.zeros((1, 0)))
        kept = np.flatnonzero(~is_known & np.isin(pairs, space.keep_free(pairs)))
        if len(kept):
            signals = np.column_stack(
                (
                    _top_confidences(members, table_used)[kept],
                    fit.fitted[0, kept],
                    fit.unseen[0, kept],
                    expect_edges(space, pairs[kept]),
                    np.log1p(np.diff(members.indptr)[kept]),
                    _count_degrees(space, pairs[kept], everywhere),
                )
            )
            is_ruled = np.diff(members.indptr)[kept] > 0
            yield _Reach(space, table_used, pairs[kept], signals, fit.weights[0], is_ruled)


def _gather(walker: Walker, space: TargetSpace, table: RuleTable) -> tuple[Ints, RuleTable, Sparse]:
    """Return the pairs of the best rules and of hubs, known ones included, those rules, and who reaches what."""
    hubs = list_hub_pairs(space)
    reached: list[Ints] = []
    total = 0
    for position in table.shapes[:MAX_RULES].tolist():
        pairs = walker.pairs(position, folded=space.predicate.symmetric)
        if reached and total + len(pairs) > MAX_PAIRS:
            break
        total += len(pairs)
        reached.append(pairs)
    count = len(reached)
    all_pairs = sort_distinct(np.concatenate([*reached, hubs]))
    nothing = np.empty(0, dtype=np.int64)
    rows = np.concatenate([nothing, *(np.searchsorted(all_pairs, pairs) for pairs in reached)])
    columns = np.repeat(np.arange(count), [len(pairs) for pairs in reached])
    members = sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(all_pairs), count))
    used = RuleTable(
        table.shapes[:count], table.supports[:count], table.bodies[:count], table.confidences[:count]
    )
    return all_pairs, used, members


def _top_confidences(members: Sparse, table: RuleTable) -> Matrix:
    """Return pairs × 3. Rules come best first, so a row's first columns are its best rules."""
    best = np.zeros((members.shape[0], MAX_RULES_PER_TARGET))
    members.sort_indices()
    lengths = np.diff(members.indptr)
    for place in range(MAX_RULES_PER_TARGET):
        rows = np.flatnonzero(lengths > place)
        best[rows, place] = table.confidences[members.indices[members.indptr[rows] + place]]
    return best


def _count_degrees(space: TargetSpace, pairs: Ints, everywhere: Matrix) -> Matrix:
    starts, ends = np.divmod(pairs, len(space.node_ids))
    outgoing, incoming = count_degrees(space)
    return np.log1p(np.column_stack((outgoing[starts], incoming[ends], everywhere[starts], everywhere[ends])))


def _find_rules(
    graph: Graph, plan: Plan, candidate: Candidate, table: RuleTable, weights: Matrix
) -> list[Rule]:
    symmetric = next(
        each.symmetric for each in graph.predicates if each.key == candidate.target.predicate_key
    )
    rules = []
    for row, position in enumerate(table.shapes.tolist()):
        shape = plan.shapes[position]
        readings = {shape, mirror_shape(graph, shape)} if symmetric else {shape}
        if any(find_instances(graph, each, candidate.start, candidate.end) for each in readings):
            weight = float(weights[row]) * np.log(2.0)
            rules.append(Rule(shape, int(table.supports[row]), int(table.bodies[row]), float(weight)))
    return rules
