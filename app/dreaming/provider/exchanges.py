"""What was said between a run and its provider, kept for some days where the installation wants that.

Content only: what a run used and what became of it is on the run for good. After its days the content is taken out
by the database, in every team, whether or not anybody dreams there; the row stays and says that there was one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString

import psycopg
import structlog
from psycopg.types.json import Jsonb

from app.dreaming.provider.exchange import Exchange
from app.dreaming.runs.history import get_run
from app.kernel.database import Database, Reading, Scope
from app.kernel.errors import DenseMemError
from app.kernel.ids import new_id
from app.queue.leases import Lease

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class KeptExchange:
    """One turn of a run. `fault`, `request`, `answer` and `references` are None once its days are over."""

    exchange_id: str
    run_id: str
    model: str
    prompt_version: str
    turn: int
    outcome: str
    fault: str | None
    ideas: int
    malformed: int
    request: str | None
    answer: str | None
    references: Mapping[str, object] | None
    created_at: datetime
    expires_at: datetime


async def keep_exchange(database: Database, lease: Lease, exchange: Exchange, *, days: int) -> None:
    """Leave the turn stored for so many days; a fault in doing so is logged and harms no run."""
    params: dict[str, object] = {
        "team_id": lease.team_id,
        "id": new_id("xch"),
        "run_id": lease.item_id,
        "model": exchange.model,
        "prompt_version": exchange.prompt_version,
        "turn": exchange.turn,
        "outcome": exchange.outcome,
        "fault": exchange.fault,
        "ideas": exchange.ideas,
        "malformed": exchange.malformed,
        "request": exchange.request,
        "answer": exchange.answer,
        "reference_table": Jsonb(dict(exchange.references)),
        "days": days,
    }
    try:
        await database.unit_of_work(Scope("dreamer", lease.team_id), lambda w: w.execute(_KEEP, params))
    except (DenseMemError, psycopg.Error) as error:
        log.warning("an exchange was not kept", action="exchange", error=type(error).__name__)


async def list_exchanges(reading: Reading, team_id: str, run_id: str) -> tuple[KeptExchange, ...]:
    """Return the run's turns in order; empty where none was kept.

    Raises:
        NotFound: the team has no such run.
    """
    await get_run(reading, team_id, run_id)
    rows = await reading.fetch_all(_LIST, {"team_id": team_id, "run_id": run_id})
    return tuple(KeptExchange(**row) for row in rows)


async def purge_exchanges(database: Database) -> int:
    """Leave no content that is older than its days, in any team, and return how many turns that were."""
    purged = await database.unit_of_work(Scope("app"), lambda w: w.fetch_one(_PURGE, {}))
    assert purged is not None
    return int(purged["purged"])


_KEEP: LiteralString = """
    INSERT INTO provider_exchanges
        (team_id, id, cycle_run_id, model, prompt_version, turn, outcome, fault, ideas, malformed, request, answer,
         reference_table, expires_at)
    VALUES
        (%(team_id)s, %(id)s, %(run_id)s, %(model)s, %(prompt_version)s, %(turn)s, %(outcome)s, %(fault)s,
         %(ideas)s, %(malformed)s, %(request)s, %(answer)s, %(reference_table)s,
         clock_timestamp() + make_interval(days => %(days)s))
"""

# What is over is never shown, also where it has not been purged yet.
_LIST: LiteralString = """
    SELECT id AS exchange_id, cycle_run_id AS run_id, model, prompt_version, turn, outcome, ideas, malformed,
           CASE WHEN expires_at > clock_timestamp() THEN fault END AS fault,
           CASE WHEN expires_at > clock_timestamp() THEN request END AS request,
           CASE WHEN expires_at > clock_timestamp() THEN answer END AS answer,
           CASE WHEN expires_at > clock_timestamp() THEN reference_table END AS "references",
           created_at, expires_at
    FROM provider_exchanges
    WHERE team_id = %(team_id)s AND cycle_run_id = %(run_id)s
    ORDER BY created_at, id
"""

_PURGE: LiteralString = "SELECT purge_provider_exchanges() AS purged"
