"""The ceiling: what is reached by ranking absent pairs by their true chance to be a hidden edge. Pure.

A pair has an edge by its rule with probability p (0 where no rule reaches it), and by chance with
n = 1 − e^(−draws · chance of subject · chance of object). What the rule made is hidden with h = ⅓ + ⅔ · .15,
the rest with .15. So a pair is a hidden edge with p·h + (1 − p)·n·.15, has none with (1 − p)(1 − n), and, being
absent, is a hidden edge with the first over the sum of both. Who ranks so knows the recipes; on average nobody
ranks better. Only the 500 likeliest nodes of each side are looked at for edges by chance.
"""

from collections.abc import Mapping

import numpy as np

from app.cli.evaluate.synthetic.recipes import Ends, Ints, Reals, Recipe, Space
from app.cli.evaluate.triples import CUTS

_LIKELIEST = 100


def find_ceiling(
    space: Space,
    recipes: Mapping[str, Recipe],
    visible: Mapping[str, Ints],
    hidden: Mapping[str, Ints],
    *,
    of_planted: float,
    of_visible: float,
) -> dict[int, float]:
    """Return the share of hidden edges among the first k, by k."""
    chances, hits = [np.empty(0)], [np.empty(0, dtype=np.bool_)]
    for name, recipe in recipes.items():
        pairs = np.union1d(recipe.reached, _list_likely(space, recipe))
        pairs = np.setdiff1d(pairs, visible[name])
        probability = 0.0 if recipe.rule is None else recipe.rule.probability
        by_rule = np.isin(pairs, recipe.reached) * probability
        by_chance = 1 - np.exp(-recipe.draws * _chances(space, recipe, pairs))
        gone = by_rule * (of_planted + (1 - of_planted) * of_visible) + (1 - by_rule) * by_chance * of_visible
        never = (1 - by_rule) * (1 - by_chance)
        chances.append(gone / np.maximum(gone + never, 1e-300))
        hits.append(np.isin(pairs, hidden[name]))
    order = np.argsort(-np.concatenate(chances), kind="stable")[: CUTS[-1]]
    found = np.concatenate(hits)[order]
    return {cut: round(float(found[:cut].sum() / cut), 4) for cut in CUTS}


def _list_likely(space: Space, recipe: Recipe) -> Ints:
    subjects, objects = _likeliest(recipe.subjects), _likeliest(recipe.objects)
    pairs = (subjects[:, None] * space.size + objects[None, :]).ravel()
    kept: Ints = pairs[pairs // space.size != pairs % space.size]
    return kept


def _likeliest(ends: Ends) -> Ints:
    return ends.nodes[np.argsort(-ends.chances, kind="stable")[:_LIKELIEST]]


def _chances(space: Space, recipe: Recipe, pairs: Ints) -> Reals:
    result = np.ones(len(pairs))
    for ends, nodes in ((recipe.subjects, pairs // space.size), (recipe.objects, pairs % space.size)):
        of_node = np.zeros(space.size)
        of_node[ends.nodes] = ends.chances
        result *= of_node[nodes]
    return result
