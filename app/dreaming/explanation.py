"""Explanation: the rules behind a target in words and numbers, each with one path that the reader can
check. Pure.

A rule may reach a target by many paths; the one that is shown brings something new where that is asked for,
then has the fewest pending candidates, then the smallest group keys. Shares say how the rules' confidences
divide.
"""

from collections.abc import Callable

from app.dreaming.model import CarryingPath, Premise
from app.dreaming.paths import Graph, Shape, find_instances, mirror_shape
from app.dreaming.scoring import Candidate
from app.ledger.vocabulary import Predicate


def explain_candidate(
    graph: Graph, candidate: Candidate, *, is_fresh: Callable[[Premise], bool] | None = None
) -> tuple[CarryingPath, ...]:
    """Return one carrying path per rule of the candidate, best first; the shares sum to 1.

    `is_fresh` prefers paths with such a premise; it never hides a rule that has none.
    """
    predicate = next(each for each in graph.predicates if each.key == candidate.target.predicate_key)
    total = sum(rule.confidence for rule in candidate.rules)
    paths = []
    for rule in candidate.rules:
        instances = _collect_instances(graph, candidate, rule.shape, predicate)
        shape, premises = min(instances, key=lambda instance: _order_of(instance[1], is_fresh))
        paths.append(
            CarryingPath(
                rule=_word_rule(graph, shape, predicate),
                premise_keys=tuple(premise.group_key for premise in premises),
                instances=len(instances),
                support=rule.support,
                body=rule.body,
                confidence=rule.confidence,
                share=rule.confidence / total if total else 1 / len(candidate.rules),
            )
        )
    return tuple(paths)


def _collect_instances(
    graph: Graph, candidate: Candidate, shape: Shape, predicate: Predicate
) -> list[tuple[Shape, tuple[Premise, ...]]]:
    """Return the paths, each with its own shape; for a symmetric predicate either way round counts."""
    mirror = mirror_shape(graph, shape)
    shapes = [shape, mirror] if predicate.symmetric and mirror != shape else [shape]
    return [
        (each, premises)
        for each in shapes
        for premises in find_instances(graph, each, candidate.start, candidate.end)
    ]


def _order_of(
    premises: tuple[Premise, ...], is_fresh: Callable[[Premise], bool] | None
) -> tuple[bool, int, list[str]]:
    is_new = is_fresh is not None and any(is_fresh(premise) for premise in premises)
    pending = sum(premise.is_candidate for premise in premises)
    return not is_new, pending, [premise.group_key for premise in premises]


def _word_rule(graph: Graph, shape: Shape, predicate: Predicate) -> str:
    letters = "XY" if len(shape) == 1 else "XZY"
    steps = []
    for place, number in enumerate(shape):
        direction = graph.directions[number]
        left, right = letters[place], letters[place + 1]
        if not direction.forward:
            left, right = right, left
        steps.append(f"{left} {graph.predicates[direction.predicate].key} {right}")
    return f"{', '.join(steps)} → X {predicate.key} Y"
