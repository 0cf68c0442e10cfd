"""Invariant 2: every endpoint and source id already exists in the same team.

A composite foreign key begins with the team, so not even a superuser can point across. Row security hides the
other team from whoever acts for this one. A generator that names a stranger is refused as if it named nobody.
"""

import asyncio
from contextlib import suppress
from dataclasses import replace
from typing import LiteralString

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import ForeignKeyConstraint

from app.dreaming.model import Inputs, Proposal
from app.dreaming.spending.budgets import Budgets
from app.kernel.database import Database, Role, Scope, Writing
from app.kernel.ids import new_id
from app.kernel.settings import Settings
from app.ledger.predicates.changes import register_predicate
from app.ledger.predicates.draft import PredicateDraft
from app.tables import metadata
from app.tenancy.callers import Caller
from tests.api.client import NOBODYS_ULID, Api, example_submission
from tests.api.placing import place_all
from tests.conftest import MakeTeam
from tests.cycles import Pattern, idea, make_pattern, read_hypotheses, run_once, scripted
from tests.databases import admin_url, service_url
from tests.factories import make_value
from tests.invariants.attempts import acting_as, at_once, refusal
from tests.invariants.catalogue import GUESSES, TEAM_TABLES
from tests.invariants.forgeries import forge_guess, forge_source

REFERENCES = [
    pytest.param(constraint, id=f"{table}.{constraint.name}")
    for table in TEAM_TABLES
    for constraint in sorted(metadata.tables[table].foreign_key_constraints, key=lambda one: str(one.name))
    if "team_id" in constraint.referred_table.columns
]
GUESS_POINTERS = (
    "cycle_run_id",
    "subject_entity_id",
    "object_entity_id",
    "object_value_id",
    "predicate_key",
    "previous_hypothesis_id",
)
SOURCE_POINTERS = ("hypothesis_id", "relationship_id", "owner_profile_id")


@pytest.mark.parametrize("constraint", REFERENCES)
def test_every_reference_between_team_tables_carries_the_team_first(constraint: ForeignKeyConstraint) -> None:
    assert constraint.column_keys[0] == "team_id"
    assert constraint.elements[0].column is constraint.referred_table.columns["team_id"]


@pytest.mark.parametrize("table", GUESSES[:2])
def test_every_id_that_a_guess_holds_is_a_foreign_key(table: str) -> None:
    columns = metadata.tables[table].columns
    loose = {column.name for column in columns if column.name.endswith("_id") and not column.foreign_keys}
    assert loose == set()


@pytest.mark.parametrize("table", TEAM_TABLES)
def test_every_team_table_is_keyed_by_team_and_forces_row_security(database_name: str, table: str) -> None:
    assert metadata.tables[table].primary_key.columns.keys()[0] == "team_id"
    with psycopg.connect(admin_url(database_name)) as connection:
        [flags] = connection.execute(
            "SELECT relrowsecurity, relforcerowsecurity FROM pg_class WHERE oid = %s::regclass", [table]
        ).fetchall()
    assert flags == (True, True)


@pytest.mark.parametrize("role", ["app", "dreamer"])
@pytest.mark.parametrize("acts_for", ["another team", "no team", "any team"])
async def test_nobody_sees_a_row_of_another_team(
    database: Database, database_name: str, team: Caller, make_team: MakeTeam, role: Role, acts_for: str
) -> None:
    await make_pattern(database, team)
    await run_once(database, team)
    others = {"another team": (await make_team()).team_id, "no team": "", "any team": "%"}
    own = find_tables(database_name, role, team.team_id, team)
    assert {"profiles", "relationships", "entities", "hypotheses", "cycle_runs"} <= own
    assert find_tables(database_name, role, others[acts_for], team) == set()


def find_tables(database_name: str, role: Role, acting_for: str, team: Caller) -> set[str]:
    """Return the tables in which the role finds rows of the team."""
    found = set()
    with acting_as(database_name, role, acting_for) as connection:
        for table in TEAM_TABLES:
            query = sql.SQL("SELECT team_id FROM {} WHERE team_id = {} LIMIT 1").format(
                sql.Identifier(table), sql.Literal(team.team_id)
            )
            # Some tables are not for this role at all.
            with suppress(psycopg.errors.InsufficientPrivilege), connection.transaction():
                if connection.execute(query).fetchall():
                    found.add(table)
    return found


