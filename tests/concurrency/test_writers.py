"""Eight clients at once on the same entities, predicates and sources: nothing is lost, everything is explained.

`DENSEMEM_WRITERS_SECONDS` says for how long (3 unless set; 60 is the long form), `DENSEMEM_WRITERS_SEED` draws.
"""

import asyncio
import os
import random
import sys
from dataclasses import replace
from time import monotonic

import psycopg
import pytest

from app.api.app import create_app
from app.kernel.database import Database, Scope
from app.kernel.settings import Settings
from app.ledger.founding import found_team
from app.tenancy.callers import Caller
from app.tenancy.teams import create_profile, new_team_id
from tests.api.client import Api
from tests.concurrency.ledger_checks import find_broken
from tests.concurrency.writers import EXPLAINED, Tally, Writer, place_until
from tests.databases import admin_url, create_database, drop_database, service_url

SECONDS = float(os.environ.get("DENSEMEM_WRITERS_SECONDS", "3"))
SEED = int(os.environ.get("DENSEMEM_WRITERS_SEED", "1"))
WRITERS, PROFILES, WORKERS = 8, 4, 2


async def test_eight_writers_lose_no_update_and_meet_no_deadlock(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    # A database of its own: the workers lease whatever is due.
    name = create_database()
    database = Database(settings.model_copy(update={"pool_size": 16}), url=service_url(name))
    await database.open()
    try:
        callers = await found(database)
        api, tally = Api(create_app(database, settings), database), Tally()
        end = monotonic() + SECONDS
        writers = [
            Writer(
                await api.client(callers[n % PROFILES]),
                random.Random(SEED * 1000 + n),
                tally,
                n % PROFILES,
                n,
            )
            for n in range(WRITERS)
        ]
        writing = asyncio.gather(*(writer.write_until(end) for writer in writers))
        await asyncio.gather(
            writing, *(place_until(database, tally, f"w{n}", writing) for n in range(WORKERS))
        )
        broken = await find_broken(database, callers[0].team_id)
        deadlocks = count_deadlocks(name)
    finally:
        await database.close()
        drop_database(name)
    unexplained = sum(count for (_, code), count in tally.answers.items() if code not in EXPLAINED)
    with capsys.disabled():
        sys.stdout.write(
            f"\n{WRITERS} writers for {SECONDS:g} s: {sum(tally.answers.values())} requests,"
            f" {tally.placed} placements; lost updates {sum(map(len, broken.values()))},"
            f" deadlocks {deadlocks} (run again by the service), unexplained answers {unexplained}\n"
            f"{dict(sorted(tally.answers.items()))}\n"
        )
    assert tally.codes <= EXPLAINED
    assert broken == {}
    assert tally.answers["remember", "ok"] > SECONDS
    assert tally.placed >= tally.answers["remember", "ok"]


def count_deadlocks(database_name: str) -> int:
    """Return how many deadlocks PostgreSQL has broken in the database; a client must have met none of them."""
    with psycopg.connect(admin_url(database_name)) as connection:
        row = connection.execute(
            "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
        ).fetchone()
    assert row is not None
    return int(row[0])


async def found(database: Database) -> list[Caller]:
    """Make a team and return the callers of its profiles."""
    team_id = new_team_id()
    scope = Scope("app", team_id)
    await database.unit_of_work(scope, lambda w: found_team(w, team_id, "Writers"))
    caller = Caller(
        "key_00000000000000000000000000", team_id, "", frozenset({"read", "write", "operate"}), "primary"
    )
    profiles = [
        await database.unit_of_work(scope, lambda w, n=n: create_profile(w, team_id, f"Profile {n}"))  # type: ignore[misc]  # mypy can't infer a lambda with a default.
        for n in range(PROFILES)
    ]
    return [replace(caller, profile_id=profile.profile_id) for profile in profiles]
