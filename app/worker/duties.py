"""What a worker does at a moment rather than for an item. Safe to do in many processes at once."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from typing import Final

from app.dreaming.provider.exchanges import purge_exchanges
from app.dreaming.timing.planning import SCHEDULE, enqueue_due, seconds_until_planned
from app.events.feed import read_all_heads
from app.hypotheses.sweep import Place, sweep_some
from app.kernel.database import Database, Scope
from app.recall.embedder import Embedder
from app.recall.embeddings import embed_team
from app.remember.overlooked import reopen_overlooked

PURGE_SECONDS: Final = 600.0
SWEEP: Final = "sweep"
SECONDS_BETWEEN_ROUNDS: Final = 600.0
# Recall looks for itself whether a guess is current, so the sweep may take its time: the teams of an idle instance
# cost a statement every few seconds.
SECONDS_WITHIN_ROUND: Final = 300.0
# A look is a statement for each team by its open submissions, which are few.
SECONDS_BETWEEN_LOOKS: Final = 30.0
SECONDS_BETWEEN_EMBEDDING: Final = 5.0
# What no event tells of, such as another model in another worker, is found once in an hour.
LOOKS_BETWEEN_ALL: Final = 720


@dataclass(frozen=True, slots=True)
class Duty:
    """`fulfil` does what is due and returns in how many seconds more will be; None: nothing is known of.

    It is called at that time, at a wake-up of the kind `name`, and now and then; if paced, at that time only.
    """

    name: str
    fulfil: Callable[[], Awaitable[float | None]]
    is_paced: bool = False


def schedule_duty(database: Database) -> Duty:
    """Make a cycle of each team that is due."""

    async def plan() -> float | None:
        await enqueue_due(database, now=datetime.now(UTC))
        return await seconds_until_planned(database, now=datetime.now(UTC))

    return Duty(SCHEDULE, plan)


def purge_duty(database: Database) -> Duty:
    """Take out what was kept of exchanges with the provider for as long as was wanted."""

    async def purge() -> float | None:
        await purge_exchanges(database)
        return PURGE_SECONDS

    return Duty("purge", purge, is_paced=True)


def embed_duty(database: Database, embedder: Embedder) -> Duty:
    """Make the vectors that teams lack whose feed has moved since this process looked, and all now and then."""
    seen: dict[str, int] = {}
    looks = count()

    async def embed() -> float | None:
        if next(looks) % LOOKS_BETWEEN_ALL == 0:
            seen.clear()
        async with database.reading(Scope("app")) as reading:
            heads = await read_all_heads(reading)
        for team_id, head in heads.items():
            if seen.get(team_id) != head:
                await embed_team(database, embedder, team_id)
                seen[team_id] = head
        return SECONDS_BETWEEN_EMBEDDING

    return Duty("embed", embed, is_paced=True)


def overlooked_duty(database: Database) -> Duty:
    """Make due again what is to be placed and has no work left that would, of some teams in turn."""
    last_team: str | None = None

    async def look() -> float | None:
        nonlocal last_team
        last_team = await reopen_overlooked(database, after=last_team or "")
        return SECONDS_BETWEEN_ROUNDS if last_team is None else SECONDS_BETWEEN_LOOKS

    return Duty("overlooked", look, is_paced=True)


def sweep_duty(database: Database) -> Duty:
    """Stale what no event told of, some of every team in turn."""
    place: Place | None = None

    async def sweep() -> float | None:
        nonlocal place
        place = (await sweep_some(database, after=place, now=datetime.now(UTC))).next_place
        return SECONDS_BETWEEN_ROUNDS if place is None else SECONDS_WITHIN_ROUND

    return Duty(SWEEP, sweep, is_paced=True)
