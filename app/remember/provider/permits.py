"""Leave to ask for one verdict: a row before each call, counted at the dearest answer until it is settled.

A permit is committed before anything is sent, so whoever dies afterwards leaves the call counted at its bound, on
the day on which it was made. A team's permits are given out one at a time: two workers together never pass a limit
that each alone would keep.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Final, LiteralString, Protocol

from app.kernel.database import Database, Reading, Scope, Writing
from app.kernel.ids import new_id
from app.llm.prices import PriceTable, round_up
from app.llm.rates import is_accounted
from app.llm.usage import Usage
from app.tenancy.configuration import effective_configuration

# No call lives as long: whoever holds an older permit has died, or nobody knows what its call did use.
LOST_AFTER: Final = timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """What one call takes at most, the answers of all models that may be paid for together."""

    model: str
    input_tokens: int
    output_tokens: int
    cost_usd: Decimal


@dataclass(frozen=True, slots=True)
class Permit:
    """Leave to make one call within the bound; it counts on `day` (UTC)."""

    permit_id: str
    day: date
    bound: Bound


class Purse(Protocol):
    """What verdicts may cost one team."""

    @property
    def prices(self) -> PriceTable: ...

    async def reserve(self, bound: Bound) -> Permit | None:
        """Return a durable permit for one call, or None where the day's money does not cover its bound."""

    async def settle(self, permit: Permit, usage: Usage) -> None:
        """Leave the permit charged with what the call did use; a second time changes nothing.

        Where nobody can know what that was it goes on to count at its bound.
        """


@dataclass(frozen=True, slots=True)
class TeamPurse:
    """The purse of one team; its `max_daily_cost_usd` bounds verdicts by themselves, by the day in UTC."""

    database: Database
    team_id: str
    prices: PriceTable
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)

    async def reserve(self, bound: Bound) -> Permit | None:
        permit = Permit(new_id("pmt"), self.clock().date(), bound)

        async def work(writing: Writing) -> Permit | None:
            # A statement of its own, so that the next one sees what those before have reserved.
            await writing.fetch_one(_TAKE_TURN, {"team_id": self.team_id})
            spent = await _read_spent(writing, self.team_id, permit.day)
            if not await _covers(writing, self.team_id, spent, bound.cost_usd):
                return None
            await writing.execute(_INSERT, self._row(permit))
            return permit

        return await self.database.unit_of_work(Scope("app", self.team_id), work)

    async def settle(self, permit: Permit, usage: Usage) -> None:
        asked = permit.bound.model
        if not is_accounted(usage, self.prices, asked=asked, bound_usd=permit.bound.cost_usd):
            return
        named = usage.rename(partial(self.prices.name_model, asked=asked))
        costs = {
            model: self.prices.cost(Usage({model: tokens}), asked=asked)
            for model, tokens in named.by_model.items()
        }
        rows: list[Mapping[str, object]] = [
            {
                "team_id": self.team_id,
                "day": permit.day,
                "model": model,
                "input_tokens": tokens.input,
                "output_tokens": tokens.output,
                "cache_read_tokens": tokens.cache_read,
                "cache_write_tokens": tokens.cache_write,
                "cost_usd": costs[model],
            }
            for model, tokens in sorted(named.by_model.items())
        ]
        charged = {
            "team_id": self.team_id,
            "id": permit.permit_id,
            "charged_usd": sum(costs.values(), Decimal(0)),
        }

        async def work(writing: Writing) -> None:
            if await writing.execute(_SETTLE, charged):
                await writing.execute_many(_ADD, rows)

        await self.database.unit_of_work(Scope("app", self.team_id), work)

    async def has_room(self, cost_usd: Decimal) -> bool:
        """Say whether the day has room for such a call beside what is spent.

        Calls under way are left out: most of what they have reserved is soon free again.
        """
        now = self.clock()
        async with self.database.reading(Scope("app", self.team_id)) as reading:
            spent = await _read_spent(reading, self.team_id, now.date(), made_before=now - LOST_AFTER)
            return await _covers(reading, self.team_id, spent, cost_usd)

    def _row(self, permit: Permit) -> Mapping[str, object]:
        bound = permit.bound
        return {
            "team_id": self.team_id,
            "id": permit.permit_id,
            "day": permit.day,
            "model": bound.model,
            "input_tokens": bound.input_tokens,
            "output_tokens": bound.output_tokens,
            "cost_usd": round_up(bound.cost_usd),
        }


async def _read_spent(
    reading: Reading, team_id: str, day: date, *, made_before: datetime | None = None
) -> Decimal:
    row = await reading.fetch_one(_SPENT, {"team_id": team_id, "day": day, "made_before": made_before})
    assert row is not None
    spent: Decimal = row["cost_usd"]
    return spent


async def _covers(reading: Reading, team_id: str, spent: Decimal, cost_usd: Decimal) -> bool:
    """Say whether the team's limit covers so much more; 0 means none, also for what costs nothing."""
    limit = Decimal(repr((await effective_configuration(reading, team_id)).max_daily_cost_usd))
    return limit > 0 and spent + round_up(cost_usd) <= limit


_TAKE_TURN: LiteralString = "SELECT pg_advisory_xact_lock(hashtextextended(%(team_id)s, 6))"

# One statement: a permit that is settled meanwhile is counted once, before or after.
_SPENT: LiteralString = """
    SELECT (SELECT coalesce(sum(cost_usd), 0) FROM verifier_usage
            WHERE team_id = %(team_id)s AND day = %(day)s)
         + (SELECT coalesce(sum(cost_usd), 0) FROM verifier_permits
            WHERE team_id = %(team_id)s AND day = %(day)s AND charged_usd IS NULL
              AND (%(made_before)s::timestamptz IS NULL OR created_at < %(made_before)s)) AS cost_usd
"""

_INSERT: LiteralString = """
    INSERT INTO verifier_permits (team_id, id, day, model, input_tokens, output_tokens, cost_usd)
    VALUES (%(team_id)s, %(id)s, %(day)s, %(model)s, %(input_tokens)s, %(output_tokens)s, %(cost_usd)s)
"""

_SETTLE: LiteralString = """
    UPDATE verifier_permits SET charged_usd = %(charged_usd)s
    WHERE team_id = %(team_id)s AND id = %(id)s AND charged_usd IS NULL
"""

_ADD: LiteralString = """
    INSERT INTO verifier_usage AS known
        (team_id, day, model, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_usd)
    VALUES (%(team_id)s, %(day)s, %(model)s, %(input_tokens)s, %(output_tokens)s, %(cache_read_tokens)s,
            %(cache_write_tokens)s, %(cost_usd)s)
    ON CONFLICT (team_id, day, model) DO UPDATE
    SET input_tokens = known.input_tokens + excluded.input_tokens,
        output_tokens = known.output_tokens + excluded.output_tokens,
        cache_read_tokens = known.cache_read_tokens + excluded.cache_read_tokens,
        cache_write_tokens = known.cache_write_tokens + excluded.cache_write_tokens,
        cost_usd = known.cost_usd + excluded.cost_usd
"""
