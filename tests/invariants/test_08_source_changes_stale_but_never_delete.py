"""Invariant 8: source changes can stale but never delete Hypothesis history.

Whatever happens to a source, rows, sources and events stay, and stay as they were; the change only adds an event.
Nobody who serves may delete, and even the owner of the tables cannot delete or rewrite a row of them.
"""

from collections.abc import Awaitable, Callable
from typing import LiteralString

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import BigInteger, DateTime, Integer, Text
from sqlalchemy.dialects.postgresql import JSONB

from app.kernel.database import Database, Role, Scope
from app.ledger.vocabulary import Status, TransitionEffect
from app.review.feedback import Feedback
from app.tables import metadata
from app.tenancy.callers import Caller
from tests.api.client import Api
from tests.conftest import MakeProfile
from tests.cycles import Pattern, make_pattern, read_events, read_hypotheses, run_once
from tests.databases import admin_url
from tests.factories import change_relationship, make_relationship
from tests.integration.feedback_case import Case, make_case
from tests.integration.submissions import remember, state
from tests.invariants.attempts import acting_as, at_once, refusal
from tests.invariants.catalogue import GUESSES, TABLES
from tests.invariants.guess_history import STATE, read_history


async def dream(database: Database, caller: Caller) -> Pattern:
    pattern = await make_pattern(database, caller)
    await run_once(database, caller)
    assert len(await read_hypotheses(database, caller)) == 1
    return pattern


ENDS: tuple[Status, ...] = ("retracted", "superseded", "disputed", "quarantined", "rejected", "needs_review")


@pytest.mark.parametrize("status", [*ENDS, "active"])
async def test_any_change_of_a_source_leaves_the_history_and_adds_to_it(
    database: Database, team: Caller, status: Status
) -> None:
    pattern = await dream(database, team)
    before = await read_history(database, team)
    await change_relationship(database, team, pattern.last.relationship_id, status=status)
    await run_once(database, team)
    after = await read_history(database, team)
    assert after.starts_with(before)
    [row] = await read_hypotheses(database, team)
    if status != "active":
        assert row["status"] == "stale"
        assert (await read_events(database, team))[-1] == ("source_lost", "proposed", "stale")


async def test_no_end_of_a_source_is_called_anything_else(database: Database, team: Caller) -> None:
    """So that nobody ends one and leaves what rests on it alone."""
    pattern = await dream(database, team)
    effects: tuple[TransitionEffect, ...] = ("reassess", "harmless", "became_active")
    for status in ENDS:
        for effect in effects:
            with pytest.raises(psycopg.errors.CheckViolation) as refused:
                await change_relationship(
                    database, team, pattern.last.relationship_id, status=status, effect=effect
                )
            rule = "relationship_transitions_effect_is_that_of_its_states"
            assert refused.value.diag.constraint_name == rule
    [row] = await read_hypotheses(database, team)
    assert row["status"] == "proposed"


Step = Callable[[Database, Caller, Caller, Pattern], Awaitable[object]]


async def contradict(database: Database, first: Caller, second: Caller, pattern: Pattern) -> None:
    await remember(database, second, state("Library 4", "depends_on", "Engine 4", polarity="-"))


async def supersede(database: Database, first: Caller, second: Caller, pattern: Pattern) -> None:
    await make_relationship(database, second, pattern.subjects[4], "uses", pattern.objects[4])


async def merge(database: Database, first: Caller, second: Caller, pattern: Pattern) -> None:
    await database.unit_of_work(
        Scope("app", first.team_id),
        lambda w: w.execute(
            "UPDATE entities SET is_merged = true WHERE id = %(id)s", {"id": pattern.objects[4]}
        ),
    )


async def withdraw_evidence(database: Database, first: Caller, second: Caller, pattern: Pattern) -> None:
    await database.unit_of_work(
        Scope("app", first.team_id),
        lambda w: w.execute(
            "UPDATE evidence SET state = 'retracted', retracted_at = now() WHERE id = %(id)s",
            {"id": pattern.last.evidence_id},
        ),
    )


