"""The ceiling: what is reached by ranking absent pairs by their true chance to be a hidden edge. Pure.

A pair has an edge by its rule with probability p (0 where no rule reaches it), and by chance with
n = 1 − e^(−draws · chance of subject · chance of object). What the rule made is hidden with h = ⅓ + ⅔ · .15,
the rest with .15. So a pair is a hidden edge with p·h + (1 − p)·n·.15, has none with (1 − p)(1 − n), and, being
absent, is a hidden edge with the first over the sum of both.

What a rule made tells of its paths, too. Where X has the head's edge to Y, no visible path explains it, and X has
the first edge to Z, the second edge from Z to Y is likelier than by its own chance n: each such X multiplies the
odds by (v + (1 − v) · m) / m, and each other X with a first edge to Z by 1 − v, with v = p · (1 − h) and m the
chance that noise made the head's edge, .02 at least because another, hidden path may have. The same holds for the
first edge, the other way round. A pair's chance is the highest that it has in any of these ways.

Who ranks so knows the recipes, all paths of rules, hidden ones included, and takes one rule at a time; nobody can
be expected to rank much better. Only the 100 likeliest nodes of each side are looked at for edges by chance.
"""

from collections.abc import Mapping

import numpy as np

from app.cli.evaluate.synthetic.recipes import Ends, Ints, Reals, Recipe, Space, as_matrix, walk_pairs
from app.cli.evaluate.triples import CUTS

_LIKELIEST = 100
_LEAST_OTHERWISE = 0.02


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
    kept = (1 - of_planted) * (1 - of_visible)
    told = _read_backwards(space, recipes, visible, kept=kept, of_visible=of_visible)
    for name, recipe in recipes.items():
        pairs = np.union1d(recipe.reached, _list_likely(space, recipe))
        pairs = np.setdiff1d(pairs, visible[name])
        probability = 0.0 if recipe.rule is None else recipe.rule.probability
        by_rule = np.isin(pairs, recipe.reached) * probability
        by_chance = 1 - np.exp(-recipe.draws * _chances(space, recipe, pairs))
        gone = by_rule * (of_planted + (1 - of_planted) * of_visible) + (1 - by_rule) * by_chance * of_visible
        never = (1 - by_rule) * (1 - by_chance)
        highest = dict(zip(pairs.tolist(), (gone / np.maximum(gone + never, 1e-300)).tolist(), strict=True))
        for told_pairs, told_chances in told.get(name, ()):
            for pair, chance in zip(told_pairs.tolist(), told_chances.tolist(), strict=True):
                highest[pair] = max(chance, highest.get(pair, 0.0))
        chances.append(np.array(list(highest.values())))
        hits.append(np.isin(np.array(list(highest), dtype=np.int64), hidden[name]))
    order = np.argsort(-np.concatenate(chances), kind="stable")[: CUTS[-1]]
    found = np.concatenate(hits)[order]
    return {cut: round(float(found[:cut].sum() / cut), 4) for cut in CUTS}


def _read_backwards(
    space: Space,
    recipes: Mapping[str, Recipe],
    visible: Mapping[str, Ints],
    *,
    kept: float,
    of_visible: float,
) -> dict[str, list[tuple[Ints, Reals]]]:
    """Return by predicate what the rules that it is a step of tell of its absent pairs; not for self-pairs."""
    told: dict[str, list[tuple[Ints, Reals]]] = {}
    for recipe in recipes.values():
        if recipe.rule is None:
            continue
        first, second = (as_matrix(space, visible[name]) for name in (recipe.rule.first, recipe.rule.second))
        heads = np.setdiff1d(visible[recipe.rule.head], walk_pairs(space, first, second))
        made = recipe.rule.probability * kept
        otherwise = np.maximum(1 - np.exp(-recipe.draws * _chances(space, recipe, heads)), _LEAST_OTHERWISE)
        gains = as_matrix(space, heads, np.log((made + (1 - made) * otherwise) / otherwise) - np.log1p(-made))
        for name, gained, steps, is_end in (
            (recipe.rule.second, first.T @ gains, first.sum(axis=0), False),
            (recipe.rule.first, gains @ second.T, second.sum(axis=1), True),
        ):
            found = gained.tocoo()
            pairs = found.row.astype(np.int64) * space.size + found.col
            is_open = (found.row != found.col) & ~np.isin(pairs, visible[name])
            pairs, ends = pairs[is_open], (found.col if is_end else found.row)[is_open]
            own = 1 - np.exp(-recipes[name].draws * _chances(space, recipes[name], pairs))
            odds = np.log(np.maximum(own, 1e-12) * of_visible / np.maximum(1 - own, 1e-12))
            odds += found.data[is_open] + np.asarray(steps).ravel()[ends] * np.log1p(-made)
            told.setdefault(name, []).append((pairs, 1 / (1 + np.exp(-np.clip(odds, -60, 60)))))
    return told


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
