"""Invariant 3: every proposed predicate is registered for the endpoint kinds.

The database knows which predicates exist, and in which version; whether one fits its ends is decided under lock,
by the registry as it is when the Hypothesis is written.
"""

from collections.abc import Sequence
from itertools import permutations
from typing import LiteralString

import psycopg
import pytest
from psycopg import sql

from app.dreaming.model import Inputs, Proposal
from app.dreaming.runs.history import Run
from app.dreaming.spending.budgets import Budgets
from app.kernel.database import Database, Scope
from app.ledger.predicates.changes import change_predicate
from app.ledger.predicates.draft import PredicateChanges
from app.tenancy.callers import Caller
from tests.api.client import Api
from tests.conftest import MakeProfile
from tests.cycles import idea, make_pattern, read_hypotheses, run_once, scripted, scripted_async, spoil
from tests.factories import make_entity, make_relationship, make_value
from tests.invariants.attempts import acting_as, at_once, refusal
from tests.invariants.forgeries import forge_guess


async def change(database: Database, caller: Caller, key: str, changes: PredicateChanges) -> None:
    await database.unit_of_work(
        Scope("app", caller.team_id),
        lambda w: change_predicate(w, caller, key, changes),
    )


def reasons(run: Run) -> dict[object, object]:
    return {rejection["reason"]: rejection["count"] for rejection in run.rejections}


@pytest.mark.parametrize(
    ("key", "version"),
    [
        ("'is_certainly'", "1"),
        ("'USES'", "1"),
        ("'uses '", "1"),
        ("'Uses'", "1"),
        ("'uses'", "2"),
        ("''", "1"),
    ],
)
async def test_the_database_takes_no_predicate_that_is_not_registered(
    database: Database, database_name: str, team: Caller, key: LiteralString, version: LiteralString
) -> None:
    await make_pattern(database, team)
    await run_once(database, team)
    forged = {"predicate_key": sql.SQL(key), "predicate_version": sql.SQL(version)}
    with acting_as(database_name, "dreamer", team.team_id) as connection:
        assert refusal(connection, forge_guess(forged)) is psycopg.errors.ForeignKeyViolation


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("is_certainly", "predicate_unknown"),
        ("USES", "predicate_unknown"),
        ("Uses", "predicate_unknown"),
        (" uses", "predicate_unknown"),
        ("makes use of", "predicate_unknown"),
        ("uses' OR '1'='1", "predicate_unknown"),
        ("", "schema_invalid"),
        ("uses\x00", "schema_invalid"),
        ("x" * 10_000, "schema_invalid"),
    ],
    ids=lambda text: ascii(text[:20]),
)
async def test_a_name_that_is_no_key_is_refused_and_never_coerced(
    database: Database, team: Caller, key: str, reason: str
) -> None:
    pattern = await make_pattern(database, team)

    def propose(inputs: Inputs, budgets: Budgets) -> Sequence[Proposal]:
        good = idea(inputs, pattern.subjects[4], "uses", pattern.objects[4], pattern.last)
        return [spoil(good, predicate_key=key)]

    run = await run_once(database, team, generator=scripted(propose))
    assert reasons(run) == {reason: 1}
    assert await read_hypotheses(database, team) == []


async def test_every_predicate_is_refused_for_every_pair_of_kinds_that_it_does_not_take(
    database: Database, team: Caller
) -> None:
    person = await make_entity(database, team, "Ada Lovelace", kind="person")
    engine = await make_entity(database, team, "Analytical Engine")
    place = await make_entity(database, team, "London", kind="place")
    number = await make_value(database, team, "1000000", value_type="number")
    text = await make_value(database, team, ">=3.11")
    bridges = [
        await make_relationship(database, team, *edge)
        for edge in (
            (person, "benefits_from", engine),
            (engine, "benefits_from", place),
            (place, "has_population", number),
            (engine, "requires_python", text),
        )
    ]
    pairs = list(permutations((person, engine, place, number, text), 2))
    async with database.reading(Scope("app", team.team_id)) as reading:
        params = {
            "subjects": [subject for subject, _ in pairs],
            "objects": [target for _, target in pairs],
        }
        [row] = await reading.fetch_all(COUNT_UNFIT, params)

    def propose(inputs: Inputs, budgets: Budgets) -> Sequence[Proposal]:
        return [
            idea(inputs, subject, key, target, *bridges)
            for key in inputs.predicates
            for subject, target in pairs
        ]

    run = await run_once(database, team, generator=scripted(propose))

    assert row["unfit"] > 0
    assert reasons(run)["endpoint_kind_invalid"] == row["unfit"]
    kept = await read_hypotheses(database, team)
    assert len(kept) > 1
    assert await find_unfit(database, team) == []


async def find_unfit(database: Database, caller: Caller) -> list[str]:
    """Return the Hypotheses whose predicate, in its current version, does not take their ends."""
    async with database.reading(Scope("app", caller.team_id)) as reading:
        return [row["id"] for row in await reading.fetch_all(UNFIT_GUESSES)]


