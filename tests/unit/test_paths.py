"""Paths of one and two steps, on graphs small enough to count by hand."""

from app.dreaming.grouping.paths import Graph, Shape, build_graph, find_instances, plan_shapes
from app.dreaming.grouping.walking import walk_pairs
from tests.unit.graphs import make_inputs, make_premise


def direction(graph: Graph, key: str, *, forward: bool = True) -> int:
    return next(
        number
        for number, each in enumerate(graph.directions)
        if graph.predicates[each.predicate].key == key and each.forward == forward
    )


def pairs(graph: Graph, shape: Shape) -> list[str]:
    return [
        f"{graph.node_ids[pair // graph.size]}>{graph.node_ids[pair % graph.size]}"
        for pair in walk_pairs(graph, shape).tolist()
    ]


def test_one_step_goes_both_ways() -> None:
    graph = build_graph(make_inputs("a depends_on b"))
    assert pairs(graph, (direction(graph, "depends_on"),)) == ["a>b"]
    assert pairs(graph, (direction(graph, "depends_on", forward=False),)) == ["b>a"]


def test_two_steps_join_in_the_middle_and_never_return_to_their_start() -> None:
    graph = build_graph(make_inputs("a depends_on b", "b depends_on c", "b depends_on a"))
    forward = direction(graph, "depends_on")
    assert pairs(graph, (forward, forward)) == ["a>c"]


def test_several_paths_to_one_end_are_one_pair_and_all_are_found() -> None:
    graph = build_graph(make_inputs("a depends_on b", "a depends_on c", "b uses d", "c uses d"))
    shape = (direction(graph, "depends_on"), direction(graph, "uses"))
    assert pairs(graph, shape) == ["a>d"]
    start, end = graph.node_ids.index("a"), graph.node_ids.index("d")
    found = find_instances(graph, shape, start, end)
    assert {tuple(premise.object_id for premise in path) for path in found} == {("b", "d"), ("c", "d")}


def test_a_value_is_a_middle_and_an_end_but_never_a_start() -> None:
    graph = build_graph(make_inputs("a requires_python v3", "b requires_python v3", "b depends_on c"))
    to_value = direction(graph, "requires_python")
    from_value = direction(graph, "requires_python", forward=False)
    assert pairs(graph, (to_value, from_value)) == ["a>b", "b>a"]
    assert pairs(graph, (to_value,)) == ["a>v3", "b>v3"]
    assert pairs(graph, (from_value,)) == []
    assert pairs(graph, (from_value, direction(graph, "depends_on"))) == []


def test_a_symmetric_predicate_is_one_direction_that_holds_both_readings() -> None:
    graph = build_graph(make_inputs("a compatible_with b"))
    assert len(graph.directions) == 1
    assert graph.reverse == (0,)
    assert pairs(graph, (0,)) == ["a>b", "b>a"]


def test_an_inverse_pair_is_one_set_of_edges() -> None:
    graph = build_graph(make_inputs("wheel part_of car", "car has_part door"))
    assert {graph.predicates[each.predicate].key for each in graph.directions} == {"has_part"}
    assert pairs(graph, (direction(graph, "has_part"),)) == ["car>door", "car>wheel"]


def test_only_current_positive_unscoped_statements_carry_paths() -> None:
    graph = build_graph(
        make_inputs(
            make_premise("a depends_on b", polarity="-"),
            make_premise("a depends_on c", scope="tests"),
            make_premise("a depends_on d", is_valid_now=False),
            make_premise("a depends_on a"),
        )
    )
    assert graph.premises == ()
    assert plan_shapes(graph).shapes == ()


def test_copies_of_one_position_are_one_edge() -> None:
    graph = build_graph(make_inputs(make_premise("a depends_on b", copies=10)))
    assert [len(each.keys) for each in graph.directions] == [1, 1]


def test_pending_candidates_never_make_a_path_alone() -> None:
    graph = build_graph(
        make_inputs(
            make_premise("a depends_on b", is_candidate=True),
            make_premise("b uses c", is_candidate=True),
            make_premise("b uses d"),
        )
    )
    depends, uses = direction(graph, "depends_on"), direction(graph, "uses")
    assert pairs(graph, (depends,)) == []
    assert pairs(graph, (depends, uses)) == ["a>d"]
    start, end = graph.node_ids.index("a"), graph.node_ids.index("c")
    assert find_instances(graph, (depends, uses), start, end) == []
    assert find_instances(graph, (depends,), start, graph.node_ids.index("b")) == []


def test_the_plan_counts_paths_before_walking_and_says_what_it_left_out() -> None:
    spokes = [f"hub depends_on n{number}" for number in range(10)]
    graph = build_graph(make_inputs(*spokes, "n0 uses x", "n1 uses x"))
    back, forward = direction(graph, "depends_on", forward=False), direction(graph, "depends_on")
    whole = plan_shapes(graph)
    assert (back, forward) in whole.shapes
    assert (whole.dropped_shapes, whole.dropped_paths) == (0, 0)
    # Back to the hub and out again: 10 · 10 paths, the way there and back still counted in.
    capped = plan_shapes(graph, max_paths_per_shape=99)
    assert set(whole.shapes) - set(capped.shapes) == {(back, forward)}
    assert (capped.dropped_shapes, capped.dropped_paths) == (1, 100)
    bounded = plan_shapes(graph, max_paths=5)
    assert bounded.dropped_shapes == len(whole.shapes) - len(bounded.shapes) > 1
    assert (direction(graph, "depends_on"), direction(graph, "uses")) in bounded.shapes
