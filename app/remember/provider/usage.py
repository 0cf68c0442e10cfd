"""What verifying has cost a team, by day (UTC) and model; calls that are not settled count at their bound."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import LiteralString

from app.kernel.database import Reading
from app.llm.usage import Tokens


@dataclass(frozen=True, slots=True)
class VerifierCost:
    """What one model's verdicts cost a team on one day (UTC); `unsettled_usd` is what of it is only reserved."""

    day: date
    model: str
    tokens: Tokens
    cost_usd: Decimal
    unsettled_usd: Decimal


async def read_verifier_costs(reading: Reading, team_id: str, *, since: date) -> list[VerifierCost]:
    """Return what verifying has cost the team since that day, the newest day first, then by model."""
    rows = await reading.fetch_all(_READ, {"team_id": team_id, "since": since})
    return [
        VerifierCost(
            row["day"],
            row["model"],
            Tokens(
                int(row["input_tokens"]),
                int(row["output_tokens"]),
                int(row["cache_read_tokens"]),
                int(row["cache_write_tokens"]),
            ),
            row["cost_usd"],
            row["unsettled_usd"],
        )
        for row in rows
    ]


_READ: LiteralString = """
    SELECT day, model, sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
           sum(cache_read_tokens) AS cache_read_tokens, sum(cache_write_tokens) AS cache_write_tokens,
           sum(cost_usd) AS cost_usd, sum(unsettled_usd) AS unsettled_usd
    FROM (SELECT day, model, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_usd,
                 0 AS unsettled_usd
          FROM verifier_usage WHERE team_id = %(team_id)s AND day >= %(since)s
          UNION ALL
          SELECT day, model, input_tokens, output_tokens, 0, 0, cost_usd, cost_usd
          FROM verifier_permits WHERE team_id = %(team_id)s AND day >= %(since)s AND charged_usd IS NULL) AS spent
    GROUP BY day, model ORDER BY day DESC, model
"""