async def revoke_support(database: Database, first: Caller, second: Caller, pattern: Pattern) -> None:
    await database.unit_of_work(
        Scope("app", first.team_id),
        lambda w: w.execute(
            "UPDATE supports SET is_granted = false WHERE relationship_id = %(id)s",
            {"id": pattern.last.relationship_id},
        ),
    )


async def expire(database: Database, first: Caller, second: Caller, pattern: Pattern) -> None:
    await database.unit_of_work(
        Scope("dreamer", first.team_id),
        lambda w: w.execute("UPDATE hypotheses SET reinforced_at = reinforced_at - interval '1 year'"),
    )


# What no code of ours leaves: a change of which no event tells.
UNTOLD: set[Step] = {merge, withdraw_evidence, revoke_support}


@pytest.mark.parametrize(
    ("step", "event"),
    [
        (contradict, "source_lost"),
        (supersede, "target_active"),
        (merge, "source_lost"),
        (withdraw_evidence, "source_lost"),
        (revoke_support, "source_lost"),
        (expire, "retention_expired"),
    ],
)
async def test_whatever_ends_a_guess_is_one_more_event(
    database: Database,
    unruled: Database,
    team: Caller,
    make_profile: MakeProfile,
    step: Step,
    event: str,
) -> None:
    second = await make_profile(team, "Second")
    pattern = await dream(database, team)
    before = await read_history(database, team)
    await step(unruled if step in UNTOLD else database, team, second, pattern)
    await run_once(database, team)
    after = await read_history(database, team)
    assert after.starts_with(before)
    added = after.rows["hypothesis_events"][len(before.rows["hypothesis_events"]) :]
    assert [(one["event"], one["to_status"]) for one in added] == [(event, "stale")]


async def test_a_guess_that_comes_and_goes_keeps_every_turn(database: Database, team: Caller) -> None:
    pattern = await dream(database, team)
    source = pattern.last.relationship_id
    for turn in range(3):
        before = await read_history(database, team)
        await change_relationship(database, team, source, status="quarantined")
        await change_relationship(database, team, source, status="active", effect="became_active")
        await run_once(database, team)
        after = await read_history(database, team)
        events = before.rows["hypothesis_events"]
        assert after.rows["hypothesis_events"][: len(events)] == events, turn
        assert len(after.rows["hypothesis_sources"]) == len(before.rows["hypothesis_sources"])
    steps: list[tuple[str, str | None, str]] = [("accepted", None, "proposed")]
    for _ in range(3):
        start = steps[-1][2]
        steps += [("source_lost", start, "stale"), ("regenerated", "stale", "reinforced")]
    assert await read_events(database, team) == steps


async def test_a_submitted_or_rejected_guess_outlives_its_sources(database: Database, team: Caller) -> None:
    for decision in ("reject", "confirm_true"):
        case: Case = await make_case(database, team)
        confirmation = case.confirmation(f"A second trace shows that FastAPI depends on AnyIO ({decision}).")
        feedback = (
            Feedback("reject") if decision == "reject" else Feedback("confirm_true", None, confirmation)
        )
        await case.decide(feedback)
        before = await read_history(database, team)
        await change_relationship(database, team, case.source.relationship_id, status="retracted")
        after = await read_history(database, team)
        assert after == before


@pytest.mark.parametrize("role", ["app", "dreamer"])
def test_nobody_who_serves_may_delete(database_name: str, team: Caller, role: Role) -> None:
    with acting_as(database_name, role, team.team_id) as connection:
        for table in TABLES:
            for attempt in ("DELETE FROM {}", "TRUNCATE {} CASCADE"):
                refused = refusal(connection, sql.SQL(attempt).format(sql.Identifier(table)))
                assert refused is psycopg.errors.InsufficientPrivilege, table


