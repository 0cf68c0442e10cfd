"""The ledger of what verifying costs: one row a team, day (UTC) and model, that only grows."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import LiteralString

from app.kernel.database import Database, Reading, Scope
from app.llm.prices import PriceTable
from app.llm.usage import Tokens, Usage
from app.tenancy.configuration import effective_configuration


@dataclass(frozen=True, slots=True)
class VerifierCost:
    """What one model's verdicts cost a team on one day (UTC)."""

    day: date
    model: str
    tokens: Tokens
    cost_usd: Decimal


async def charge_verifier(database: Database, team_id: str, usage: Usage, prices: PriceTable) -> None:
    """Leave the usage added to the team's of today."""
    rows: list[Mapping[str, object]] = [
        {
            "team_id": team_id,
            "day": datetime.now(UTC).date(),
            "model": model,
            "input_tokens": tokens.input,
            "output_tokens": tokens.output,
            "cache_read_tokens": tokens.cache_read,
            "cache_write_tokens": tokens.cache_write,
            "cost_usd": prices.cost(Usage({model: tokens})),
        }
        for model, tokens in sorted(usage.by_model.items())
    ]
    await database.unit_of_work(Scope("app", team_id), lambda w: w.execute_many(_ADD, rows))


async def has_verifier_budget(database: Database, team_id: str) -> bool:
    """Say whether verdicts have cost the team less today (UTC) than its `max_daily_cost_usd`; 0 means none."""
    params = {"team_id": team_id, "day": datetime.now(UTC).date()}
    async with database.reading(Scope("app", team_id)) as reading:
        configuration = await effective_configuration(reading, team_id)
        row = await reading.fetch_one(_COST_OF_DAY, params)
    assert row is not None
    return float(row["cost_usd"]) < configuration.max_daily_cost_usd


async def read_verifier_costs(reading: Reading, team_id: str, *, since: date) -> list[VerifierCost]:
    """Return what verifying has cost the team since that day, the newest day first, then by model."""
    rows = await reading.fetch_all(_READ, {"team_id": team_id, "since": since})
    return [
        VerifierCost(
            row["day"],
            row["model"],
            Tokens(
                row["input_tokens"],
                row["output_tokens"],
                row["cache_read_tokens"],
                row["cache_write_tokens"],
            ),
            row["cost_usd"],
        )
        for row in rows
    ]


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

_COST_OF_DAY: LiteralString = """
    SELECT coalesce(sum(cost_usd), 0) AS cost_usd FROM verifier_usage
    WHERE team_id = %(team_id)s AND day = %(day)s
"""

_READ: LiteralString = """
    SELECT * FROM verifier_usage WHERE team_id = %(team_id)s AND day >= %(since)s ORDER BY day DESC, model
"""
