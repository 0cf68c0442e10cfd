"""Explanation: the rules behind a target in words and numbers, each with one path that the reader can
check. Pure.

A rule may reach a target by many paths; the one that is shown brings something new where that is asked for,
then has the fewest pending candidates, then the first names: the same knowledge entered anew is shown the
same. A rule with a trait ("X depends_on pydantic → X depends_on typing-extensions") is shown with a witness:
three premises, the trait of the pair's own node, the same trait of another node, and the edge that this one
has. Shares say how the parts that the rules have in the score divide.
"""

from collections.abc import Callable, Mapping

from app.dreaming.grouping.candidates import Candidate, Rule, Scores, Trait
from app.dreaming.grouping.paths import (
    Graph,
    Shape,
    find_instances,
    find_neighbours,
    find_premise,
    mirror_shape,
)
from app.dreaming.grouping.walking import LEAST_MIDDLES
from app.dreaming.model import CarryingPath, Node, Premise
from app.ledger.vocabulary import Predicate

MAX_NAME_CHARACTERS = 120
_Instance = tuple[Shape, tuple[Premise, ...]]


def explain_candidate(
    scores: Scores,
    candidate: Candidate,
    nodes: Mapping[str, Node],
    *,
    is_fresh: Callable[[Premise], bool] | None = None,
) -> tuple[CarryingPath, ...]:
    """Return one carrying path per rule of the candidate, the weightiest first; the shares sum to 1.

    `nodes` gives the names, for rules with a constant and to choose by. `is_fresh` prefers paths with such
    a premise; it never hides a rule that has none.
    """
    graph = scores.graph
    predicate = next(each for each in graph.predicates if each.key == candidate.target.predicate_key)
    rules = scores.find_rules(candidate)
    total = sum(rule.weight for rule in rules)
    paths = []
    for rule in rules:
        instances = _collect_instances(graph, candidate, rule, predicate)
        shape, premises = min(instances, key=lambda instance: _order_of(instance[1], is_fresh, nodes))
        paths.append(
            CarryingPath(
                rule=word_shape(graph, shape, predicate, level=rule.level)
                if rule.trait is None
                else _word_trait(graph, candidate, rule.trait, predicate, nodes),
                premise_keys=tuple(premise.group_key for premise in premises),
                instances=len(instances),
                support=rule.support,
                body=rule.body,
                confidence=rule.confidence,
                share=rule.weight / total if total else 1 / len(rules),
            )
        )
    return tuple(paths)


def shorten_name(name: str) -> str:
    """Return the name on one line, at most 120 characters long."""
    one_line = " ".join(name.split())
    return one_line if len(one_line) <= MAX_NAME_CHARACTERS else f"{one_line[: MAX_NAME_CHARACTERS - 1]}…"


def word_shape(graph: Graph, shape: Shape, predicate: Predicate, *, level: int = 0) -> str:
    """Return the rule of a shape in words: "X depends_on Z, Z licensed_under Y → X licensed_under Y".

    One that speaks only for pairs that it connects closely (walking.py) says so after the paths.
    """
    letters = "XY" if len(shape) == 1 else "XZY"
    steps = []
    for place, number in enumerate(shape):
        steps.append(_word_step(graph, number, letters[place], letters[place + 1]))
    closely = f" (for {LEAST_MIDDLES[level]} Z or more, at least half of X's or of Y's)" if level else ""
    return f"{', '.join(steps)}{closely} → X {predicate.key} Y"


def _collect_instances(
    graph: Graph, candidate: Candidate, rule: Rule, predicate: Predicate
) -> list[_Instance]:
    """Return the paths, each with its own shape; for a symmetric predicate either way round counts."""
    if rule.trait is not None:
        return _collect_witnesses(graph, candidate, rule.trait)
    mirror = mirror_shape(graph, rule.shape)
    shapes = [rule.shape, mirror] if predicate.symmetric and mirror != rule.shape else [rule.shape]
    return [
        (each, premises)
        for each in shapes
        for premises in find_instances(graph, each, candidate.start, candidate.end)
    ]


def _collect_witnesses(graph: Graph, candidate: Candidate, trait: Trait) -> list[_Instance]:
    """Return for each other node with the trait and the edge the three premises that say so."""
    is_subject = trait.side == "subject"
    node, other = (candidate.start, candidate.end) if is_subject else (candidate.end, candidate.start)
    own = find_premise(graph, trait.direction, node, trait.node)
    edge = next(
        number
        for number, each in enumerate(graph.directions)
        if each.forward and graph.predicates[each.predicate].key == candidate.target.predicate_key
    )
    edge = edge if is_subject else graph.reverse[edge]
    found: list[_Instance] = []
    for witness in find_neighbours(graph, graph.reverse[trait.direction], trait.node):
        same = find_premise(graph, trait.direction, witness, trait.node)
        shown = find_premise(graph, edge, witness, other)
        if witness != node and own is not None and same is not None and shown is not None:
            found.append(((), (own, same, shown)))
    return found


def _order_of(
    premises: tuple[Premise, ...], is_fresh: Callable[[Premise], bool] | None, nodes: Mapping[str, Node]
) -> tuple[bool, int, list[tuple[str, str, str, str]]]:
    is_new = is_fresh is not None and any(is_fresh(premise) for premise in premises)
    pending = sum(premise.is_candidate for premise in premises)
    named = [
        (nodes[one.subject_id].name, one.predicate_key, nodes[one.object_id].name, one.group_key)
        for one in premises
    ]
    return not is_new, pending, named


def _word_trait(
    graph: Graph, candidate: Candidate, trait: Trait, predicate: Predicate, nodes: Mapping[str, Node]
) -> str:
    def name(position: int) -> str:
        return shorten_name(nodes[graph.node_ids[position]].name)

    if trait.side == "subject":
        step = _word_step(graph, trait.direction, "X", name(trait.node))
        return f"{step} → X {predicate.key} {name(candidate.end)}"
    step = _word_step(graph, trait.direction, "Y", name(trait.node))
    return f"{step} → {name(candidate.start)} {predicate.key} Y"


def _word_step(graph: Graph, number: int, left: str, right: str) -> str:
    direction = graph.directions[number]
    if not direction.forward:
        left, right = right, left
    return f"{left} {graph.predicates[direction.predicate].key} {right}"
