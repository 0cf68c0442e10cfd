"""Similarity: what nodes with the same neighbours have. Pure.

A node's profile is the set of its edges, each as (direction, neighbour); typed Values count like any other
neighbour. The kernel of two nodes is the number of shared profile entries over the mean size of a profile. A
kernel ridge predicts a predicate's objects from the subjects that are like the pair's subject, and its subjects
from the objects that are like the pair's object: paths of three steps through a shared neighbour, weighed
together.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from app.dreaming.grouping.learning.features import Matrix, Sparse
from app.dreaming.grouping.paths import Graph

PENALTY = 3.0


@dataclass(frozen=True, slots=True, eq=False)
class Likeness:
    """`smoother`, nodes × nodes: how much each node's label counts for another's prediction.

    `shares` divides a prediction among traits: a trait's part is the sum, over the nodes that have it, of
    `shares` · (labels − their mean).
    """

    smoother: Matrix
    shares: Matrix


def build_profiles(graph: Graph) -> Sparse:
    """Return nodes × (directions · nodes), 1 for each recorded edge read in each direction."""
    rows, columns = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for number, direction in enumerate(graph.directions):
        recorded = ~direction.candidate
        rows.append(direction.sources[recorded])
        columns.append(number * graph.size + direction.targets[recorded])
    row, column = np.concatenate(rows), np.concatenate(columns)
    shape = (graph.size, len(graph.directions) * graph.size)
    return sparse.csr_matrix((np.ones(len(row)), (row, column)), shape=shape)


def measure_likeness(profiles: Sparse, *, penalty: float = PENALTY) -> Likeness:
    """Return what predictions from these profiles need; nodes × nodes is inverted once."""
    size = profiles.shape[0]
    mean_entries = max(1.0, profiles.nnz / max(1, size))
    kernel = (profiles @ profiles.T).toarray() / mean_entries
    inverse = np.linalg.inv(kernel + penalty * np.eye(size))
    return Likeness(kernel @ inverse, inverse / mean_entries)


def deepen_profiles(profiles: Sparse, known: Sequence[Sparse]) -> Sparse:
    """Return the profiles with, for each predicate, the nodes two of its steps away, either way."""
    steps = [matrix @ matrix for matrix in known]
    reached = [each.minimum(1.0) for step in steps for each in (step, step.T)]
    for each in reached:
        each.setdiag(0)
    return sparse.hstack([profiles, *reached], format="csr")


def predict_by_likeness(known: Sparse, likeness: Likeness) -> Matrix:
    """Return three predictions × pairs: from like subjects, from like objects, and from both at once.

    `known` is the 0/1 matrix subject × object. What a prediction falls back to is the share of nodes that have
    the edge.
    """
    dense, smoother = known.toarray(), likeness.smoother
    outgoing, incoming = dense.mean(axis=1)[:, None], dense.mean(axis=0)
    by_subjects = smoother @ (dense - incoming)
    by_objects = (dense - outgoing) @ smoother.T + outgoing
    return np.stack([by_subjects + incoming, by_objects, by_subjects @ smoother.T + incoming]).reshape(3, -1)
