"""Large graphs: only the pairs that good rules reach, and those of two hubs, are looked at. Pure and bounded.

What the kept rules of a predicate reach and is absent is the candidate and the negative set in one, so nothing
is sampled from all pairs of nodes; hubs.py says which pairs need no rule. Per predicate a ridge weighs the
rules; the same kind of blend as in a small graph, learned on three hidden fifths, each hidden alone, makes a
likelihood of it. A rule is a shape of path, or only those of its pairs that it connects closely (walking.py).
Paths through hubs are bounded by the plan of paths.py, which says what it left out; the growth beyond it is the
square of the number of predicates.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from app.dreaming.grouping.candidates import (
    LIKELIHOOD_FLOOR,
    Candidate,
    LeftOut,
    Rule,
    weigh_rules,
)
from app.dreaming.grouping.learning.blend import OTHER_ROWS, Lesson, learn_blend, select_rows
from app.dreaming.grouping.learning.degrees import Degrees, fit_degrees
from app.dreaming.grouping.learning.features import Matrix, Sparse
from app.dreaming.grouping.learning.holdout import HeldBack, hide_folds
from app.dreaming.grouping.learning.hubs import HubCarriers, HubPairs, list_hub_pairs
from app.dreaming.grouping.learning.judgement import Judged, Judgement, label_hidden, locate_hidden
from app.dreaming.grouping.learning.ridge import Fit, Labels, fit_ridge
from app.dreaming.grouping.paths import (
    Flags,
    Graph,
    Ints,
    Plan,
    build_graph,
    plan_shapes,
    sort_distinct,
)
from app.dreaming.grouping.rule_counts import PRIOR_CASES, RuleTable, Walker, count_rules
from app.dreaming.grouping.targets import TargetSpace, open_spaces
from app.dreaming.grouping.walking import find_level
from app.dreaming.model import Inputs

LEAST_SUPPORT = 4
LEAST_CONFIDENCE = 0.05
MAX_RULES = 40
MAX_PAIRS = 180_000
MAX_PATHS_PER_SHAPE = 60_000
MAX_PATHS = 30_000_000
# Chosen by what was said of edges that were not learned from, those hidden in six synthetic teams among them; what
# is published is of other teams. Less shrinking of what all predicates share made extremes too sure, more of each
# predicate's own part lost what sets it apart.
STRENGTH = 0.003
DEVIATION_STRENGTH = 0.03
FOLDS = 3
SIGNALS = (
    "best_rule", "ridge_fitted", "ridge_unseen", "chance",
    "rules", "degree_out", "degree_in", "degree_subject", "degree_object",
)  # fmt: skip
_PLAIN = np.array([False] * 4 + [True] * 5)
_ORDER_BY = SIGNALS.index("ridge_unseen")


@dataclass(frozen=True, slots=True, eq=False)
class _Reach:
    """What is looked at of one predicate: `signals` is pairs × signals, `weights` one per row of `table`.

    `is_ruled` says which pairs a rule reaches; the others are pairs of hubs. `left_out` holds its rules and pairs.
    """

    space: TargetSpace
    table: RuleTable
    pairs: Ints
    signals: Matrix
    weights: Matrix
    is_ruled: Flags
    left_out: LeftOut


def judge_large(
    inputs: Inputs, graph: Graph, *, holdouts: Sequence[HeldBack] | None = None
) -> Judgement | None:
    """Return what is likely among the pairs that are looked at; None where there was nothing to learn from.

    `holdouts` are what to learn from, instead of three fifths of the inputs themselves, each hidden alone.
    """
    if holdouts is None:
        holdouts = list(hide_folds(inputs, folds=FOLDS))
    lessons = [lesson for held in holdouts for lesson in _take_lesson(held)]
    blend = learn_blend(lessons, plain=_PLAIN, strength=STRENGTH, deviation_strength=DEVIATION_STRENGTH)
    if blend is None:
        return None
    plan = _plan(graph, kept=1.0)
    hubs = HubCarriers(graph)
    judged, by_key, left_out = [], {}, LeftOut(plan.dropped_shapes, plan.dropped_paths)
    for reach in _reach_all(inputs, graph, plan, kept=1.0):
        key = reach.space.predicate.key
        likelihoods = blend.judge(reach.signals, key)
        carried = reach.is_ruled.copy()
        asked = np.flatnonzero(~carried & (likelihoods >= LIKELIHOOD_FLOOR))
        carried[asked] = hubs.find_carried(key, reach.pairs[asked])
        judged.append(Judged(reach.space, reach.pairs, likelihoods, carried))
        by_key[key] = (reach.table, reach.weights)
        left_out += reach.left_out

    def find_rules(candidate: Candidate) -> tuple[Rule, ...]:
        table, weights = by_key[candidate.target.predicate_key]
        rules = _find_rules(graph, plan, candidate, table, weights)
        return weigh_rules(rules or hubs.find_rules(candidate))

    return Judgement(graph, tuple(judged), find_rules, left_out, is_complete=False)


def _take_lesson(held: HeldBack) -> Iterator[Lesson]:
    graph = build_graph(held.inputs)
    hidden = locate_hidden(held, graph)
    kept = len(graph.premises) / (len(graph.premises) + len(held.targets))
    signals, labels, keys = [], [], []
    for reach in _reach_all(held.inputs, graph, _plan(graph, kept=kept), kept=kept):
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


def _plan(graph: Graph, *, kept: float) -> Plan:
    """Return what to walk of a graph of which this share of the edges was kept: the same shapes as of the whole.

    A path of two steps is kept with the square.
    """
    return plan_shapes(
        graph,
        least_paths=LEAST_SUPPORT,
        max_paths_per_shape=int(MAX_PATHS_PER_SHAPE * kept**2),
        max_paths=int(MAX_PATHS * kept**2),
    )


def _reach_all(inputs: Inputs, graph: Graph, plan: Plan, *, kept: float) -> Iterator[_Reach]:
    """Yield what is to be looked at of each predicate; one without a rule and without hubs is passed over.

    What was hidden of the edges lowers every rate and degree; by the share that was kept they are put back, or
    what is learned there would not hold of the whole.
    """
    walker = Walker(graph, plan.shapes, is_close=True)
    tables = count_rules(walker, least_support=LEAST_SUPPORT, least_confidence=LEAST_CONFIDENCE * kept)
    everywhere = np.zeros(graph.size)
    for direction in graph.directions:
        everywhere += np.bincount(direction.sources, minlength=graph.size)
    for space, table in zip(open_spaces(inputs, graph), tables, strict=True):
        if space is None or not len(space.known):
            continue
        degrees = fit_degrees(space)
        hubs = list_hub_pairs(space, degrees)
        pairs, table_used, members = _gather(walker, space, table, hubs)
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
        free = np.flatnonzero(~is_known & np.isin(pairs, space.keep_free(pairs)))
        rates = (
            np.maximum(_best_confidences(members, table_used)[free], LEAST_CONFIDENCE * kept),
            fit.fitted[0, free],
            fit.unseen[0, free],
            -np.expm1(-degrees.draw(pairs[free])),
        )
        signals = np.column_stack(
            (
                np.column_stack(rates) / kept,
                np.log1p(np.diff(members.indptr)[free]),
                np.log1p(_count_degrees(degrees, pairs[free], everywhere) / kept),
            )
        )
        is_ruled = np.diff(members.indptr)[free] > 0
        left_out = _count_left_out(table, table_used, hubs)
        yield _Reach(space, table_used, pairs[free], signals, fit.weights[0], is_ruled, left_out)


def _gather(
    walker: Walker, space: TargetSpace, table: RuleTable, hubs: HubPairs
) -> tuple[Ints, RuleTable, Sparse]:
    """Return the pairs of the best rules and of hubs, known ones included, those rules, and who reaches what."""
    reached: list[Ints] = []
    total = 0
    taken: dict[int, int] = {}
    for position, level in zip(
        table.shapes[:MAX_RULES].tolist(), table.levels[:MAX_RULES].tolist(), strict=True
    ):
        pairs, levels = walker.pairs(position, folded=space.predicate.symmetric)
        # Of one shape only the best rule speaks for a pair: the others say the same again.
        pairs = pairs[(levels >= level) & (levels < taken.get(position, walker.top_level + 1))]
        if reached and total + len(pairs) > MAX_PAIRS:
            break
        taken[position] = min(level, taken.get(position, level))
        total += len(pairs)
        reached.append(pairs)
    count = len(reached)
    all_pairs = sort_distinct(np.concatenate([*reached, hubs.pairs]))
    nothing = np.empty(0, dtype=np.int64)
    rows = np.concatenate([nothing, *(np.searchsorted(all_pairs, pairs) for pairs in reached)])
    columns = np.repeat(np.arange(count), [len(pairs) for pairs in reached])
    members = sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(all_pairs), count))
    return all_pairs, _first_rules(table, count), members


def _count_left_out(table: RuleTable, used: RuleTable, hubs: HubPairs) -> LeftOut:
    """Return what was left out of one predicate: the rules behind those that were used, and pairs of hubs."""
    count = len(used.shapes)
    return LeftOut(
        rules=len(table.shapes) - count,
        rule_pairs=int(table.bodies[count:].sum()),
        hub_pairs=hubs.left_out,
    )


def _first_rules(table: RuleTable, count: int) -> RuleTable:
    return RuleTable(
        table.shapes[:count],
        table.levels[:count],
        table.supports[:count],
        table.bodies[:count],
        table.confidences[:count],
    )


def _best_confidences(members: Sparse, table: RuleTable) -> Matrix:
    """Return the confidence of each pair's best rule, 0 without one. Rules come best first."""
    best = np.zeros(members.shape[0])
    members.sort_indices()
    rows = np.flatnonzero(np.diff(members.indptr))
    best[rows] = table.confidences[members.indices[members.indptr[rows]]]
    return best


def _count_degrees(degrees: Degrees, pairs: Ints, everywhere: Matrix) -> Matrix:
    starts, ends = np.divmod(pairs, len(everywhere))
    at_ends = (degrees.outgoing[starts], degrees.incoming[ends], everywhere[starts], everywhere[ends])
    return np.column_stack(at_ends)


def _find_rules(
    graph: Graph, plan: Plan, candidate: Candidate, table: RuleTable, weights: Matrix
) -> list[Rule]:
    symmetric = next(
        each.symmetric for each in graph.predicates if each.key == candidate.target.predicate_key
    )
    rules: list[Rule] = []
    levels: dict[int, int | None] = {}
    for row, (position, least) in enumerate(zip(table.shapes.tolist(), table.levels.tolist(), strict=True)):
        shape = plan.shapes[position]
        if position not in levels:
            levels[position] = find_level(graph, shape, candidate.start, candidate.end, folded=symmetric)
        level = levels[position]
        if level is not None and level >= least:
            # The best rule of a shape is the only one that speaks.
            levels[position] = None
            weight = float(weights[row]) * np.log(2.0)
            support, body = int(table.supports[row]), int(table.bodies[row])
            rules.append(Rule(shape, support, body, float(weight), level=least))
    return rules
