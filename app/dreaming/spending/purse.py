"""What a run may still spend on a provider: asked before each call, settled after it. Pure, and the port for it.

A generator that calls a provider is given a `Purse` and uses it like this:

    answer = await purse.reserve(estimate, model="claude-…")
    if isinstance(answer, Stopped):
        return what it has, with `stopped_by=answer.stopped_by`
    … the call, with `max_tokens` no higher than `estimate.output_tokens` …
    await purse.settle(answer, actual)

* `estimate` is an upper bound of one call: all input tokens, the `max_tokens` of the call, its cost at that, one
  turn. `purse.remaining()` says how large it may be.
* `actual` is what the provider charged. A call that was refused before it cost anything (429, 529, no connection)
  is settled with `Usage()` and gives its turn back. A call whose outcome is unknown (a time-out, a dropped
  connection) is not settled: it counts at its estimate, for it may well have been charged.
* Whoever takes over a waiting or interrupted run finds what its predecessor reserved in `purse.open_permits()`.
* `settle` may be called after the run was cancelled or lost: what was charged is charged. Once a permit.
* Before it starts another group a generator asks `purse.is_wrapping_up()`: true from 80 % of the cost budget on.
* Calls may overlap; a reservation counts until it is settled. `reserve` raises LeaseLost when the term is over.

0 means none, never unlimited. Source: Design, section 6, "Budgets".
"""

from dataclasses import dataclass
from typing import Final, Literal, Protocol

from app.dreaming.spending.budgets import Budgets
from app.tenancy.configuration import Configuration

SpendingStop = Literal[
    "max_input_tokens",
    "max_output_tokens",
    "max_cost_usd",
    "max_turns",
    "max_daily_cost_usd",
    "dreaming_disabled",
]
CostBudget = Literal["max_cost_usd", "max_daily_cost_usd"]
WRAP_UP_SHARE: Final = 0.8
_MICRO: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens, turns and US dollars. `input_tokens` leaves out what was read from or written to a cache."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    turns: int = 0
    cost_usd: float = 0.0

    def all_input_tokens(self) -> int:
        """Return every token that went in, from wherever it came; the input budget bounds these."""
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run, and on one day its team, may spend."""

    max_input_tokens: int
    max_output_tokens: int
    max_cost_usd: float
    max_turns: int
    max_daily_cost_usd: float


@dataclass(frozen=True, slots=True)
class Spent:
    """What this run and, today, its team have spent or reserved; earlier attempts of the run included."""

    run: Usage
    today_usd: float


@dataclass(frozen=True, slots=True)
class Remaining:
    """What one more call could use at most; `cost_budget` is the one that leaves no more money."""

    usage: Usage
    cost_budget: CostBudget = "max_cost_usd"


@dataclass(frozen=True, slots=True)
class Permit:
    """Leave to make one call of at most `estimate`; it outlives the process that asked for it."""

    permit_id: str
    team_id: str
    run_id: str
    model: str
    estimate: Usage


@dataclass(frozen=True, slots=True)
class Stopped:
    """No call: this budget is used up, or would be by the estimate."""

    stopped_by: SpendingStop


class Purse(Protocol):
    """What one run may spend. See the module's text for how it is used."""

    async def reserve(self, estimate: Usage, *, model: str) -> Permit | Stopped:
        """Return a durable permit for one call, or which budget forbids it; LeaseLost if the term is over."""

    async def settle(self, permit: Permit, actual: Usage) -> None:
        """Leave the permit charged with what the call did use; a second time changes nothing."""

    async def open_permits(self) -> tuple[Permit, ...]:
        """Return the run's permits that nobody has settled, oldest first."""

    async def remaining(self) -> Remaining:
        """Return what one more call could use at most; cache tokens are counted as input."""

    async def is_wrapping_up(self) -> bool:
        """Say whether no new group is to be started."""


def limits_of(budgets: Budgets, configuration: Configuration) -> Limits:
    """Return the limits of a run with these budgets on a team with this configuration."""
    return Limits(
        max_input_tokens=budgets.max_input_tokens,
        max_output_tokens=budgets.max_output_tokens,
        max_cost_usd=budgets.max_cost_usd,
        max_turns=budgets.max_turns,
        max_daily_cost_usd=configuration.max_daily_cost_usd,
    )


def used_budgets(usage: Usage) -> dict[str, float]:
    """Return what of each budget of a run the usage takes, by the budget's name."""
    return {
        "max_input_tokens": usage.all_input_tokens(),
        "max_output_tokens": usage.output_tokens,
        "max_cost_usd": usage.cost_usd,
        "max_turns": usage.turns,
    }


def find_stop(limits: Limits, spent: Spent, estimate: Usage) -> SpendingStop | None:
    """Return the first budget, in the order of `SpendingStop`, that one more such call would exceed, or None.

    A limit of 0 stops every call, also one that costs nothing.
    """
    used, today = spent.run, spent.today_usd
    if _exceeds(limits.max_input_tokens, used.all_input_tokens(), estimate.all_input_tokens()):
        return "max_input_tokens"
    if _exceeds(limits.max_output_tokens, used.output_tokens, estimate.output_tokens):
        return "max_output_tokens"
    if _exceeds(_micro(limits.max_cost_usd), _micro(used.cost_usd), _micro(estimate.cost_usd)):
        return "max_cost_usd"
    if _exceeds(limits.max_turns, used.turns, estimate.turns):
        return "max_turns"
    if _exceeds(_micro(limits.max_daily_cost_usd), _micro(today), _micro(estimate.cost_usd)):
        return "max_daily_cost_usd"
    return None


def find_remaining(limits: Limits, spent: Spent) -> Remaining:
    """Return what is left of every budget, nothing below 0; the cost is the lower of the run's and the day's."""
    used = spent.run
    of_run = max(_micro(limits.max_cost_usd) - _micro(used.cost_usd), 0)
    of_day = max(_micro(limits.max_daily_cost_usd) - _micro(spent.today_usd), 0)
    usage = Usage(
        input_tokens=max(limits.max_input_tokens - used.all_input_tokens(), 0),
        output_tokens=max(limits.max_output_tokens - used.output_tokens, 0),
        turns=max(limits.max_turns - used.turns, 0),
        cost_usd=min(of_run, of_day) / _MICRO,
    )
    return Remaining(usage, "max_daily_cost_usd" if of_day < of_run else "max_cost_usd")


def wraps_up(limits: Limits, spent: Spent) -> bool:
    """Say whether 80 % of the run's cost budget are spent or reserved."""
    return _micro(spent.run.cost_usd) >= _micro(limits.max_cost_usd * WRAP_UP_SHARE)


def _exceeds(limit: int, used: int, asked: int) -> bool:
    return limit == 0 or used + asked > limit


def _micro(usd: float) -> int:
    """Return millionths of a dollar: ten times 0.1 must be 1.0 and not a little more."""
    return round(usd * _MICRO)
