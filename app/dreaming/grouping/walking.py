"""Walking: which pairs a shape of path connects, and how closely. Pure.

One path out of hundreds says little; three of four say much. A pair's *closeness* under a shape of two steps is a
level, by the middles Z that its paths run through:

    0   at least one
    1   at least 2, and at least half of the Z that X leads to, or of the Z that lead to Y
    2   at least 3, and as many
    3   at least 5, and as many

A shape of one step has level 0 only. For pairs without order the closer of both readings counts.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from app.dreaming.grouping.paths import (
    Graph,
    Ints,
    Shape,
    find_instances,
    mirror_shape,
    sort_distinct,
    spread_ranges,
)

Levels = npt.NDArray[np.int8]
LEAST_MIDDLES: Final = (1, 2, 3, 5)
LEAST_SHARE: Final = 0.5


def walk_pairs(graph: Graph, shape: Shape) -> Ints:
    """Return the pairs that the shape connects, ascending and distinct, each as start · nodes + end."""
    if len(shape) == 1:
        return _walk_step(graph, shape[0])
    return sort_distinct(_walk_paths(graph, shape))


def walk_close_pairs(graph: Graph, shape: Shape) -> tuple[Ints, Levels]:
    """Return the pairs of `walk_pairs` and how closely each is connected."""
    if len(shape) == 1:
        pairs = _walk_step(graph, shape[0])
        return pairs, np.zeros(len(pairs), dtype=np.int8)
    paths = np.sort(_walk_paths(graph, shape))
    first = np.flatnonzero(np.concatenate(([True], paths[1:] != paths[:-1]))) if len(paths) else paths
    pairs = paths[first]
    middles = np.diff(np.append(first, len(paths)))
    levels = np.zeros(len(pairs), dtype=np.int8)
    several = np.flatnonzero(middles >= LEAST_MIDDLES[1])
    if len(several):
        starts, ends = np.divmod(pairs[several], graph.size)
        at_start = np.bincount(graph.directions[shape[0]].sources, minlength=graph.size)[starts]
        at_end = np.bincount(graph.directions[shape[1]].targets, minlength=graph.size)[ends]
        levels[several] = _grade(middles[several], np.minimum(at_start, at_end))
    return pairs, levels


def fold_pairs(graph: Graph, pairs: Ints, levels: Levels) -> tuple[Ints, Levels]:
    """Return the pairs without order, the smaller node first, each as close as the closer reading."""
    starts, ends = np.divmod(pairs, graph.size)
    folded = np.minimum(starts, ends) * graph.size + np.maximum(starts, ends)
    order = np.lexsort((-levels, folded))
    folded = folded[order]
    first = np.concatenate(([True], folded[1:] != folded[:-1])) if len(folded) else folded.astype(np.bool_)
    return folded[first], levels[order][first]


def find_level(graph: Graph, shape: Shape, start: int, end: int, *, folded: bool) -> int | None:
    """Return how closely the shape connects one pair, None where it does not."""
    readings = {shape, mirror_shape(graph, shape)} if folded else {shape}
    found = [_find_level(graph, each, start, end) for each in readings]
    return max((level for level in found if level is not None), default=None)


def _find_level(graph: Graph, shape: Shape, start: int, end: int) -> int | None:
    middles = len(find_instances(graph, shape, start, end))
    if not middles or len(shape) == 1:
        return 0 if middles else None
    at_start = np.count_nonzero(graph.directions[shape[0]].sources == start)
    at_end = np.count_nonzero(graph.directions[shape[1]].targets == end)
    return int(_grade(np.array([middles]), np.array([min(at_start, at_end)]))[0])


def _grade(middles: Ints, least_steps: Ints) -> Levels:
    levels = np.searchsorted(np.array(LEAST_MIDDLES), middles, side="right") - 1
    return np.where(middles >= LEAST_SHARE * least_steps, levels, 0).astype(np.int8)


def _walk_step(graph: Graph, number: int) -> Ints:
    step = graph.directions[number]
    return step.keys[graph.is_entity[step.sources] & ~step.candidate]


def _walk_paths(graph: Graph, shape: Shape) -> Ints:
    """Return the pair of every path of two steps, as often as there are paths, in no order."""
    first, second = (graph.directions[number] for number in shape)
    starts = np.flatnonzero(graph.is_entity[first.sources])
    low = np.searchsorted(second.sources, first.targets[starts], side="left")
    high = np.searchsorted(second.sources, first.targets[starts], side="right")
    before = np.repeat(starts, high - low)
    after = spread_ranges(low, high - low)
    sources, targets = first.sources[before], second.targets[after]
    real = (sources != targets) & ~(first.candidate[before] & second.candidate[after])
    paths: Ints = sources[real] * graph.size + targets[real]
    return paths
