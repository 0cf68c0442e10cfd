"""Candidates: open targets in order, and the rules that carry them. Pure.

What every way of scoring hands to grouping and explanation.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from app.dreaming.grouping.paths import Graph, Shape
from app.dreaming.grouping.rule_counts import PRIOR_CASES
from app.dreaming.model import Target

LEAST_SUPPORT = 2
LEAST_CONFIDENCE = 0.02
LIKELIHOOD_FLOOR = 0.1
MAX_RULES_PER_TARGET = 3


@dataclass(frozen=True, slots=True)
class Trait:
    """One recorded edge of the target's subject or object, read in `direction`, to another `node`."""

    side: Literal["subject", "object"]
    direction: int
    node: int


@dataclass(frozen=True, slots=True)
class Rule:
    """What speaks for a target, and how often it was right: a shape of path, or a trait (then `shape` is empty).

    `weight` is its part of the score, in the scorer's own unit; only its relation to the other rules counts.
    `level` is how closely the shape has to connect a pair (walking.py).
    """

    shape: Shape
    support: int
    body: int
    weight: float
    trait: Trait | None = None
    level: int = 0

    @property
    def confidence(self) -> float:
        return self.support / (self.body + PRIOR_CASES)


@dataclass(frozen=True, slots=True)
class Candidate:
    """An open target. `rules` are given where they make the score; else `Scores.find_rules` finds them.

    `start` and `end` are the node positions of subject and object in the graph; `object_degree` counts the
    known edges of the predicate at the object. `likelihood` is 0..1.
    """

    target: Target
    identity: str
    start: int
    end: int
    object_degree: int
    likelihood: float
    rules: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What the caps kept out of the search; all 0: nothing.

    `shapes` with so many `paths` were too large to be walked. `rules` with so many `rule_pairs` (one pair may be
    of several rules) were beyond what is looked at of their predicates, as were `hub_pairs` of two common nodes.
    """

    shapes: int = 0
    paths: int = 0
    rules: int = 0
    rule_pairs: int = 0
    hub_pairs: int = 0

    def __add__(self, other: "LeftOut") -> "LeftOut":
        return LeftOut(
            self.shapes + other.shapes,
            self.paths + other.paths,
            self.rules + other.rules,
            self.rule_pairs + other.rule_pairs,
            self.hub_pairs + other.hub_pairs,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """The candidates in total order, the graph that they point into, and what the caps left out.

    `find_rules` gives a candidate's one to three carrying rules, the weightiest first. `find_likelihood` says what
    was found of any target, also where there was no place for it among the candidates; None: nothing carries it.
    """

    graph: Graph
    candidates: tuple[Candidate, ...]
    left_out: LeftOut
    find_rules: Callable[[Candidate], tuple[Rule, ...]]
    find_likelihood: Callable[[Target], float | None]


def own_rules(candidate: Candidate) -> tuple[Rule, ...]:
    """Return the rules that the candidate brings along."""
    return candidate.rules


def estimate_confidence(support: int) -> float:
    """Return how much an estimate from so many right cases rests on: 0 (nothing) to nearly 1."""
    return support / (support + PRIOR_CASES)


def weigh_rules(rules: list[Rule]) -> tuple[Rule, ...]:
    """Return the three rules with most weight; where none has any, the three most confident ones."""
    positive = [rule for rule in rules if rule.weight > 0]
    chosen = positive or [replace(rule, weight=rule.confidence) for rule in rules]
    chosen.sort(key=lambda rule: (-rule.weight, -rule.support, rule.body, rule.shape, str(rule.trait)))
    return tuple(chosen[:MAX_RULES_PER_TARGET])
