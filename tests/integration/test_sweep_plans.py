"""A batch of the sweep looks its rows up by key, whatever the statistics know of the team."""

from datetime import timedelta
from typing import Any, Final, LiteralString

import psycopg
from psycopg import sql

from app.hypotheses.staleness import STALE_ENDED
from app.kernel.database import Database, Scope
from app.tenancy.callers import Caller
from tests.conftest import found_caller
from tests.databases import unruled_url
from tests.integration.test_sweep import make_guess
from tests.moments import NOW

COPIES: Final = 4_000
GUESSES: Final = 1_000
BATCH: Final = 200
CLONE: Final[LiteralString] = """
    INSERT INTO {table}
    SELECT (jsonb_populate_record(original, {changes})).*
    FROM {table} AS original, generate_series(1, {count}) AS number WHERE original.team_id = {team_id}
"""


def clone(
    connection: psycopg.Connection, table: str, team_id: str, count: int, changes: LiteralString
) -> None:
    """Copy the team's one row of the table so many times, as the database's administrator."""
    connection.execute(
        sql.SQL(CLONE).format(
            table=sql.Identifier(table),
            count=sql.Literal(count),
            team_id=sql.Literal(team_id),
            changes=sql.SQL(changes),
        )
    )


def count_rows(node: dict[str, Any]) -> int:  # A node of a plan, as PostgreSQL gives it.
    """Return how many rows the plan touched in all, those that a filter threw away included."""
    own = (
        node["Actual Rows"]
        + node.get("Rows Removed by Filter", 0)
        + node.get("Rows Removed by Join Filter", 0)
    )
    return int(own * node["Actual Loops"]) + sum(count_rows(child) for child in node.get("Plans", ()))


async def test_a_batch_looks_its_rows_up_by_key_in_a_team_that_the_statistics_do_not_know(
    private: Database, private_name: str
) -> None:
    team = await found_caller(private)
    await make_guess(private, team)
    with psycopg.connect(unruled_url(private_name)) as connection:
        grow_team(connection, team.team_id, COPIES)
    # Every predicate for each, twice; never the team, nor the batch itself, for each.
    assert await count_rows_of_a_batch(private, team) < 400 * BATCH + COPIES + GUESSES


async def test_a_batch_works_out_no_whole_team_where_the_statistics_know_other_ones(
    private: Database, private_name: str
) -> None:
    known, team = await found_caller(private), await found_caller(private)
    await make_guess(private, known)
    await make_guess(private, team)
    with psycopg.connect(unruled_url(private_name)) as connection:
        grow_team(connection, known.team_id, COPIES)
        connection.execute("ANALYZE")
        grow_team(connection, team.team_id, GUESSES)
    assert await count_rows_of_a_batch(private, team) < 600 * BATCH + 3 * GUESSES


def grow_team(connection: psycopg.Connection, team_id: str, copies: int) -> None:
    """Copy the team's one Relationship with its evidence, and its Hypothesis with its source."""
    copy: LiteralString = (
        "jsonb_build_object('relationship_id', 'rel_' || number, 'citation_id', 'cit_' || number)"
    )
    named: LiteralString = """jsonb_build_object(
        'id', 'rel_' || number, 'semantic_group_key', 'g' || number, 'target_identity', 't' || number)"""
    quote: LiteralString = "jsonb_build_object('id', 'cit_' || number, 'evidence_id', 'evd_' || number)"
    guess: LiteralString = "jsonb_build_object('id', 'hyp_' || number, 'target_identity', 'h' || number)"
    source: LiteralString = """jsonb_build_object(
        'hypothesis_id', 'hyp_' || number, 'relationship_id', 'rel_' || number)"""
    clone(connection, "evidence", team_id, copies, "jsonb_build_object('id', 'evd_' || number)")
    clone(connection, "citations", team_id, copies, quote)
    clone(connection, "relationships", team_id, copies, named)
    clone(connection, "supports", team_id, copies, copy)
    clone(connection, "hypotheses", team_id, GUESSES, guess)
    clone(connection, "hypothesis_sources", team_id, GUESSES, source)


async def count_rows_of_a_batch(database: Database, team: Caller) -> int:
    """Return how many rows are touched for the first of these Hypotheses; they become stale."""
    params = {
        "team_id": team.team_id,
        "ids": [f"hyp_{number}" for number in range(1, BATCH + 1)],
        "regenerated_ids": [],
        "is_complete": False,
        "cycle_run_id": None,
        "expired_before": NOW - timedelta(days=90),
    }
    explain: LiteralString = "EXPLAIN (ANALYZE, FORMAT JSON) " + STALE_ENDED
    scope = Scope("dreamer", team.team_id)
    [row] = await database.unit_of_work(scope, lambda w: w.fetch_all(explain, params))
    return count_rows(row["QUERY PLAN"][0]["Plan"])
