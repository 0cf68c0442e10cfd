"""Each queue statement costs a few blocks, with any backlog and with statistics of any age."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, LiteralString

import psycopg
import pytest
from psycopg import sql

from app.queue import statements
from tests.databases import admin_url, create_database, drop_database
from tests.plans import blocks, explain

KIND: Final = "placement"
KEY: Final = {"team_id": "team_1", "kind": KIND, "item_id": "item_7"}
OWNER: Final = KEY | {"epoch": 1}
# What each statement is called with; `finds` is the index by which it finds its rows.
SEARCHES: Final[Mapping[LiteralString, Mapping[str, object]]] = {
    statements.LEASE_DUE: {"kind": KIND, "worker": "w", "seconds": 60, "limit": 2, "after": "team_1"},
    statements.SECONDS_UNTIL_DUE: {"kind": KIND},
}
BY_KEY: Final[Mapping[LiteralString, Mapping[str, object]]] = {
    statements.RENEW: OWNER | {"seconds": 60},
    statements.HOLD: OWNER,
    statements.FINISH: OWNER,
    statements.HAND_BACK: OWNER | {"spent": 0, "delay_seconds": 5},
    statements.CANCEL: KEY,
    statements.LOCK_ITEM: KEY,
    statements.REOPEN: KEY,
}
# Seen: about 25 for a lease, 10 by key; the next moment costs about 15 for each of the ten teams.
MOST_BLOCKS: Final = 60
MOST_BLOCKS_OVER_TEAMS: Final = 250


@pytest.fixture(scope="module")
def connection() -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
    """A database of its own, where nobody renews the statistics behind the tests' back."""
    name = create_database()
    with psycopg.connect(admin_url(name), autocommit=True) as connection:
        connection.execute("ALTER TABLE work_items SET (autovacuum_enabled = false)")
        connection.execute("SET session_replication_role = replica")  # Rows without teams.
        yield connection
    drop_database(name)


@pytest.mark.parametrize(
    ("rows_then", "rows_now", "is_finished"),
    [
        (0, 0, False),
        (0, 1_000, False),
        (1_000, 1_000, False),
        (0, 100_000, False),
        (100_000, 100_000, False),
        # All that the statistics know of as due is finished by now, and the other way round.
        (1_000, 100_000, True),
    ],
)
def test_queue_statements_cost_a_few_blocks_whatever_the_statistics_say(
    connection: psycopg.Connection[tuple[Any, ...]], rows_then: int, rows_now: int, is_finished: bool
) -> None:
    connection.execute("RESET ROLE")
    connection.execute("TRUNCATE work_items")
    fill(connection, 0, rows_then)
    if rows_then > 0:
        # Nobody analyzes an empty table: what a young deployment prepares is planned without statistics.
        connection.execute("ANALYZE work_items")
    fill(connection, rows_then, rows_now)
    if is_finished:
        connection.execute(
            "UPDATE work_items SET finished_at = now(), lease_expires_at = NULL, worker = NULL"
            " WHERE item_id <> 'item_7'"
        )
        connection.execute("VACUUM work_items")  # Does not touch the statistics of columns.
    connection.execute("SET ROLE densemem_app")
    for mode in ("force_custom_plan", "force_generic_plan"):
        connection.execute(sql.SQL("SET plan_cache_mode = {}").format(sql.Literal(mode)))
        for query, values in {**SEARCHES, **BY_KEY}.items():
            plan = explain(connection, query, values)
            told = f"{mode}: {query}\n{plan}"
            assert "Seq Scan on work_items" not in plan, told
            goes_over_teams = query == statements.SECONDS_UNTIL_DUE
            assert blocks(plan) <= (MOST_BLOCKS_OVER_TEAMS if goes_over_teams else MOST_BLOCKS), told
            assert ("work_items_due" in plan) == (query in SEARCHES), told


def fill(connection: psycopg.Connection[tuple[Any, ...]], first: int, end: int) -> None:
    """Add rows that are due: nine in ten of one team, the others of nine more; a tenth is leased."""
    connection.execute(_FILL, {"kind": KIND, "first": first, "last": end - 1})


_FILL: LiteralString = """
    INSERT INTO work_items (team_id, kind, item_id, run_at, epoch, lease_expires_at, worker)
    SELECT CASE WHEN i %% 10 = 0 THEN 'team_' || i / 10 %% 10 ELSE 'team_1' END, %(kind)s, 'item_' || i,
           now() - i * interval '1 ms', 1,
           CASE WHEN i %% 10 = 7 THEN now() + interval '1 hour' END, CASE WHEN i %% 10 = 7 THEN 'other' END
    FROM generate_series(%(first)s::int, %(last)s::int) AS i
"""
