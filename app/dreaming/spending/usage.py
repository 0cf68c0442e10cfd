"""The durable ledger of what runs spend: a permit before each call of a provider, a charge after it.

A permit without a charge counts at its estimate: its call may have been made and paid for by a process that died.
Both tables only grow, whatever becomes of the run, so a failed or cancelled run keeps what it cost.
"""

from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime
from typing import Final, LiteralString
from zoneinfo import ZoneInfo

from app.dreaming.spending.budgets import Budgets
from app.dreaming.spending.purse import (
    Limits,
    Permit,
    Remaining,
    Spent,
    Stopped,
    Usage,
    find_remaining,
    find_stop,
    limits_of,
    wraps_up,
)
from app.kernel.database import Database, Reading, Row, Scope, Writing
from app.kernel.ids import new_id
from app.queue.leases import Lease, hold
from app.tenancy.configuration import Configuration, effective_configuration

COUNTED: Final = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "turns")


class RunPurse:
    """The purse of one leased run. Every reservation reads the settings anew, so switching off stops spending.

    Reservations of one run take turns on its work item, and a team has one live run, so two of them together
    never pass a limit that each alone would keep.
    """

    def __init__(
        self,
        database: Database,
        lease: Lease,
        budgets: Budgets,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._database = database
        self._lease = lease
        self._budgets = budgets
        self._clock = clock
        self._scope = Scope("dreamer", lease.team_id)

    async def reserve(self, estimate: Usage, *, model: str) -> Permit | Stopped:
        return await self.reserve_with(estimate, _nothing_else, model=model)

    async def reserve_with(
        self, estimate: Usage, also: Callable[[Writing, Permit], Awaitable[None]], *, model: str
    ) -> Permit | Stopped:
        """Reserve, and where that is allowed leave in the same transaction what `also` writes."""
        permit = Permit(new_id("pmt"), self._lease.team_id, self._lease.item_id, model, estimate)

        async def work(writing: Writing) -> Permit | Stopped:
            await hold(writing, self._lease)
            configuration = await effective_configuration(writing, permit.team_id)
            if not configuration.enabled:
                return Stopped("dreaming_disabled")
            day = local_day(self._clock(), configuration.timezone)
            spent = await read_spent(writing, permit.team_id, permit.run_id, day)
            stop = find_stop(limits_of(self._budgets, configuration), spent, estimate)
            if stop is not None:
                return Stopped(stop)
            await _insert_permit(writing, permit, day)
            await also(writing, permit)
            return permit

        return await self._database.unit_of_work(self._scope, work)

    async def settle(self, permit: Permit, actual: Usage) -> None:
        # Not fenced by the lease: whoever lost it has to pay all the same.
        await self._database.unit_of_work(self._scope, lambda writing: write_charge(writing, permit, actual))

    async def open_permits(self) -> tuple[Permit, ...]:
        params = {"team_id": self._lease.team_id, "run_id": self._lease.item_id}
        async with self._database.reading(self._scope) as reading:
            rows = await reading.fetch_all(_OPEN, params)
        return tuple(read_permit(row) for row in rows)

    async def remaining(self) -> Remaining:
        limits, spent = await self._read()
        return find_remaining(limits, spent)

    async def is_wrapping_up(self) -> bool:
        limits, spent = await self._read()
        return wraps_up(limits, spent)

    async def _read(self) -> tuple[Limits, Spent]:
        lease = self._lease
        async with self._database.reading(self._scope) as reading:
            configuration: Configuration = await effective_configuration(reading, lease.team_id)
            day = local_day(self._clock(), configuration.timezone)
            spent = await read_spent(reading, lease.team_id, lease.item_id, day)
        return limits_of(self._budgets, configuration), spent


def local_day(now: datetime, timezone: str) -> date:
    """Return the calendar day of the zone, which a daily budget is for.

    It is kept with each permit, so moving a team to another zone never hands out a day twice.
    """
    return now.astimezone(ZoneInfo(timezone)).date()


async def read_spent(reading: Reading, team_id: str, run_id: str, day: date) -> Spent:
    """Return what the run has spent or reserved, and the team on that day."""
    row = await reading.fetch_one(_SPENT, {"team_id": team_id, "run_id": run_id, "day": day})
    assert row is not None
    return Spent(read_usage(row), float(row["today_usd"]))


def read_usage(row: Row) -> Usage:
    """Return the usage in a row that holds its parts by name."""
    return Usage(**{name: int(row[name]) for name in COUNTED}, cost_usd=float(row["cost_usd"]))


async def read_cost_of_day(reading: Reading, team_id: str, day: date) -> float:
    """Return what the team has spent or reserved on a day of its zone, in US dollars."""
    row = await reading.fetch_one(_COST_OF_DAY, {"team_id": team_id, "day": day})
    assert row is not None
    return float(row["cost_usd"])


def read_permit(row: Row) -> Permit:
    """Return the permit in a row of its table."""
    estimate = Usage(
        input_tokens=row["input_tokens"],
        output_tokens=row["output_tokens"],
        turns=row["turns"],
        cost_usd=float(row["cost_usd"]),
    )
    return Permit(row["id"], row["team_id"], row["cycle_run_id"], row["model"], estimate)


async def _insert_permit(writing: Writing, permit: Permit, day: date) -> None:
    estimate = permit.estimate
    params = {
        "team_id": permit.team_id,
        "id": permit.permit_id,
        "run_id": permit.run_id,
        "day": day,
        "model": permit.model,
        "input_tokens": estimate.all_input_tokens(),
        "output_tokens": estimate.output_tokens,
        "turns": estimate.turns,
        "cost_usd": estimate.cost_usd,
    }
    await writing.execute(_INSERT_PERMIT, params)


async def _nothing_else(writing: Writing, permit: Permit) -> None:
    """A call that is made at once needs nothing but its permit."""


async def write_charge(writing: Writing, permit: Permit, actual: Usage) -> None:
    """Leave the permit charged with what the call did use; a second time changes nothing."""
    params = {
        "team_id": permit.team_id,
        "permit_id": permit.permit_id,
        **{name: getattr(actual, name) for name in COUNTED},
        "cost_usd": actual.cost_usd,
    }
    await writing.execute(_INSERT_CHARGE, params)


_INSERT_PERMIT: LiteralString = """
    INSERT INTO spending_permits
        (team_id, id, cycle_run_id, day, model, input_tokens, output_tokens, turns, cost_usd)
    VALUES
        (%(team_id)s, %(id)s, %(run_id)s, %(day)s, %(model)s, %(input_tokens)s, %(output_tokens)s, %(turns)s,
         %(cost_usd)s)
"""

_INSERT_CHARGE: LiteralString = """
    INSERT INTO spending_charges
        (team_id, permit_id, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, turns, cost_usd)
    VALUES
        (%(team_id)s, %(permit_id)s, %(input_tokens)s, %(output_tokens)s, %(cache_read_tokens)s,
         %(cache_write_tokens)s, %(turns)s, %(cost_usd)s)
    ON CONFLICT (team_id, permit_id) DO NOTHING
"""

_SPENT: LiteralString = """
    SELECT coalesce(sum(input_tokens), 0) AS input_tokens,
           coalesce(sum(output_tokens), 0) AS output_tokens,
           coalesce(sum(cache_read_tokens), 0) AS cache_read_tokens,
           coalesce(sum(cache_write_tokens), 0) AS cache_write_tokens,
           coalesce(sum(turns), 0) AS turns,
           coalesce(sum(cost_usd), 0) AS cost_usd,
           (SELECT coalesce(sum(cost_usd), 0) FROM spending
            WHERE team_id = %(team_id)s AND day = %(day)s) AS today_usd
    FROM spending WHERE team_id = %(team_id)s AND cycle_run_id = %(run_id)s
"""

_COST_OF_DAY: LiteralString = """
    SELECT coalesce(sum(cost_usd), 0) AS cost_usd FROM spending WHERE team_id = %(team_id)s AND day = %(day)s
"""

_OPEN: LiteralString = """
    SELECT permit.* FROM spending_permits AS permit
    WHERE permit.team_id = %(team_id)s AND permit.cycle_run_id = %(run_id)s
      AND NOT EXISTS (SELECT FROM spending_charges AS charge
                      WHERE charge.team_id = permit.team_id AND charge.permit_id = permit.id)
    ORDER BY permit.created_at, permit.id
"""
