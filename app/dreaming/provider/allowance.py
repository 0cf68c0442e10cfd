"""How large one call may be: what is left of the budgets, in tokens and money of those who may answer. Pure."""

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from typing import Final

from app.dreaming.spending.purse import Permit, Remaining
from app.dreaming.spending.purse import Usage as Spending
from app.llm.prices import PriceTable
from app.llm.rates import Rate, is_accounted
from app.llm.usage import Tokens, Usage

# What the model thinks and does not say is output as well.
MOST_OUTPUT_TOKENS: Final = 24_000
LEAST_OUTPUT_TOKENS: Final = 2_000
OUTPUT_TOKENS_PER_GROUP: Final = 600
THINKING_TOKENS: Final = 4_000
_MILLION: Final = Decimal(1_000_000)


@dataclass(frozen=True, slots=True)
class Allowance:
    """One call: so many tokens in and out at most for each of `answers`, and what all of them cost at most."""

    input_tokens: int
    output_tokens: int
    answers: int
    cost_usd: float

    def as_estimate(self) -> Spending:
        return Spending(
            input_tokens=self.input_tokens * self.answers,
            output_tokens=self.output_tokens * self.answers,
            turns=1,
            cost_usd=self.cost_usd,
        )


@dataclass(frozen=True, slots=True)
class Exceeded:
    """The budget that such a call would exceed, by its name."""

    budget: str


def allow_call(input_tokens: int, groups: int, remaining: Remaining, rate: Rate) -> Allowance | Exceeded:
    """Return the largest useful call that fits into what remains, or the budget that leaves no room for it."""
    left = remaining.usage
    if left.turns < 1:
        return Exceeded("max_turns")
    is_too_long = rate.most_input is not None and input_tokens > rate.most_input
    if is_too_long or input_tokens * rate.answers > left.input_tokens:
        return Exceeded("max_input_tokens")
    useful = min(MOST_OUTPUT_TOKENS, THINKING_TOKENS + OUTPUT_TOKENS_PER_GROUP * groups)
    output_tokens = min(useful, left.output_tokens // rate.answers)
    if output_tokens < LEAST_OUTPUT_TOKENS:
        return Exceeded("max_output_tokens")
    money = Decimal(str(left.cost_usd)) - rate.charge(input_tokens, 0)
    if rate.output > 0:
        affordable = (money * _MILLION / rate.output).to_integral_value(ROUND_FLOOR)
        output_tokens = min(output_tokens, max(0, int(affordable)))
    if money < 0 or output_tokens < LEAST_OUTPUT_TOKENS:
        return Exceeded(remaining.cost_budget)
    cost = float(rate.charge(input_tokens, output_tokens))
    return Allowance(input_tokens, output_tokens, rate.answers, cost)


def charge(usage: Usage, prices: PriceTable, *, asked: str) -> Spending:
    """Return what was used in the words of the team's ledger; `asked` is the model that was."""
    tokens: Tokens = usage.tokens
    return Spending(
        input_tokens=tokens.input,
        output_tokens=tokens.output,
        cache_read_tokens=tokens.cache_read,
        cache_write_tokens=tokens.cache_write,
        turns=usage.turns,
        cost_usd=float(prices.cost(usage, asked=asked)),
    )


def settle_with(permit: Permit, usage: Usage, prices: PriceTable) -> Spending | None:
    """Return what the permit is charged with.

    None where nobody can know: then it stays at its estimate, unless more than that is known to have been used.
    """
    asked = permit.model
    is_known = is_accounted(usage, prices, asked=asked, bound_usd=permit.estimate.cost_usd)
    return charge(usage, prices, asked=asked) if is_known else None
