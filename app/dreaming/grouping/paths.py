"""Paths: which premises lead from one node to another in one or two steps. Pure and bounded.

Each predicate gives two directions, forward and backward; a symmetric one gives a single direction that
holds every edge both ways, because both ways are one premise. A *shape* is one direction, or two in a row.
The pairs of a shape are its (start, end) with start ≠ end and an Entity as start; a Value may be an end or
a middle.

Two things keep an edge from being its own evidence: self-loops carry nothing, so that a two-step path never
runs through the edge between its own ends; and a shape of one step never speaks for its own predicate (see
scoring.py). A path made of pending candidates alone does not exist here. Spec: Eligible Inputs ("copied
positions do not multiply dream weight"): one edge per equivalence group.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.dreaming.model import Inputs, Premise
from app.ledger.identity import Edge, canonical_edge
from app.ledger.vocabulary import Predicate

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Shape = tuple[int, ...]

MAX_PATHS_PER_SHAPE = 200_000
MAX_PATHS = 20_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Direction:
    """All edges of one predicate, read one way; arrays are parallel, ordered by (source, target).

    `keys` is source · nodes + target. `premises` are positions in `Graph.premises`.
    """

    predicate: int
    forward: bool
    keys: Ints
    sources: Ints
    targets: Ints
    premises: Ints
    candidate: Flags


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """The path-carrying premises as directed edges between node positions.

    `node_ids` are ordered by name, then id, so that ties fall the same way when the same knowledge is entered
    anew. The keys of `predicates` ascend (all of the inputs', whether or not they have edges). `reverse[d]`
    is the position of the direction that reads the same edges the other way.
    """

    node_ids: tuple[str, ...]
    is_entity: Flags
    predicates: tuple[Predicate, ...]
    premises: tuple[Premise, ...]
    directions: tuple[Direction, ...]
    reverse: tuple[int, ...]

    @property
    def size(self) -> int:
        return len(self.node_ids)


@dataclass(frozen=True, slots=True)
class Plan:
    """The shapes to walk, shorter ones first, and how much the caps left out."""

    shapes: tuple[Shape, ...]
    dropped_shapes: int
    dropped_paths: int


def build_graph(inputs: Inputs) -> Graph:
    """Return the graph of the premises that carry paths, whatever the order in which they come.

    A premise whose predicate or endpoint the inputs do not hold, and a self-loop, is left out.
    """
    edges: dict[Edge, Premise] = {}
    for premise in sorted(inputs.premises, key=lambda premise: (premise.is_candidate, premise.group_key)):
        edge = edge_of(premise, inputs)
        if edge is None or not premise.carries_paths or edge.subject_id == edge.object_id:
            continue
        if edge.subject_id in inputs.nodes and edge.object_id in inputs.nodes:
            edges.setdefault(edge, premise)
    used = {node for edge in edges for node in (edge.subject_id, edge.object_id)}
    node_ids = tuple(sorted(used, key=lambda node_id: (inputs.nodes[node_id].name, node_id)))
    predicates = tuple(inputs.predicates[key] for key in sorted(inputs.predicates))
    directions, reverse = _read_both_ways(edges, node_ids, predicates)
    return Graph(
        node_ids=node_ids,
        is_entity=np.array([inputs.nodes[node_id].kind is not None for node_id in node_ids], dtype=np.bool_),
        predicates=predicates,
        premises=tuple(edges.values()),
        directions=tuple(directions),
        reverse=tuple(reverse),
    )


def edge_of(premise: Premise, inputs: Inputs) -> Edge | None:
    """Return the premise's edge in its primary direction, or None when its predicate is not in the inputs."""
    predicate = inputs.predicates.get(premise.predicate_key)
    if predicate is None:
        return None
    edge = canonical_edge(Edge(premise.subject_id, premise.predicate_key, premise.object_id), predicate)
    return edge if edge.predicate_key in inputs.predicates else None


def plan_shapes(
    graph: Graph,
    *,
    least_paths: int = 1,
    max_paths_per_shape: int = MAX_PATHS_PER_SHAPE,
    max_paths: int = MAX_PATHS,
) -> Plan:
    """Return every one-step shape, and the two-step ones with `least_paths` that the caps leave in.

    The caps take the shapes with the fewest paths first; what they leave out is counted, what is below
    `least_paths` is not, since it could not have supported anything.
    """
    costs: list[tuple[int, Shape]] = []
    for first, counts in enumerate(_count_two_step_paths(graph)):
        walkable = np.flatnonzero(counts >= max(1, least_paths))
        costs.extend((int(counts[second]), (first, int(second))) for second in walkable)
    costs.sort()
    kept: list[Shape] = []
    walked = dropped_paths = 0
    for paths, shape in costs:
        if paths > max_paths_per_shape or walked + paths > max_paths:
            dropped_paths += paths
            continue
        walked += paths
        kept.append(shape)
    one_step: list[Shape] = [(position,) for position in range(len(graph.directions))]
    return Plan(tuple(one_step + sorted(kept)), len(costs) - len(kept), dropped_paths)


def find_instances(graph: Graph, shape: Shape, start: int, end: int) -> list[tuple[Premise, ...]]:
    """Return the paths of this shape from start to end, each as premises in path order."""
    first = graph.directions[shape[0]]
    if len(shape) == 1:
        step = _find_edge(first, start * graph.size + end)
        return [] if step is None or first.candidate[step] else [(graph.premises[first.premises[step]],)]
    second = graph.directions[shape[1]]
    low, high = np.searchsorted(first.sources, start, "left"), np.searchsorted(first.sources, start, "right")
    instances = []
    for before in range(int(low), int(high)):
        after = _find_edge(second, int(first.targets[before]) * graph.size + end)
        if after is not None and not (first.candidate[before] and second.candidate[after]):
            steps = (first.premises[before], second.premises[after])
            instances.append(tuple(graph.premises[step] for step in steps))
    return instances


def find_shapes_between(graph: Graph, start: int, end: int, *, own_predicate: str) -> list[Shape]:
    """Return every shape with a path from start to end, shorter ones first; costs the edges at both nodes.

    One step of `own_predicate` is left out: it would be its own evidence.
    """
    middles = [set(find_neighbours(graph, number, start)) - {end} for number in range(len(graph.directions))]
    before = [
        set(find_neighbours(graph, graph.reverse[number], end)) - {start}
        for number in range(len(graph.directions))
    ]
    shapes: list[Shape] = [
        (number,)
        for number, each in enumerate(graph.directions)
        if graph.predicates[each.predicate].key != own_predicate
    ]
    shapes += [
        (first, second)
        for first, reached in enumerate(middles)
        for second, leading in enumerate(before)
        if reached and not reached.isdisjoint(leading)
    ]
    return [shape for shape in shapes if find_instances(graph, shape, start, end)]


def find_premise(graph: Graph, direction: int, source: int, target: int) -> Premise | None:
    """Return the recorded premise behind one step, or None; a pending candidate is not recorded."""
    each = graph.directions[direction]
    step = _find_edge(each, source * graph.size + target)
    return None if step is None or each.candidate[step] else graph.premises[each.premises[step]]


def find_neighbours(graph: Graph, direction: int, source: int) -> list[int]:
    """Return the nodes one step away, ascending, pending candidates included."""
    each = graph.directions[direction]
    low, high = np.searchsorted(each.sources, source, "left"), np.searchsorted(each.sources, source, "right")
    return [int(node) for node in each.targets[low:high]]


def mirror_shape(graph: Graph, shape: Shape) -> Shape:
    """Return the shape of the same paths walked from their end to their start."""
    return tuple(graph.reverse[direction] for direction in reversed(shape))


def spread_ranges(starts: Ints, lengths: Ints) -> Ints:
    """Return start, start + 1, … for each range in turn: [3, 7] and [2, 1] give 3, 4, 7."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total, dtype=np.int64) - np.repeat(ends - lengths - starts, lengths)


def sort_distinct(keys: Ints) -> Ints:
    """Return the distinct keys, ascending."""
    ordered = np.sort(keys)
    if len(ordered) < 2:
        return ordered
    return ordered[np.concatenate(([True], ordered[1:] != ordered[:-1]))]


def _read_both_ways(
    edges: dict[Edge, Premise], node_ids: tuple[str, ...], predicates: tuple[Predicate, ...]
) -> tuple[list[Direction], list[int]]:
    position_of = {node_id: position for position, node_id in enumerate(node_ids)}
    by_predicate: dict[str, list[int]] = {}
    for position, edge in enumerate(edges):
        by_predicate.setdefault(edge.predicate_key, []).append(position)
    subjects = np.array([position_of[edge.subject_id] for edge in edges], dtype=np.int64)
    objects = np.array([position_of[edge.object_id] for edge in edges], dtype=np.int64)
    candidate = np.array([premise.is_candidate for premise in edges.values()], dtype=np.bool_)
    directions: list[Direction] = []
    reverse: list[int] = []
    for number, predicate in enumerate(predicates):
        rows = np.array(by_predicate.get(predicate.key, []), dtype=np.int64)
        if not len(rows):
            continue
        own = len(directions)
        readings = [(True, subjects[rows], objects[rows], rows), (False, objects[rows], subjects[rows], rows)]
        if predicate.symmetric:
            both = [np.concatenate(pair) for pair in zip(*(reading[1:] for reading in readings), strict=True)]
            readings = [(True, both[0], both[1], both[2])]
        for forward, sources, targets, premises in readings:
            keys = sources * len(node_ids) + targets
            order = np.argsort(keys, kind="stable")
            directions.append(
                Direction(
                    number,
                    forward,
                    keys[order],
                    sources[order],
                    targets[order],
                    premises[order],
                    candidate[premises[order]],
                )
            )
        reverse.extend([own] if predicate.symmetric else [own + 1, own])
    return directions, reverse


def _count_two_step_paths(graph: Graph) -> list[Ints]:
    """Return for each first direction how many two-step paths each second direction makes of it.

    Counted from degrees, before anything is walked: a hub costs one row per direction here, not its square.
    """
    width = len(graph.directions)
    if not width:
        return []
    ends = np.concatenate([each.sources * width + number for number, each in enumerate(graph.directions)])
    slots, degrees = np.unique(ends, return_counts=True)
    nodes = slots // width
    counts = []
    for each in graph.directions:
        low, high = (
            np.searchsorted(nodes, each.targets, "left"),
            np.searchsorted(nodes, each.targets, "right"),
        )
        rows = spread_ranges(low, high - low)
        paths = np.bincount(slots[rows] % width, weights=degrees[rows], minlength=width)
        counts.append(paths.astype(np.int64))
    return counts


def _find_edge(direction: Direction, key: int) -> int | None:
    position = int(np.searchsorted(direction.keys, key))
    if position < len(direction.keys) and direction.keys[position] == key:
        return position
    return None
