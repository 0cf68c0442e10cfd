"""Purses in memory: what a run, and what verdicts may spend, and everything that was asked of them."""

from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from decimal import Decimal

from app.dreaming.spending.purse import (
    Limits,
    Permit,
    Remaining,
    Spent,
    Stopped,
    Usage,
    find_remaining,
    find_stop,
    wraps_up,
)
from app.llm.prices import BUILT_IN, PriceTable
from app.llm.rates import is_accounted
from app.llm.usage import Usage as Tokens
from app.remember.provider.permits import Bound
from app.remember.provider.permits import Permit as VerdictPermit

AMPLE = Limits(
    max_input_tokens=200_000, max_output_tokens=50_000, max_cost_usd=5.0, max_turns=3, max_daily_cost_usd=9.0
)


@dataclass(slots=True)
class MemoryPurse:
    """Keeps permits and what they were settled with; an open one counts at its estimate."""

    limits: Limits = AMPLE
    permits: list[Permit] = field(default_factory=list)
    settled: dict[str, Usage] = field(default_factory=dict)

    async def reserve(self, estimate: Usage, *, model: str) -> Permit | Stopped:
        stop = find_stop(self.limits, self.spent(), estimate)
        if stop is not None:
            return Stopped(stop)
        permit = Permit(f"pmt_{len(self.permits)}", "team", "run", model, estimate)
        self.permits.append(permit)
        return permit

    async def settle(self, permit: Permit, actual: Usage) -> None:
        self.settled.setdefault(permit.permit_id, actual)

    async def open_permits(self) -> tuple[Permit, ...]:
        return tuple(permit for permit in self.permits if permit.permit_id not in self.settled)

    async def remaining(self) -> Remaining:
        return find_remaining(self.limits, self.spent())

    async def is_wrapping_up(self) -> bool:
        return wraps_up(self.limits, self.spent())

    def spent(self) -> Spent:
        total = Usage()
        for permit in self.permits:
            total = add_usage(total, self.settled.get(permit.permit_id, permit.estimate))
        return Spent(total, total.cost_usd)


@dataclass(slots=True)
class VerdictPurse:
    """Keeps the permits of verdicts and what they were settled with; an open one counts at its bound."""

    limit: Decimal = Decimal(100)
    prices: PriceTable = BUILT_IN
    permits: list[VerdictPermit] = field(default_factory=list)
    settled: dict[str, Tokens] = field(default_factory=dict)

    async def reserve(self, bound: Bound) -> VerdictPermit | None:
        if self.spent() + bound.cost_usd > self.limit:
            return None
        permit = VerdictPermit(f"pmt_{len(self.permits)}", datetime.now(UTC).date(), bound)
        self.permits.append(permit)
        return permit

    async def settle(self, permit: VerdictPermit, usage: Tokens) -> None:
        if is_accounted(usage, self.prices, asked=permit.bound.model, bound_usd=permit.bound.cost_usd):
            self.settled.setdefault(permit.permit_id, usage)

    def spent(self) -> Decimal:
        """Return what the permits come to."""
        costs = (
            self.prices.cost(self.settled[one.permit_id], asked=one.bound.model)
            if one.permit_id in self.settled
            else one.bound.cost_usd
            for one in self.permits
        )
        return sum(costs, Decimal(0))

    def used(self) -> Tokens:
        """Return what was settled, all permits together."""
        return sum(self.settled.values(), Tokens())


def add_usage(one: Usage, other: Usage) -> Usage:
    """Return the sum, each part by itself."""
    return Usage(**{part.name: getattr(one, part.name) + getattr(other, part.name) for part in fields(Usage)})
