"""Recipes: how the edges of one predicate are made. Pure but for the generator of random numbers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from app.cli.evaluate.triples import Signature
from app.ledger.vocabulary import EntityKind

NOISE = 0.2
SKEW = 0.7
VALUES_PER_PREDICATE = 200

Ints = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Rule:
    """`head` follows from a path of `first` and `second` with this probability."""

    head: str
    first: str
    second: str
    probability: float


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """All nodes by number, entities first, then the Values of each predicate.

    `members` are the entities of a kind, `ranks` their popularity, 1 the highest.
    """

    size: int
    names: tuple[str, ...]
    members: Mapping[str, Ints]
    ranks: Reals

    def name_node(self, node: int) -> str:
        return self.names[node] if node < len(self.names) else f"value {node - len(self.names):05d}"


@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """Which nodes may stand at one side, and with what chance each is drawn."""

    nodes: Ints
    chances: Reals


@dataclass(frozen=True, slots=True, eq=False)
class Recipe:
    """One predicate. Pairs are subject · nodes + object, ascending.

    `draws` pairs of `subjects` and `objects` were drawn at random; with a rule, `reached` are the pairs that its
    path leads to, and `follows` those of them that it gave an edge. `edges` are all.
    """

    signature: Signature
    subjects: Ends
    objects: Ends
    draws: int
    edges: Ints
    rule: Rule | None
    reached: Ints
    follows: Ints


def draw_plain(
    space: Space, number: int, signature: Signature, draws: int, rng: np.random.Generator
) -> Recipe:
    """Return a predicate of random edges; equal draws are one edge, and no node gets one to itself."""
    subjects, objects = _find_ends(space, number, signature)
    nothing = np.empty(0, dtype=np.int64)
    edges = _draw(space, subjects, objects, draws, rng)
    return Recipe(signature, subjects, objects, draws, edges, None, nothing, nothing)


def draw_planted(
    space: Space, number: int, rule: Rule, recipes: Mapping[str, Recipe], rng: np.random.Generator
) -> Recipe:
    """Return a predicate that follows from two others, and has noise besides."""
    first, second = recipes[rule.first], recipes[rule.second]
    signature = Signature(first.signature.subject_kind, second.signature.object_kind)
    reached = walk_pairs(space, as_matrix(space, first.edges), as_matrix(space, second.edges))
    follows = reached[rng.random(len(reached)) < rule.probability]
    draws = int(len(follows) * NOISE / (1 - NOISE))
    # Noise among an other rule's Values would be no noise, so it goes where the rule leads.
    subjects, objects = _find_ends(space, number, signature)[0], second.objects
    edges = np.union1d(follows, _draw(space, subjects, objects, draws, rng))
    return Recipe(signature, subjects, objects, draws, edges, rule, reached, follows)


def list_bodies(space: Space, recipes: Mapping[str, Recipe]) -> Iterator[tuple[str, str, int]]:
    """Yield every two predicates that a path can be made of, and the number of its paths."""
    starts = {
        name: np.bincount(recipe.edges // space.size, minlength=space.size)
        for name, recipe in recipes.items()
    }
    for first, recipe in recipes.items():
        for second, other in recipes.items():
            if first != second and recipe.signature.object_kind == other.signature.subject_kind:
                paths = int(starts[second][recipe.edges % space.size].sum())
                if paths:
                    yield first, second, paths


def as_matrix(space: Space, pairs: Ints, values: Reals | None = None) -> sparse.csr_matrix:
    """Return nodes × nodes with 1, or the value, at each pair."""
    data = np.ones(len(pairs)) if values is None else values
    places = (pairs // space.size, pairs % space.size)
    return sparse.csr_matrix((data, places), shape=(space.size, space.size))


def walk_pairs(space: Space, first: sparse.csr_matrix, second: sparse.csr_matrix) -> Ints:
    """Return the pairs that a path of both leads from and to, ascending; none to itself."""
    found = (first @ second).tocoo()
    return _keep_pairs(space, found.row.astype(np.int64) * space.size + found.col)


def _find_ends(space: Space, number: int, signature: Signature) -> tuple[Ends, Ends]:
    if signature.object_kind is not None:
        return (
            _of_kind(space, signature.subject_kind),
            _of_kind(space, signature.object_kind),
        )
    # Each predicate has Values of its own, and some are very common.
    ranks = np.arange(1, VALUES_PER_PREDICATE + 1) ** -1.0
    first = len(space.names) + number * VALUES_PER_PREDICATE
    values = np.arange(first, first + VALUES_PER_PREDICATE, dtype=np.int64)
    return _of_kind(space, signature.subject_kind), Ends(values, ranks / ranks.sum())


def _of_kind(space: Space, kind: EntityKind) -> Ends:
    nodes = space.members[kind]
    weights = space.ranks[nodes] ** -SKEW
    return Ends(nodes, weights / weights.sum())


def _draw(space: Space, subjects: Ends, objects: Ends, draws: int, rng: np.random.Generator) -> Ints:
    chosen = [
        each.nodes[rng.choice(len(each.nodes), size=draws, p=each.chances)] for each in (subjects, objects)
    ]
    return _keep_pairs(space, chosen[0] * space.size + chosen[1])


def _keep_pairs(space: Space, pairs: Ints) -> Ints:
    distinct = np.unique(pairs)
    kept: Ints = distinct[distinct // space.size != distinct % space.size]
    return kept
