"""Why an idea is absent, where there are more ideas than a cycle looks at, or more premises than it reads."""

from dataclasses import replace

import pytest

from app.dreaming.absence import Absence, Situation, explain_absence
from app.dreaming.generation import generate_by_rules
from app.dreaming.grouping import groups as grouping
from app.dreaming.grouping.learning import large, small
from app.dreaming.grouping.scoring import score_candidates
from app.dreaming.model import Inputs, Target
from app.dreaming.spending.budgets import Budgets
from app.dreaming.validation.validated import Current
from tests.unit.graphs import licence_chain, make_inputs
from tests.unit.test_learned_scoring import taught

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
    assert scores.dropped_shapes > 0
    assert scores.dropped_paths > 50 * scores.dropped_shapes
    assert generate_by_rules(inputs, BUDGETS).note == (
        f"{scores.dropped_shapes} shapes with {scores.dropped_paths} paths, most of them through hubs, were"
        " too large to be walked."
    )
