"""What a batch's results may hold: in any order, incomplete, of another, or of no form at all."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from app.llm.anthropic_batches import AnthropicBatches
from app.llm.batches import Ended, Gone, Made, NotMade, Pending
from app.llm.key import Key
from app.llm.model import Answered, Malformed, Message, Question, Refused, Truncated
from tests.provider_server.batches import Batch, ended, succeeded
from tests.provider_server.replies import MODEL, Reply, Said, error, message_of
from tests.provider_server.server import KEY, ProviderServer, provider

MINE = "run_1_1"
QUESTION = Question(
    instructions="Be brief.", messages=(Message("user", "?"),), schema={"type": "object"}, max_output_tokens=9
)
ANSWER = succeeded(MINE, message_of(Said(text="mine")))
OTHER = succeeded("run_2_1", message_of(Said(text="another's")))


@pytest.fixture
async def batches(server: ProviderServer) -> AsyncIterator[AnthropicBatches]:
    opened = AnthropicBatches(model=MODEL, base_url=server.url, key=lambda: Key(KEY, "a test"), seconds=5)
    yield opened
    await opened.close()


async def look(batches: AnthropicBatches, server: ProviderServer, *results: dict[str, Any]) -> object:
    made = await batches.submit(QUESTION, custom_id=MINE)
    assert isinstance(made, Made)
    assert await batches.look(made.batch_id, custom_id=MINE) == Pending()
    server.batches.made[-1].results = list(results)
    return await batches.look(made.batch_id, custom_id=MINE)


@pytest.mark.parametrize("results", [[ANSWER, OTHER], [OTHER, ANSWER], [OTHER, OTHER, ANSWER]])
async def test_the_answer_is_found_by_its_custom_id_wherever_it_stands(
    batches: AnthropicBatches, server: ProviderServer, results: list[dict[str, Any]]
) -> None:
    looked = await look(batches, server, *results)
    assert isinstance(looked, Ended)
    assert isinstance(looked.outcome, Answered)
    assert (looked.code, looked.outcome.text, looked.outcome.usage.is_batch) == ("answered", "mine", True)


@pytest.mark.parametrize("kind", ["errored", "expired", "canceled"])
async def test_an_end_without_an_answer_is_named(
    batches: AnthropicBatches, server: ProviderServer, kind: str
) -> None:
    assert await look(batches, server, OTHER, ended(MINE, kind)) == Ended(kind)


@pytest.mark.parametrize(
    "result",
    [None, OTHER, {"custom_id": MINE}, {"custom_id": MINE, "result": {"type": "new"}}, {"result": []}],
)
async def test_where_the_question_has_no_result_that_is_known_it_has_none(
    batches: AnthropicBatches, server: ProviderServer, result: dict[str, Any] | None
) -> None:
    assert await look(batches, server, *([] if result is None else [result])) == Ended("no_result")


@pytest.mark.parametrize(
    ("said", "kind", "code"),
    [
        (Said(stop_reason="refusal"), Refused, "refused"),
        (Said(stop_reason="max_tokens"), Truncated, "truncated"),
        (Said(text=""), Malformed, "malformed"),
    ],
)
async def test_an_answer_that_is_none_is_named_and_paid(
    batches: AnthropicBatches, server: ProviderServer, said: Said, kind: type, code: str
) -> None:
    looked = await look(batches, server, succeeded(MINE, message_of(said)))
    assert isinstance(looked, Ended)
    assert looked.code == code
    assert isinstance(looked.outcome, kind)
    assert looked.outcome is not None
    assert (looked.outcome.usage.tokens.output, looked.outcome.usage.is_batch) == (40, True)


async def test_a_message_of_no_form_is_paid_for_as_nobody_knows_what(
    batches: AnthropicBatches, server: ProviderServer
) -> None:
    looked = await look(batches, server, {"custom_id": MINE, "result": {"type": "succeeded", "message": 1}})
    assert isinstance(looked, Ended)
    assert isinstance(looked.outcome, Malformed)
    assert looked.outcome.usage.is_estimated


@pytest.mark.parametrize(
    "reply",
    [
        Reply(body=b"<html>busy</html>", content_type="text/html"),
        Reply(body=b"[" * 100_000),
        Reply(body=b"\xff\xfe"),
        Reply(body=json.dumps(ANSWER).encode()[:-20]),
        Reply(body=json.dumps(ANSWER).encode(), cut_after=30),
        Reply(status=500),
        Reply(status=307, headers={"location": "http://127.0.0.1:9/results"}),
    ],
    ids=["html", "nested", "no text", "half", "cut", "500", "redirect"],
)
async def test_results_that_cannot_be_read_now_are_looked_at_again(
    batches: AnthropicBatches, server: ProviderServer, reply: Reply
) -> None:
    server.batches.results = reply
    assert await look(batches, server, ANSWER) == Pending()
    server.batches.results = None
    looked = await batches.look(server.batches.made[0].batch_id, custom_id=MINE)
    assert isinstance(looked, Ended)


async def test_a_line_separator_inside_an_answer_is_no_end_of_a_line(
    batches: AnthropicBatches, server: ProviderServer
) -> None:
    text = "one\u2028two\x85three"
    server.batches.results = Reply(
        body=json.dumps(succeeded(MINE, message_of(Said(text=text))), ensure_ascii=False).encode()
    )
    looked = await look(batches, server, ANSWER)
    assert isinstance(looked, Ended)
    assert isinstance(looked.outcome, Answered)
    assert looked.outcome.text == text


async def test_results_are_read_where_the_batch_is_and_the_key_goes_nowhere_else(
    batches: AnthropicBatches, server: ProviderServer
) -> None:
    async with provider() as elsewhere:
        server.batches.results_at = elsewhere.url
        looked = await look(batches, server, ANSWER)
        assert isinstance(looked, Ended)
        assert elsewhere.requests == []


async def test_a_batch_that_the_provider_does_not_know_is_gone(batches: AnthropicBatches) -> None:
    for name in ("msgbatch_9", "../../models", "a/b?c#d"):
        assert await batches.look(name, custom_id=MINE) == Gone()


@pytest.mark.parametrize(
    ("reply", "is_certain"),
    [
        (error(400, "invalid_request_error"), True),
        (error(401, "authentication_error"), True),
        (error(429, "rate_limit_error"), True),
        (error(408, "timeout_error"), False),
        (error(409, "conflict_error"), False),
        (error(500, "api_error"), False),
        (error(529, "overloaded_error"), False),
        (Reply(body=b"{" * 100, cut_after=10), False),
        (Reply(body=b"<html>", content_type="text/html"), False),
        (Reply(body=b"{}"), False),
        (Reply(body=json.dumps({"id": 7}).encode()), False),
        (Reply(body=json.dumps({"id": "x" * 300}).encode()), False),
        (Reply(body=json.dumps({"id": "msgbatch_\x00"}).encode()), False),
        (Reply(body=json.dumps({"id": f"msgbatch_{KEY}"}).encode()), False),
        (Reply(body=b"[1]"), False),
        (Reply(body=b"[" * 100_000), False),
    ],
)
async def test_only_who_was_refused_knows_for_certain_that_there_is_no_batch(
    batches: AnthropicBatches, server: ProviderServer, reply: Reply, is_certain: bool
) -> None:
    server.batches.on_create = lambda batch: reply
    handed = await batches.submit(QUESTION, custom_id=MINE)
    assert isinstance(handed, NotMade)
    assert handed.is_certain is is_certain
    assert len(server.batches.made) == 1, "it is tried once"


async def test_where_nobody_listens_there_is_no_batch() -> None:
    nowhere = AnthropicBatches(model=MODEL, base_url="http://127.0.0.1:9", key=lambda: Key(KEY, "a test"))
    handed = await nowhere.submit(QUESTION, custom_id=MINE)
    await nowhere.close()
    assert isinstance(handed, NotMade)
    assert handed.is_certain


async def test_batches_of_several_questions_are_nobodys_of_ours(
    batches: AnthropicBatches, server: ProviderServer
) -> None:
    one = {"custom_id": MINE, "params": {}}
    several = Batch("msgbatch_many", [one, {"custom_id": "run_2_1", "params": {}}], results=[ANSWER, OTHER])
    server.batches.made.append(several)
    near = (several.created_at.replace(year=2020), several.created_at.replace(year=2090))
    assert await batches.find(MINE, since=near[0], until=near[1]) == Gone()
    server.batches.made.append(Batch("msgbatch_mine", [one], results=[ANSWER]))
    assert await batches.find(MINE, since=near[0], until=near[1]) == Made("msgbatch_mine")
    assert await batches.find(MINE, since=near[1], until=near[1]) == Gone()


async def test_a_batch_that_is_named_by_the_key_has_no_name_that_could_be_kept(
    batches: AnthropicBatches, server: ProviderServer
) -> None:
    named = Batch(f"msgbatch_{KEY}", [{"custom_id": MINE, "params": {}}], results=[ANSWER])
    server.batches.made.append(named)
    near = (named.created_at.replace(year=2020), named.created_at.replace(year=2090))
    assert await batches.find(MINE, since=near[0], until=near[1]) == Ended("no_result")


SPOILT: tuple[dict[str, object], ...] = (
    {"created_at": "yesterday"},
    {"created_at": None},
    {"created_at": "2026-11-01T00:00:00"},
    {"request_counts": None},
    {"request_counts": {"processing": "1"}},
    {"processing_status": "ended", "id": None},
    {"processing_status": "ended", "id": 5},
    {"processing_status": "ended", "id": "msgbatch_unknown"},
)


@pytest.mark.parametrize("spoilt", SPOILT, ids=repr)
async def test_an_entry_that_cannot_be_read_hides_no_other_and_is_no_proof_that_there_is_none(
    batches: AnthropicBatches, server: ProviderServer, spoilt: dict[str, object]
) -> None:
    one = {"custom_id": MINE, "params": {}}
    first = Batch("msgbatch_odd", [one], results=[OTHER])
    server.batches.made.append(first)
    server.batches.spoilt = {"msgbatch_odd": spoilt}
    near = (first.created_at.replace(year=2020), first.created_at.replace(year=2090))
    assert await batches.find(MINE, since=near[0], until=near[1]) == Pending()
    server.batches.made.insert(0, Batch("msgbatch_mine", [one], results=[ANSWER]))
    assert await batches.find(MINE, since=near[0], until=near[1]) == Made("msgbatch_mine")
