"""Degrees: how often an edge would join two nodes if only how busy they are mattered. Pure.

Edges of a predicate are taken as dealt out at random, with a *draw* a · b for the pair of a subject and an object,
and dealt twice they are still one edge:

    chance = 1 − e^(−a · b)

a and b are such that the chances at each node sum to the edges that it has. A plain product of degrees over all
edges, which leaves doubles out of account, underrates the busiest pairs most, and those are the ones that matter.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.dreaming.grouping.paths import Ints
from app.dreaming.grouping.targets import TargetSpace

Reals = npt.NDArray[np.float64]
# Enough but for a node that has nearly every edge it can have, whose part grows without end.
_STEPS = 20


@dataclass(frozen=True, slots=True, eq=False)
class Degrees:
    """Per node the recorded edges of one predicate that lead from it and to it, and its part in a draw."""

    outgoing: Ints
    incoming: Ints
    as_subject: Reals
    as_object: Reals

    def draw(self, pairs: Ints) -> Reals:
        """Return a · b of each pair."""
        starts, ends = np.divmod(pairs, len(self.outgoing))
        drawn: Reals = self.as_subject[starts] * self.as_object[ends]
        return drawn


def fit_degrees(space: TargetSpace) -> Degrees:
    """Return the degrees of the predicate's recorded edges; for a symmetric one both ends count alike."""
    size = len(space.node_ids)
    outgoing = np.bincount(space.known // size, minlength=size)
    incoming = np.bincount(space.known % size, minlength=size)
    if space.predicate.symmetric:
        outgoing = incoming = outgoing + incoming
    # Nodes of one degree have one part, and there are few degrees.
    from_degrees, from_places, from_counts = np.unique(outgoing, return_inverse=True, return_counts=True)
    to_degrees, to_places, to_counts = np.unique(incoming, return_inverse=True, return_counts=True)
    edges = max(1, int(outgoing.sum()))
    subjects, objects = from_degrees / np.sqrt(edges), to_degrees / np.sqrt(edges)
    for _ in range(_STEPS):
        subjects = _rescale(subjects, from_degrees, _chances(subjects, objects) @ to_counts)
        objects = _rescale(objects, to_degrees, from_counts @ _chances(subjects, objects))
    return Degrees(outgoing, incoming, subjects[from_places], objects[to_places])


def _chances(subjects: Reals, objects: Reals) -> Reals:
    return np.asarray(-np.expm1(-np.outer(subjects, objects)))


def _rescale(parts: Reals, degrees: Ints, sums: Reals) -> Reals:
    return np.where(degrees > 0, parts * degrees / np.maximum(sums, 1e-12), 0.0)
