"""The rows that a team's placements left, inserted once more for another team: as fast as the database goes.

The same tables, columns, constraints, triggers and row security in one transaction, without anything that has to
be looked up, decided or locked: what `remember` could reach at the very most.
"""

from dataclasses import dataclass, replace
from typing import Final, LiteralString

from psycopg import sql
from psycopg.types.json import Jsonb

from app.kernel.database import Database, Params, Row, Scope, Writing
from app.kernel.statements import Statement

# Parents first. What the database makes by itself is left out: the search vector, the numbers of events, and the
# time at which a row came.
_TABLES: Final = (
    *("profiles", "entities", "entity_names", "typed_values", "sources", "source_revisions", "evidence"),
    *("citations", "ingests", "ingest_evidence", "relationships", "relationship_transitions"),
    *("relationship_documents", "verification_events", "supports", "support_events", "placement_outcomes"),
)
_CAME: Final = frozenset({"created_at", "opened_at"})
_MADE_BY_THE_DATABASE: Final = {
    "entity_names": {"spelling"},
    "relationship_documents": {"search"},
    "support_events": {"id"},
}
_JSON_COLUMNS: Final = frozenset({"metadata", "proposal", "errors"})
_GROUP_KEYS: LiteralString = """
    SELECT r.id, (identities_of(%(to_team)s, r.subject_entity_id, r.predicate_key,
                                coalesce(r.object_entity_id, r.object_value_id), r.polarity, r.scope,
                                p.is_symmetric, p.inverse_key))[2] AS group_key
    FROM relationships AS r JOIN predicates AS p
      ON p.team_id = r.team_id AND p.predicate_key = r.predicate_key AND p.version = r.predicate_version
    WHERE r.team_id = %(from_team)s
"""


@dataclass(frozen=True, slots=True)
class Copies:
    """One table's rows as another team's, with the statement that inserts one of them."""

    insert: Statement
    rows: list[Params]


async def read_copies(database: Database, from_team: str, to_team: str) -> list[Copies]:
    """Return every row of the one team's memory as the other one's, in an order that the foreign keys allow."""
    copies = []
    async with database.snapshot(Scope("app", from_team)) as reading:
        for table in _TABLES:
            select = sql.SQL("SELECT * FROM {} WHERE team_id = %(team_id)s").format(sql.Identifier(table))
            rows = await reading.fetch_all(Statement(select.as_bytes(None), {}), {"team_id": from_team})
            if rows:
                made = _CAME | _MADE_BY_THE_DATABASE.get(table, set())
                columns = [one for one in rows[0] if one not in made]
                copies.append(Copies(_insert(table, columns), [_copy(row, columns, to_team) for row in rows]))
            if rows and table == "relationships":
                # What a position is filed under is its team's.
                keys = await reading.fetch_all(_GROUP_KEYS, {"from_team": from_team, "to_team": to_team})
                group_keys = {row["id"]: row["group_key"] for row in keys}
                copies[-1] = replace(
                    copies[-1],
                    rows=[{**row, "semantic_group_key": group_keys[row["id"]]} for row in copies[-1].rows],
                )
    return copies


async def insert_copies(database: Database, team_id: str, copies: list[Copies]) -> int:
    """Insert the rows in one transaction, each table in one round trip; return how many there were."""

    async def insert(w: Writing) -> None:
        for one in copies:
            await w.execute_many(one.insert, one.rows)

    await database.unit_of_work(Scope("app", team_id), insert)
    return sum(len(one.rows) for one in copies)


def _insert(table: str, columns: list[str]) -> Statement:
    statement = sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
        sql.Identifier(table),
        sql.SQL(", ").join(map(sql.Identifier, columns)),
        sql.SQL(", ").join(map(sql.Placeholder, columns)),
    )
    return Statement(statement.as_bytes(None), {})


def _copy(row: Row, columns: list[str], team_id: str) -> Params:
    values = {name: Jsonb(row[name]) if name in _JSON_COLUMNS else row[name] for name in columns}
    return values | {"team_id": team_id}
