"""Invariant 6: confirmation without new evidence fails.

Neither a bare decision, nor the guess in its own words however disguised, nor the evidence that it was made from
confirms anything; nor does any score, repetition or approval. What is refused leaves no trace.
"""

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, LiteralString

import psycopg
import pytest
from psycopg import sql

from app.hypotheses.lifecycle import ClientEvent
from app.kernel.database import Database, Role, Scope
from app.remember.submission import CitedSpan, EvidenceItem
from app.review.feedback import Feedback
from app.tenancy.callers import Caller
from tests.api.client import Api
from tests.conftest import MakeProfile
from tests.cycles import make_pattern, read_hypotheses, run_once
from tests.factories import Position, make_relationship
from tests.hypothesis_factories import weigh_again
from tests.integration.feedback_case import SOURCE_TEXT, TRACE, Case, make_case, refusal
from tests.invariants import attempts
from tests.invariants.attempts import acting_as, at_once

STATEMENT = "FastAPI may depend on AnyIO."
RATIONALE = "Both are used by the same things."
DISGUISES = [
    STATEMENT,
    STATEMENT.upper(),
    f"  {STATEMENT}\n\n",
    '"FastAPI may depend on AnyIO"!!!',
    "FastAPI\u200b may\u00a0depend on Any\u00adIO.",
    "\uff26astAPI may depend on AnyIO.",
    "Fast-API may depend on Any/IO.",
    "FastAPI could depend on AnyIO.",
    "FastAPI may well depend on AnyIO.",
    "FastAPI may depend AnyIO.",
    RATIONALE,
    "Both are used by very same things.",
    SOURCE_TEXT,
    SOURCE_TEXT.replace(" ", "\n"),
    SOURCE_TEXT.casefold(),
    f"{STATEMENT} {STATEMENT}",
    f"{STATEMENT} {RATIONALE}",
    f"{RATIONALE}\n{SOURCE_TEXT} {STATEMENT}",
    f"Yes. {STATEMENT} {STATEMENT}",
    f"{STATEMENT} Why? {RATIONALE}",
    f"{SOURCE_TEXT} Sure.",
    f"Sure thing: {SOURCE_TEXT}",
    "FastAPI lists Starlette and its helpers.",
]


@pytest.fixture
async def case(database: Database, team: Caller) -> Case:
    return await make_case(database, team)


@pytest.mark.parametrize("decision", ["confirm_true", "confirm_false"])
async def test_a_bare_decision_confirms_nothing(case: Case, decision: ClientEvent) -> None:
    whole = case.answer(decision).submission
    assert whole is not None
    blanks = [EvidenceItem(text) for text in ("", " ", "\n\t", "\u00a0", "\u3000")]
    empty = [replace(whole, evidence=()), replace(whole, relationships=()), None]
    for submission in [*empty, *(replace(whole, evidence=(blank,)) for blank in blanks)]:
        error = await refusal(case, Feedback(decision, "I am sure.", submission))
        assert error.code == "evidence_required"


@pytest.mark.parametrize("text", DISGUISES, ids=ascii)
@pytest.mark.parametrize("decision", ["confirm_true", "confirm_false"])
async def test_the_guess_or_its_source_in_disguise_confirms_nothing(
    case: Case, decision: ClientEvent, text: str
) -> None:
    polarity = "+" if decision == "confirm_true" else "-"
    error = await refusal(case, Feedback(decision, None, case.confirmation(text, polarity=polarity)))
    assert error.code == "evidence_not_independent"


async def test_one_honest_item_does_not_carry_an_echo_along(case: Case) -> None:
    honest = case.confirmation()
    for text in DISGUISES:
        with_echo = replace(honest, evidence=(*honest.evidence, EvidenceItem(text)))
        assert (await refusal(case, Feedback("confirm_true", None, with_echo))).code == (
            "evidence_not_independent"
        )


@pytest.mark.parametrize("text", [STATEMENT, SOURCE_TEXT, RATIONALE, f"{STATEMENT} {RATIONALE}"])
async def test_a_citation_cannot_cut_the_guess_out_of_longer_evidence(case: Case, text: str) -> None:
    padded = f"{TRACE} {text} {TRACE}"
    start = padded.index(text)
    middle = start + len(text) // 2
    for spans in (
        (CitedSpan(0, start, start + len(text)),),
        (CitedSpan(0, start, middle), CitedSpan(0, middle, start + len(text))),
    ):
        submission = case.confirmation(padded, evidence=spans)
        error = await refusal(case, Feedback("confirm_true", None, submission))
        assert error.code == "evidence_not_independent"


async def test_another_profiles_copy_of_the_source_is_no_new_evidence(
    case: Case, make_profile: MakeProfile
) -> None:
    second = await make_profile(case.caller, "Second")
    error = await refusal(case, Feedback("confirm_true", None, case.confirmation(SOURCE_TEXT)), by=second)
    assert error.code == "evidence_not_independent"


async def test_evidence_of_a_source_that_came_later_is_not_independent_either(
    case: Case, unruled: Database
) -> None:
    """The relationship behind the guess gains a second support; that one is its evidence as well."""
    later = "A second manual of FastAPI lists Starlette as well."
    made = await make_relationship(
        case.database, case.caller, case.fastapi, "uses", case.anyio, Position(content=later)
    )
    params = {"citation_id": made.citation_id, "relationship_id": case.source.relationship_id}
    await unruled.unit_of_work(
        Scope("app", case.caller.team_id),
        lambda w: w.execute(
            "INSERT INTO supports (team_id, relationship_id, citation_id, is_granted)"
            " VALUES (current_setting('densemem.team_id'), %(relationship_id)s, %(citation_id)s, true)",
            params,
        ),
    )
    error = await refusal(case, Feedback("confirm_true", None, case.confirmation(later)))
    assert error.code == "evidence_not_independent"


