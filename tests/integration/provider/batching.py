"""Cycles that ask the local server in batches."""

from dataclasses import dataclass
from typing import LiteralString

import psycopg

from app.dreaming.provider.batch.settlement import BATCH, settle_batch
from app.dreaming.provider.conversation import Line
from app.dreaming.runs.asking import StartRequest
from app.dreaming.runs.history import Run
from app.kernel.database import Database, Row, Scope
from app.llm.prices import BUILT_IN
from app.queue.leases import lease_due
from app.tenancy.callers import Caller
from tests.cycles import (
    Pattern,
    lease_run,
    queue_run,
    read_run,
    run_cycle,
)
from tests.databases import unruled_url
from tests.dreamer import Shown, read_shown
from tests.provider_server.batches import Batch, succeeded
from tests.provider_server.replies import Said, message_of
from tests.provider_server.server import ProviderServer

IN_BATCH = StartRequest(provider_mode="batch")
USAGE = {
    "input_tokens": 1000,
    "output_tokens": 200,
    "cache_read_input_tokens": 0,
    "cache_creation_input_tokens": 0,
    "service_tier": "batch",
}
HALF_PRICE = (1000 * 4 + 200 * 20) / 1_000_000 / 2


@dataclass(slots=True)
class Batched:
    """A team with a pattern, and a line to a local provider."""

    database: Database
    team: Caller
    pattern: Pattern
    server: ProviderServer
    line: Line

    @property
    def batch(self) -> Batch:
        [batch] = self.server.batches.made
        return batch

    async def start(self, request: StartRequest = IN_BATCH) -> str:
        return await queue_run(self.database, self.team, request)

    async def look(self, run_id: str, *, others_write: bool = False) -> Run:
        """Let whoever is alive look at the run now."""
        await self.write(MAKE_DUE)
        lease = await lease_run(self.database, run_id)
        await run_cycle(self.database, lease, line=self.line, others_write=others_write)
        return await self.read(run_id)

    async def read(self, run_id: str) -> Run:
        return await read_run(self.database, self.team, run_id)

    async def settle(self) -> None:
        """Let a worker look after all the team's batches."""
        await self.write(MAKE_DUE)
        # One lease a team at a time: a run may have intents of which no batch came.
        for _ in range(3):
            leases = await self.database.unit_of_work(
                Scope("dreamer"),
                lambda writing: lease_due(writing, kind=BATCH, worker="settler", seconds=60, limit=100),
            )
            for lease in leases:
                if lease.team_id == self.team.team_id:
                    await settle_batch(self.database, lease, batches=self.line.batches, prices=BUILT_IN)

    async def write(self, statement: LiteralString) -> None:
        await self.database.unit_of_work(
            Scope("dreamer", self.team.team_id),
            lambda writing: writing.execute(statement, {"team_id": self.team.team_id}),
        )

    async def fetch(self, statement: LiteralString) -> list[Row]:
        async with self.database.reading(Scope("app", self.team.team_id)) as reading:
            return await reading.fetch_all(statement, {"team_id": self.team.team_id})

    def answer(self) -> None:
        """End the one batch with the idea that the pattern suggests."""
        self.batch.results = [succeeded(custom_id_of(self.batch), answer_of(self.batch))]


def custom_id_of(batch: Batch) -> str:
    return str(batch.requests[0]["custom_id"])


def shown_in(batch: Batch) -> Shown:
    return read_shown(batch.requests[0]["params"]["messages"][0]["content"])


def answer_of(batch: Batch) -> dict[str, object]:
    shown = shown_in(batch)
    group = next(group for group in shown.groups if "hints" in group)
    subject, _, object_, _ = group["hints"][0]
    idea = shown.idea(
        group,
        "Uses",
        subject=subject,
        object=object_,
        statement=f"{shown.names[subject]} might also use {shown.names[object_]}.",
    )
    return message_of(Said(text=shown.answer(idea), usage=USAGE))


async def age_intents(batched: Batched, interval: str) -> None:
    """Let the team's intents be so much older, as nobody but a superuser could."""
    with psycopg.connect(unruled_url(await name_of(batched.database)), autocommit=True) as connection:
        connection.execute(
            "UPDATE provider_batches SET created_at = created_at - %s::interval WHERE team_id = %s",
            [interval, batched.team.team_id],
        )


async def name_of(database: Database) -> str:
    async with database.reading(Scope("app")) as reading:
        row = await reading.fetch_one("SELECT current_database() AS name")
    assert row is not None
    return str(row["name"])


MAKE_DUE: LiteralString = """
    UPDATE work_items SET run_at = clock_timestamp()
    WHERE team_id = %(team_id)s AND finished_at IS NULL AND lease_expires_at IS NULL
"""
EXPIRE: LiteralString = """
    UPDATE work_items SET lease_expires_at = clock_timestamp()
    WHERE team_id = %(team_id)s AND lease_expires_at IS NOT NULL
"""
AGE: LiteralString = """
    UPDATE cycle_runs SET waiting_since = waiting_since - interval '26 hours' WHERE team_id = %(team_id)s
"""
SCHEDULE: LiteralString = """
    INSERT INTO cycle_runs (team_id, id, window_key, trigger, status, scheduled_for)
    VALUES (%(team_id)s, %(id)s, 'sched:' || %(id)s, 'scheduled', 'queued', clock_timestamp())
"""
MAPS: LiteralString = "SELECT * FROM provider_batches WHERE team_id = %(team_id)s"
PERMITS: LiteralString = "SELECT * FROM spending WHERE team_id = %(team_id)s"
OPEN_ITEMS: LiteralString = """
    SELECT kind, item_id FROM work_items WHERE team_id = %(team_id)s AND finished_at IS NULL
"""
