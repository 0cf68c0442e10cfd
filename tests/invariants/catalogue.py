"""The tables under test, taken from the product itself, so that a table of tomorrow is tried as well."""

from typing import Final, LiteralString

import psycopg
from psycopg import sql

from app.kernel.database import Database, Row, Scope
from app.tables import metadata
from tests.databases import admin_url

TABLES: Final = sorted(metadata.tables)
# What a dream cycle is there to write. Everything else is knowledge, evidence, or somebody else's business.
DREAMERS_OWN: Final = frozenset(
    {
        "cycle_runs",
        "dream_schedules",
        "hypotheses",
        "hypothesis_events",
        "hypothesis_sources",
        "premise_assessments",
        "provider_batches",
        "provider_exchanges",
        "spending_charges",
        "spending_permits",
        "work_items",
        # Triggers write these, whoever causes the event.
        "event_counters",
        "team_events",
    }
)
KNOWLEDGE: Final = sorted(set(TABLES) - DREAMERS_OWN)
# Ids and times only, or looked up before the team is known: no content, so no team policy. Acts on the instance
# have no team, so `audit_events` has policies of its own, with tests of their own.
INSTANCE_TABLES: Final = frozenset(
    {
        "api_keys",
        "audit_events",
        "dream_schedules",
        "event_counters",
        "instance_settings",
        "rate_buckets",
        "teams",
        "work_items",
    }
)
TEAM_TABLES: Final = sorted(set(TABLES) - INSTANCE_TABLES)
GUESSES: Final = ("hypotheses", "hypothesis_sources", "hypothesis_events", "hypothesis_submissions")


# A team's own knowledge under one digest: what no cycle may ever change.
_KNOWLEDGE_OF_TEAM: LiteralString = (
    " UNION ALL ".join(
        f"SELECT '{table}' AS source, count(*), md5(string_agg(t::text, '|' ORDER BY t::text)) FROM {table} AS t"
        for table in sorted(set(TEAM_TABLES) - DREAMERS_OWN)
    )
    + " ORDER BY source"
)  # Read in parallel, the parts come in any order.


def columns_of(table: str) -> list[str]:
    return [column.name for column in metadata.tables[table].columns]


def fingerprint(database_name: str) -> dict[str, object]:
    """Return a digest of the whole content of each knowledge table, whatever the order of its rows."""
    digests: dict[str, object] = {}
    with psycopg.connect(admin_url(database_name)) as connection:
        for table in KNOWLEDGE:
            query = sql.SQL("SELECT count(*), md5(string_agg(t::text, '|' ORDER BY t::text)) FROM {} AS t")
            digests[table] = connection.execute(query.format(sql.Identifier(table))).fetchone()
    return digests


async def fingerprint_team(database: Database, team_id: str) -> list[Row]:
    """Return a digest of each knowledge table's rows of the team, whatever their order."""
    async with database.snapshot(Scope("app", team_id)) as reading:
        return await reading.fetch_all(_KNOWLEDGE_OF_TEAM)
