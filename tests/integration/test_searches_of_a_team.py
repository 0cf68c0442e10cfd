"""Searches find by what is the team's own in the indexes, and nothing that is another team's."""

import psycopg
import pytest

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
