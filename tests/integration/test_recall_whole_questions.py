"""What recall answers to a question of which it understands every word, and to one of which it does not."""

from datetime import UTC, datetime

import pytest

from app.kernel.database import Database
from app.recall.model import RecallAnswer, RecallQuery
from app.recall.recall import recall
from app.tenancy.callers import Caller
from tests.factories import Position
from tests.integration.recall_rows import Ledger


@pytest.fixture
async def ledger(database: Database, team: Caller) -> Ledger:
    told = Ledger(database, team, {})
    await told.say("Lumen", "depends_on", "Copper")
    await told.say("Lumen", "has_topic", "metals")
    await told.say("Copper", "licensed_under", "MIT")
    # It holds every word of the question, and is about another.
    await told.say("Lumen Gateway", "depends_on", "Bronze")
    return told


async def ask(ledger: Ledger, query: RecallQuery) -> RecallAnswer:
    return await recall(ledger.database, ledger.caller, query, now=datetime.now(UTC))


def statements(answer: RecallAnswer) -> list[str]:
    return [one.statement for one in answer.results]


async def test_a_whole_question_is_answered_by_what_is_known_of_its_names_alone(ledger: Ledger) -> None:
    answer = await ask(ledger, RecallQuery("What does Lumen depend on?"))
    assert statements(answer) == ["Lumen depends on Copper.", "Lumen has the topic metals."]
    assert {one.matched_by for one in answer.results} == {("names",)}
    assert answer.results[0].score == pytest.approx(1.0)


async def test_a_misspelt_name_may_be_another_s_so_texts_are_asked_too(ledger: Ledger) -> None:
    await ledger.say("Vectr", "depends_on", "Copper")
    await ledger.say("Vectra Cloud", "depends_on", "Bronze")
    answer = await ask(ledger, RecallQuery("What does Vectra depend on?"))
    assert {"Vectr depends on Copper.", "Vectra Cloud depends on Bronze."} <= set(statements(answer))


async def test_a_name_that_is_a_word_of_questions_does_not_answer_for_the_other_name(ledger: Ledger) -> None:
    for number in range(14):
        await ledger.say("Who", "maintained_by", f"Team {number}", Position(tier="fact"))
    await ledger.say("Lumen", "maintained_by", "Raven Works")
    answer = await ask(ledger, RecallQuery("Who is the maintainer of Lumen?"))
    assert "Lumen is maintained by Raven Works." in statements(answer)


async def test_a_word_that_nothing_explains_is_looked_for_in_texts(ledger: Ledger) -> None:
    answer = await ask(ledger, RecallQuery("What does Lumen depend on, gateway?"))
    assert "Lumen Gateway depends on Bronze." in statements(answer)


async def test_a_number_is_a_word_too(ledger: Ledger) -> None:
    await ledger.say("Release 7", "depends_on", "Lumen")
    answer = await ask(ledger, RecallQuery("What depends on Lumen in 7?"))
    assert "text" in answer.results[0].matched_by


async def test_what_is_asked_of_a_name_and_not_known_is_looked_for_in_texts(ledger: Ledger) -> None:
    await ledger.say("Lumen Gateway", "maintained_by", "Raven Works")
    answer = await ask(ledger, RecallQuery("Who is the maintainer of Lumen?"))
    assert statements(answer)[-1] != "Lumen has the topic metals."
    assert "Lumen Gateway is maintained by Raven Works." in statements(answer)


async def test_what_is_only_disputed_is_not_known(ledger: Ledger) -> None:
    await ledger.say("Lumen", "licensed_under", "MIT", Position(tier="fact", status="disputed"))
    await ledger.say("Lumen Gateway", "licensed_under", "BSD")
    answer = await ask(ledger, RecallQuery("What is Lumen licensed under?"))
    assert "Lumen Gateway is licensed under BSD." in statements(answer)


async def test_a_denial_is_not_what_was_asked_for(ledger: Ledger) -> None:
    await ledger.say("Lumen", "licensed_under", "MIT", Position(polarity="-"))
    await ledger.say("Lumen Gateway", "licensed_under", "BSD")
    answer = await ask(ledger, RecallQuery("What is Lumen licensed under?"))
    assert "Lumen Gateway is licensed under BSD." in statements(answer)


async def test_the_other_side_of_a_relation_is_not_what_was_asked_for(ledger: Ledger) -> None:
    answer = await ask(ledger, RecallQuery("What depends on Lumen?"))
    assert "Lumen Gateway depends on Bronze." in statements(answer)


async def test_a_followed_chain_is_answered_without_texts(ledger: Ledger) -> None:
    answer = await ask(ledger, RecallQuery("What is everything that Lumen depends on licensed under?"))
    assert statements(answer)[0] == "Copper is licensed under MIT."
    assert {name for one in answer.results for name in one.matched_by} == {"names", "graph"}


async def test_what_the_client_names_is_expanded_all_the_same(ledger: Ledger) -> None:
    wanted = RecallQuery("What does Lumen depend on?", expand_from_entity_ids=(ledger.nodes["Bronze"],))
    answer = await ask(ledger, wanted)
    assert statements(answer)[0] == "Lumen depends on Copper."
    assert "Lumen Gateway depends on Bronze." in statements(answer)