def test_no_reference_takes_a_guess_down_with_what_it_points_to(database_name: str) -> None:
    with psycopg.connect(admin_url(database_name)) as connection:
        rows = connection.execute(
            "SELECT conname FROM pg_constraint WHERE contype = 'f' AND (confdeltype <> 'a' OR confupdtype <> 'a')"
        ).fetchall()
    assert rows == []


@pytest.mark.parametrize("table", GUESSES)
async def test_even_the_owner_neither_deletes_nor_rewrites_a_guess(
    database: Database, database_name: str, team: Caller, table: str
) -> None:
    await dream(database, team)
    case = await make_case(database, team)
    await case.decide(Feedback("confirm_true", None, case.confirmation()))
    name = sql.Identifier(table)
    with psycopg.connect(admin_url(database_name)) as connection:
        connection.execute("SELECT set_config('role', 'densemem_owner', true)")
        of_team = sql.SQL(" WHERE team_id = {}").format(sql.Literal(team.team_id))
        delete = sql.SQL("DELETE FROM {}").format(name) + of_team
        assert refusal(connection, delete) is psycopg.errors.RestrictViolation
        for column in metadata.tables[table].columns:
            if column.name in CHANGEABLE.get(table, ()):
                continue
            another = ANOTHER_VALUE[type(column.type)].format(sql.Identifier(column.name))
            update = sql.SQL("UPDATE {} SET {} = {}").format(name, sql.Identifier(column.name), another)
            refused = refusal(connection, update + of_team)
            # An identity column is refused by PostgreSQL itself, before any trigger.
            assert refused in (psycopg.errors.RestrictViolation, psycopg.errors.GeneratedAlways), column.name
        connection.rollback()


# The present state, what the latest generation says, and how a submission ended: each change has its event.
CHANGEABLE = {
    "hypotheses": (
        *STATE["hypotheses"],
        "likelihood",
        "confidence",
        "rationale",
        "paths",
        "generator_version",
    ),
    "hypothesis_sources": ("version", "is_candidate", "is_current"),
    "hypothesis_submissions": ("ended_at", "ended_active"),
}
ANOTHER_VALUE = {
    Text: sql.SQL("coalesce({}, '') || 'x'"),
    Integer: sql.SQL("coalesce({}, 0) + 1"),
    BigInteger: sql.SQL("coalesce({}, 0) + 1"),
    DateTime: sql.SQL("{} + interval '1 day'"),
    JSONB: sql.SQL("jsonb_build_object('was', {})"),
}


async def test_two_clients_that_retract_and_reject_at_once_delete_nothing(
    api: Api, database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    case = await make_case(database, team)
    owner, second = await api.client(case.caller), await api.client(await make_profile(case.caller, "Second"))
    count: LiteralString = """
        SELECT (SELECT count(*) FROM hypothesis_events WHERE team_id = %(team_id)s) AS events,
               (SELECT count(*) FROM hypothesis_sources WHERE team_id = %(team_id)s) AS sources
    """
    [before] = await case.read(count)
    path = f"/v1/dreams/{case.hypothesis_id}/feedback"
    statuses = await at_once(
        owner.post(f"/v1/relationships/{case.source.relationship_id}/retract", json={}),
        second.post(path, json={"decision": "reject"}),
        owner.post(path, json={"decision": "stale"}),
        second.post(f"/v1/evidence/{case.source.evidence_id}/retract", json={}),
    )
    assert statuses[0] == 200
    assert statuses[3] == 403
    [after] = await case.read(count)
    assert (await case.hypothesis())["status"] in ("rejected", "stale")
    assert after["sources"] == before["sources"]
    assert after["events"] > before["events"]


# How it is tried: through the doors, by bare SQL, and by two clients at once.
TRIED = {
    "api": test_two_clients_that_retract_and_reject_at_once_delete_nothing,
    "sql": test_nobody_who_serves_may_delete,
    "two clients": test_two_clients_that_retract_and_reject_at_once_delete_nothing,
}
