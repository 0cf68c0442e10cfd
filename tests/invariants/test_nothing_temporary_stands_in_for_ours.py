"""A caller's temporary tables and types take the place of nothing, least of all under the owner's rights."""

from typing import LiteralString

import psycopg
import pytest

from app.kernel.database import Role
from app.kernel.ids import new_id
from app.tenancy.callers import Caller
from tests.databases import admin_url
from tests.invariants.attempts import Connection, acting_as

_ROLES: tuple[Role, ...] = ("app", "dreamer")
# Built-in types that functions cast to, declare or return somewhere; the first one was the way in.
_TYPES: tuple[LiteralString, ...] = ("text", "name", "int4", "int8", "bool", "jsonb", "timestamptz", "date")


def test_every_function_that_has_a_path_or_could_use_one_looks_into_the_temporary_schema_last(
    database_name: str,
) -> None:
    with psycopg.connect(admin_url(database_name)) as connection:
        rows = connection.execute(
            "SELECT p.proname, (SELECT one FROM unnest(p.proconfig) AS one WHERE one LIKE 'search_path=%')"
            " FROM pg_proc AS p JOIN pg_language AS l ON l.oid = p.prolang"
            " WHERE p.pronamespace = 'public'::regnamespace"
            " AND (l.lanname = 'plpgsql' OR p.prosecdef OR p.proconfig IS NOT NULL)"
            " AND NOT EXISTS (SELECT FROM pg_depend AS d"
            "  WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')"
        ).fetchall()
    assert len(rows) > 20
    assert {name: path for name, path in rows if path != "search_path=pg_catalog, public, pg_temp"} == {}


@pytest.mark.parametrize("role", _ROLES)
def test_a_temporary_type_is_never_checked_under_the_owners_rights(
    database_name: str, team: Caller, role: Role
) -> None:
    with acting_as(database_name, role, team.team_id) as connection:
        _listen_in(connection)
        # Under the caller's own rights its own types are its own business.
        connection.execute("SELECT 'heard'::pg_temp.text")
        connection.execute(
            "INSERT INTO public.cycle_runs (team_id, id, window_key, trigger, status, scheduled_for)"
            " VALUES (%s, %s, 'manual:x', 'manual', 'queued', now())",
            [team.team_id, new_id("run")],
        )
        connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
        heard = connection.execute("SELECT DISTINCT who FROM pg_temp.heard").fetchall()
    assert heard == [(f"densemem_{role}",)]


def test_a_temporary_type_is_not_checked_by_any_search_of_the_owners(
    database_name: str, team: Caller
) -> None:
    with acting_as(database_name, "app", team.team_id) as connection:
        _listen_in(connection)
        for search in (
            "search_documents('x'::pg_catalog.text, now(), NULL, 1)",
            "search_documents_partly('x'::pg_catalog.text, now(), NULL, 1)",
            "search_alike_names(ARRAY['x'::pg_catalog.text], 1)",
            "search_hypotheses('x'::pg_catalog.text, 1)",
            "authenticate('x'::pg_catalog.text)",
        ):
            connection.execute(f"SELECT * FROM public.{search}".encode())
        assert connection.execute("SELECT who FROM pg_temp.heard").fetchall() == []


def test_a_temporary_table_does_not_stand_in_for_the_ledger_under_the_owners_rights(
    database_name: str, team: Caller
) -> None:
    with acting_as(database_name, "dreamer", team.team_id) as connection:
        connection.execute(
            "CREATE TEMP TABLE relationships AS SELECT 'rel_1'::text AS id, 1 AS version,"
            " current_setting('densemem.team_id') AS team_id"
        )
        connection.execute(
            "CREATE TEMP TABLE eligible_relationships AS SELECT 'rel_1'::text AS relationship_id,"
            " 1 AS version, current_setting('densemem.team_id') AS team_id"
        )
        assert connection.execute("SELECT * FROM lock_sources(ARRAY['rel_1'])").fetchall() == []


def test_a_temporary_catalogue_does_not_pretend_that_the_owner_is_at_work(
    database_name: str, team: Caller
) -> None:
    with acting_as(database_name, "app", team.team_id) as connection:
        connection.execute("SELECT set_config('densemem.rewriting', %s, true)", [team.team_id])
        connection.execute(
            "CREATE TEMP TABLE pg_class AS SELECT 'public.teams'::regclass::oid AS oid, oid AS relowner"
            " FROM pg_roles WHERE rolname = current_user"
        )
        assert connection.execute("SELECT public.is_rewriting(%s)", [team.team_id]).fetchone() == (False,)


def _listen_in(connection: Connection) -> None:
    """Leave temporary types by the names of built-in ones, whose checks note under whose rights they run."""
    connection.execute("CREATE TEMP TABLE heard (who pg_catalog.name)")
    connection.execute("GRANT ALL ON pg_temp.heard TO PUBLIC")
    for type_ in _TYPES:
        connection.execute(
            f"CREATE FUNCTION pg_temp.note(pg_catalog.{type_}) RETURNS pg_catalog.bool LANGUAGE plpgsql AS $$"
            " BEGIN INSERT INTO pg_temp.heard VALUES (current_user); RETURN true; END $$".encode()
        )
        connection.execute(
            f"CREATE DOMAIN pg_temp.{type_} AS pg_catalog.{type_} CHECK (pg_temp.note(value))".encode()
        )
