"""Which tables hold a team's rows, and how their rows are written and read."""

from collections.abc import Mapping
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import Final, LiteralString

from app.kernel.database import Reading

# Each with why its rows are not the team's to take along.
LEFT_OUT: Final[Mapping[str, str]] = {
    "api_keys": "a key opens the instance that it was made for",
    "dream_schedules": "a restored team is planned anew",
    "relationship_embeddings": "they are made anew by the model that is there",
}


@dataclass(frozen=True, slots=True)
class TeamTable:
    """A table with the names of its columns; JSON ones are also in `json_columns`.

    Generated columns are left out, and so are numbers that the table gives: they tell an order among the rows of
    all teams, which a file tells by its lines. Tables that refer to each other share a `group`.
    """

    name: str
    columns: tuple[str, ...]
    json_columns: tuple[str, ...]
    key: tuple[str, ...]
    team_column: str
    group: str


async def read_team_tables(reading: Reading) -> tuple[TeamTable, ...]:
    """Return every table that is exported, each group after those that it refers to, otherwise by name."""
    rows = await reading.fetch_all(_REFERENCES)
    references = {(row["child"], row["parent"]) for row in rows}
    groups = {child: min(child, parent) for child, parent in references if (parent, child) in references}
    tables = {
        row["name"]: TeamTable(
            row["name"],
            tuple(row["columns"]),
            tuple(row["json_columns"]),
            tuple(row["key"]),
            "id" if row["name"] == "teams" else "team_id",
            str(groups.get(row["name"], row["name"])),
        )
        for row in await reading.fetch_all(_TABLES)
        if row["name"] not in LEFT_OUT
    }
    parents: dict[str, set[str]] = {table.group: set() for table in tables.values()}
    for child, parent in references:
        if child in tables and parent in tables and tables[child].group != tables[parent].group:
            parents[tables[child].group].add(tables[parent].group)
    sorter = TopologicalSorter(parents)
    sorter.prepare()
    ordered: list[str] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        ordered += ready
        sorter.done(*ready)
    return tuple(sorted(tables.values(), key=lambda table: (ordered.index(table.group), table.name)))


_TABLES: LiteralString = """
    SELECT c.relname AS name,
           array_agg(a.attname::text ORDER BY a.attnum) AS columns,
           coalesce(array_agg(a.attname::text ORDER BY a.attnum)
                    FILTER (WHERE a.atttypid = 'jsonb'::regtype), '{}') AS json_columns,
           (SELECT array_agg(k.attname::text ORDER BY array_position(i.indkey::int2[], k.attnum))
            FROM pg_index AS i JOIN pg_attribute AS k ON k.attrelid = c.oid AND k.attnum = ANY (i.indkey)
            WHERE i.indrelid = c.oid AND i.indisprimary) AS key
    FROM pg_class AS c
    JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
         AND a.attgenerated = '' AND a.attidentity = ''
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
      AND (c.relname = 'teams' OR EXISTS (
          SELECT FROM pg_attribute AS t
          WHERE t.attrelid = c.oid AND t.attname = 'team_id' AND NOT t.attisdropped))
    GROUP BY c.oid, c.relname
"""
_REFERENCES: LiteralString = """
    SELECT DISTINCT child.relname AS child, parent.relname AS parent
    FROM pg_constraint AS f
    JOIN pg_class AS child ON child.oid = f.conrelid
    JOIN pg_class AS parent ON parent.oid = f.confrelid
    WHERE f.contype = 'f' AND f.conrelid <> f.confrelid AND f.connamespace = 'public'::regnamespace
    ORDER BY 1, 2
"""
