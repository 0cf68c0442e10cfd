"""How closely a shape connects a pair, counted again by hand."""

from collections import Counter
from random import Random

import pytest

from app.dreaming.grouping.groups import form_groups
from app.dreaming.grouping.learning import small
from app.dreaming.grouping.paths import Graph, Shape, build_graph, find_instances, plan_shapes
from app.dreaming.grouping.rule_counts import Walker, count_rules
from app.dreaming.grouping.walking import LEAST_MIDDLES, find_level, fold_pairs, walk_close_pairs, walk_pairs
from app.dreaming.rules import propose
from tests.unit.graphs import make_inputs, spell


def draw_graph(seed: int) -> Graph:
    """Return a dense little graph of two predicates, one of them symmetric."""
    random = Random(seed)
    triples = {f"a{random.randrange(9)} uses z{random.randrange(7)}" for _ in range(60)}
    triples |= {f"z{random.randrange(7)} depends_on b{random.randrange(5)}" for _ in range(22)}
    pairs = {tuple(sorted((random.randrange(9), random.randrange(9)))) for _ in range(12)}
    triples |= {f"a{low} compatible_with a{high}" for low, high in pairs if low != high}
    return build_graph(make_inputs(*sorted(triples)))


def level_by_hand(graph: Graph, shape: Shape, start: int, end: int) -> int | None:
    middles = len(find_instances(graph, shape, start, end))
    if not middles:
        return None
    at_start = graph.directions[shape[0]].sources.tolist().count(start)
    at_end = graph.directions[shape[-1]].targets.tolist().count(end)
    share = max(middles / at_start, middles / at_end)
    met = [level for level, least in enumerate(LEAST_MIDDLES) if level and middles >= least and share >= 0.5]
    return max(met, default=0)


def test_a_level_is_that_of_the_middles_and_of_their_share_at_either_end() -> None:
    seen: Counter[int] = Counter()
    for seed in range(2):
        graph = draw_graph(seed)
        for shape in plan_shapes(graph).shapes:
            pairs, levels = walk_close_pairs(graph, shape)
            assert pairs.tolist() == walk_pairs(graph, shape).tolist()
            for pair, level in zip(pairs.tolist(), levels.tolist(), strict=True):
                start, end = divmod(pair, graph.size)
                expected = level_by_hand(graph, shape, start, end) if len(shape) == 2 else 0
                assert level == expected == find_level(graph, shape, start, end, folded=False)
                seen[level] += 1
            folded, closer = fold_pairs(graph, pairs, levels)
            for pair, level in zip(folded.tolist(), closer.tolist(), strict=True):
                start, end = divmod(pair, graph.size)
                assert start <= end
                assert level == find_level(graph, shape, start, end, folded=True)
    assert set(seen) == {0, 1, 2, 3}


def test_three_middles_of_seven_at_either_end_are_not_close() -> None:
    triples = [f"a uses z{n}" for n in range(7)] + [f"z{n} depends_on b" for n in range(3)]
    for others, expected in ((4, 0), (3, 2)):
        graph = build_graph(make_inputs(*triples, *(f"y{n} depends_on b" for n in range(others))))
        keys = {
            graph.predicates[each.predicate].key: n for n, each in enumerate(graph.directions) if each.forward
        }
        shape = (keys["uses"], keys["depends_on"])
        start, end = graph.node_ids.index("a"), graph.node_ids.index("b")
        assert find_level(graph, shape, start, end, folded=False) == expected


def test_a_rule_of_a_level_counts_the_pairs_that_are_at_least_so_close() -> None:
    graph = draw_graph(0)
    shapes = plan_shapes(graph).shapes
    tables = count_rules(Walker(graph, shapes, is_close=True), least_support=1, least_confidence=0.0)
    plain = count_rules(Walker(graph, shapes), least_support=1, least_confidence=0.0)
    number = next(n for n, predicate in enumerate(graph.predicates) if predicate.key == "uses")
    known = {
        int(key)
        for each in graph.directions
        if each.predicate == number and each.forward
        for key in each.keys
    }
    table = tables[number]
    assert set(table.levels.tolist()) > {0}
    rows = zip(
        table.shapes.tolist(),
        table.levels.tolist(),
        table.supports.tolist(),
        table.bodies.tolist(),
        strict=True,
    )
    for position, level, support, body in rows:
        pairs, levels = walk_close_pairs(graph, shapes[position])
        close = set(pairs[levels >= level].tolist())
        assert (support, body) == (len(close & known), len(close))
        # A level that leaves all pairs in says nothing new.
        assert not level or len(close) < (levels >= level - 1).sum()
    loose = table.levels == 0
    assert table.shapes[loose].tolist() == plain[number].shapes.tolist()
    assert table.supports[loose].tolist() == plain[number].supports.tolist()
    assert set(plain[number].levels.tolist()) == {0}


def test_what_three_of_four_paths_say_is_likelier_than_what_one_of_many_says_and_is_said_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(small, "MAX_CELLS", 0)
    triples = []
    for team in range(20):
        # Three packages of a team share a licence, and what they use is under it, but for team 0; a stranger
        # under another licence uses it, too.
        triples.append(f"q{team} uses tool{team}")
        triples.append(f"q{team} licensed_under l{(team + 1) % 4}")
        for member in range(3):
            triples.append(f"p{team}_{member} uses tool{team}")
            triples.append(f"p{team}_{member} licensed_under l{team % 4}")
        if team:
            triples.append(f"tool{team} licensed_under l{team % 4}")
    inputs = make_inputs(*triples)
    groups = form_groups(inputs, max_groups=40).groups
    assert spell(groups[0].target) == "tool0 licensed_under l0"
    (proposal, *_) = propose(inputs, groups, max_outputs=1)
    path = next(each for each in proposal.paths if "Z or more" in each.rule)
    # Three of the four Z that use tool0 are under l0; of the other 19 so much is known.
    assert path.rule == (
        "Z uses X, Z licensed_under Y (for 2 Z or more, at least half of X's or of Y's) → X licensed_under Y"
    )
    assert (path.instances, path.support, path.body) == (3, 19, 20)
    assert ", one of 3 such paths; memory connects 20 pairs like this" in proposal.rationale
    assert " and of 19 of these it also says " in proposal.rationale
