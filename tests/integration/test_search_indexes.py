"""The searches behind recall use their indexes, which row security alone would keep them from."""

from datetime import UTC, datetime
from typing import LiteralString

import psycopg
import pytest

from app.kernel.database import Database
from app.recall.graph import AROUND, BEYOND, CHAINS
from app.recall.naming import NAMES
from app.tenancy.callers import Caller
from tests.databases import admin_url
from tests.factories import Position

FACT = Position(tier="fact")


async def test_text_and_name_searches_use_their_indexes_under_row_security(
    database: Database, database_name: str, team: Caller
) -> None:
    with psycopg.connect(admin_url(database_name)) as connection:
        # Enough rows that reading the whole table is the dearer way; no other test sees this team.
        connection.execute("SET LOCAL session_replication_role = replica")
        for fill in (_FILL_DOCUMENTS, _FILL_NAMES, _FILL_GUESSES):
            connection.execute(fill, {"team_id": team.team_id})
        connection.execute("SET LOCAL enable_seqscan = off")
        for index in ("entity_names_trigram", "entity_names_bytes_trigram"):
            connection.execute("SELECT gin_clean_pending_list(%s)", [index])
        connection.execute("ANALYZE relationship_documents, entity_names, hypotheses")
        connection.execute("SELECT set_config('role', 'densemem_app', true)")
        connection.execute("SELECT set_config('densemem.team_id', %s, true)", [team.team_id])
        for search, index in [
            (_SEARCH_TEXT, "relationship_documents_search"),
            (_SEARCH_TEXT_IN_PART, "relationship_documents_search"),
            (_SEARCH_ALIKE, "entity_names_trigram"),
            (_SEARCH_ALIKE_BEYOND_ASCII, "entity_names_bytes_trigram"),
            (_SEARCH_GUESSES, "hypotheses_statement"),
        ]:
            before = _scans(connection, index)
            connection.execute(search)
            assert _scans(connection, index) > before, index
        connection.rollback()


async def test_names_as_written_are_looked_up_by_index_under_row_security(
    database: Database, database_name: str, team: Caller
) -> None:
    params = {"team_id": team.team_id, "exact": ["library77"], "limit": 10}
    with psycopg.connect(admin_url(database_name)) as connection:
        connection.execute("SET LOCAL session_replication_role = replica")
        connection.execute(_FILL_NAMES, {"team_id": team.team_id})
        connection.execute("ANALYZE entity_names")
        connection.execute("SELECT set_config('role', 'densemem_app', true)")
        connection.execute("SELECT set_config('densemem.team_id', %s, true)", [team.team_id])
        before = _scans(connection, "entity_names_folded")
        assert len(connection.execute(NAMES, params).fetchall()) == 1
        assert _scans(connection, "entity_names_folded") > before
        connection.rollback()


@pytest.mark.parametrize("query", [AROUND.now, AROUND.then, CHAINS.now, CHAINS.then, BEYOND.now, BEYOND.then])
async def test_the_graph_is_read_by_its_ends_under_row_security(
    database: Database, database_name: str, team: Caller, query: LiteralString
) -> None:
    with psycopg.connect(admin_url(database_name)) as connection:
        connection.execute("SET LOCAL session_replication_role = replica")
        connection.execute(_FILL_RELATIONSHIPS, {"team_id": team.team_id})
        connection.execute("ANALYZE relationships, predicates")
        connection.execute("SELECT set_config('role', 'densemem_app', true)")
        connection.execute("SELECT set_config('densemem.team_id', %s, true)", [team.team_id])
        rows = connection.execute("EXPLAIN " + query, _params(team.team_id)).fetchall()
        connection.rollback()
    plan = "\n".join(str(row[0]) for row in rows)
    if "predicate_key = " in query:
        assert "relationships_by_subject" in plan, plan
        assert "relationships_by_object_entity" in plan, plan
    if "changed_at DESC" in query:
        # The newest of a hub are an index's first rows, however many there are.
        assert "relationships_newest_of_subject" in plan, plan
        assert "relationships_newest_of_object" in plan, plan
    assert "Seq Scan on relationships" not in plan, plan


def _params(team_id: str) -> dict[str, object]:
    fits = ("fits", "first_as_subject", "first_as_object", "second_as_subject", "second_as_object")
    return {
        **{name: [0.5] for name in fits},
        "team_id": team_id,
        "at": datetime.now(UTC),
        "known": None,
        "entity_ids": ["ent_77"],
        "group_keys": ["77"],
        "asked_for": ["ent_77"],
        "scores": [1.0],
        "pieces": [0],
        "keys": ["depends_on"],
        "as_subject": [1.0],
        "as_object": [0.6],
        "firsts": ["depends_on"],
        "seconds": ["uses"],
        "steps": 30,
        "most": 200,
        "limit": 200,
    }


def _scans(connection: psycopg.Connection[tuple[object, ...]], index: str) -> int:
    row = connection.execute("SELECT pg_stat_get_xact_numscans(%s::regclass)", [index]).fetchone()
    assert row is not None
    assert isinstance(row[0], int)
    return row[0]


_FILL_DOCUMENTS: LiteralString = """
    INSERT INTO relationship_documents (team_id, relationship_id, body)
    SELECT %(team_id)s, 'rel_' || i, 'library' || i || ' depends on library' || i + 1
    FROM generate_series(1, 20000) AS i
"""
_FILL_NAMES: LiteralString = """
    INSERT INTO entity_names (team_id, entity_id, name, folded_name, is_alias)
    SELECT %(team_id)s, 'ent_' || i, 'library' || i, 'library' || i, false
    FROM generate_series(1, 20000) AS i
    UNION ALL
    SELECT %(team_id)s, 'ent_0', '데이터베이스', '데이터베이스', false
"""
_FILL_RELATIONSHIPS: LiteralString = """
    INSERT INTO relationships
        (team_id, id, owner_profile_id, subject_entity_id, predicate_key, predicate_version, object_entity_id,
         polarity, modality, semantic_group_key, target_identity, tier, status, version, eligible_since)
    SELECT %(team_id)s, 'rel_' || i, 'prf_1', 'ent_' || i %% 500, (ARRAY['depends_on', 'uses'])[1 + i %% 2], 1,
           'ent_' || i %% 499,
           '+', 'statement', i::text, i::text, 'fact', 'active', 1, clock_timestamp()
    FROM generate_series(1, 20000) AS i
"""
_FILL_GUESSES: LiteralString = """
    INSERT INTO hypotheses
        (team_id, id, cycle_run_id, subject_entity_id, predicate_key, predicate_version, object_entity_id,
         target_identity, statement, rationale, likelihood, confidence, paths, generator_kind,
         generator_version, status)
    SELECT %(team_id)s, 'hyp_' || i, 'run_1', 'ent_1', 'depends_on', 1, 'ent_' || i, i,
           'library' || i || ' may depend on library' || i + 1, 'x', 0.5, 0.5, '[]',
           'rules', 'rules-v1', 'proposed'
    FROM generate_series(1, 3000) AS i
"""
_SEARCH_TEXT: LiteralString = "SELECT search_documents('library77', now(), NULL, 10)"
_SEARCH_TEXT_IN_PART: LiteralString = "SELECT search_documents_partly('library77 x', now(), NULL, 10)"
_SEARCH_ALIKE: LiteralString = "SELECT search_alike_names(ARRAY['libary77'], 10)"
_SEARCH_ALIKE_BEYOND_ASCII: LiteralString = "SELECT search_alike_names(ARRAY['데이타베이스'], 10)"
_SEARCH_GUESSES: LiteralString = "SELECT search_hypotheses('library77', 10)"
