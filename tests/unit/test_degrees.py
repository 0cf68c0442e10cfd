"""Chances by degrees alone: they add up to the edges that are there."""

import numpy as np
import pytest

from app.dreaming.grouping.learning.degrees import fit_degrees
from app.dreaming.grouping.paths import build_graph
from app.dreaming.grouping.targets import TargetSpace, open_spaces
from tests.unit.graphs import make_inputs


def open_space(*triples: str) -> TargetSpace:
    inputs = make_inputs(*triples)
    key = triples[0].split()[1]
    spaces = open_spaces(inputs, build_graph(inputs))
    return next(space for space in spaces if space is not None and space.predicate.key == key)


def skewed(predicate: str, *, symmetric: bool) -> list[str]:
    """Return edges of which the first nodes have most."""
    right = "a" if symmetric else "b"
    pairs = [(a, b) for a in range(20) for b in range(a + 1, 20)]
    return [f"a{a} {predicate} {right}{b}" for a, b in pairs if (3 * a + 5 * b) % 7 < 4 and a * b < 60]


@pytest.mark.parametrize("predicate", ["uses", "compatible_with"])
def test_the_chances_at_each_node_sum_to_its_edges(predicate: str) -> None:
    space = open_space(*skewed(predicate, symmetric=predicate == "compatible_with"))
    degrees = fit_degrees(space)
    size = len(space.node_ids)
    everything = np.arange(size * size, dtype=np.int64)
    chances = (1 - np.exp(-degrees.draw(everything))).reshape(size, size)
    assert chances.sum(axis=1) == pytest.approx(degrees.outgoing, abs=0.05)
    assert chances.sum(axis=0) == pytest.approx(degrees.incoming, abs=0.05)
    assert degrees.outgoing.sum() == len(space.known) * (2 if space.predicate.symmetric else 1)


def test_a_busy_pair_draws_more_than_the_product_of_its_degrees_says() -> None:
    space = open_space(*skewed("uses", symmetric=False))
    degrees = fit_degrees(space)
    start, end = int(np.argmax(degrees.outgoing)), int(np.argmax(degrees.incoming))
    pair = np.array([start * len(space.node_ids) + end])
    product = degrees.outgoing[start] * degrees.incoming[end] / len(space.known)
    assert degrees.draw(pair)[0] > product


def test_a_node_without_edges_draws_nothing() -> None:
    space = open_space("a uses b", "c uses b", "d depends_on e")
    degrees = fit_degrees(space)
    places = {name: place for place, name in enumerate(space.node_ids)}
    assert degrees.draw(np.array([places["d"] * len(places) + places["b"]])).tolist() == [0.0]