@pytest.mark.parametrize("moment", ["before the snapshot", "during generation"])
@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (PredicateChanges(lifecycle_state="retired"), "predicate_unknown"),
        (PredicateChanges(allowed_subject_kinds=("person",)), "endpoint_kind_invalid"),
        (PredicateChanges(allowed_object_kinds=("place",)), "endpoint_kind_invalid"),
        (PredicateChanges(allowed_object_kinds=(), allowed_value_types=("string",)), "endpoint_kind_invalid"),
    ],
    ids=["retired", "other subjects", "other objects", "values only"],
)
async def test_a_predicate_that_stopped_fitting_is_not_proposed(
    database: Database, team: Caller, moment: str, changes: PredicateChanges, reason: str
) -> None:
    pattern = await make_pattern(database, team)
    if moment == "before the snapshot":
        await change(database, team, "benefits_from", FITTING)
        await change(database, team, "benefits_from", changes)

    async def propose(inputs: Inputs) -> Sequence[Proposal]:
        if moment == "during generation":
            await change(database, team, "benefits_from", FITTING)
            await change(database, team, "benefits_from", changes)
        return [idea(inputs, pattern.subjects[4], "benefits_from", pattern.objects[4], pattern.last)]

    run = await run_once(database, team, generator=scripted_async(propose), others_write=True)

    assert reasons(run) == {reason: 1}
    assert await read_hypotheses(database, team) == []
    assert await find_unfit(database, team) == []


async def test_a_premise_whose_predicate_stopped_fitting_is_no_reason(
    database: Database, team: Caller
) -> None:
    pattern = await make_pattern(database, team)

    async def propose(inputs: Inputs) -> Sequence[Proposal]:
        await change(database, team, "depends_on", PredicateChanges(allowed_subject_kinds=("person",)))
        return [idea(inputs, pattern.subjects[4], "uses", pattern.objects[4], pattern.last)]

    run = await run_once(database, team, generator=scripted_async(propose), others_write=True)
    assert reasons(run) == {"source_version_changed": 1}
    assert await read_hypotheses(database, team) == []


FITTING = PredicateChanges(allowed_subject_kinds=("product",), allowed_object_kinds=("product",))
# Written apart from the code under test: an entity has a kind, a value a type, and no list at all takes entities.
FITS: LiteralString = """
    CASE WHEN cardinality(p.allowed_subject_kinds || p.allowed_object_kinds || p.allowed_value_types) = 0
         THEN s.id IS NOT NULL AND o.id IS NOT NULL
         ELSE coalesce(s.kind = ANY (p.allowed_subject_kinds), false)
              AND (coalesce(o.kind = ANY (p.allowed_object_kinds), false)
                   OR coalesce(v.value_type = ANY (p.allowed_value_types), false)) END
"""
COUNT_UNFIT: LiteralString = (
    """
    SELECT count(*) FILTER (WHERE NOT ("""
    + FITS
    + """)) AS unfit
    FROM predicates AS p
    CROSS JOIN unnest(%(subjects)s::text[], %(objects)s::text[]) AS pair (subject_id, object_id)
    LEFT JOIN entities AS s ON s.id = pair.subject_id
    LEFT JOIN entities AS o ON o.id = pair.object_id
    LEFT JOIN typed_values AS v ON v.id = pair.object_id
    WHERE p.is_current
"""
)
UNFIT_GUESSES: LiteralString = (
    """
    SELECT h.id FROM hypotheses AS h
    JOIN predicates AS p ON p.predicate_key = h.predicate_key AND p.is_current
    LEFT JOIN entities AS s ON s.id = h.subject_entity_id
    LEFT JOIN entities AS o ON o.id = h.object_entity_id
    LEFT JOIN typed_values AS v ON v.id = h.object_value_id
    WHERE NOT ("""
    + FITS
    + ")"
)


async def test_two_operators_that_narrow_a_predicate_at_once_leave_no_guess_that_it_does_not_take(
    api: Api, database: Database, team: Caller, make_profile: MakeProfile
) -> None:
    await make_pattern(database, team)
    await run_once(database, team)
    assert len(await read_hypotheses(database, team)) == 1
    first, second = await api.client(team), await api.client(await make_profile(team, "Second"))
    narrow: dict[str, object] = {"allowed_subject_kinds": ["person"], "allowed_object_kinds": ["person"]}
    changes = [
        client.patch("/v1/predicates/uses", json=narrow | {"expected_version": 1})
        for client in (first, second)
    ]
    proposal = {"predicate_key": "knits", "label": "knits", "verb_phrase": "knits"}
    new = [client.post("/v1/predicates", json=proposal) for client in (first, second)]
    statuses = await at_once(*changes, *new)
    assert sorted(statuses[:2]) == [200, 412]
    assert sorted(statuses[2:]) == [201, 409]
    [guess] = await read_hypotheses(database, team)
    assert guess["status"] == "stale"
    await run_once(database, team)
    assert [guess["status"] for guess in await read_hypotheses(database, team)] == ["stale"]


# How it is tried: through the doors, by bare SQL, and by two clients at once.
TRIED = {
    "api": test_two_operators_that_narrow_a_predicate_at_once_leave_no_guess_that_it_does_not_take,
    "sql": test_the_database_takes_no_predicate_that_is_not_registered,
    "two clients": test_two_operators_that_narrow_a_predicate_at_once_leave_no_guess_that_it_does_not_take,
}
