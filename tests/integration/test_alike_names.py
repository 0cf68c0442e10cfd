"""How recall finds misspelt names among the runs of words of a question, of which some lie inside of others."""

from datetime import UTC, datetime

import pytest

from app.kernel.database import Database
from app.recall.model import RecallAnswer, RecallQuery
from app.recall.recall import recall
from app.tenancy.callers import Caller
from tests.integration.recall_rows import Ledger


@pytest.fixture
async def ledger(database: Database, team: Caller) -> Ledger:
    return Ledger(database, team, {})


async def ask(ledger: Ledger, query: str) -> RecallAnswer:
    return await recall(ledger.database, ledger.caller, RecallQuery(query), now=datetime.now(UTC))


@pytest.mark.parametrize("query", ["What does Crane Securixy Desk depend on?", "Crane Securixy Desk"])
async def test_a_question_with_a_misspelt_name_is_answered_by_the_longest_name(
    ledger: Ledger, query: str
) -> None:
    await ledger.say("Crane Security Desk", "depends_on", "Security")
    await ledger.say("Security", "depends_on", "Locks")
    answer = await ask(ledger, query)
    assert answer.results[0].statement == "Crane Security Desk depends on Security."


async def test_a_name_is_found_inside_of_a_run_that_another_name_is_somewhat_like(ledger: Ledger) -> None:
    await ledger.say("Payment Service", "uses", "Kafka")
    await ledger.say("Operator Permit Service", "uses", "Redis")
    answer = await ask(ledger, "Which operator Paymeent Service uses?")
    assert answer.results[0].statement == "Payment Service uses Kafka."


async def test_a_word_that_a_predicate_explains_may_be_a_name_where_nothing_else_is_said(
    ledger: Ledger,
) -> None:
    await ledger.say("Dependz", "licensed_under", "MIT")
    answer = await ask(ledger, "depends")
    assert [one.statement for one in answer.results][:1] == ["Dependz is licensed under MIT."]
    assert "names" in answer.results[0].matched_by