@pytest.mark.parametrize("role", ["app", "dreamer"])
async def test_nobody_writes_a_row_into_another_team(
    database_name: str, team: Caller, make_team: MakeTeam, role: Role
) -> None:
    other = await make_team()
    with acting_as(database_name, role, team.team_id) as connection:
        for table in TEAM_TABLES:
            attempt = sql.SQL("INSERT INTO {} (team_id) VALUES ({})").format(
                sql.Identifier(table), sql.Literal(other.team_id)
            )
            refused = refusal(connection, attempt)
            # A missing column may be noticed before the policy; either way nothing gets in.
            assert refused in (psycopg.errors.InsufficientPrivilege, psycopg.errors.NotNullViolation), table


async def strange_ids(database: Database, stranger: Caller) -> dict[str, str]:
    """Dream for the stranger, and return by column what a forged row may point to."""
    pattern = await make_pattern(database, stranger)
    run = await run_once(database, stranger)
    [guess] = await read_hypotheses(database, stranger)
    draft = PredicateDraft("strange", "Strange", "is strange to")
    await database.unit_of_work(
        Scope("app", stranger.team_id), lambda w: register_predicate(w, stranger, draft)
    )
    return {
        "cycle_run_id": run.run_id,
        "subject_entity_id": pattern.subjects[0],
        "object_entity_id": pattern.objects[0],
        "object_value_id": await make_value(database, stranger, "strange"),
        "predicate_key": "strange",
        "previous_hypothesis_id": guess["id"],
        "hypothesis_id": guess["id"],
        "relationship_id": pattern.last.relationship_id,
        "owner_profile_id": stranger.profile_id,
    }


@pytest.mark.parametrize("column", [*GUESS_POINTERS, *SOURCE_POINTERS])
async def test_a_guess_cannot_point_into_another_team_nor_to_nothing(
    database: Database, database_name: str, team: Caller, make_team: MakeTeam, column: str
) -> None:
    await make_pattern(database, team)
    await run_once(database, team)
    strange = await strange_ids(database, await make_team())
    forge = forge_guess if column in GUESS_POINTERS else forge_source
    for pointed_to in (strange[column], "made_up"):
        forged: dict[str, sql.Composable] = {column: sql.Literal(pointed_to)}
        if column == "object_value_id":
            forged["object_entity_id"] = sql.NULL
        with acting_as(database_name, "dreamer", team.team_id) as connection:
            assert refusal(connection, forge(forged)) is psycopg.errors.ForeignKeyViolation, pointed_to


async def test_the_same_rows_about_the_teams_own_things_get_in(
    database: Database, database_name: str, team: Caller
) -> None:
    await make_pattern(database, team)
    await run_once(database, team)
    with acting_as(database_name, "dreamer", team.team_id) as connection:
        assert refusal(connection, forge_guess({})) is None
        assert refusal(connection, forge_source({})) is None


async def test_sources_of_another_team_are_neither_locked_nor_told(
    database: Database, team: Caller, make_team: MakeTeam
) -> None:
    strange = await make_pattern(database, await make_team())
    async with database.reading(Scope("app", team.team_id)) as reading:
        assert await reading.fetch_all("SELECT 1 FROM eligible_relationships") == []
    rows = await database.unit_of_work(
        Scope("dreamer", team.team_id),
        lambda w: w.fetch_all("SELECT * FROM lock_sources(%(ids)s)", {"ids": [strange.last.relationship_id]}),
    )
    assert rows == []


async def test_a_generator_that_names_a_stranger_is_refused_as_if_it_named_nobody(
    database: Database, team: Caller, make_team: MakeTeam
) -> None:
    pattern, strange = await make_pattern(database, team), await make_pattern(database, await make_team())
    unused = await make_value(database, team, "known, but no premise names it")

    def propose(inputs: Inputs, budgets: Budgets) -> list[Proposal]:
        good = idea(inputs, pattern.subjects[4], "uses", pattern.objects[4], pattern.last)
        return [
            replace(good, subject_entity_id=strange.subjects[4]),
            replace(good, subject_entity_id=new_id("ent")),
            replace(good, object_entity_id=strange.objects[4]),
            replace(good, object_entity_id=new_id("ent")),
            replace(good, object_entity_id=None, object_value_id=unused),
            replace(good, subject_entity_id=pattern.subjects[4].lower()),
            replace(good, subject_entity_id=f" {pattern.subjects[4]}"),
            replace(good, source_relationship_ids=(strange.last.relationship_id,)),
            replace(good, source_relationship_ids=(new_id("rel"),)),
            replace(good, source_relationship_ids=(pattern.last.relationship_id, new_id("rel"))),
            replace(good, source_relationship_ids=()),
        ]

    run = await run_once(database, team, generator=scripted(propose))

    assert {rejection["reason"]: rejection["count"] for rejection in run.rejections} == {
        "unknown_reference": 7,
        "source_outside_input": 3,
        "schema_invalid": 1,
    }
    assert await read_hypotheses(database, team) == []


