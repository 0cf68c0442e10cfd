"""Pairs of two hubs: found without a rule, carried by a trait or not proposed."""

from app.dreaming.grouping.candidates import Candidate
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
    pairs = space.keep_free(list_hub_pairs(space, fit_degrees(space)))
    assert pairs.tolist() == [pair("a3", "e3")]
    # One edge expects itself, and leaves nothing else to expect.
    alone = SPACES["depends_on"]
    assert alone.keep_free(list_hub_pairs(alone, fit_degrees(alone))).tolist() == []


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
