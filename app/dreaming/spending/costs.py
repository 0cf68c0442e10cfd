"""What dreaming has cost a team, by day of its zone and model."""

from dataclasses import dataclass
from datetime import date
from typing import LiteralString

from app.dreaming.spending.purse import Usage
from app.dreaming.spending.usage import read_usage
from app.kernel.database import Reading


@dataclass(frozen=True, slots=True)
class DreamCost:
    """What one model was paid on one day; `unsettled_usd` is what of it is only reserved so far."""

    day: date
    model: str
    usage: Usage
    unsettled_usd: float


async def read_dream_costs(reading: Reading, team_id: str, *, since: date) -> list[DreamCost]:
    """Return what runs have spent or reserved since that day, the newest day first, then by model."""
    rows = await reading.fetch_all(_READ, {"team_id": team_id, "since": since})
    return [DreamCost(row["day"], row["model"], read_usage(row), float(row["unsettled_usd"])) for row in rows]


_READ: LiteralString = """
    SELECT day, model, sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
           sum(cache_read_tokens) AS cache_read_tokens, sum(cache_write_tokens) AS cache_write_tokens,
           sum(turns) AS turns, sum(cost_usd) AS cost_usd,
           coalesce(sum(cost_usd) FILTER (WHERE NOT is_settled), 0) AS unsettled_usd
    FROM spending WHERE team_id = %(team_id)s AND day >= %(since)s
    GROUP BY day, model ORDER BY day DESC, model
"""
