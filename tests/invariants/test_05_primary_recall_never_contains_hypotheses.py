"""Invariant 5: primary recall never contains Hypotheses.

Guesses stand beside the results or not at all: they find nothing, rank nothing, displace nothing and lead nowhere.
"""

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, LiteralString

import psycopg
import pytest
from psycopg import sql

from app.hypotheses.lifecycle import HypothesisStatus
from app.kernel.database import Database, Role
from app.kernel.ids import ID_ANYWHERE
from app.ledger.identity import Edge
from app.recall.model import RecallAnswer, RecallQuery
from app.recall.recall import recall
from app.tenancy.callers import Caller
from tests.api.client import Api
from tests.conftest import MakeProfile
from tests.cycles import read_hypotheses, run_once
from tests.databases import admin_url
from tests.factories import CANDIDATE, Made
from tests.hypothesis_factories import Guess, make_hypothesis, set_status
from tests.integration.recall_rows import Ledger
from tests.invariants.attempts import acting_as, refusal

CERTAIN = Guess(likelihood=1.0, confidence=1.0, rationale="FastAPI depends on Trio, it is certain.")


@pytest.fixture
def ledger(database: Database, team: Caller) -> Ledger:
    return Ledger(database, team, {})


async def guess(ledger: Ledger, subject: str, key: str, target: str, *sources: Made) -> str:
    edge = Edge(await ledger.node(subject), key, await ledger.node(target))
    return await make_hypothesis(ledger.database, ledger.caller, edge, sources, CERTAIN)


async def ask(ledger: Ledger, query: RecallQuery) -> RecallAnswer:
    return await recall(ledger.database, ledger.caller, query, now=datetime.now(UTC))


def without_guesses(answer: RecallAnswer) -> RecallAnswer:
    return replace(answer, recall_id="", related_hypotheses=(), degradations=())


async def answer_over_http(api: Api, ledger: Ledger, body: dict[str, object]) -> dict[str, Any]:  # JSON.
    answer = await (await api.client(ledger.caller)).post("/v1/recall", json=body)
    assert answer.status_code == 200, answer.text
    decoded: dict[str, Any] = answer.json()  # JSON.
    return decoded


@pytest.mark.parametrize(
    "query",
    [
        "FastAPI may depend on Trio.",
        "FastAPI depends on Trio",
        "FastAPI depends on Trio, it is certain.",
        "Trio",
        "hypothesis",
        "may",
    ],
)
async def test_a_guess_answers_no_question(api: Api, ledger: Ledger, query: str) -> None:
    source = await ledger.say("Starlette", "depends_on", "AnyIO")
    hypothesis_id = await guess(ledger, "FastAPI", "depends_on", "Trio", source)
    answer = await answer_over_http(api, ledger, {"query": query, "limit": 50})
    primary = json.dumps([answer["results"], answer["conflicts"]])
    assert "Trio" not in primary
    assert hypothesis_id not in primary
    assert {found.group()[:4] for found in ID_ANYWHERE.finditer(primary)} <= {"rel_", "ent_", "val_", "evd_"}
    related = {one["hypothesis_id"] for one in answer["related_hypotheses"]}
    assert related <= {hypothesis_id}


@pytest.mark.parametrize("status", ["proposed", "reinforced", "stale", "submitted", "rejected"])
async def test_a_guess_is_no_result_in_any_state(ledger: Ledger, status: HypothesisStatus) -> None:
    source = await ledger.say("FastAPI", "depends_on", "Starlette")
    hypothesis_id = await guess(ledger, "FastAPI", "depends_on", "Trio", source)
    await set_status(ledger.database, ledger.caller, hypothesis_id, status)
    answer = await ask(ledger, RecallQuery("FastAPI Trio", limit=50))
    assert [result.relationship_id for result in answer.results] == [source.relationship_id]


@pytest.mark.parametrize("limit", [1, 3, 50])
async def test_a_hundred_guesses_change_no_result_and_no_rank(ledger: Ledger, limit: int) -> None:
    sources = [await ledger.say("FastAPI", "depends_on", f"Library {number}") for number in range(5)]
    query = RecallQuery("FastAPI Library", limit=limit, hypothesis_limit=20)
    before = await ask(ledger, query)
    for number in range(100):
        await guess(ledger, "FastAPI", "uses", f"Library {number}", sources[number % 5])
    after = await ask(ledger, query)
    assert without_guesses(after) == without_guesses(before)
    assert len(after.results) == min(limit, 5)
    assert len(after.related_hypotheses) == 20


async def test_a_whole_cycle_changes_no_answer(ledger: Ledger) -> None:
    for number in range(5):
        await ledger.say(f"Library {number}", "depends_on", f"Engine {number}")
        if number < 4:
            await ledger.say(f"Library {number}", "uses", f"Engine {number}")
    query = RecallQuery("Library 4 uses Engine 4", limit=50)
    before = await ask(ledger, query)
    await run_once(ledger.database, ledger.caller)
    assert len(await read_hypotheses(ledger.database, ledger.caller)) == 1
    after = await ask(ledger, query)
    assert without_guesses(after) == without_guesses(before)
    assert [one.statement for one in after.related_hypotheses] == ["Library 4 may use Engine 4."]


