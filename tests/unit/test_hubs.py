"""Pairs of two hubs: found without a rule, carried by a trait or not proposed."""

import pytest

from app.dreaming.grouping.candidates import Candidate
from app.dreaming.grouping.learning import hubs
from app.dreaming.grouping.learning.degrees import fit_degrees
from app.dreaming.grouping.learning.hubs import HubCarriers, list_hub_pairs
from app.dreaming.grouping.paths import build_graph
from app.dreaming.grouping.targets import open_spaces
from app.dreaming.model import Target
from tests.unit.graphs import PREDICATES, make_inputs

# Four subjects use four engines, but for a3 e3; nobody else uses anything.
USED = [f"a{a} uses e{e}" for a in range(4) for e in range(4) if (a, e) != (3, 3)]
INPUTS = make_inputs(
    *USED, "z depends_on y", predicates={key: PREDICATES[key] for key in ("uses", "depends_on")}
)
GRAPH = build_graph(INPUTS)
SPACES = {space.predicate.key: space for space in open_spaces(INPUTS, GRAPH) if space is not None}


def pair(start: str, end: str) -> int:
    return GRAPH.node_ids.index(start) * GRAPH.size + GRAPH.node_ids.index(end)


def test_only_pairs_of_two_busy_nodes_are_looked_at() -> None:
    space = SPACES["uses"]
    pairs = space.keep_free(list_hub_pairs(space, fit_degrees(space)).pairs)
    assert pairs.tolist() == [pair("a3", "e3")]
    # One edge expects itself, and leaves nothing else to expect.
    alone = SPACES["depends_on"]
    assert alone.keep_free(list_hub_pairs(alone, fit_degrees(alone)).pairs).tolist() == []


@pytest.mark.parametrize("key", ["uses", "compatible_with"])
def test_pairs_of_hubs_beyond_the_bounds_are_counted(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    triples = [f"a{a} {key} e{e}" for a in range(4) for e in range(3)] + [f"e1 {key} e2", f"x {key} y"]
    inputs = make_inputs(*triples, predicates={key: PREDICATES[key]})
    (space,) = [each for each in open_spaces(inputs, build_graph(inputs)) if each is not None]
    degrees = fit_degrees(space)
    whole = list_hub_pairs(space, degrees)
    assert whole.left_out == 0
    size = len(space.node_ids)
    # Every pair of two different nodes, one by one; without order where the predicate has none.
    every = [
        (start, end)
        for start in range(size)
        for end in range(size)
        if (start < end if space.predicate.symmetric else start != end)
        and degrees.as_subject[start] * degrees.as_object[end] >= hubs.LEAST_DRAW
    ]
    assert whole.pairs.tolist() == [start * size + end for start, end in every]
    monkeypatch.setattr(hubs, "MAX_PAIRS", 5)
    assert (len(list_hub_pairs(space, degrees).pairs), list_hub_pairs(space, degrees).left_out) == (
        5,
        len(every) - 5,
    )
    monkeypatch.setattr(hubs, "MAX_PAIRS", 4_000)
    monkeypatch.setattr(hubs, "_MOST_NODES", 2)
    few = list_hub_pairs(space, degrees)
    assert len(few.pairs) <= 4
    assert len(few.pairs) + few.left_out == len(every)


def test_a_trait_that_two_others_share_carries_a_pair() -> None:
    carriers = HubCarriers(GRAPH)
    pairs = SPACES["uses"].list_open()
    carried = dict(zip(pairs.tolist(), carriers.find_carried("uses", pairs).tolist(), strict=True))
    assert carried[pair("a3", "e3")]
    assert not carried[pair("a3", "y")]
    candidate = Candidate(
        Target("a3", "uses", "e3"), "", GRAPH.node_ids.index("a3"), GRAPH.node_ids.index("e3"), 3, 0.5
    )
    rules = carriers.find_rules(candidate)
    # Of the four that use e0, three use e3; so for e1 and e2, and the same from the object's side.
    assert [(rule.support, rule.body) for rule in rules] == [(3, 4)] * 6
    assert {rule.trait.side for rule in rules if rule.trait is not None} == {"subject", "object"}
