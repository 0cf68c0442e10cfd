"""Factorisation: all predicates at once, compressed to a few factors per node and a core per predicate. Pure.

known[p] ≈ nodes · core[p] · nodesᵀ, by alternating least squares with a penalty. It starts from the eigenvectors
of all edges taken together, so nothing is random. It sees what no path of two steps shows, but it can explain
nothing: a proposal still needs a path that carries it.
"""

from collections.abc import Sequence

import numpy as np

from app.dreaming.grouping.learning.features import Matrix, Sparse

FACTORS = 40
STEPS = 12
PENALTY = 5.0


def factorise(known: Sequence[Sparse], size: int) -> Matrix:
    """Return the reconstruction, predicates × nodes × nodes, of the 0/1 matrices `known`."""
    rank = min(FACTORS, size)
    if not known or not rank:
        return np.zeros((len(known), size, size))
    dense = [matrix.toarray() for matrix in known]
    together = np.sum(dense, axis=0)
    values, vectors = np.linalg.eigh(together + together.T)
    nodes = vectors[:, np.argsort(-np.abs(values), kind="stable")[:rank]]
    cores = _solve_cores(dense, nodes)
    for _ in range(STEPS):
        nodes = _solve_nodes(dense, nodes, cores)
        cores = _solve_cores(dense, nodes)
    return np.stack([nodes @ core @ nodes.T for core in cores])


def _solve_nodes(known: Sequence[Matrix], nodes: Matrix, cores: Sequence[Matrix]) -> Matrix:
    inner = nodes.T @ nodes
    left = np.zeros_like(nodes)
    right = PENALTY * np.eye(nodes.shape[1])
    for matrix, core in zip(known, cores, strict=True):
        left += matrix @ (nodes @ core.T) + matrix.T @ (nodes @ core)
        right += core @ inner @ core.T + core.T @ inner @ core
    return np.asarray(np.linalg.solve(right, left.T).T)


def _solve_cores(known: Sequence[Matrix], nodes: Matrix) -> list[Matrix]:
    left, values, right = np.linalg.svd(nodes, full_matrices=False)
    products = np.outer(values, values)
    shrink = products / (products**2 + PENALTY)
    return [right.T @ (shrink * (left.T @ matrix @ left)) @ right for matrix in known]
