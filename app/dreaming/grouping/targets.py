"""Targets: which absent edges may be proposed at all. Pure.

Scorers and the baselines of evaluation.py ask the same questions here, so that they are compared on equal
terms: the predicate is active and stated in its primary direction, both endpoints are of a kind that it
accepts, the subject is an Entity and not the object, no active Relationship says it or its opposite, and
where only one object is current the slot is free. Pending candidates hold nothing: an exact one may be the
target. Spec: Allowed Output. What was rejected before is judged in grouping.py, where the premises are
known.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app.dreaming.grouping.paths import Flags, Graph, Ints, edge_of
from app.dreaming.model import Inputs, Node
from app.ledger.identity import Edge, target_identity
from app.ledger.vocabulary import Predicate

# Up to here all pairs of nodes are few enough to be looked at one by one.
_SMALL_GRAPH_NODES = 300


@dataclass(frozen=True, slots=True, eq=False)
class TargetSpace:
    """The open targets of one predicate, asked by pair key (subject · nodes + object).

    `subjects` and `objects` say of each node whether it can stand there; `known` are the pairs that hold
    already, ascending; `closed` the other target identities that the database knows as active or as opposite.
    `one_per_subject` and `one_per_object`: a node has a single current edge there, and is out once it has it.
    """

    predicate: Predicate
    subjects: Flags
    objects: Flags
    known: Ints
    closed: frozenset[str]
    node_ids: tuple[str, ...]
    one_per_subject: bool
    one_per_object: bool

    def keep_open(self, pairs: Ints) -> Ints:
        """Return the pairs that may be proposed, in their given order; costs a digest per pair."""
        left = self.keep_free(pairs)
        if self.closed:
            is_unknown = [self.identity_of(pair) not in self.closed for pair in left.tolist()]
            left = left[np.array(is_unknown, dtype=np.bool_)]
        return left

    def keep_free(self, pairs: Ints) -> Ints:
        """Return the pairs that nodes and known edges leave open, in order; `closed` is not asked."""
        size = len(self.node_ids)
        subjects, objects = pairs // size, pairs % size
        is_open = self.subjects[subjects] & self.objects[objects] & (subjects != objects)
        if self.predicate.symmetric:
            is_open &= subjects < objects
        if len(self.known):
            places = np.minimum(np.searchsorted(self.known, pairs), len(self.known) - 1)
            is_open &= self.known[places] != pairs
        left: Ints = pairs[is_open]
        return left

    def list_open(self) -> Ints:
        """Return every pair that nodes and known edges leave open, ascending; `closed` is not asked.

        Only for a small graph: all pairs of nodes are looked at.
        """
        is_open = self.subjects[:, None] & self.objects[None, :]
        np.fill_diagonal(is_open, val=False)
        if self.predicate.symmetric:
            is_open = np.triu(is_open)
        flat = is_open.ravel()
        flat[self.known] = False
        return np.flatnonzero(flat)

    def count_open(self) -> int:
        """Return at least the number of open pairs, and exactly it in a small graph."""
        size = len(self.node_ids)
        if size > _SMALL_GRAPH_NODES:
            return int(self.subjects.sum()) * int(self.objects.sum())
        return len(self.keep_open(np.arange(size * size, dtype=np.int64)))

    def count_known_at_object(self, pairs: Ints) -> Ints:
        """Return for each pair how many known edges of the predicate its object has as object.

        For a symmetric predicate: how many it has at all.
        """
        size = len(self.node_ids)
        ends = self.known % size
        if self.predicate.symmetric:
            ends = np.concatenate((ends, self.known // size))
        return np.bincount(ends, minlength=size)[pairs % size].astype(np.int64)

    def identity_of(self, pair: int) -> str:
        subject, object_ = divmod(pair, len(self.node_ids))
        edge = Edge(self.node_ids[subject], self.predicate.key, self.node_ids[object_])
        return target_identity(edge, self.predicate)


def open_spaces(inputs: Inputs, graph: Graph) -> tuple[TargetSpace | None, ...]:
    """Return one space per predicate of the graph; None where nothing may be proposed.

    A predicate whose inverse is the primary direction is None: its targets are stated by the inverse.
    """
    position_of = {node_id: position for position, node_id in enumerate(graph.node_ids)}
    known: dict[str, list[tuple[str, str]]] = {}
    closed = set(inputs.standing.active | inputs.standing.opposite)
    held: set[tuple[str, str]] = {slot for slot, objects in inputs.standing.taken_slots.items() if objects}
    for premise in inputs.premises:
        edge = edge_of(premise, inputs)
        if edge is None or premise.is_candidate:
            continue
        known.setdefault(edge.predicate_key, []).append((edge.subject_id, edge.object_id))
        # What the premises say already need not be asked again, pair by pair.
        closed.discard(target_identity(edge, inputs.predicates[edge.predicate_key]))
        if premise.carries_paths:
            held |= _slots_of(edge, inputs.predicates)
    still_closed = frozenset(closed)
    forms = _number_forms(inputs, graph)
    spaces: list[TargetSpace | None] = []
    for predicate in graph.predicates:
        inverse = predicate.inverse_key
        if predicate.lifecycle_state != "active" or (inverse is not None and inverse < predicate.key):
            spaces.append(None)
            continue
        ends = [
            (position_of[subject], position_of[object_])
            for subject, object_ in known.get(predicate.key, [])
            if subject in position_of and object_ in position_of
        ]
        if predicate.symmetric:
            # Stated from the smaller node to the larger, as open pairs are; positions follow names, not ids.
            ends = [(min(pair), max(pair)) for pair in ends]
        pairs = sorted(start * graph.size + end for start, end in ends)
        known_pairs = np.array(pairs, dtype=np.int64)
        spaces.append(_open_space(inputs, graph, predicate, held, known_pairs, still_closed, forms))
    return tuple(spaces)


@dataclass(frozen=True, slots=True, eq=False)
class _Forms:
    """The kinds of nodes, and value types, that occur: one example each, and its number per node."""

    examples: tuple[Node, ...]
    numbers: Ints


def _number_forms(inputs: Inputs, graph: Graph) -> _Forms:
    examples: dict[tuple[str | None, str | None], Node] = {}
    numbers: dict[tuple[str | None, str | None], int] = {}
    found = []
    for node_id in graph.node_ids:
        node = inputs.nodes[node_id]
        form = (node.kind, node.value_type)
        examples.setdefault(form, node)
        found.append(numbers.setdefault(form, len(numbers)))
    return _Forms(tuple(examples.values()), np.array(found, dtype=np.int64))


def _slots_of(edge: Edge, predicates: Mapping[str, Predicate]) -> set[tuple[str, str]]:
    """Return the (node, predicate key) slots that an active edge fills; harmless where many are current."""
    predicate = predicates[edge.predicate_key]
    slots = {(edge.subject_id, edge.predicate_key)}
    if predicate.symmetric:
        slots.add((edge.object_id, edge.predicate_key))
    if predicate.inverse_key is not None:
        slots.add((edge.object_id, predicate.inverse_key))
    return slots


def _open_space(
    inputs: Inputs,
    graph: Graph,
    predicate: Predicate,
    held: set[tuple[str, str]],
    known: Ints,
    closed: frozenset[str],
    forms: _Forms,
) -> TargetSpace:
    """Return the predicate's space; a current-one slot that is held rules its node out.

    A symmetric predicate has a slot on either side, and so has an inverse that is itself current-one.
    """
    subjects = np.array([_accepts_subject(predicate, node) for node in forms.examples], dtype=np.bool_)
    objects = np.array([_accepts_object(predicate, node) for node in forms.examples], dtype=np.bool_)
    subjects, objects = subjects[forms.numbers], objects[forms.numbers]
    is_one = predicate.current_cardinality == "one"
    inverse = None if predicate.inverse_key is None else inputs.predicates.get(predicate.inverse_key)
    inverse_is_one = inverse is not None and inverse.current_cardinality == "one"
    if is_one:
        free = np.array([(node_id, predicate.key) not in held for node_id in graph.node_ids], dtype=np.bool_)
        subjects &= free
        if predicate.symmetric:
            objects &= free
    if inverse is not None and inverse_is_one:
        objects &= np.array(
            [(node_id, inverse.key) not in held for node_id in graph.node_ids], dtype=np.bool_
        )
    return TargetSpace(
        predicate=predicate,
        subjects=subjects,
        objects=objects,
        known=known,
        closed=closed,
        node_ids=graph.node_ids,
        one_per_subject=is_one,
        one_per_object=inverse_is_one or (is_one and predicate.symmetric),
    )


def _accepts_subject(predicate: Predicate, node: Node) -> bool:
    return node.kind is not None and predicate.accepts_subject(node.kind)


def _accepts_object(predicate: Predicate, node: Node) -> bool:
    if node.kind is not None:
        return predicate.accepts_entity_object(node.kind)
    return node.value_type is not None and predicate.accepts_value_object(node.value_type)
