"""What is asked of a database that has one connection."""

from typing import LiteralString

import psycopg

from app.kernel.database import Reading, Scope

APP = Scope("app")
NUMBER: LiteralString = "SELECT %(number)s::int AS number"


async def read_number(reading: Reading, number: int) -> int:
    row = await reading.fetch_one(NUMBER, {"number": number})
    assert row is not None
    found: int = row["number"]
    return found


async def find_sleeping(admin: psycopg.AsyncConnection) -> list[int]:
    cursor = await admin.execute(
        "SELECT pid FROM pg_stat_activity"
        " WHERE datname = current_database() AND state = 'active' AND wait_event = 'PgSleep'"
    )
    return [process_id for (process_id,) in await cursor.fetchall()]
