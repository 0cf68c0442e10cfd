"""Searches find by what is the team's own in the indexes, and nothing that is another team's."""

from typing import LiteralString

import psycopg
import pytest

from app.tenancy.callers import Caller
from tests.databases import admin_url

TEAMS = ("team_A0001", "team_A0002", "team_B7X0Q")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("lumen gateway", "lumne gateway"),
        ("c++ 11", "c++11"),
        ("café noir", "cafe noir"),
        ("데이터 9", "데이타 9"),
        ("a", "z"),
    ],
)
def test_spellings_are_as_alike_as_the_names(database_name: str, one: str, other: str) -> None:
    with psycopg.connect(admin_url(database_name)) as connection:
        for team in TEAMS:
            row = connection.execute(
                "SELECT similarity(%(one)s, %(other)s),"
                " similarity(spell_for_team(%(team)s, %(one)s), spell_for_team(%(team)s, %(other)s))",
                {"one": one, "other": other, "team": team},
            ).fetchone()
            assert row is not None
            assert row[0] == row[1]


def test_teams_spell_a_name_in_many_ways(database_name: str) -> None:
    with psycopg.connect(admin_url(database_name)) as connection:
        [spellings] = connection.execute(
            "SELECT array_agg(DISTINCT spell_for_team('team_' || i, 'lumen 4')) FROM generate_series(1, 1000) AS i"
        ).fetchone() or [[]]
    assert len(spellings) == 36
    assert {len(spelling) for spelling in spellings} == {len("lumen 4")}


def test_words_of_a_team_whose_id_ends_alike_are_not_found(database_name: str, team: Caller) -> None:
    with psycopg.connect(admin_url(database_name)) as connection:
        _fill(connection, team.team_id, "the beacon depends on the harbor")
        _fill(connection, f"team_X{team.team_id[-4:]}", "the beacon depends on the lantern")
        assert _found(connection, team.team_id, "beacon") == 1
        assert _found(connection, team.team_id, "lantern") == 0
        assert _found(connection, f"team_X{team.team_id[-4:]}", "lantern") == 1


@pytest.mark.parametrize("letter", ["a", "한", "𝒜"])
def test_a_word_as_long_as_an_index_can_hold_is_kept_out_of_it_and_its_neighbours_are_found(
    database_name: str, team: Caller, letter: str
) -> None:
    longest = letter * (2046 // len(letter.encode()))
    with psycopg.connect(admin_url(database_name)) as connection:
        _fill(connection, team.team_id, f"the beacon depends on {longest}")
        assert _found(connection, team.team_id, "beacon") == 1
        assert _found(connection, team.team_id, longest) == 0
        assert _found(connection, team.team_id, letter * 512) == 0


def _fill(connection: psycopg.Connection[tuple[object, ...]], team_id: str, body: str) -> None:
    """Leave a guess with these words, for this transaction."""
    connection.execute("SET LOCAL session_replication_role = replica")
    connection.execute(_FILL_DOCUMENT, {"team_id": team_id, "body": body})
    connection.execute(_FILL_GUESS, {"team_id": team_id, "body": body[:1000]})


def _found(connection: psycopg.Connection[tuple[object, ...]], team_id: str, wanted: str) -> int:
    """Return how many of the team's guesses and documents hold the words, whether by index or not."""
    counts = set()
    for is_allowed in ("on", "off"):
        connection.execute("SELECT set_config('enable_seqscan', %s, true)", [is_allowed])
        connection.execute("SELECT set_config('densemem.team_id', %s, true)", [team_id])
        for search in (_SEARCH_GUESSES, _COUNT_DOCUMENTS):
            rows = connection.execute(search, {"wanted": wanted, "team_id": team_id}).fetchall()
            counts.add(len(rows))
    [count] = counts
    return count


_FILL_DOCUMENT: LiteralString = """
    INSERT INTO relationship_documents (team_id, relationship_id, body) VALUES (%(team_id)s, 'rel_1', %(body)s)
"""
_FILL_GUESS: LiteralString = """
    INSERT INTO hypotheses
        (team_id, id, cycle_run_id, subject_entity_id, predicate_key, predicate_version, object_entity_id,
         target_identity, statement, rationale, likelihood, confidence, paths, generator_kind,
         generator_version, status)
    VALUES (%(team_id)s, 'hyp_1', 'run_1', 'ent_1', 'depends_on', 1, 'ent_2', '1', %(body)s, 'x', 0.5, 0.5, '[]',
            'rules', 'rules-v1', 'proposed')
"""
_SEARCH_GUESSES: LiteralString = "SELECT hypothesis_id FROM search_hypotheses(%(wanted)s, 10)"
_COUNT_DOCUMENTS: LiteralString = """
    SELECT relationship_id FROM relationship_documents
    WHERE words_of_team(team_id, body, search)
          @@ words_wanted_of_team(%(team_id)s, plainto_tsquery('english', %(wanted)s))
      AND team_id = %(team_id)s
"""