async def test_the_graph_is_never_walked_along_a_guess(ledger: Ledger) -> None:
    source = await ledger.say("FastAPI", "depends_on", "Starlette")
    beyond = await ledger.say("Trio", "depends_on", "Outcome")
    await guess(ledger, "FastAPI", "depends_on", "Trio", source)
    expand_from = (await ledger.node("FastAPI"),)
    answer = await ask(ledger, RecallQuery("FastAPI", limit=50, expand_from_entity_ids=expand_from))
    ids = {result.relationship_id for result in answer.results}
    assert source.relationship_id in ids
    assert beyond.relationship_id not in ids


async def test_a_candidate_that_is_the_target_is_no_result_either(ledger: Ledger) -> None:
    source = await ledger.say("FastAPI", "depends_on", "Starlette")
    await ledger.say("FastAPI", "depends_on", "Trio", CANDIDATE)
    await guess(ledger, "FastAPI", "depends_on", "Trio", source)
    answer = await ask(ledger, RecallQuery("FastAPI depends on Trio", limit=50))
    assert [result.relationship_id for result in answer.results] == [source.relationship_id]


async def test_knowledge_is_answered_while_the_guesses_cannot_even_be_read(
    ledger: Ledger, database_name: str
) -> None:
    source = await ledger.say("FastAPI", "depends_on", "Starlette")
    await guess(ledger, "FastAPI", "depends_on", "Trio", source)
    with psycopg.connect(admin_url(database_name)) as connection:
        connection.execute(
            "LOCK TABLE hypotheses, hypothesis_sources, hypothesis_events, hypothesis_submissions"
            " IN ACCESS EXCLUSIVE MODE"
        )
        answer = await ask(ledger, RecallQuery("FastAPI Trio", hypothesis_limit=0))
        connection.rollback()
    assert [result.relationship_id for result in answer.results] == [source.relationship_id]
    assert answer.degradations == ()


@pytest.mark.parametrize(
    "flag",
    [
        {"include_hypotheses": True},
        {"results": "all"},
        {"tiers": ["hypothesis"]},
        {"hypothesis_limit": 21},
        {"hypothesis_limit": -1},
    ],
)
async def test_no_request_can_ask_for_guesses_among_the_results(
    api: Api, ledger: Ledger, flag: dict[str, object]
) -> None:
    answer = await (await api.client(ledger.caller)).post("/v1/recall", json={"query": "FastAPI"} | flag)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_input")


async def test_two_clients_that_push_a_guess_while_they_recall_find_it_in_no_result(
    api: Api, ledger: Ledger, make_profile: MakeProfile
) -> None:
    source = await ledger.say("FastAPI", "depends_on", "Starlette")
    hypothesis_id = await guess(ledger, "FastAPI", "depends_on", "Trio", source)
    clients = [
        await api.client(ledger.caller),
        await api.client(await make_profile(ledger.caller, "Second")),
    ]
    push = f"/v1/dreams/{hypothesis_id}/feedback"
    answers = await asyncio.gather(
        *(client.post(push, json={"decision": "reinforce"}) for client in clients for _ in range(3)),
        *(client.post("/v1/recall", json={"query": "FastAPI Trio"}) for client in clients for _ in range(5)),
    )
    recalled = [answer.json() for answer in answers if "results" in answer.json()]
    assert len(recalled) == 10
    for answer in recalled:
        assert [one["relationship_id"] for one in answer["results"]] == [source.relationship_id]


@pytest.mark.parametrize("role", ["app", "dreamer"])
async def test_no_role_puts_a_guess_among_what_recall_reads(
    ledger: Ledger, database_name: str, role: Role
) -> None:
    source = await ledger.say("FastAPI", "depends_on", "Starlette")
    await guess(ledger, "FastAPI", "depends_on", "Trio", source)
    known: LiteralString = """
        INSERT INTO relationship_documents (team_id, relationship_id, body)
        SELECT team_id, id, statement FROM hypotheses
    """
    with acting_as(database_name, role, ledger.caller.team_id) as connection:
        # The dreamer may not write it at all; nobody may write it about what is no Relationship.
        refused = refusal(connection, sql.SQL(known).format())
        assert refused is not None
        assert issubclass(refused, psycopg.errors.InsufficientPrivilege | psycopg.errors.ForeignKeyViolation)


# How it is tried: through the doors, by bare SQL, and by two clients at once.
TRIED = {
    "api": test_no_request_can_ask_for_guesses_among_the_results,
    "sql": test_no_role_puts_a_guess_among_what_recall_reads,
    "two clients": test_two_clients_that_push_a_guess_while_they_recall_find_it_in_no_result,
}
