"""Answers read as they came over the wire, through the real SDK: nothing in them is mended, and none is free."""

import json
from collections.abc import Iterator

import pytest

from app.kernel.database import Database
from app.llm.model import Answered, Malformed, Outcome, OverBudget, Overloaded
from app.llm.usage import Tokens
from app.tenancy.callers import Caller
from tests.cycles import Pattern
from tests.integration.provider.asking import LONG, SHORT, USED, Asker
from tests.integration.provider.dreaming import Dreaming, dream
from tests.provider_server.hostile import COUNT, HOSTILE, SAID, change
from tests.provider_server.replies import (
    MODEL,
    Reply,
    Said,
    events_of,
    message_of,
    stream_of,
    streamed,
    whole,
)

NO_COUNTS = (b'"120"', b'"0"', b"true", b"120.0", b"1.2e2", b"NaN", b"Infinity", b"-Infinity", b"[]", b"-120")


def replies(said: Said) -> tuple[Reply, Reply]:
    return streamed(said), whole(said)


async def ask_both(asker: Asker, old: bytes, new: bytes) -> list[Outcome]:
    """Ask for a stream and for a message in which something stands in another's place."""
    stream, message = replies(SAID)
    return [
        await asker.ask(change(stream, old, new), most=LONG),
        await asker.ask(change(message, old, new), most=SHORT),
    ]


@pytest.mark.parametrize("count", NO_COUNTS)
async def test_a_count_that_is_none_is_malformed_in_a_stream_as_in_a_message(
    asker: Asker, count: bytes
) -> None:
    for outcome, most in zip(await ask_both(asker, b": 120", b": " + count), (LONG, SHORT), strict=True):
        assert isinstance(outcome, Malformed)
        assert outcome.usage.is_estimated
        assert outcome.usage.tokens.output == most


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (COUNT, COUNT + b', "input_tokens": 1'),
        (b'"output_tokens": 40', b'"output_tokens": 40, "output_tokens": 1'),
        (b'"stop_reason"', b'"stop_reason": "end_turn", "stop_reason"'),
        (b'"model"', b'"model": "claude-haiku-5-5", "model"'),
        (b'"usage"', b'"usage": {"input_tokens": 1, "output_tokens": 1}, "usage"'),
    ],
)
async def test_a_key_that_stands_twice_is_no_answer_and_is_paid_for(
    asker: Asker, old: bytes, new: bytes
) -> None:
    for outcome in await ask_both(asker, old, new):
        assert isinstance(outcome, Malformed)
        assert outcome.usage.is_estimated
        assert [*outcome.usage.by_model] == [MODEL]


def broken(reply: Reply) -> Iterator[tuple[str, Reply]]:
    """Yield bodies of no form."""
    head = b"data: " if reply.content_type == "text/event-stream" else b""
    tail = b"\n\n" if head else b""
    yield "nested without end", change(reply, b'"type": "message"', b'"x": ' + b"[" * 50_000)
    yield "nested and closed", change(reply, COUNT, COUNT + b', "x": ' + b"[" * 50_000 + b"]" * 50_000)
    # A stream may begin with one; a document, also one in a stream, may not.
    yield "a byte order mark", change(reply, head + b'{"', head + b'\xef\xbb\xbf{"')
    yield "UTF-16", Reply(body=reply.body.decode().encode("utf-16"), content_type=reply.content_type)
    yield "no UTF-8", change(reply, COUNT, COUNT + b', "x": "\xff\xfe"')
    yield "a surrogate in UTF-8", change(reply, COUNT, COUNT + b', "x": "\xed\xa0\x80"')
    yield "half a pair as a model", change(reply, MODEL.encode(), b"claude\\ud800")
    yield "a number without end", change(reply, b": 120", b": 1" + b"0" * 6_000)
    yield "nothing", Reply(body=tail, content_type=reply.content_type)
    yield "a NUL", change(reply, COUNT, COUNT + b"\x00")


