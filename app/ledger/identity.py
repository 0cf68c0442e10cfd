"""Canonical identities: which positions say the same thing, and what a Hypothesis is about.

Pure. A symmetric predicate sorts its endpoints; an inverse pair is written in its primary direction, which is
the predicate whose key sorts first. So "A part_of B" and "B has_part A" are one group and one target.
Each digest covers the length of every part, so no two part lists share one byte string.
"""

import hashlib
from dataclasses import dataclass

from app.ledger.vocabulary import Polarity, Predicate


@dataclass(frozen=True, slots=True)
class Edge:
    """A subject, a predicate key and an object (entity or value id), in one direction."""

    subject_id: str
    predicate_key: str
    object_id: str


def canonical_edge(edge: Edge, predicate: Predicate) -> Edge:
    """Return the edge in its primary direction.

    Only entity objects are turned: a Value is never a subject, and neither symmetric predicates nor inverse
    pairs accept Values.
    """
    if predicate.symmetric:
        first, second = sorted((edge.subject_id, edge.object_id))
        return Edge(first, edge.predicate_key, second)
    if predicate.inverse_key is not None and predicate.inverse_key < edge.predicate_key:
        return Edge(edge.object_id, predicate.inverse_key, edge.subject_id)
    return edge


def target_identity(edge: Edge, predicate: Predicate) -> str:
    """Return the digest of canonical subject, predicate key and object: 64 hexadecimal digits."""
    canonical = canonical_edge(edge, predicate)
    return digest(canonical.subject_id, canonical.predicate_key, canonical.object_id)


def semantic_group_key(
    team_id: str, edge: Edge, predicate: Predicate, *, polarity: Polarity, scope: str | None
) -> str:
    """Return what equivalent positions of different profiles share: 64 hexadecimal digits.

    Validity is not part of it; a missing scope differs from every scope.
    """
    canonical = canonical_edge(edge, predicate)
    scope_part = "" if scope is None else f"={scope.strip()}"
    return digest(
        team_id, canonical.subject_id, canonical.predicate_key, canonical.object_id, polarity, scope_part
    )


def digest(*parts: str) -> str:
    """Return the SHA-256 of the parts, each preceded by its length in bytes."""
    state = hashlib.sha256()
    for part in parts:
        encoded = part.encode()
        state.update(len(encoded).to_bytes(8, "big"))
        state.update(encoded)
    return state.hexdigest()
