"""Witness rules: rules with a constant, such as "X depends_on pydantic → X depends_on typing-extensions". Pure.

A trait is one recorded edge of a node, (direction, neighbour), as in the profiles of similarity.py. Of the nodes
that share a trait, so many also have the edge: from the subject's side "X has the trait → X p B", from the
object's side "Y has the trait → A p Y".

    body = nodes with the trait      support = those of them with the edge      confidence = support / (body + 5)

Every such rule has witnesses: other nodes with the trait and the edge. Through one of them runs a path of three
steps from subject to object, X -t- A -t- Z -p- B, which is what the reader is shown. The edge itself is no
trait of its own rule.
"""

import numpy as np

from app.dreaming.grouping.learning.features import Matrix, Sparse
from app.dreaming.grouping.rule_counts import PRIOR_CASES

LEAST_SUPPORT = 2


def top_witness_confidences(
    profiles: Sparse, known: Sparse, *, own_direction: int | None, count: int
) -> Matrix:
    """Return nodes × nodes × `count`: the best confidences of "a node's trait → the edge to another", falling.

    Args:
        profiles: nodes × (directions · nodes), 0 or 1.
        known: 0/1 with the rule's side as rows: subject × object, or object × subject.
        own_direction: the direction that reads the known edges from the rows' side.
    """
    size = profiles.shape[0]
    best = np.zeros((size, size, count), dtype=np.float32)
    bodies = np.asarray(profiles.sum(axis=0)).ravel()
    shared = np.flatnonzero(bodies >= LEAST_SUPPORT)
    if not len(shared) or not known.nnz:
        return best
    traits = profiles[:, shared]
    supports = (traits.T @ known).toarray()
    confidences = np.where(
        supports >= LEAST_SUPPORT, supports / (bodies[shared, None] + PRIOR_CASES), 0.0
    ).astype(np.float32)
    if own_direction is not None:
        own = np.flatnonzero(shared // size == own_direction)
        confidences[own, shared[own] % size] = 0.0
    for node in range(size):
        rules = confidences[traits.indices[traits.indptr[node] : traits.indptr[node + 1]]]
        if len(rules):
            kept = np.sort(np.partition(rules, -min(count, len(rules)), axis=0)[-count:], axis=0)[::-1]
            best[node, :, : len(kept)] = kept.T
    return best
