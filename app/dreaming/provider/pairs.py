"""Which pairs of nodes a model is asked about: connected by premises, open for some predicate, diverse. Pure.

Two sources take turns. The groups of the rules, strongest first; and pairs that are two steps apart, or joined
by a premise that is no more than a candidate, whatever predicates connect them: there a model may see what
counting cannot. The latter are ordered by how much connects them, a busy node in the middle counting less than
a rare one. One node is in at most a quarter of all pairs while others are left.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, zip_longest
from typing import Final

from app.dreaming.grouping.groups import form_groups
from app.dreaming.model import Inputs, Node, Premise, Proposal
from app.dreaming.rules import propose
from app.ledger.identity import Edge, canonical_edge, target_identity
from app.ledger.vocabulary import Predicate

MOST_PATHS: Final = 4
# Of a node with more neighbours than this, the pairs of the first so many are looked at.
MOST_NEIGHBOURS: Final = 60


@dataclass(frozen=True, slots=True)
class Pair:
    """Two nodes and the premises between them, by group key in path order. `first` is an Entity."""

    first: str
    second: str
    premise_keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """What there is to ask: pairs in the order of asking, and what the rules propose by themselves."""

    pairs: tuple[Pair, ...]
    hints: tuple[Proposal, ...]


def plan_pairs(inputs: Inputs, *, max_groups: int, max_outputs: int) -> Plan:
    """Return at most `max_groups` pairs; equal inputs give equal plans. CPU-bound."""
    if max_groups <= 0:
        return Plan((), ())
    groups = form_groups(inputs, max_groups=max_groups, max_outputs=max_outputs).groups
    hints = propose(inputs, groups, max_outputs=max_outputs)
    carried = [
        _pair(inputs, each.target.subject_id, each.target.object_id, each.premise_keys) for each in groups
    ]
    chosen: dict[tuple[str, str], Pair] = {}
    used: Counter[str] = Counter()
    share = max(1, math.ceil(max_groups / 4))
    waiting: list[Pair] = []
    for pair in _take_turns(carried, _connected_pairs(inputs)):
        key = (min(pair.first, pair.second), max(pair.first, pair.second))
        if key in chosen:
            continue
        if max(used[pair.first], used[pair.second]) >= share:
            waiting.append(pair)
            continue
        chosen[key] = pair
        used.update((pair.first, pair.second))
        if len(chosen) == max_groups:
            break
    for pair in waiting:
        if len(chosen) >= max_groups:
            break
        chosen.setdefault((min(pair.first, pair.second), max(pair.first, pair.second)), pair)
    return Plan(tuple(chosen.values()), hints)


def open_predicates(inputs: Inputs, subject_id: str, object_id: str) -> tuple[str, ...]:
    """Return the keys of the predicates that the two kinds allow in this direction, in key order.

    Only the primary direction of an inverse pair, and one direction of a symmetric predicate.
    """
    subject, object_ = inputs.nodes[subject_id], inputs.nodes[object_id]
    if subject.kind is None or subject_id == object_id:
        return ()
    return tuple(
        key
        for key, predicate in inputs.predicates.items()
        if predicate.lifecycle_state == "active"
        and predicate.accepts_subject(subject.kind)
        and _accepts_object(predicate, object_)
        and canonical_edge(Edge(subject_id, key, object_id), predicate) == Edge(subject_id, key, object_id)
    )


def closed_predicates(
    inputs: Inputs, subject_id: str, object_id: str, premise_keys: Sequence[str]
) -> frozenset[str]:
    """Return the keys of predicates whose target is known, contradicted, taken, or judged on these premises."""
    return frozenset(
        key
        for key in open_predicates(inputs, subject_id, object_id)
        if _is_closed(inputs, Edge(subject_id, key, object_id), inputs.predicates[key], premise_keys)
    )


def _accepts_object(predicate: Predicate, node: Node) -> bool:
    if node.kind is not None:
        return predicate.accepts_entity_object(node.kind)
    return node.value_type is not None and predicate.accepts_value_object(node.value_type)


def _is_closed(inputs: Inputs, edge: Edge, predicate: Predicate, premise_keys: Sequence[str]) -> bool:
    standing, identity = inputs.standing, target_identity(edge, predicate)
    if identity in standing.active or identity in standing.opposite:
        return True
    held = standing.taken_slots.get((edge.subject_id, edge.predicate_key), frozenset())
    if predicate.current_cardinality == "one" and held - {edge.object_id}:
        return True
    if live := standing.live.get(identity):
        return live.status == "submitted" or live.source_group_keys.issuperset(premise_keys)
    if ended_at := standing.suppressed.get(identity):
        fresh = (each.eligible_since > ended_at for each in inputs.premises if each.group_key in premise_keys)
        return not any(fresh)
    return False


def _pair(inputs: Inputs, first: str, second: str, premise_keys: Sequence[str]) -> Pair:
    if inputs.nodes[first].kind is None:
        first, second = second, first
    return Pair(first, second, tuple(premise_keys))


def _take_turns(one: Sequence[Pair], other: Iterator[Pair]) -> Iterator[Pair]:
    for pairs in zip_longest(one, other):
        yield from (pair for pair in pairs if pair is not None)


def _connected_pairs(inputs: Inputs) -> Iterator[Pair]:
    """Yield the pairs that two steps or a candidate connect and that some predicate is open for, best first."""
    links = _link_nodes(inputs.premises)
    scores: defaultdict[tuple[str, str], float] = defaultdict(float)
    keys: defaultdict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for middle in sorted(links):
        weight = 1 / math.log2(1 + len(links[middle]))
        for first, second in combinations(sorted(links[middle])[:MOST_NEIGHBOURS], 2):
            steps = (links[middle][first], links[middle][second])
            # Two pending candidates never make a path alone.
            if all(premise.is_candidate for premise in steps):
                continue
            scores[first, second] += weight
            if len(keys[first, second]) < 2 * MOST_PATHS:
                keys[first, second].update(dict.fromkeys(premise.group_key for premise in steps))
    for first, second in sorted(scores, key=lambda pair: (-scores[pair], pair)):
        if direct := links[first].get(second):
            keys[first, second][direct.group_key] = None
        pair = _pair(inputs, first, second, tuple(keys[first, second]))
        if _is_open(inputs, pair):
            yield pair


def _link_nodes(premises: Sequence[Premise]) -> Mapping[str, Mapping[str, Premise]]:
    """Return for each node its neighbours, each by the premise that says most: an established one, the first."""
    links: defaultdict[str, dict[str, Premise]] = defaultdict(dict)
    carrying = (premise for premise in premises if premise.carries_paths)
    for premise in sorted(carrying, key=lambda each: (each.is_candidate, each.group_key)):
        if premise.subject_id != premise.object_id:
            links[premise.subject_id].setdefault(premise.object_id, premise)
            links[premise.object_id].setdefault(premise.subject_id, premise)
    return links


def _is_open(inputs: Inputs, pair: Pair) -> bool:
    return any(
        set(open_predicates(inputs, subject, object_))
        - closed_predicates(inputs, subject, object_, pair.premise_keys)
        for subject, object_ in ((pair.first, pair.second), (pair.second, pair.first))
    )
