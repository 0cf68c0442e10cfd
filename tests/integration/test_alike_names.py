"""Which names the database finds like runs of words, of which some lie inside of others."""

from datetime import UTC, datetime
from typing import LiteralString

import pytest

from app.kernel.database import Database, Scope
from app.recall.model import RecallQuery
from app.recall.recall import recall
from app.tenancy.callers import Caller
from tests.integration.recall_rows import Ledger

_SEARCH: LiteralString = "SELECT * FROM search_alike_names(%(runs)s::text[], 8, %(are_nested)s)"


@pytest.fixture
async def ledger(database: Database, team: Caller) -> Ledger:
    told = Ledger(database, team, {})
    await told.say("Crane Security Desk", "depends_on", "Security")
    await told.say("Lumen Gateway", "depends_on", "보안 게이트웨이")
    return told


async def find(ledger: Ledger, *runs: str, are_nested: bool = True) -> dict[str, list[str]]:
    """Return the names found, by the run that they are like."""
    async with ledger.database.reading(Scope("app", ledger.caller.team_id)) as reading:
        rows = await reading.fetch_all(_SEARCH, {"runs": list(runs), "are_nested": are_nested})
    return {run: [row["folded_name"] for row in rows if row["window_text"] == run] for run in runs}


async def test_what_lies_inside_of_a_run_that_a_name_is_like_is_not_looked_for(ledger: Ledger) -> None:
    runs = ("crane securixy desk", "securixy desk", "securixy")
    assert await find(ledger, *runs) == {
        "crane securixy desk": ["crane security desk"],
        "securixy desk": [],
        "securixy": [],
    }
    alone = await find(ledger, *runs, are_nested=False)
    assert alone["securixy"] == ["security"]


async def test_a_name_of_fewer_words_may_be_what_is_inside_of_a_run(ledger: Ledger) -> None:
    runs = ("lumne gateway now", "lumne gateway")
    assert await find(ledger, *runs) == {run: ["lumen gateway"] for run in runs}


async def test_a_word_that_only_begins_like_a_run_does_not_lie_inside_of_it(ledger: Ledger) -> None:
    found = await find(ledger, "crane securixy desk", "securi")
    assert found["securi"] == ["security"]


async def test_names_beyond_ascii_are_found_in_the_same_way(ledger: Ledger) -> None:
    found = await find(ledger, "보안 게이트훼이", "게이트훼이")
    assert found == {"보안 게이트훼이": ["보안 게이트웨이"], "게이트훼이": []}


@pytest.mark.parametrize("query", ["What does Crane Securixy Desk depend on?", "Crane Securixy Desk"])
async def test_a_question_with_a_misspelt_name_is_answered_by_the_longest_name(
    ledger: Ledger, query: str
) -> None:
    answer = await recall(ledger.database, ledger.caller, RecallQuery(query), now=datetime.now(UTC))
    assert answer.results[0].statement == "Crane Security Desk depends on Security."


async def test_a_word_that_a_predicate_explains_may_be_a_name_where_nothing_else_is_said(
    ledger: Ledger,
) -> None:
    await ledger.say("Dependz", "licensed_under", "MIT")
    answer = await recall(ledger.database, ledger.caller, RecallQuery("depends"), now=datetime.now(UTC))
    assert [one.statement for one in answer.results][:1] == ["Dependz is licensed under MIT."]
    assert "names" in answer.results[0].matched_by
