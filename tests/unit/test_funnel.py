"""The funnel of a cycle adds up, or it cannot be made."""

import pytest

from app.dreaming.funnel import Funnel, Rejection, build_funnel
from app.dreaming.model import Group, Standing, Target
from app.dreaming.validation.validate import Validated, validate
from tests.unit.proposals import FIRST, TARGET, make_current, make_inputs, make_live, make_proposal

INPUTS = make_inputs(over_input_budget=7)
GROUPS = [Group(Target("ent_fastapi", "depends_on", "ent_anyio"), (FIRST.group_key,))]
LIVE = make_live(source_group_keys=frozenset())


def validate_a_mixed_answer() -> Validated:
    proposals = [
        make_proposal(),
        make_proposal(predicate_key="uses"),
        make_proposal(predicate_key="uses"),
        make_proposal(predicate_key="compatible_with", likelihood=0.1),
        make_proposal(statement=""),
        *(make_proposal(predicate_key=f"invented_{number}") for number in (1, 1, 2, 3, 4)),
    ]
    current = make_current(Standing(live={TARGET: LIVE}))
    return validate(proposals, INPUTS, current, max_outputs=1)


def test_every_item_and_every_relationship_is_counted_once() -> None:
    funnel = build_funnel(INPUTS, GROUPS, validate_a_mixed_answer())
    assert funnel.counts() == {
        "eligible": 18,
        "premises": 10,
        "groups": 1,
        "generated": 10,
        "rejected": 7,
        "deduplicated": 1,
        "reinforced": 1,
        "persisted": 1,
    }
    assert (funnel.premise_sources, funnel.over_input_budget) == (11, 7)
    assert (funnel.duplicate_in_run, funnel.duplicate_existing) == (1, 0)


def test_rejections_are_in_the_order_of_the_checks_with_at_most_three_different_examples() -> None:
    funnel = build_funnel(INPUTS, GROUPS, validate_a_mixed_answer())
    assert [(rejection.reason, rejection.count) for rejection in funnel.rejections] == [
        ("predicate_unknown", 5),
        ("statement_invalid", 1),
        ("output_budget", 1),
    ]
    unknown, wording, _ = funnel.rejections
    assert unknown.examples == tuple(f"'invented_{number}' is not registered" for number in (1, 2, 3))
    assert wording.examples == ("FastAPI depends_on AnyIO: the statement is blank",)


def test_a_dry_run_persists_and_reinforces_nothing_and_still_adds_up() -> None:
    funnel = build_funnel(INPUTS, GROUPS, validate_a_mixed_answer(), dry_run=True)
    assert (funnel.persisted, funnel.reinforced, funnel.would_persist) == (0, 0, 2)
    assert funnel.generated == funnel.rejected + funnel.deduplicated + funnel.would_persist


def test_a_cycle_that_generated_nothing_has_a_funnel_too() -> None:
    funnel = build_funnel(INPUTS, (), Validated())
    assert funnel.generated == 0
    assert funnel.rejections == ()


@pytest.mark.parametrize(
    ("funnel", "rule"),
    [
        ({"eligible": 1}, "eligible"),
        ({"generated": 1}, "generated"),
        ({"persisted": 1}, "generated"),
        ({"generated": 1, "rejected": 1}, "rejected"),
        ({"generated": 1, "deduplicated": 1}, "deduplicated"),
        ({"premises": 1}, "premises"),
        ({"groups": -1}, "negative"),
        ({"generated": 0, "persisted": 1, "reinforced": -1}, "negative"),
        ({"generated": 2, "persisted": 1, "would_persist": 1}, "would_persist"),
    ],
)
def test_a_funnel_that_does_not_add_up_cannot_be_made(funnel: dict[str, int], rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        Funnel(**funnel)  # type: ignore[arg-type]  # Every key is a count.


def test_rejections_must_sum_up_to_rejected() -> None:
    with pytest.raises(ValueError, match="rejected"):
        Funnel(generated=3, rejected=3, rejections=(Rejection("self_loop", 2, ()),))
