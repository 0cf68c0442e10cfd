"""Finding due teams costs the due ones, however many others there are and whatever the statistics say."""

from collections.abc import Iterator
from typing import Any, Final, LiteralString

import psycopg
import pytest

from app.dreaming.timing.planning import BATCH, FIND_DUE, FIND_NEXT
from tests.databases import admin_url, create_database, drop_database
from tests.plans import blocks, explain

# Seen: 7 to 9 for five due teams; all of the large table is more than 600.
MOST_BLOCKS: Final = 20


@pytest.fixture(scope="module")
def connection() -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
    """A database of its own, where nobody renews the statistics behind the tests' back."""
    name = create_database()
    with psycopg.connect(admin_url(name), autocommit=True) as connection:
        connection.execute("ALTER TABLE dream_schedules SET (autovacuum_enabled = false)")
        connection.execute("SET session_replication_role = replica")  # Rows without teams.
        yield connection
    drop_database(name)


@pytest.mark.parametrize(
    ("rows_then", "rows_now"), [(0, 0), (0, 1_000), (1_000, 1_000), (0, 100_000), (100_000, 100_000)]
)
def test_finding_due_teams_costs_the_due_ones(
    connection: psycopg.Connection[tuple[Any, ...]], rows_then: int, rows_now: int
) -> None:
    connection.execute("RESET ROLE")
    connection.execute("TRUNCATE dream_schedules")
    connection.execute(_FILL, {"first": 1, "last": rows_then})
    if rows_then > 0:
        connection.execute("ANALYZE dream_schedules")
    connection.execute(_FILL, {"first": rows_then + 1, "last": rows_now})
    connection.execute("SET ROLE densemem_dreamer")
    now = connection.execute("SELECT now()").fetchone()
    assert now is not None
    for mode in ("force_custom_plan", "force_generic_plan"):
        connection.execute("SELECT set_config('plan_cache_mode', %s, false)", (mode,))
        plan = explain(connection, FIND_DUE, {"due_at": now[0], "team_id": "", "limit": BATCH})
        assert blocks(plan) <= MOST_BLOCKS, plan
        next_plan = explain(connection, FIND_NEXT, {})
        assert blocks(next_plan) <= MOST_BLOCKS, next_plan
        # All of the small table is fewer blocks than allowed, however it is read.
        if rows_now == 100_000:
            assert "dream_schedules_due" in plan
            assert " rows=5" in plan.splitlines()[0].partition("(actual")[2], plan


# Five teams are due; the others are later, or never while dreaming is off.
_FILL: LiteralString = """
    INSERT INTO dream_schedules (team_id, next_due_at)
    SELECT 'team_' || i,
           CASE WHEN i <= 5 THEN now() - i * interval '1 s'
                WHEN i %% 3 = 0 THEN NULL ELSE now() + i * interval '1 s' END
    FROM generate_series(%(first)s::int, %(last)s::int) AS i
"""