@pytest.mark.parametrize("whose", ["a stranger's", "nobody's"])
async def test_evidence_cannot_be_hung_on_an_entity_of_another_team(
    api: Api, database: Database, team: Caller, make_team: MakeTeam, whose: str
) -> None:
    strange: Pattern = await make_pattern(database, await make_team())
    known = strange.subjects[0] if whose == "a stranger's" else f"ent_{NOBODYS_ULID}"
    body = example_submission()
    body["proposal"]["entities"][0]["known_entity_id"] = known
    client = await api.client(team)
    ingest_id = (await client.post("/v1/remember", json=body)).json()["ingest_id"]
    await place_all(database, team)
    [outcome] = (await client.get(f"/v1/placements/{ingest_id}")).json()["relationship_outcomes"]
    assert (outcome["category"], outcome["reason"]) == ("identity_needs_review", "known_entity_unknown")
    assert outcome["relationship_id"] is None
    refused = await client.post("/v1/recall", json={"query": "FastAPI", "expand_from_entity_ids": [known]})
    assert (refused.status_code, refused.json()["code"]) == (404, "not_found")


async def test_a_pooled_connection_keeps_nothing_of_the_team_that_used_it_last(
    database_name: str, team: Caller
) -> None:
    database = Database(Settings.model_validate({"pool_size": 2}), url=service_url(database_name))
    await database.open()

    async def fail(w: Writing) -> None:
        await w.execute("SELECT set_config('lock_timeout', '7', true)")
        await w.execute("SELECT 1 / 0")

    try:
        for role in ("app", "dreamer"):
            with pytest.raises(psycopg.errors.DivisionByZero):
                await database.unit_of_work(Scope(role, team.team_id), fail)
            async with database.listening("a") as first, database.listening("b") as second:
                for connection in (first, second):
                    cursor = await connection.execute(LEFT_BEHIND)
                    assert await cursor.fetchone() == {"is_nobody": True, "team_id": "", "kept": 0}
    finally:
        await database.close()


LEFT_BEHIND: LiteralString = """
    SELECT current_user = session_user AS is_nobody,
           coalesce(current_setting('densemem.team_id', true), '') AS team_id,
           (SELECT count(*) FROM pg_settings WHERE source = 'session' AND name <> 'role'
            AND (name LIKE '%timeout' OR name IN ('search_path', 'default_transaction_read_only'))) AS kept
"""


async def test_two_teams_that_name_each_others_things_at_once_get_nothing_of_each_other(
    api: Api, database: Database, team: Caller, make_team: MakeTeam
) -> None:
    other = await make_team()
    mine, theirs = await make_pattern(database, team), await make_pattern(database, other)
    submissions = []
    for caller, strange in ((team, theirs), (other, mine)):
        body = example_submission()
        body["proposal"]["entities"][0]["known_entity_id"] = strange.subjects[0]
        client = await api.client(caller)
        submissions += [client.post("/v1/remember", json=body) for _ in range(3)]
    assert await at_once(*submissions) == [202] * 6
    await asyncio.gather(place_all(database, team), place_all(database, other))
    for caller in (team, other):
        async with database.reading(Scope("app", caller.team_id)) as reading:
            outcomes = await reading.fetch_all("SELECT category, relationship_id FROM placement_outcomes")
        assert {(row["category"], row["relationship_id"]) for row in outcomes} == {
            ("identity_needs_review", None)
        }


# How it is tried: through the doors, by bare SQL, and by two clients at once.
TRIED = {
    "api": test_evidence_cannot_be_hung_on_an_entity_of_another_team,
    "sql": test_nobody_writes_a_row_into_another_team,
    "two clients": test_two_teams_that_name_each_others_things_at_once_get_nothing_of_each_other,
}
