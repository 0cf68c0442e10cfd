"""Planting: a whole graph by its seed, and what of it is hidden. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

import numpy as np

from app.cli.evaluate.synthetic.ceiling import find_ceiling
from app.cli.evaluate.synthetic.recipes import (
    NOISE,
    VALUES_PER_PREDICATE,
    Ints,
    Recipe,
    Rule,
    Space,
    draw_plain,
    draw_planted,
    list_bodies,
)
from app.cli.evaluate.triples import Signature, Triple
from app.ledger.vocabulary import EntityKind

PREDICATES = 60
RULES = 15
TO_VALUES = 4
EDGES_PER_NODE = 5
HIDDEN_OF_PLANTED = 1 / 3
HIDDEN_OF_VISIBLE = 0.15
# What will be hidden, or was drawn twice, has to be made first; found by trying, and only roughly right.
MADE_PER_VISIBLE = 1.27
_KINDS: tuple[EntityKind, ...] = get_args(EntityKind)


@dataclass(frozen=True, slots=True)
class Synthetic:
    """A graph with a part of it hidden. `kinds` is by node, Values excepted; `ceiling` by k, see ceiling.py."""

    visible: tuple[Triple, ...]
    hidden: tuple[Triple, ...]
    kinds: Mapping[str, EntityKind]
    signatures: Mapping[str, Signature]
    rules: tuple[Rule, ...]
    highest_degree: int
    ceiling: Mapping[int, float]


def plant_graph(edges: int, *, seed: int) -> Synthetic:
    """Return a graph with about so many visible edges, at least 1 000; the same seed gives the same graph."""
    rng = np.random.default_rng(seed)
    space, kinds = _make_nodes(edges // EDGES_PER_NODE, rng)
    all_ranks = np.arange(1, PREDICATES + 1)
    sizes = edges * MADE_PER_VISIBLE / (all_ranks * np.sum(1 / all_ranks))
    ranks = rng.permutation(PREDICATES)
    recipes: dict[str, Recipe] = {}
    for place, number in enumerate(np.sort(ranks[RULES:]).tolist()):
        to_values = place % ((PREDICATES - RULES) // TO_VALUES) == 1
        signature = Signature(_draw_kind(rng), None if to_values else _draw_kind(rng))
        recipes[_name(number)] = draw_plain(space, number, signature, int(sizes[number]), rng)
    bodies = list(list_bodies(space, recipes))
    for number in np.sort(ranks[:RULES]).tolist():
        probability = float(rng.uniform(0.5, 0.95))
        wanted = sizes[number] * (1 - NOISE) / probability
        nearest = min(range(len(bodies)), key=lambda place: abs(np.log(bodies[place][2] / wanted)))
        first, second, _ = bodies.pop(nearest)
        rule = Rule(_name(number), first, second, probability)
        recipes[rule.head] = draw_planted(space, number, rule, recipes, rng)
    return _hide(space, kinds, recipes, rng)


def _make_nodes(entities: int, rng: np.random.Generator) -> tuple[Space, dict[str, EntityKind]]:
    of_node = rng.choice(len(_KINDS), size=entities, p=rng.dirichlet(np.full(len(_KINDS), 5.0)))
    names = tuple(f"node {number:06d}" for number in range(entities))
    members: dict[str, Ints] = {
        kind: np.flatnonzero(of_node == place).astype(np.int64) for place, kind in enumerate(_KINDS)
    }
    popularity = rng.permutation(np.arange(1, entities + 1)).astype(np.float64)
    space = Space(entities + PREDICATES * VALUES_PER_PREDICATE, names, members, popularity)
    return space, {name: _KINDS[place] for name, place in zip(names, of_node.tolist(), strict=True)}


def _draw_kind(rng: np.random.Generator) -> EntityKind:
    return _KINDS[int(rng.integers(len(_KINDS)))]


def _name(number: int) -> str:
    return f"relation_{number:02d}"


def _hide(
    space: Space, kinds: dict[str, EntityKind], recipes: dict[str, Recipe], rng: np.random.Generator
) -> Synthetic:
    visible, hidden = {}, {}
    for name in sorted(recipes):
        recipe = recipes[name]
        gone = recipe.follows[rng.random(len(recipe.follows)) < HIDDEN_OF_PLANTED]
        left = np.setdiff1d(recipe.edges, gone)
        visible[name] = left[rng.random(len(left)) >= HIDDEN_OF_VISIBLE]
        hidden[name] = np.setdiff1d(recipe.edges, visible[name])
    degrees = np.zeros(space.size, dtype=np.int64)
    for pairs in visible.values():
        degrees += np.bincount(pairs // space.size, minlength=space.size)
        degrees += np.bincount(pairs % space.size, minlength=space.size)
    return Synthetic(
        visible=_name_triples(space, visible),
        hidden=_name_triples(space, hidden),
        kinds=kinds,
        signatures={name: recipe.signature for name, recipe in recipes.items()},
        rules=tuple(recipe.rule for recipe in recipes.values() if recipe.rule is not None),
        highest_degree=int(degrees.max()),
        ceiling=find_ceiling(
            space, recipes, visible, hidden, of_planted=HIDDEN_OF_PLANTED, of_visible=HIDDEN_OF_VISIBLE
        ),
    )


def _name_triples(space: Space, edges: Mapping[str, Ints]) -> tuple[Triple, ...]:
    return tuple(
        (space.name_node(pair // space.size), name, space.name_node(pair % space.size))
        for name in sorted(edges)
        for pair in edges[name].tolist()
    )
