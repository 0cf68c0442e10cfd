"""Why an idea is absent, where there are more ideas than a cycle looks at, or more premises than it reads."""

from dataclasses import replace

import pytest

from app.dreaming.absence import Absence, Situation, explain_absence
from app.dreaming.generation import generate_by_rules
from app.dreaming.grouping import groups as grouping
from app.dreaming.grouping.candidates import LeftOut
from app.dreaming.grouping.learning import hubs, large, small
from app.dreaming.grouping.paths import build_graph, plan_shapes
from app.dreaming.grouping.rule_counts import RuleTable, Walker, count_rules
from app.dreaming.grouping.scoring import score_candidates
from app.dreaming.grouping.targets import open_spaces
from app.dreaming.model import Inputs, Target
from app.dreaming.spending.budgets import Budgets
from app.dreaming.validation.validated import Current
from tests.unit.graphs import licence_chain, make_inputs
from tests.unit.test_learned_scoring import companions, taught

BUDGETS = Budgets(
    max_premises=1000,
    max_groups=40,
    max_outputs=5,
    max_input_tokens=0,
    max_output_tokens=0,
    max_cost_usd=0,
    max_turns=0,
    max_duration_seconds=60,
)


def ask(inputs: Inputs, target: Target) -> Absence:
    versions = {each.relationship_id: (each.version, True) for one in inputs.premises for each in one.sources}
    current = Current(source_versions=versions, standing=inputs.standing, predicates=inputs.predicates)
    return explain_absence(Situation(target, inputs, current, BUDGETS))


@pytest.mark.parametrize("scale", ["young", "small", "large"])
def test_what_is_above_the_floor_is_never_said_to_be_below_it(
    scale: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grouping, "SPARE_TARGETS_PER_PREDICATE", 1)
    if scale == "large":
        monkeypatch.setattr(small, "MAX_CELLS", 0)
    inputs = make_inputs(*(licence_chain(known=20, open_=4) if scale == "young" else taught()))
    found = score_candidates(inputs, least_likelihood=0.1).candidates
    mine = [each for each in found if each.target.predicate_key == "licensed_under"]
    assert len(mine) >= 3
    assert ask(inputs, mine[0].target) == Absence(True, ())
    (obstacle,) = ask(inputs, mine[2].target).blocked_by
    assert obstacle.code == "output_budget"
    assert obstacle.message == (
        f"Its likelihood of {mine[2].likelihood:.2f} is above the floor, but 1 better ideas with licensed_under"
        " come before it, and a cycle looks at no more."
    )


def test_what_is_below_the_floor_is_said_to_be_so_and_what_was_not_read_is_told() -> None:
    inputs = make_inputs(*taught(), "a0 uses c", "c uses d")
    (obstacle,) = ask(inputs, Target("a0", "uses", "d")).blocked_by
    assert obstacle.code == "below_floor"
    assert "over the budget" not in obstacle.message
    unread = replace(inputs, over_input_budget=7, eligible_count=inputs.eligible_count + 7)
    for target, code in ((Target("a0", "uses", "d"), "below_floor"), (Target("d", "uses", "b7"), "no_path")):
        (obstacle,) = ask(unread, target).blocked_by
        assert obstacle.code == code
        assert obstacle.message.endswith(
            " 7 Relationships are over the budget of what the next cycle reads; their turn comes in later ones."
        )


def test_what_the_path_caps_leave_out_is_counted_and_said_in_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small, "MAX_CELLS", 0)
    inputs = make_inputs(*taught())
    assert generate_by_rules(inputs, BUDGETS).note is None
    monkeypatch.setattr(large, "MAX_PATHS_PER_SHAPE", 50)
    scores = score_candidates(inputs)
    left_out = scores.left_out
    assert left_out.shapes > 0
    assert left_out.paths > 50 * left_out.shapes
    assert generate_by_rules(inputs, BUDGETS).note == (
        f"{left_out.shapes} shapes with {left_out.paths} paths, most of them through hubs, were"
        " too large to be walked."
    )


def test_rules_and_pairs_that_are_not_looked_at_are_counted_and_said_in_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(small, "MAX_CELLS", 0)
    inputs = make_inputs(*taught(), *companions())
    rules = sum(len(table.shapes) for table in read_tables(inputs))
    assert score_candidates(inputs).left_out == LeftOut()
    monkeypatch.setattr(large, "MAX_PAIRS", 60)
    used = sum(len(table.shapes) > 0 for table in read_tables(inputs))
    left_out = score_candidates(inputs).left_out
    # The first rule of a predicate is always looked at.
    assert (left_out.rules, left_out.hub_pairs) == (rules - used, 0)
    assert left_out.rule_pairs == sum(int(table.bodies[1:].sum()) for table in read_tables(inputs)) > 0
    monkeypatch.setattr(hubs, "MAX_PAIRS", 1)
    both = score_candidates(inputs).left_out
    assert both.hub_pairs > 0
    assert generate_by_rules(inputs, BUDGETS).note == (
        f"{left_out.rules} rules with {left_out.rule_pairs} pairs were beyond those that are looked at of a"
        f" predicate. {both.hub_pairs} pairs of two hubs were beyond those that are looked at of a predicate."
    )


def read_tables(inputs: Inputs) -> tuple[RuleTable, ...]:
    """Return the rules of every predicate that is learned of, as a large graph counts them."""
    graph = build_graph(inputs)
    plan = plan_shapes(graph, least_paths=large.LEAST_SUPPORT)
    walker = Walker(graph, plan.shapes, is_close=True)
    tables = count_rules(walker, least_support=large.LEAST_SUPPORT, least_confidence=large.LEAST_CONFIDENCE)
    spaces = open_spaces(inputs, graph)
    return tuple(
        table for space, table in zip(spaces, tables, strict=True) if space is not None and len(space.known)
    )
