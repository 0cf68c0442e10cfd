"""What a run may still spend, decided before the call."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.dreaming.spending.budgets import team_budgets
from app.dreaming.spending.purse import (
    Limits,
    Remaining,
    Spent,
    Usage,
    find_remaining,
    find_stop,
    limits_of,
    wraps_up,
)
from app.tenancy.configuration import Configuration
from tests.purses import add_usage

LIMITS = Limits(
    max_input_tokens=1000, max_output_tokens=100, max_cost_usd=1.0, max_turns=3, max_daily_cost_usd=5.0
)
CALL = Usage(input_tokens=400, output_tokens=50, turns=1, cost_usd=0.25)
NOTHING = Spent(Usage(), 0.0)


def test_the_limits_are_the_runs_budgets_and_the_teams_day() -> None:
    configuration = Configuration(max_daily_cost_usd=7.5, max_turns=2)
    limits = limits_of(team_budgets(configuration), configuration)
    assert limits == Limits(200_000, 40_000, 1.0, 2, 7.5)


def test_a_call_that_exactly_uses_up_every_budget_is_allowed() -> None:
    whole = Usage(input_tokens=700, output_tokens=100, cache_read_tokens=300, turns=3, cost_usd=1.0)
    assert find_stop(LIMITS, Spent(Usage(), 4.0), whole) is None


@pytest.mark.parametrize(
    ("spent", "stop"),
    [
        (Spent(Usage(input_tokens=601), 0), "max_input_tokens"),
        (Spent(Usage(cache_read_tokens=300, cache_write_tokens=301), 0), "max_input_tokens"),
        (Spent(Usage(output_tokens=51), 0), "max_output_tokens"),
        (Spent(Usage(cost_usd=0.750001), 0), "max_cost_usd"),
        (Spent(Usage(turns=3), 0), "max_turns"),
        (Spent(Usage(), 4.750001), "max_daily_cost_usd"),
    ],
)
def test_each_budget_stops_the_call_that_would_pass_it_under_its_name(spent: Spent, stop: str) -> None:
    assert find_stop(LIMITS, spent, CALL) == stop


@pytest.mark.parametrize("name", Limits.__dataclass_fields__)
def test_a_budget_of_0_means_none_also_for_a_call_that_costs_nothing(name: str) -> None:
    limits = Limits(**{each: 0 if each == name else 10 for each in Limits.__dataclass_fields__})
    assert find_stop(limits, NOTHING, Usage()) == name


def test_ten_dimes_are_a_dollar() -> None:
    dime, spent = Usage(cost_usd=0.1), Usage()
    for _ in range(10):
        assert find_stop(LIMITS, Spent(spent, 0), dime) is None
        spent = add_usage(spent, dime)
    assert find_stop(LIMITS, Spent(spent, 0), Usage(cost_usd=0.000001)) == "max_cost_usd"


@pytest.mark.parametrize(
    ("of_run", "today", "left"),
    [
        (0.25, 0.25, Remaining(Usage(1000, 100, turns=3, cost_usd=0.75), "max_cost_usd")),
        (0.25, 4.5, Remaining(Usage(1000, 100, turns=3, cost_usd=0.5), "max_daily_cost_usd")),
        (0.25, 9.0, Remaining(Usage(1000, 100, turns=3), "max_daily_cost_usd")),
        (1.5, 9.0, Remaining(Usage(1000, 100, turns=3), "max_cost_usd")),
    ],
)
def test_what_remains_says_which_budget_leaves_no_more_money(
    of_run: float, today: float, left: Remaining
) -> None:
    assert find_remaining(LIMITS, Spent(Usage(cost_usd=of_run), today)) == left


def test_no_group_is_started_from_80_percent_of_the_cost_on() -> None:
    assert not wraps_up(LIMITS, Spent(Usage(cost_usd=0.799999), 0))
    assert wraps_up(LIMITS, Spent(Usage(cost_usd=0.8), 0))


parts = st.builds(
    Usage,
    input_tokens=st.integers(0, 2000),
    output_tokens=st.integers(0, 200),
    cache_read_tokens=st.integers(0, 500),
    turns=st.integers(0, 5),
    cost_usd=st.integers(0, 2_000_000).map(lambda micro: micro / 1_000_000),
)


@given(parts, st.floats(0, 10))
def test_what_remains_is_what_one_more_call_may_use(spent: Usage, today: float) -> None:
    so_far = Spent(spent, today)
    left = find_remaining(LIMITS, so_far).usage
    overdrawn = (
        spent.all_input_tokens() > 1000
        or spent.output_tokens > 100
        or spent.turns > 3
        or spent.cost_usd > 1
        or today > 5
    )
    assert (find_stop(LIMITS, so_far, left) is None) == (not overdrawn)
    one_more = add_usage(left, Usage(input_tokens=1, output_tokens=1, turns=1, cost_usd=0.000001))
    assert find_stop(LIMITS, so_far, one_more) is not None
