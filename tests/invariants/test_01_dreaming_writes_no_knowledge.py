"""Invariant 1: dreaming creates no Entity, Value, predicate, Relationship, support, tier or status change.

It is a matter of privileges: whatever a generator makes our code do, the database refuses. The same holds for
what a dream must not read, and for what the application must not do in a dream's name.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest
from psycopg import sql

from app.dreaming.generation import RULES, Generator
from app.dreaming.runs.asking import StartRequest
from app.kernel.database import Database, Role, Scope
from app.kernel.errors import LeaseLost
from app.kernel.settings import Settings
from app.tenancy.callers import Caller
from tests.api.client import Api
from tests.case_factories import make_conflict
from tests.conftest import MakeProfile
from tests.cycles import (
    Pattern,
    lease_run,
    make_pattern,
    queue_run,
    read_hypotheses,
    run_cycle,
    run_once,
)
from tests.databases import admin_url, service_url
from tests.factories import CANDIDATE, make_relationship, make_value
from tests.invariants.attempts import acting_as, at_once, refusal
from tests.invariants.catalogue import (
    DREAMERS_OWN,
    KNOWLEDGE,
    TABLES,
    columns_of,
    fingerprint,
    fingerprint_team,
)
from tests.invariants.dreamers_columns import READABLE
from tests.invariants.generators import BrokenGeneratorError, broken, hostile


def test_every_table_of_the_database_is_tried(database_name: str) -> None:
    with psycopg.connect(admin_url(database_name)) as connection:
        rows = connection.execute(
            "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p', 'm', 'f')"
            " AND relnamespace = 'public'::regnamespace"
        ).fetchall()
    assert {name for (name,) in rows} == {*TABLES, "alembic_version"}


def test_no_test_runs_a_cycle_past_the_helper_that_compares_knowledge_before_and_after() -> None:
    root = Path(__file__).parents[1]
    importing = {path for path in root.rglob("*.py") if "app.dreaming.cycle" in path.read_text()}
    # The worker is killed in mid-cycle and could compare nothing; the cycle that ends its run is compared.
    assert importing == {Path(__file__), root / "batch_worker.py"}


WRITES: tuple[LiteralString, ...] = (
    "INSERT INTO {} DEFAULT VALUES",
    "DELETE FROM {}",
    "TRUNCATE {} CASCADE",
    "LOCK TABLE {} IN ROW EXCLUSIVE MODE",
    "SELECT 1 FROM {} FOR UPDATE",
    "ALTER TABLE {} DISABLE TRIGGER USER",
    "ALTER TABLE {} DISABLE ROW LEVEL SECURITY",
    "CREATE POLICY open ON {} USING (true)",
    "CREATE TRIGGER t AFTER INSERT ON {} EXECUTE FUNCTION forbid_change()",
    "CREATE RULE r AS ON INSERT TO {} DO INSTEAD NOTHING",
    "DROP TABLE {} CASCADE",
)


@pytest.mark.parametrize("table", [*KNOWLEDGE, "alembic_version"])
def test_the_dreamer_is_refused_whatever_it_tries_with_a_knowledge_table(
    database_name: str, team: Caller, table: str
) -> None:
    with acting_as(database_name, "dreamer", team.team_id) as connection:
        for attempt in WRITES:
            refused = refusal(connection, sql.SQL(attempt).format(sql.Identifier(table)))
            assert refused is psycopg.errors.InsufficientPrivilege, attempt


@pytest.mark.parametrize("table", KNOWLEDGE)
def test_the_dreamer_can_fill_or_change_no_single_column_of_knowledge(
    database_name: str, team: Caller, table: str
) -> None:
    with acting_as(database_name, "dreamer", team.team_id) as connection:
        for column in columns_of(table):
            names = {"table": sql.Identifier(table), "column": sql.Identifier(column)}
            for attempt in (
                sql.SQL("INSERT INTO {table} ({column}) VALUES (DEFAULT)").format(**names),
                sql.SQL("UPDATE {table} SET {column} = DEFAULT").format(**names),
            ):
                assert refusal(connection, attempt) is psycopg.errors.InsufficientPrivilege, column


@pytest.mark.parametrize("table", sorted(DREAMERS_OWN))
@pytest.mark.parametrize("attempt", ["DELETE FROM {}", "TRUNCATE {} CASCADE"])
def test_the_dreamer_removes_nothing_of_its_own_either(
    database_name: str, team: Caller, table: str, attempt: LiteralString
) -> None:
    with acting_as(database_name, "dreamer", team.team_id) as connection:
        error = refusal(connection, sql.SQL(attempt).format(sql.Identifier(table)))
    assert error is psycopg.errors.InsufficientPrivilege


def test_the_dreamer_owns_nothing_and_belongs_to_nobody(database_name: str) -> None:
    with psycopg.connect(admin_url(database_name)) as connection:
        [powers] = connection.execute(
            "SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolbypassrls OR rolreplication OR rolcanlogin,"
            " (SELECT count(*) FROM pg_auth_members WHERE member = pg_roles.oid),"
            " (SELECT count(*) FROM pg_class WHERE relowner = pg_roles.oid),"
            " (SELECT count(*) FROM pg_proc WHERE proowner = pg_roles.oid),"
            " has_schema_privilege(oid, 'public', 'CREATE')"
            " FROM pg_roles WHERE rolname = 'densemem_dreamer'"
        ).fetchall()
    assert powers == (False, 0, 0, 0, False)


def test_one_function_only_lends_the_dreamer_the_owners_rights(database_name: str) -> None:
    with psycopg.connect(admin_url(database_name)) as connection:
        rows = connection.execute(
            "SELECT proname, proconfig FROM pg_proc WHERE prosecdef"
            " AND pronamespace = 'public'::regnamespace AND prorettype <> 'trigger'::regtype"
            " AND has_function_privilege('densemem_dreamer', oid, 'EXECUTE')"
        ).fetchall()
    assert rows == [("lock_sources", ["search_path=pg_catalog, public, pg_temp"])]


@pytest.mark.parametrize(
    "attempt",
    [
        "CREATE TABLE public.knowledge (id text)",
        "CREATE FUNCTION public.f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "GRANT densemem_app TO densemem_dreamer",
        "SET session_replication_role = replica",
        "SET LOCAL row_security = off; SELECT id FROM relationships",
        "COPY relationships FROM PROGRAM 'true'",
        "SELECT authenticate('x')",
        "SELECT search_documents('x', now(), NULL, 1)",
        "SELECT search_documents_partly('x', now(), NULL, 1)",
        "SELECT search_alike_names(ARRAY['x'], 1)",
        "SELECT search_hypotheses('x', 1)",
    ],
)
def test_the_dreamer_cannot_help_itself_to_more(
    database_name: str, team: Caller, attempt: LiteralString
) -> None:
    with acting_as(database_name, "dreamer", team.team_id) as connection:
        assert refusal(connection, sql.SQL(attempt).format()) is psycopg.errors.InsufficientPrivilege


def test_the_dreamer_reads_exactly_the_columns_that_are_listed(database_name: str) -> None:
    with psycopg.connect(admin_url(database_name)) as connection:
        rows = connection.execute(
            "SELECT c.relname, array_agg(a.attname::text) FROM pg_class AS c"
            " JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped"
            " WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')"
            " AND has_column_privilege('densemem_dreamer', c.oid, a.attnum, 'SELECT') GROUP BY c.relname"
        ).fetchall()
    assert {table: set(columns) for table, columns in rows} == {
        table: set(columns.split()) for table, columns in READABLE.items()
    }


UNREADABLE = {
    "evidence": ("content", "content_digest", "labels", "metadata"),
    "citations": ("quote", "starts", "ends"),
    "verification_events": ("rationale", "verifier_kind", "verifier_version"),
    "relationship_documents": tuple(columns_of("relationship_documents")),
    "ingests": tuple(columns_of("ingests")),
    "ingest_evidence": tuple(columns_of("ingest_evidence")),
    "placement_outcomes": tuple(columns_of("placement_outcomes")),
    "idempotency_records": tuple(columns_of("idempotency_records")),
    "api_keys": tuple(columns_of("api_keys")),
}


@pytest.mark.parametrize("table", UNREADABLE)
def test_the_dreamer_cannot_read_text_that_is_not_for_dreams(
    database_name: str, team: Caller, table: str
) -> None:
    with acting_as(database_name, "dreamer", team.team_id) as connection:
        names = {"table": sql.Identifier(table)}
        attempts = [
            sql.SQL("SELECT {column} FROM {table}").format(column=sql.Identifier(column), **names)
            for column in UNREADABLE[table]
        ]
        attempts += [
            sql.SQL("SELECT t::text FROM {table} AS t").format(**names),
            sql.SQL("SELECT to_jsonb(t) FROM {table} AS t").format(**names),
            sql.SQL("COPY {table} TO STDOUT").format(**names),
            sql.SQL("SELECT FROM {table} AS t WHERE t::text LIKE '%%a%%'").format(**names),
        ]
        for attempt in attempts:
            refused = refusal(connection, attempt)
            assert refused is psycopg.errors.InsufficientPrivilege, attempt.as_string(connection)


@pytest.mark.parametrize(
    "change",
    [
        "status = 'submitted'",
        "status = 'rejected'",
        "status = 'submitted', submission_is_open = true",
        "submission_is_open = true",
        "statement = 'It is so.'",
        "predicate_key = 'uses'",
        "object_entity_id = subject_entity_id",
        "target_identity = 'another'",
        "cycle_run_id = 'run_1'",
        "generator_kind = 'provider'",
    ],
)
async def test_the_dreamer_neither_decides_about_a_guess_nor_turns_it_into_another(
    database: Database, database_name: str, team: Caller, change: LiteralString
) -> None:
    await make_pattern(database, team)
    await run_once(database, team)
    assert [row["status"] for row in await read_hypotheses(database, team)] == ["proposed"]
    with acting_as(database_name, "dreamer", team.team_id) as connection:
        attempt = sql.SQL("UPDATE hypotheses SET row_version = row_version + 1, " + change).format()
        assert refusal(connection, attempt) is psycopg.errors.InsufficientPrivilege


@pytest.mark.parametrize(
    "attempt",
    [
        "INSERT INTO hypotheses SELECT * FROM hypotheses",
        "INSERT INTO hypothesis_sources SELECT * FROM hypothesis_sources",
        "UPDATE hypotheses SET likelihood = 1",
        "UPDATE hypotheses SET confidence = 1",
        "UPDATE hypotheses SET statement = 'It is so.'",
        "UPDATE hypothesis_sources SET version = 7",
        "UPDATE cycle_runs SET persisted = 7",
        "INSERT INTO cycle_runs (team_id, id, window_key, trigger, status, scheduled_for)"
        " VALUES (current_setting('densemem.team_id'), 'run_1', 'w', 'manual', 'running', now())",
        "INSERT INTO cycle_runs (team_id, id, window_key, trigger, status, scheduled_for, finished_at)"
        " VALUES (current_setting('densemem.team_id'), 'run_1', 'w', 'manual', 'succeeded', now(), now())",
        "UPDATE cycle_runs SET status = 'running'",
        "UPDATE cycle_runs SET status = 'succeeded', finished_at = now()",
    ],
)
async def test_the_application_does_not_dream(
    database: Database, database_name: str, team: Caller, attempt: LiteralString
) -> None:
    await make_pattern(database, team)
    await run_once(database, team)
    await queue_run(database, team)
    with acting_as(database_name, "app", team.team_id) as connection:
        # A finished run stays as it is for everybody, so only the queued one can be tried.
        narrowed = attempt + (" WHERE status = 'queued'" if "UPDATE cycle_runs" in attempt else "")
        refused = refusal(connection, sql.SQL(narrowed).format())
    assert refused is psycopg.errors.InsufficientPrivilege


@pytest.mark.parametrize(
    ("role", "actor_kind", "is_refused"),
    [
        ("app", "client", False),
        ("app", "cycle", True),
        ("app", "ledger", True),
        ("dreamer", "cycle", False),
        ("dreamer", "client", True),
        ("dreamer", "ledger", True),
    ],
)
async def test_nobody_writes_the_history_of_a_guess_in_anothers_name(
    database: Database, database_name: str, team: Caller, role: Role, actor_kind: str, is_refused: bool
) -> None:
    await make_pattern(database, team)
    await run_once(database, team)
    attempt = sql.SQL(
        "INSERT INTO hypothesis_events (team_id, hypothesis_id, event, from_status, to_status, actor_kind)"
        " SELECT team_id, id, 'reject', status, 'rejected', {} FROM hypotheses"
    ).format(sql.Literal(actor_kind))
    with acting_as(database_name, role, team.team_id) as connection:
        refused = refusal(connection, attempt)
    # What a role may say, the Hypothesis has to have gone through.
    assert refused is (
        psycopg.errors.InsufficientPrivilege if is_refused else psycopg.errors.RestrictViolation
    )


@pytest.mark.parametrize("generator", [lambda _: RULES, hostile, broken], ids=["rules", "hostile", "broken"])
@pytest.mark.parametrize("dry_run", [False, True], ids=["real", "dry"])
async def test_a_cycle_leaves_every_knowledge_table_as_it_was(
    database_name: str,
    database: Database,
    team: Caller,
    generator: Callable[[Pattern], Generator],
    dry_run: bool,
) -> None:
    pattern = await make_pattern(database, team)
    subject, target = pattern.subjects[4], pattern.objects[4]
    await make_relationship(database, team, subject, "uses", target, CANDIDATE)
    value = await make_value(database, team, ">=3.11")
    disputed = await make_relationship(database, team, subject, "requires_python", value)
    await make_conflict(database, team, subject, [disputed])
    run_id = await queue_run(database, team, StartRequest(dry_run=dry_run))
    before = fingerprint(database_name)

    with suppress(BrokenGeneratorError):
        await run_cycle(database, await lease_run(database, run_id), generator=generator(pattern))

    assert fingerprint(database_name) == before
    expected = 0 if dry_run or generator is broken else 1
    assert len(await read_hypotheses(database, team)) == expected


async def test_a_login_of_its_own_walls_the_dreamer_in(
    database: Database, database_name: str, team: Caller, settings: Settings, dreamers_url: str
) -> None:
    await make_pattern(database, team)
    run_id = await queue_run(database, team)
    lease = await lease_run(database, run_id)
    walled = Database(settings, url=service_url(database_name), dreamer_url=dreamers_url)
    await walled.open()
    try:
        await run_cycle(walled, lease)
        for role in ("densemem_app", "densemem_owner", "densemem_service"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                await walled.unit_of_work(
                    Scope("dreamer", team.team_id),
                    lambda w, role=role: w.execute(
                        "SELECT set_config('role', %(role)s, true)", {"role": role}
                    ),  # type: ignore[misc]  # mypy can't infer a lambda with a default.
                )
    finally:
        await walled.close()
    assert len(await read_hypotheses(database, team)) == 1


async def test_two_clients_that_start_cycles_at_once_and_meddle_change_no_knowledge(
    api: Api, database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    await make_pattern(database, team)
    first, second = await api.client(team), await api.client(await make_profile(team, "Second"))
    before = await fingerprint_team(database, team.team_id)
    body = {"budgets": {"max_outputs": 5}}
    statuses = await at_once(*(client.post("/v1/cycle-runs", json=body) for client in (first, second) * 4))
    assert set(statuses) <= {200, 202}
    [run] = (await first.get("/v1/cycle-runs")).json()["items"]
    lease = await lease_run(database, run["run_id"])
    cancel = f"/v1/cycle-runs/{run['run_id']}/cancel"
    with suppress(LeaseLost):
        await asyncio.gather(run_cycle(database, lease), *(client.post(cancel) for client in (first, second)))
    assert await fingerprint_team(database, team.team_id) == before


# How it is tried: through the doors, by bare SQL, and by two clients at once.
TRIED = {
    "api": test_two_clients_that_start_cycles_at_once_and_meddle_change_no_knowledge,
    "sql": test_the_dreamer_is_refused_whatever_it_tries_with_a_knowledge_table,
    "two clients": test_two_clients_that_start_cycles_at_once_and_meddle_change_no_knowledge,
}
