"""A verdict is paid for once: a retry asks for what failed, and not without end where answers can't be read."""

from dataclasses import replace
from typing import Any

import pytest

from app.kernel.database import Database
from app.kernel.settings import Settings
from app.llm.key import KEY_VARIABLE
from app.remember.submission import (
    CitedSpan,
    EntityProposal,
    EvidenceItem,
    RelationshipProposal,
    Submission,
)
from app.tenancy.callers import Caller
from app.worker.provider import Provider, open_provider
from tests.cycles import set_setting
from tests.integration.submissions import rows, submit
from tests.integration.test_provider_placement import USAGE, place, verdict
from tests.provider_server.replies import Reply, Said
from tests.provider_server.server import Answer, ProviderServer

CITATIONS = 6
AWAY = Reply(status=429, body=b"{}", headers={"retry-after": "3600"})


def one_claim_of_many_citations() -> Submission:
    """Return one claim with several texts, the last of which is told from the others by a word."""
    texts = [f"Gradio depends on Uvicorn, said for the {number}. time." for number in range(1, CITATIONS)]
    texts.append("Gradio depends on Uvicorn: poison.")
    return Submission(
        evidence=tuple(map(EvidenceItem, texts)),
        entities=(EntityProposal("s", "Gradio"), EntityProposal("o", "Uvicorn")),
        relationships=(
            RelationshipProposal(
                proposal_id="p",
                subject_ref="s",
                predicate="depends_on",
                evidence=tuple(CitedSpan(index, 0, len(text)) for index, text in enumerate(texts)),
                object_ref="o",
            ),
        ),
    )


def answering(poison: Answer | None) -> Any:
    """Return a speaker that finds every text entailed, and says this to the poisoned one."""

    def speak(body: dict[str, Any]) -> Answer:
        if poison is not None and "poison" in body["messages"][0]["content"]:
            return poison
        answer: Answer = verdict("entailed")(body)
        return answer

    return speak


def unreadable(text: str = "{}") -> Said:
    return Said(text=text, model="claude-sonnet-5-5", usage=USAGE)


async def pause_of(database: Database, team: Caller, ingest_id: str) -> tuple[int, int]:
    """Return the seconds until the next try, in round tens, and the attempts spent."""
    query = """
        SELECT round(extract(epoch FROM run_at - clock_timestamp()) / 10)::int * 10 AS pause, attempt
        FROM work_items WHERE team_id = %(team_id)s AND item_id = %(id)s
    """
    [item] = await rows(database, team, query, id=ingest_id)
    return item["pause"], item["attempt"]


async def test_only_the_citation_that_failed_is_asked_about_again(
    database: Database, team: Caller, server: ProviderServer, provided: Provider
) -> None:
    server.speak = answering(unreadable())
    ingest_id = await submit(database, team, one_claim_of_many_citations())
    waiting = await place(database, team, ingest_id, provided)
    assert (waiting.processing_state, len(server.messages)) == ("queued", CITATIONS)
    assert await rows(database, team, "SELECT id FROM verification_events") == []

    server.speak = answering(None)
    placed = await place(database, team, ingest_id, provided)
    assert (placed.processing_state, len(server.messages)) == ("completed", CITATIONS + 1)
    query = "SELECT verdict, confidence, rationale, verifier_kind, verifier_version FROM verification_events"
    told = {tuple(row.values()) for row in await rows(database, team, query)}
    assert told == {("entailed", 0.9, "It says so.", "provider", "verifier-v1")}
    assert len(await rows(database, team, query)) == CITATIONS


@pytest.mark.parametrize(
    "poison",
    [unreadable(), Said(text="{}", model="claude-sonnet-5-5", usage=USAGE, stop_reason="max_tokens")],
    ids=["no verdict", "cut"],
)
async def test_a_question_whose_answers_cannot_be_read_is_given_up_after_four_at_growing_pauses(
    database: Database, team: Caller, server: ProviderServer, provided: Provider, poison: Answer
) -> None:
    server.speak = answering(poison)
    ingest_id = await submit(database, team, one_claim_of_many_citations())
    pauses = []
    for _ in range(3):
        assert (await place(database, team, ingest_id, provided)).processing_state == "queued"
        pauses.append(await pause_of(database, team, ingest_id))
    assert pauses == [(30, 0), (120, 0), (480, 0)]
    ended = await place(database, team, ingest_id, provided)
    [outcome] = ended.relationship_outcomes
    assert (ended.processing_state, outcome.category) == ("failed", "processing_failed")
    assert outcome.reason in ("verifier_invalid_answer", "verifier_truncated")
    assert len(server.messages) == CITATIONS + 3
    known = "SELECT id FROM verification_events UNION ALL SELECT id FROM relationships"
    assert await rows(database, team, known) == []


async def test_who_gives_no_answer_is_waited_for_and_costs_nothing(
    database: Database, team: Caller, server: ProviderServer, provided: Provider
) -> None:
    server.speak = answering(AWAY)
    ingest_id = await submit(database, team, one_claim_of_many_citations())
    for tries in range(1, 9):
        waiting = await place(database, team, ingest_id, provided)
        assert [error["code"] for error in waiting.errors] == ["verifier_rate_limited"]
        assert len(server.messages) == CITATIONS - 1 + tries
    usage = await rows(database, team, "SELECT sum(input_tokens)::int AS paid FROM verifier_usage")
    assert usage == [{"paid": 1000 * (CITATIONS - 1)}]
    server.speak = answering(None)
    assert (await place(database, team, ingest_id, provided)).processing_state == "completed"
    assert len(server.messages) == CITATIONS + 8


async def test_the_same_question_is_asked_once_however_many_proposals_have_it(
    database: Database, team: Caller, server: ProviderServer, provided: Provider
) -> None:
    server.speak = answering(None)
    submission = one_claim_of_many_citations()
    [proposal] = submission.relationships
    again = tuple(replace(proposal, proposal_id=f"p{number}") for number in range(8))
    ingest_id = await submit(database, team, replace(submission, relationships=again))
    assert (await place(database, team, ingest_id, provided)).processing_state == "completed"
    assert len(server.messages) == CITATIONS


@pytest.mark.parametrize("lacks", ["money", "a key"])
async def test_what_the_provider_has_begun_to_judge_gets_no_second_opinion(
    database: Database,
    team: Caller,
    server: ProviderServer,
    provided: Provider,
    monkeypatch: pytest.MonkeyPatch,
    lacks: str,
) -> None:
    server.speak = answering(AWAY)
    ingest_id = await submit(database, team, one_claim_of_many_citations())
    await place(database, team, ingest_id, provided)
    if lacks == "money":
        await set_setting(database, team, "max_daily_cost_usd", "0")
    else:
        monkeypatch.delenv(KEY_VARIABLE)
    waiting = await place(database, team, ingest_id, provided)
    assert waiting.processing_state == "queued"
    assert await rows(database, team, "SELECT id FROM verification_events") == []


async def test_another_model_is_asked_for_its_own_verdicts(
    database: Database, team: Caller, server: ProviderServer, provided: Provider
) -> None:
    server.speak = answering(AWAY)
    ingest_id = await submit(database, team, one_claim_of_many_citations())
    await place(database, team, ingest_id, provided)
    asked = len(server.messages)
    fields = {"anthropic_base_url": server.url, "verifier_model": "claude-opus-5-5"}
    async with open_provider(Settings.model_validate(fields)) as other:
        await place(database, team, ingest_id, other)
    assert len(server.messages) == asked + CITATIONS
    assert {body["model"] for body in server.messages[asked:]} == {"claude-opus-5-5"}
