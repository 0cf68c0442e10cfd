"""Small graphs: every open pair is looked at by every scorer, and the blend says how likely it is. Pure.

Two of five parts of the known edges are hidden in turn to learn from; all five below 5 000 edges, where there
would be few hidden edges to learn from otherwise, and what is said of the likeliest pairs would boast. Then the
signals are read from all edges and judged. Memory and time grow with predicates × nodes².
"""

from collections.abc import Iterator, Sequence

import numpy as np

from app.dreaming.grouping.candidates import LeftOut
from app.dreaming.grouping.learning.blend import OTHER_ROWS, Blend, Lesson, learn_blend, select_rows
from app.dreaming.grouping.learning.carriers import Carriers
from app.dreaming.grouping.learning.holdout import HeldBack, hide_folds
from app.dreaming.grouping.learning.judgement import Judged, Judgement, label_hidden, locate_hidden
from app.dreaming.grouping.learning.signals import PLAIN_SIGNALS, SIGNALS, Signals, read_signals
from app.dreaming.grouping.paths import Graph, build_graph
from app.dreaming.grouping.targets import open_spaces
from app.dreaming.model import Inputs

MAX_CELLS = 3_000_000
MANY_EDGES = 5_000
FEW_EDGES = 1_000
STRENGTH = 1.0
# A young team has few hidden edges to learn from, so the signals are trusted less.
YOUNG_STRENGTH = 0.1


def is_small(graph: Graph) -> bool:
    """Whether every pair of every predicate with edges can be looked at."""
    heads = {direction.predicate for direction in graph.directions}
    return len(heads) * graph.size**2 <= MAX_CELLS


def count_folds(edges: int) -> int:
    """Return how many of the five parts of so many known edges are hidden in turn."""
    return 2 if edges >= MANY_EDGES else 5


def judge_small(
    inputs: Inputs, graph: Graph, *, edges: int, holdouts: Sequence[HeldBack] | None = None
) -> Judgement | None:
    """Return what is likely among all open pairs; None where there was nothing to learn from.

    `holdouts` are what to learn from, instead of those of the inputs themselves.
    """
    if holdouts is None:
        holdouts = list(hide_folds(inputs, folds=count_folds(edges)))
    lessons = [
        lesson for held in holdouts for lesson in _take_lesson(held, other_rows=OTHER_ROWS // len(holdouts))
    ]
    blend = learn_blend(
        lessons, plain=PLAIN_SIGNALS, strength=STRENGTH if edges >= FEW_EDGES else YOUNG_STRENGTH
    )
    if blend is None:
        return None
    signals = read_signals(graph)
    return Judgement(
        graph,
        tuple(_judge(inputs, signals, blend)),
        Carriers(signals).find_rules,
        LeftOut(signals.dropped_shapes, signals.dropped_paths),
        is_complete=True,
    )


def _judge(inputs: Inputs, signals: Signals, blend: Blend) -> Iterator[Judged]:
    spaces = open_spaces(inputs, signals.graph)
    carriers = [SIGNALS.index(name) for name in ("rule_1", "subject_witness_1", "object_witness_1")]
    for place, head in enumerate(signals.heads):
        space = spaces[head]
        if space is not None:
            pairs = space.list_open()
            values = signals.values[:, place, pairs].astype(np.float64)
            likelihoods = blend.judge(values.T, space.predicate.key)
            yield Judged(space, pairs, likelihoods, np.any(values[carriers] > 0, axis=0))


def _take_lesson(held: HeldBack, *, other_rows: int) -> Iterator[Lesson]:
    """Yield the lesson of one holdout; nothing, where no hidden edge is an open pair of the graph that is left."""
    graph = build_graph(held.inputs)
    signals = read_signals(graph)
    hidden = locate_hidden(held, graph)
    values, labels, keys = [], [], []
    spaces = open_spaces(held.inputs, graph)
    for place, head in enumerate(signals.heads):
        space = spaces[head]
        if space is not None:
            pairs = space.list_open()
            values.append(signals.values[:, place, pairs])
            labels.append(label_hidden(pairs, hidden.get(space.predicate.key)))
            keys.append(np.full(len(pairs), space.predicate.key))
    if not any(each.any() for each in labels):
        return
    together, label = np.concatenate(values, axis=1), np.concatenate(labels)
    rows, weights = select_rows(
        together, label, order_by=SIGNALS.index("ridge_unseen"), other_rows=other_rows
    )
    taken = together[:, rows].T.astype(np.float64)
    yield Lesson(taken, label[rows].astype(np.float64), weights, np.concatenate(keys)[rows])
