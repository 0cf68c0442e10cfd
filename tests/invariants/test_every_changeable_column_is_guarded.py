"""What the roles may change is what the table of guards says, and each guard is there."""

from collections.abc import Iterator

import psycopg
import pytest

from tests.databases import admin_url
from tests.invariants.changeable_columns import CHANGEABLE


@pytest.fixture(scope="module")
def connection(database_name: str) -> Iterator[psycopg.Connection[tuple[str, ...]]]:
    with psycopg.connect(admin_url(database_name)) as connection:
        yield connection


def test_a_role_may_change_the_columns_that_the_table_names_and_no_others(
    connection: psycopg.Connection[tuple[str, ...]],
) -> None:
    granted = set(connection.execute(_GRANTED).fetchall())
    named = {
        (table, column, role)
        for table, parts in CHANGEABLE.items()
        for part in parts
        for column in part.columns.split()
        for role in part.roles
    }
    assert granted - named == set()
    # What the application shares with the dreamer is named for both; the dreamer's own only for itself.
    assert named - granted == set()


def test_each_changeable_column_has_a_guard_or_a_reason(
    connection: psycopg.Connection[tuple[str, ...]],
) -> None:
    there = set(connection.execute(_GUARDS).fetchall())
    for table, parts in CHANGEABLE.items():
        for part in parts:
            assert bool(part.guards) != bool(part.because), (table, part.columns)
            assert {(table, guard) for guard in part.guards} <= there, (table, part.columns)


def test_every_rule_about_changes_guards_some_column(
    connection: psycopg.Connection[tuple[str, ...]],
) -> None:
    rules = {rule for (rule,) in connection.execute(_RULES).fetchall()}
    assert (
        rules - {guard for parts in CHANGEABLE.values() for part in parts for guard in part.guards} == set()
    )
    assert len(rules) > 20


_GRANTED = """
    SELECT c.relname, a.attname, grantee.name
    FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    CROSS JOIN (VALUES ('app'), ('dreamer')) AS grantee (name)
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
      AND has_column_privilege('densemem_' || grantee.name, c.oid, a.attnum, 'UPDATE')
"""
_GUARDS = """
    SELECT c.relname, t.tgname FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
    WHERE NOT t.tgisinternal AND t.tgenabled = 'O'
    UNION ALL SELECT c.relname, k.conname FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid
    UNION ALL SELECT c.relname, p.polname FROM pg_policy AS p JOIN pg_class AS c ON c.oid = p.polrelid
"""
_RULES = """
    SELECT t.tgname FROM pg_trigger AS t JOIN pg_proc AS p ON p.oid = t.tgfoid
    WHERE NOT t.tgisinternal AND t.tgtype & 16 > 0 AND (p.proname = 'refuse_change' OR p.proname = t.tgname)
"""