@pytest.mark.parametrize("most", [LONG, SHORT])
async def test_a_body_of_no_form_is_an_outcome_and_never_free(asker: Asker, most: int) -> None:
    for name, reply in broken(replies(SAID)[most == SHORT]):
        outcome = await asker.ask(reply, most=most)
        assert not isinstance(outcome, Answered), name
        assert outcome.usage.is_estimated, name
        assert outcome.usage.tokens.input > 0, name


async def test_half_a_pair_in_the_words_is_handed_on_as_text_for_whoever_asked_to_refuse(
    asker: Asker,
) -> None:
    for most in (LONG, SHORT):
        outcome = await asker.ask(Said(text="\ud800"), most=most)
        assert isinstance(outcome, Answered)
        assert outcome.usage == USED


@pytest.mark.parametrize("name", ["message", "error", None])
async def test_an_error_in_a_stream_is_one_under_whatever_name_it_is_sent(
    asker: Asker, name: str | None
) -> None:
    fault = {"type": "error", "error": {"type": "overloaded_error", "message": "m"}}
    reply = stream_of(events_of(SAID)[:4])
    line = b"" if name is None else f"event: {name}\n".encode()
    sent = Reply(
        body=reply.body + line + b"data: " + json.dumps(fault).encode() + b"\n\n",
        content_type=reply.content_type,
    )
    outcome = await asker.ask(sent)
    assert isinstance(outcome, Overloaded)
    assert outcome.usage.is_estimated


async def test_events_without_a_name_are_known_by_their_type(asker: Asker) -> None:
    body = b"".join(line for line in streamed(SAID).body.splitlines(True) if not line.startswith(b"event:"))
    outcome = await asker.ask(Reply(body=body, content_type="text/event-stream"))
    assert outcome == Answered(SAID.text, MODEL, USED)


@pytest.mark.parametrize("most", [LONG, SHORT])
async def test_what_was_counted_before_and_was_seen_is_charged_where_less_is_said(
    asker: Asker, most: int
) -> None:
    asker.server.tokens = 450
    usage = {"input_tokens": 1, "output_tokens": 1}
    outcome = await asker.ask(Said(text="x" * 80, usage=usage), most=most, most_input=500)
    assert isinstance(outcome, Answered)
    assert outcome.usage.by_model == {MODEL: Tokens(input=450, output=80 // 3)}


@pytest.mark.parametrize("count", [b'"120"', b"true", b"1.5", b'120, "input_tokens": 1'])
async def test_a_count_before_the_call_is_read_strictly_as_well(asker: Asker, count: bytes) -> None:
    asker.server.tokens = Reply(body=b'{"input_tokens": ' + count + b"}")
    assert isinstance(await asker.ask(Said(), most_input=3), OverBudget), "our own estimate decides"


async def test_a_low_count_makes_no_long_question_short(asker: Asker) -> None:
    asker.server.tokens = 1
    assert isinstance(await asker.ask(Said(), most_input=1), OverBudget)


@pytest.mark.parametrize("answer", HOSTILE.values(), ids=HOSTILE)
async def test_a_cycle_survives_each_and_pays_for_it(
    database: Database, team: Caller, pattern: Pattern, dreaming: Dreaming, answer: Reply | Said
) -> None:
    dreaming.server.script = [answer]
    # What the team knows is compared before and after.
    run = await dream(database, team, dreaming)
    assert (run.status, run.generator_kind) == ("succeeded", "rules")
    assert run.usage.turns == len(dreaming.server.messages) >= 1
    assert run.usage.cost_usd > 0


async def test_a_message_is_one_document(asker: Asker) -> None:
    body = json.dumps(message_of(SAID)).encode()
    for doubled in (body + body, body + b"\n{}", b"[" + body + b"]"):
        outcome = await asker.ask(Reply(body=doubled), most=SHORT)
        assert isinstance(outcome, Malformed)
        assert outcome.usage.is_estimated
