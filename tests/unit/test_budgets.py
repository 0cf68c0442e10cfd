"""Budgets: a request can only lower them, and zero means none."""

import pytest

from app.dreaming.spending.budgets import check_request, lower_budgets, team_budgets
from app.kernel.errors import InvalidInput
from app.tenancy.configuration import Configuration

TEAM = team_budgets(Configuration(max_outputs=5, max_cost_usd=1.0))


def test_a_request_lowers_and_never_raises() -> None:
    lowered = lower_budgets(TEAM, {"max_outputs": 2, "max_cost_usd": 3.0})
    assert (lowered.max_outputs, lowered.max_cost_usd, lowered.max_groups) == (2, 1.0, TEAM.max_groups)


def test_zero_and_the_limit_itself_are_granted() -> None:
    check_request(TEAM, {"max_outputs": 0, "max_cost_usd": 1.0, "max_groups": TEAM.max_groups})


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("max_outputs", 6, "budget_above_limit"),
        ("max_cost_usd", 1.01, "budget_above_limit"),
        ("max_outputs", -1, "invalid_budget"),
        ("max_outputs", 1.5, "invalid_budget"),
        ("max_outputs", True, "invalid_budget"),
        ("max_cost_usd", float("nan"), "invalid_budget"),
        ("max_cost_usd", float("inf"), "invalid_budget"),
        ("enabled", 1, "unknown_budget"),
    ],
)
def test_a_budget_that_cannot_be_granted_is_named(name: str, value: float, code: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        check_request(TEAM, {"max_groups": 1, name: value})
    assert [(error.field, error.code) for error in refusal.value.errors] == [(f"budgets.{name}", code)]


def test_the_first_budget_of_nothing_is_found() -> None:
    assert TEAM.find_zero() is None
    assert lower_budgets(TEAM, {"max_groups": 0, "max_premises": 0}).find_zero() == "max_premises"
    assert lower_budgets(TEAM, {"max_cost_usd": 0, "max_turns": 0}).find_zero() is None


def test_what_bounds_the_outcome_belongs_into_the_digest_and_the_duration_does_not() -> None:
    bounds = TEAM.bounds()
    assert bounds["max_outputs"] == 5
    assert "max_duration_seconds" not in bounds


def test_each_budget_is_described_with_what_was_used() -> None:
    described = TEAM.describe({"max_outputs": 3})
    assert {"name": "max_outputs", "limit": 5, "used": 3} in described
    assert {"name": "max_turns", "limit": TEAM.max_turns, "used": 0} in described
