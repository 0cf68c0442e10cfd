"""Features: how many paths of each planned shape connect each pair of nodes. Pure.

A feature is a shape of paths.py that connects at least three pairs; its value at a pair is ln(1 + number of
paths), and ln 2 for a single step. Pairs are (start, end) with start ≠ end and an Entity as start; a path of
pending candidates alone counts nowhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from app.dreaming.grouping.paths import Direction, Flags, Graph, Shape

Matrix = npt.NDArray[np.float64]
Sparse: TypeAlias = Any  # A sparse matrix in row or column order; scipy ships no type information.

LEAST_PAIRS = 3


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """`values`: pairs × features in row order, a pair's row being start · nodes + end.

    `shapes` names the columns. Values are ln(1 + paths).
    """

    values: Sparse
    shapes: tuple[Shape, ...]


def count_features(graph: Graph, shapes: Sequence[Shape]) -> Features:
    """Return the features of the planned shapes, in the plan's order."""
    planned = {shape: place for place, shape in enumerate(shapes)}
    size, width = graph.size, len(graph.directions)
    rows, columns, counts = [], [], []
    seconds = _stack(graph, [_adjacency(each, size) for each in graph.directions])
    pending = _stack(graph, [_adjacency(each, size, chosen=each.candidate) for each in graph.directions])
    for number, direction in enumerate(graph.directions):
        starts = graph.is_entity[direction.sources]
        recorded = np.flatnonzero(starts & ~direction.candidate)
        if (number,) in planned and len(recorded) >= LEAST_PAIRS:
            rows.append(direction.keys[recorded])
            columns.append(np.full(len(recorded), planned[(number,)], dtype=np.int64))
            counts.append(np.ones(len(recorded)))
        places = np.array([planned.get((number, second), -1) for second in range(width)], dtype=np.int64)
        if (places < 0).all():
            continue
        paths = _adjacency(direction, size, chosen=starts) @ seconds
        if direction.candidate.any():
            paths = paths - _adjacency(direction, size, chosen=starts & direction.candidate) @ pending
        found = paths.tocoo()
        start, end = found.row.astype(np.int64), found.col.astype(np.int64) % size
        place = places[found.col // size]
        real = (found.data > 0) & (place >= 0) & (start != end)
        rows.append(start[real] * size + end[real])
        columns.append(place[real])
        counts.append(found.data[real])
    return _assemble(size, shapes, rows, columns, counts)


def _assemble(
    size: int,
    shapes: Sequence[Shape],
    rows: list[npt.NDArray[np.int64]],
    columns: list[npt.NDArray[np.int64]],
    counts: list[Matrix],
) -> Features:
    nothing = np.empty(0, dtype=np.int64)
    row, column = np.concatenate([nothing, *rows]), np.concatenate([nothing, *columns])
    value = np.log1p(np.concatenate([np.empty(0), *counts]))
    pairs = np.bincount(column, minlength=len(shapes))
    kept = np.flatnonzero(pairs >= LEAST_PAIRS)
    renumbered = np.full(len(shapes), -1, dtype=np.int64)
    renumbered[kept] = np.arange(len(kept))
    stays = renumbered[column] >= 0
    values = sparse.csr_matrix(
        (value[stays], (row[stays], renumbered[column[stays]])), shape=(size * size, len(kept))
    )
    return Features(values, tuple(shapes[place] for place in kept.tolist()))


def _adjacency(direction: Direction, size: int, *, chosen: Flags | None = None) -> Sparse:
    rows = slice(None) if chosen is None else np.flatnonzero(chosen)
    sources, targets = direction.sources[rows], direction.targets[rows]
    return sparse.csr_matrix((np.ones(len(sources)), (sources, targets)), shape=(size, size))


def _stack(graph: Graph, matrices: list[Sparse]) -> Sparse:
    if not matrices:
        return sparse.csr_matrix((graph.size, 0))
    return sparse.hstack(matrices, format="csr")
