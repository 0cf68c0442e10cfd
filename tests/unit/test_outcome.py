"""Which terminal state a run ends in, and why."""

import pytest

from app.dreaming.funnel import Funnel, Rejection
from app.dreaming.outcome import conclude, find_skip


def make_funnel(*rejections: Rejection, persisted: int = 0) -> Funnel:
    rejected = sum(rejection.count for rejection in rejections)
    return Funnel(
        eligible=3,
        premise_sources=3,
        premises=2,
        groups=1,
        generated=rejected + persisted,
        rejected=rejected,
        rejections=rejections,
        persisted=persisted,
    )


def test_a_run_that_rejected_nothing_succeeds() -> None:
    outcome = conclude(make_funnel(persisted=2))
    assert (outcome.status, outcome.reason, outcome.is_assessed) == ("succeeded", None, True)
    assert outcome.summary == "Of 2 generated items: 2 new, 0 reinforced, 0 already known, 0 rejected."


def test_a_run_that_generated_nothing_succeeds_and_says_so() -> None:
    outcome = conclude(make_funnel())
    assert (outcome.status, outcome.is_assessed) == ("succeeded", True)
    assert outcome.summary == (
        "Nothing was generated from 2 premises: no pattern among them leads to a new idea."
    )


@pytest.mark.parametrize("persisted", [0, 4])
def test_any_other_reject_than_the_output_budget_makes_it_partially_rejected(persisted: int) -> None:
    rejections = (Rejection("self_loop", 1, ("FastAPI",)), Rejection("output_budget", 2, ()))
    outcome = conclude(make_funnel(*rejections, persisted=persisted))
    assert outcome.status == "partially_rejected"
    assert outcome.summary.endswith("3 rejected (self_loop 1, output_budget 2).")


def test_the_output_budget_alone_leaves_a_success_that_has_not_assessed_everything() -> None:
    outcome = conclude(make_funnel(Rejection("output_budget", 2, ()), persisted=5))
    assert (outcome.status, outcome.is_assessed) == ("succeeded", False)


def test_a_rejecting_run_within_its_budgets_has_assessed_its_snapshot() -> None:
    assert conclude(make_funnel(Rejection("self_loop", 1, ()))).is_assessed


@pytest.mark.parametrize("persisted", [0, 1])
def test_a_run_that_was_stopped_by_a_budget_says_so_and_is_not_assessed(persisted: int) -> None:
    outcome = conclude(make_funnel(persisted=persisted), stopped_by="max_cost_usd")
    assert (outcome.status, outcome.is_assessed) == ("succeeded", False)
    assert outcome.summary.endswith("; stopped by max_cost_usd.")


def test_a_dry_run_says_what_it_would_keep_and_marks_nothing_as_assessed() -> None:
    funnel = Funnel(eligible=1, premise_sources=1, premises=1, generated=1, would_persist=1)
    outcome = conclude(funnel, dry_run=True)
    assert (outcome.status, outcome.is_assessed) == ("succeeded", False)
    assert outcome.summary == "Of 1 generated item: 1 would be kept, 0 already known, 0 rejected."


def test_nothing_eligible_is_skipped_before_and_after_generation() -> None:
    for outcome in (find_skip(eligible=0, digest="a", assessed_digest="a", dry_run=True), conclude(Funnel())):
        assert outcome is not None
        assert (outcome.status, outcome.reason) == ("skipped", "no_eligible_inputs")
        assert not outcome.is_assessed


def test_an_input_budget_of_zero_reads_nothing_but_is_no_lack_of_inputs() -> None:
    outcome = conclude(Funnel(eligible=4, over_input_budget=4))
    assert (outcome.status, outcome.reason) == ("succeeded", None)
    assert outcome.summary == "Nothing was generated from 0 premises."


def test_unchanged_inputs_are_skipped_unless_the_run_is_dry() -> None:
    outcome = find_skip(eligible=3, digest="a", assessed_digest="a")
    assert outcome is not None
    assert (outcome.status, outcome.reason) == ("skipped", "inputs_unchanged")
    assert find_skip(eligible=3, digest="a", assessed_digest="a", dry_run=True) is None
    assert find_skip(eligible=3, digest="a", assessed_digest="b") is None
    assert find_skip(eligible=3, digest="a", assessed_digest=None) is None
