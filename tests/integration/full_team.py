"""A team with something in nearly every table, and digests of what each table holds of a team."""

from collections.abc import Mapping

import psycopg
from psycopg import sql

from app.archive.catalogue import TeamTable, read_team_tables
from app.kernel.database import Database, Scope
from app.kernel.settings import Settings
from app.ledger.identity import Edge
from app.remember.submission import EvidenceItem, Submission
from app.review.feedback import Feedback, resolve_feedback
from app.tenancy.callers import Caller
from app.tenancy.configuration import store_team_settings
from app.tenancy.idempotency import StoredAnswer, find_answer, store_answer
from app.tenancy.keys import KeyDraft, create_key
from tests.case_factories import make_conflict, make_review
from tests.conftest import MakeProfile, MakeTeam
from tests.cycles import make_pattern, run_once
from tests.databases import admin_url
from tests.factories import Position, make_entity, make_relationship, make_value
from tests.hypothesis_factories import make_hypothesis
from tests.integration.feedback_case import make_case
from tests.integration.merging import fast_and_api, merge
from tests.integration.submissions import remember, scope, state, submit

STRANGE = 'C++ a/b x: "y" \\ \t\n \u202e 🦄 漢字 <|endoftext|> \u0001 it\'s'


async def make_full_team(database: Database, make_team: MakeTeam, make_profile: MakeProfile) -> Caller:
    """Leave a team that has remembered, dreamt, merged, quarrelled, and has work that waits."""
    team = await make_team()
    other = await make_profile(team, "Second")
    await make_pattern(database, team)
    await run_once(database, team)
    own, into, _ = await fast_and_api(database, team)
    await merge(database, team, own, into)
    value_id = await make_value(database, team, "3.11", value_type="number")
    subject_id = await make_entity(database, team, STRANGE)
    revised = Position(source_revision="1", content=STRANGE)
    first = await make_relationship(database, team, subject_id, "depends_on", into, revised)
    second = await make_relationship(database, other, subject_id, "uses", value_id)
    await make_conflict(database, team, subject_id, [first, second], status="resolved")
    await make_review(database, team, first.relationship_id)
    hypothesis_id = await make_hypothesis(database, team, Edge(subject_id, "benefits_from", into), [first])
    await remember(database, team, state("Ruff", "depends_on", "Rust"))
    metadata: dict[str, object] = {"number": 10**40, "none": None, "nested": [[], {}], "é": STRANGE}
    waiting = Submission(evidence=(EvidenceItem(STRANGE, metadata=metadata),), entities=(), relationships=())
    await submit(database, team, waiting)
    draft = KeyDraft(profile_id=team.profile_id, scopes=frozenset({"read"}))
    await database.unit_of_work(scope(team), lambda w: create_key(w, team.team_id, draft))
    await database.unit_of_work(
        scope(team), lambda w: store_team_settings(w, team.team_id, {"max_outputs": 3, "cron": None})
    )
    feedback = Feedback(decision="ignore", reason=STRANGE)
    await database.unit_of_work(
        scope(team), lambda w: resolve_feedback(w, team, hypothesis_id, feedback, correlation_id="test")
    )
    answer = StoredAnswer(200, {"text": "x", "none": None})
    await database.unit_of_work(
        scope(team), lambda w: find_answer(w, team, operation="o", key="k", digest="d")
    )
    await database.unit_of_work(
        scope(team), lambda w: store_answer(w, team, operation="o", key="k", digest="d", answer=answer)
    )
    await (await make_case(database, team)).bring_to("submitted")
    return team


def owner_of(settings: Settings, database_name: str) -> Database:
    """Return the database as the login that migrates sees it; not open yet."""
    return Database(settings, url=admin_url(database_name))


async def team_tables(owner: Database) -> tuple[TeamTable, ...]:
    async with owner.reading(Scope("owner")) as reading:
        return await read_team_tables(reading)


def digests(database_name: str, team_id: str) -> Mapping[str, tuple[int, str]]:
    """Return number and digest of the team's rows in every table that has any, keys and schedule too.

    Numbers that a table gives are no content; the order that they tell is.
    """
    found: dict[str, tuple[int, str]] = {}
    with psycopg.connect(admin_url(database_name)) as connection:
        tables = connection.execute(
            "SELECT c.relname, (SELECT a.attname FROM pg_attribute AS a"
            "  WHERE a.attrelid = c.oid AND a.attidentity <> '')"
            " FROM pg_class AS c WHERE c.relnamespace = 'public'::regnamespace"
            " AND c.relkind = 'r' AND EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = c.oid"
            " AND a.attname = 'team_id' AND NOT a.attisdropped)"
        ).fetchall()
        for name, column, number in [
            ("teams", "id", None),
            *((table, "team_id", number) for table, number in tables),
        ]:
            query = sql.SQL(
                "SELECT count(*), md5(string_agg((to_jsonb(t) - {number})::text, '|' ORDER BY {order}))"
                " FROM {table} AS t WHERE {column} = %s"
            ).format(
                table=sql.Identifier(name),
                column=sql.Identifier(column),
                number=sql.Literal(number or ""),
                order=sql.SQL("t::text") if number is None else sql.Identifier(number),
            )
            row = connection.execute(query, [team_id]).fetchone()
            if row is not None and row[0]:
                found[name] = row
    return found
