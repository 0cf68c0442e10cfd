"""Whatever JSON stands wherever: the adapter ends with an outcome and raises nothing, not even a warning."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from app.llm.faults import read_retry_after
from app.llm.model import Answered, Malformed, RateLimited, name_outcome
from tests.integration.provider.asking import LONG, SHORT, Asker
from tests.provider_server.replies import Event, Reply, Said, error, events_of, message_of

ODD: tuple[str, ...] = (
    *("null", "true", "5", "-1", "1e999", "NaN", '"x"', '"\\u0000"', '"\\ud800"', "[]", "[1, 2]", "[[null]]"),
    *("{}", '{"type": 5}', '{"type": {"a": []}}', "1" + "0" * 400, "1" + "0" * 5000),
)
USAGE = {"input_tokens": 120, "output_tokens": 40, "iterations": [{"type": "fallback_message"}]}
SAID = Said(usage=USAGE, stop_details={"type": "refusal", "category": "bio"})
STEP = 13
MARK = "__odd__"
DATE_WITHOUT_END = "Mon, 01 Jan 99999999999999999999 00:00:00 GMT"


def displace(document: object) -> Iterator[object]:
    """Yield the document once for each of its positions, with a mark in that one."""
    yield MARK
    if isinstance(document, dict):
        for name, value in document.items():
            yield from ({**document, name: displaced} for displaced in displace(value))
    elif isinstance(document, list):
        for place, value in enumerate(document):
            yield from ([*document[:place], each, *document[place + 1 :]] for each in displace(value))


def stream_of_texts(texts: list[tuple[str, str]]) -> Reply:
    body = "".join(f"event: {name}\ndata: {text}\n\n" for name, text in texts)
    return Reply(body=body.encode(), content_type="text/event-stream")


def streams_with(odd: str) -> Iterator[Reply]:
    events: list[Event] = [each for each in events_of(SAID) if each[0] != "ping"]
    for place, (name, data) in enumerate(events):
        for displaced in displace(data):
            texts = [(each, json.dumps(said)) for each, said in events]
            texts[place] = (name, json.dumps(displaced).replace(f'"{MARK}"', odd))
            yield stream_of_texts(texts)
    fault = {"type": "error", "error": {"type": "x", "message": "m", "details": {"error_code": "y"}}}
    for displaced in displace(fault):
        yield stream_of_texts([("error", json.dumps(displaced).replace(f'"{MARK}"', odd))])


def messages_with(odd: str) -> Iterator[Reply]:
    for displaced in displace(message_of(SAID)):
        yield Reply(body=json.dumps(displaced).replace(f'"{MARK}"', odd).encode())
    for displaced in displace({"type": "error", "error": {"type": "x", "details": {"error_code": "y"}}}):
        yield Reply(status=400, body=json.dumps(displaced).replace(f'"{MARK}"', odd).encode())


@pytest.mark.parametrize("odd", ["[1, 2]", "5", "null", '"x"'])
async def test_an_event_that_is_no_object_is_malformed(asker: Asker, odd: str) -> None:
    outcome = await asker.ask(stream_of_texts([("message_start", odd)]))
    assert isinstance(outcome, Malformed)
    assert outcome.usage.is_estimated


@pytest.mark.parametrize("most", [LONG, SHORT])
async def test_odd_json_in_any_position_ends_as_an_outcome(asker: Asker, most: int) -> None:
    told = set()
    for number, odd in enumerate(ODD):
        replies = list(streams_with(odd) if most == LONG else messages_with(odd))
        # Each position meets a few of the odd values, each value a few of the positions: all pairs take minutes.
        for reply in replies[number % STEP :: STEP]:
            outcome = await asker.ask(reply, most=most)
            told.add(name_outcome(outcome))
            assert "claude\x00" not in [*outcome.usage.by_model]
            if isinstance(outcome, Answered):
                assert outcome.usage.tokens.input > 0
    assert {"malformed", "unavailable_rejected" if most == SHORT else "unavailable_server_error"} <= told


@pytest.mark.parametrize("odd", ODD)
async def test_whatever_counting_answers_an_estimate_decides(asker: Asker, odd: str) -> None:
    asker.server.tokens = Reply(body=b'{"input_tokens": ' + odd.encode() + b"}")
    outcome = await asker.ask(Said(), most_input=500)
    assert isinstance(outcome, Answered) or odd == "5"
    asker.server.tokens = Reply(body=odd.encode())
    assert isinstance(await asker.ask(Said(), most_input=500), Answered)


@pytest.mark.parametrize(
    "header",
    [DATE_WITHOUT_END, "Mon, 99 Jan 2026 00:00:00 GMT", "0, 0 0 0", ",", "", "nan", "-1", "-inf", "Mon"],
)
def test_a_retry_after_of_no_sense_says_nothing(header: str) -> None:
    assert read_retry_after(header, now=datetime(2026, 11, 1, tzinfo=UTC)) is None


@pytest.mark.parametrize("most", [LONG, SHORT])
async def test_a_date_without_end_in_a_retry_after_is_an_outcome(asker: Asker, most: int) -> None:
    reply = error(429, "rate_limit_error", headers={"retry-after": DATE_WITHOUT_END})
    assert isinstance(await asker.ask(reply, most=most), RateLimited)