async def test_no_number_of_approvals_makes_a_guess_knowledge(case: Case, make_profile: MakeProfile) -> None:
    before = await relationships(case)
    for number in range(12):
        caller = await make_profile(case.caller, f"Approver {number}")
        await case.decide(Feedback("reinforce", "It is true, I know it."), by=caller)
    await case.database.unit_of_work(
        Scope("dreamer", case.caller.team_id),
        lambda w: weigh_again(w, 1.0, before="reinforced"),
    )
    assert (await case.hypothesis())["status"] == "reinforced"
    assert await relationships(case) == before


async def relationships(case: Case) -> list[dict[str, Any]]:  # Rows of the whole table.
    return await case.read("SELECT * FROM relationships WHERE team_id = %(team_id)s ORDER BY id")


@pytest.mark.parametrize("role", ["app", "dreamer"])
@pytest.mark.parametrize(
    "attempt",
    [
        # A submission names an ingest of the team, and that one is there for good.
        "INSERT INTO hypothesis_submissions (team_id, ingest_id, hypothesis_id, decision)"
        " SELECT team_id, 'ing_made_up', id, 'confirm_true' FROM hypotheses",
        "UPDATE hypotheses SET status = 'active'",
        "UPDATE hypotheses SET status = 'fact'",
        "UPDATE hypotheses SET submission_is_open = true",
    ],
)
async def test_the_database_takes_no_confirmation_that_rests_on_nothing(
    case: Case, database_name: str, role: Role, attempt: LiteralString
) -> None:
    with acting_as(database_name, role, case.caller.team_id) as connection:
        refused = attempts.refusal(connection, sql.SQL(attempt).format())
    assert refused in (
        psycopg.errors.ForeignKeyViolation,
        psycopg.errors.CheckViolation,
        psycopg.errors.InsufficientPrivilege,
        psycopg.errors.RestrictViolation,
    )


def over_http(case: Case, text: str) -> dict[str, Any]:  # JSON.
    return {
        "decision": "confirm_true",
        "evidence": [{"content": text, "authority": "authoritative"}],
        "proposal": {
            "entities": [
                {"ref": "s", "name": "FastAPI", "known_entity_id": case.fastapi},
                {"ref": "o", "name": "AnyIO", "known_entity_id": case.anyio},
            ],
            "relationships": [
                {
                    "proposal_id": "p1",
                    "subject_ref": "s",
                    "predicate": "depends_on",
                    "object_ref": "o",
                    "evidence": [{"evidence_index": 0, "start": 0, "end": len(text)}],
                }
            ],
        },
    }


async def test_a_client_is_refused_and_may_then_confirm_with_new_evidence(api: Api, case: Case) -> None:
    client = await api.client(case.caller)
    path = f"/v1/dreams/{case.hypothesis_id}/feedback"
    before = await case.traces()
    good = over_http(case, TRACE)
    bodies: Sequence[tuple[dict[str, Any], str]] = [  # JSON.
        ({"decision": "confirm_true"}, "evidence_required"),
        (good | {"evidence": []}, "evidence_required"),
        (good | {"evidence": None, "proposal": None}, "evidence_required"),
        (over_http(case, STATEMENT), "evidence_not_independent"),
        (over_http(case, SOURCE_TEXT), "evidence_not_independent"),
        (copy.deepcopy(good) | {"status": "confirmed"}, "invalid_input"),
        ({"decision": "confirm"}, "invalid_input"),
    ]
    for body, code in bodies:
        answer = await client.post(path, json=body)
        assert (answer.status_code, answer.json()["code"]) == (422, code), answer.text
    assert await case.traces() == before
    assert (await client.post(path, json=good)).json()["status"] == "submitted"


async def test_nobody_marks_a_guess_as_submitted_without_a_submission(
    database: Database, team: Caller
) -> None:
    await make_pattern(database, team)
    await run_once(database, team)
    with pytest.raises(psycopg.errors.RestrictViolation):
        await database.unit_of_work(
            Scope("app", team.team_id), lambda w: w.execute("UPDATE hypotheses SET status = 'submitted'")
        )
    assert [row["status"] for row in await read_hypotheses(database, team)] == ["proposed"]


async def test_two_clients_that_echo_a_guess_at_once_confirm_nothing(
    api: Api, case: Case, make_profile: MakeProfile
) -> None:
    clients = [await api.client(case.caller), await api.client(await make_profile(case.caller, "Second"))]
    path = f"/v1/dreams/{case.hypothesis_id}/feedback"
    before = await case.traces()
    echoes = [over_http(case, text) for text in (STATEMENT, SOURCE_TEXT, RATIONALE, STATEMENT.upper())]
    statuses = await at_once(*(client.post(path, json=body) for client in clients for body in echoes))
    assert statuses == [422] * 8
    assert await case.traces() == before


# How it is tried: through the doors, by bare SQL, and by two clients at once.
TRIED = {
    "api": test_a_client_is_refused_and_may_then_confirm_with_new_evidence,
    "sql": test_the_database_takes_no_confirmation_that_rests_on_nothing,
    "two clients": test_two_clients_that_echo_a_guess_at_once_confirm_nothing,
}
