"""Migrations go up, down and up again, match the models, and are safe to start many times at once."""

import subprocess
import sys
from collections.abc import Iterator

import psycopg
import pytest
from alembic import command
from psycopg.conninfo import make_conninfo

from app.kernel.errors import SetupError
from app.kernel.migrate import alembic_config, head_revision, migrate
from tests.databases import SERVICE_LOGIN, admin_url, create_database, drop_database

MIGRATE = """
import sys
from app.kernel.migrate import migrate
migrate(sys.argv[1], role_prefix="densemem", service_login=sys.argv[2])
"""


@pytest.fixture
def empty_url() -> Iterator[str]:
    name = create_database(empty=True)
    yield admin_url(name)
    drop_database(name)


def test_migrations_go_up_down_and_up_and_match_the_models(empty_url: str) -> None:
    migrate(empty_url, role_prefix="densemem", service_login=SERVICE_LOGIN)
    config = alembic_config(empty_url, role_prefix="densemem")
    command.downgrade(config, "base")
    with psycopg.connect(empty_url) as connection:
        left = connection.execute(
            "SELECT c.relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace"
            " WHERE n.nspname = 'public' AND c.relkind IN ('r', 'v')"
        ).fetchall()
        functions = connection.execute(
            "SELECT p.proname FROM pg_proc AS p JOIN pg_roles AS r ON r.oid = p.proowner"
            " WHERE r.rolname = 'densemem_owner'"
        ).fetchall()
    assert left == [("alembic_version",)]
    assert functions == []
    command.upgrade(config, "head")
    command.check(config)


def test_many_processes_may_migrate_at_once(empty_url: str) -> None:
    arguments = [sys.executable, "-c", MIGRATE, empty_url, SERVICE_LOGIN]
    processes = [subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True) for _ in range(8)]
    outcomes = [(process.communicate()[1], process.returncode) for process in processes]
    assert outcomes == [("", 0)] * 8
    with psycopg.connect(empty_url) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [
            (head_revision(),)
        ]


def test_login_without_createrole_gets_the_sql_for_its_administrator(empty_url: str) -> None:
    with psycopg.connect(empty_url, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS powerless")
        connection.execute("CREATE ROLE powerless LOGIN")
    with pytest.raises(SetupError) as refused:
        migrate(make_conninfo(empty_url, user="powerless"), role_prefix="other", service_login="powerless")
    script = str(refused.value).partition("try again:")[2]
    assert 'CREATE ROLE "other_dreamer"' in script
    # The script is complete: once the administrator has run it, the same login can migrate.
    with psycopg.connect(empty_url, autocommit=True) as connection:
        connection.execute(script.encode())
    migrate(make_conninfo(empty_url, user="powerless"), role_prefix="other", service_login="powerless")


def test_every_team_table_forces_row_security_and_leads_its_key_with_the_team(empty_url: str) -> None:
    migrate(empty_url, role_prefix="densemem", service_login=SERVICE_LOGIN)
    instance_tables = {
        "teams",
        "api_keys",
        "audit_events",
        "instance_settings",
        "dream_schedules",
        "work_items",
        "rate_buckets",
        "event_counters",
        "alembic_version",
    }
    with psycopg.connect(empty_url) as connection:
        tables = connection.execute(
            "SELECT c.relname, c.relrowsecurity AND c.relforcerowsecurity,"
            " (SELECT a.attname FROM pg_index AS i JOIN pg_attribute AS a"
            "  ON a.attrelid = c.oid AND a.attnum = i.indkey[0] WHERE i.indrelid = c.oid AND i.indisprimary)"
            " FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace"
            " WHERE n.nspname = 'public' AND c.relkind = 'r'"
        ).fetchall()
    team_tables = [row for row in tables if row[0] not in instance_tables]
    assert len(team_tables) > 20
    assert [row for row in team_tables if row[1:] != (True, "team_id")] == []


def test_nobody_may_delete(empty_url: str) -> None:
    migrate(empty_url, role_prefix="densemem", service_login=SERVICE_LOGIN)
    with psycopg.connect(empty_url) as connection:
        granted = connection.execute(
            "SELECT table_name, grantee, privilege_type FROM information_schema.role_table_grants"
            " WHERE table_schema = 'public' AND privilege_type IN ('DELETE', 'TRUNCATE')"
            " AND grantee IN ('densemem_app', 'densemem_dreamer', %s, 'PUBLIC')",
            [SERVICE_LOGIN],
        ).fetchall()
    assert granted == []
