"""What a team's providers were paid."""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Literal

from pydantic import Field

from app.api.wire.shapes import Answer, Closed
from app.dreaming.spending.costs import DreamCost
from app.remember.provider.usage import VerifierCost


class CostsQuery(Closed):
    """How far back, today included."""

    days: int = Field(default=30, ge=1, le=366)


class CostAnswer(Answer):
    """One model on one day; of the team's zone for dreaming, of UTC for verifying."""

    day: date
    purpose: Literal["dream", "verify"]
    model: str
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cost_usd: float
    unsettled_usd: float = Field(description="What of it is reserved and not yet charged.")


class CostsAnswer(Answer):
    """Costs by day, newest first, and how the daily budgets stand: dreaming and verifying have one each."""

    items: list[CostAnswer]
    total_usd: float
    today_usd: float = Field(description="What dreaming has cost today in the team's zone.")
    verifying_today_usd: float = Field(description="What verifying has cost today in UTC.")
    max_daily_cost_usd: float


def write_costs(dreams: Sequence[DreamCost], verdicts: Sequence[VerifierCost]) -> list[CostAnswer]:
    """Return both kinds of costs as one list, newest day first."""
    items = [
        CostAnswer(
            day=cost.day,
            purpose="dream",
            model=cost.model,
            input_tokens=cost.usage.input_tokens,
            output_tokens=cost.usage.output_tokens,
            cache_read_tokens=cost.usage.cache_read_tokens,
            cache_write_tokens=cost.usage.cache_write_tokens,
            cost_usd=cost.usage.cost_usd,
            unsettled_usd=cost.unsettled_usd,
        )
        for cost in dreams
    ]
    items += [
        CostAnswer(
            day=cost.day,
            purpose="verify",
            model=cost.model,
            input_tokens=cost.tokens.input,
            output_tokens=cost.tokens.output,
            cache_read_tokens=cost.tokens.cache_read,
            cache_write_tokens=cost.tokens.cache_write,
            cost_usd=float(cost.cost_usd),
            unsettled_usd=float(cost.unsettled_usd),
        )
        for cost in verdicts
    ]
    return sorted(items, key=lambda item: item.day, reverse=True)


def add_up(verdicts: Iterable[VerifierCost]) -> float:
    """Return what they cost together, in US dollars."""
    return float(sum(cost.cost_usd for cost in verdicts))
