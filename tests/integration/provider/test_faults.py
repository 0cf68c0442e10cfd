"""The adapter, through the real SDK: whatever fails, when it is tried again, and what it has cost."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace

import pytest

from app.llm.anthropic_model import AnthropicModel, AnthropicOptions
from app.llm.key import Key
from app.llm.model import (
    Answered,
    Malformed,
    Message,
    Outcome,
    Overloaded,
    Question,
    RateLimited,
    TimedOut,
    Unavailable,
)
from app.llm.usage import Tally, Usage
from tests.integration.provider.asking import LONG, SCHEMA, SHORT, USED, Asker
from tests.provider_server.replies import (
    HANGS,
    MODEL,
    Reply,
    Said,
    cut,
    error,
    error_in_stream,
    events_of,
    stream_of,
    streamed,
    trickled,
    whole,
)
from tests.provider_server.server import KEY, ProviderServer


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (error(401, "authentication_error"), Unavailable("unauthenticated")),
        (error(402, "billing_error"), Unavailable("no_credit")),
        (error(403, "permission_error"), Unavailable("rejected")),
        (error(400, "invalid_request_error"), Unavailable("rejected")),
        (error(404, "not_found_error"), Unavailable("rejected")),
        (Reply(body=b'{"type": "message", '), Malformed("not_the_protocol", Usage())),
        (Reply(body=b"[1, 2]"), Malformed("not_the_protocol", Usage())),
    ],
)
async def test_what_no_other_try_can_mend_is_tried_once(
    asker: Asker, reply: Reply, expected: Outcome
) -> None:
    outcome = await asker.ask(reply, most=SHORT)
    assert type(outcome) is type(expected)
    assert asker.pauses == []
    if isinstance(expected, Unavailable):
        assert outcome == expected, "an error of the provider costs nothing"
    else:
        assert outcome.usage.is_estimated, "what came back may have been charged"


@pytest.mark.parametrize("most", [LONG, SHORT])
@pytest.mark.parametrize(
    ("reply", "kind", "pauses"),
    [
        (error(429, "rate_limit_error", headers={"retry-after": "7"}), RateLimited, [7, 7, 7, 8]),
        (error(429, "rate_limit_error"), RateLimited, [1, 2, 4, 8]),
        (error(529, "overloaded_error"), Overloaded, [1, 2, 4, 8]),
        (error(500, "api_error"), Unavailable, [1, 2, 4, 8]),
        (error(503, "api_error"), Unavailable, [1, 2, 4, 8]),
        (Reply(body=b"<html>busy</html>", content_type="text/html"), Unavailable, [1, 2, 4, 8]),
        (Reply(status=204, body=b"", content_type=""), Unavailable, [1, 2, 4, 8]),
    ],
)
async def test_a_passing_fault_is_tried_again_with_growing_pauses(
    asker: Asker, reply: Reply, kind: type, pauses: Sequence[float], most: int
) -> None:
    outcome = await asker.ask(reply, most=most, seconds=60)
    assert isinstance(outcome, kind)
    assert asker.pauses == list(pauses)
    assert outcome.usage == Usage()
    assert await asker.ask(reply, Said(), most=most) != outcome


async def test_no_pause_is_longer_than_the_deadline_allows(asker: Asker) -> None:
    outcome = await asker.ask(error(429, "rate_limit_error", headers={"retry-after": "30"}), seconds=5)
    assert outcome == RateLimited(30.0, Usage())
    assert asker.pauses == []


async def test_an_overload_in_the_middle_of_a_stream_keeps_what_it_cost_and_is_the_last_try(
    asker: Asker,
) -> None:
    said = Said(text="0123456789" * 30)
    outcome = await asker.ask(error_in_stream(said, "overloaded_error"), Said(), seconds=60)
    assert isinstance(outcome, Overloaded)
    assert asker.pauses == []
    assert outcome.usage.turns == 1
    assert outcome.usage.tokens.input == 120
    assert outcome.usage.is_estimated
    assert asker.tally.usage == outcome.usage


async def test_what_cost_nothing_is_tried_again_until_something_has(asker: Asker) -> None:
    said = Said(text="0123456789" * 30)
    reply = streamed(said)
    free = error(529, "overloaded_error")
    outcome = await asker.ask(free, free, cut(reply, len(reply.body) // 2), said)
    assert isinstance(outcome, Unavailable)
    assert outcome.code == "connection"
    assert asker.pauses == [1, 2]
    assert outcome.usage.turns == 1
    assert outcome.usage.tokens.input == 120
    assert outcome.usage.tokens.output > 0


async def test_a_stream_that_ends_in_order_but_too_early_is_no_answer(asker: Asker) -> None:
    outcome = await asker.ask(stream_of(events_of(Said())[:-1]), seconds=60)
    assert isinstance(outcome, Unavailable)
    assert outcome.code == "connection"


@pytest.mark.parametrize("stalls", [False, True])
async def test_a_stream_that_was_whole_is_an_answer_however_its_connection_ends(
    asker: Asker, stalls: bool
) -> None:
    reply = replace(streamed(Said(text='{"a": 1}')), is_chunked=True, stalls=stalls)
    assert await asker.ask(reply, seconds=5) == Answered('{"a": 1}', MODEL, USED)
    assert len(asker.server.messages) == 1


async def test_a_short_answer_that_is_cut_is_presumed_to_have_cost_its_input(asker: Asker) -> None:
    outcome = await asker.ask(cut(whole(Said()), 40), most=SHORT, seconds=60)
    assert isinstance(outcome, Unavailable)
    assert outcome.usage.turns == 1
    assert outcome.usage.is_estimated
    assert outcome.usage.tokens.input > 0


@pytest.mark.parametrize("most", [LONG, SHORT])
async def test_trickled_bytes_do_not_outlast_the_deadline(asker: Asker, most: int) -> None:
    said = Said(text="x" * 2000)
    reply = streamed(said) if most == LONG else whole(said)
    began = time.monotonic()
    outcome = await asker.ask(trickled(reply, 0.01), most=most, seconds=0.3)
    assert isinstance(outcome, TimedOut)
    assert outcome.usage.is_estimated
    assert time.monotonic() - began < 5


async def test_silence_times_out(asker: Asker) -> None:
    outcome = await asker.ask(HANGS, most=SHORT, seconds=0.3)
    assert isinstance(outcome, TimedOut)
    assert outcome.usage.turns == 1


async def test_trickled_bytes_within_the_deadline_are_an_answer(asker: Asker) -> None:
    said = Said(text='{"a": 1}')
    assert await asker.ask(trickled(streamed(said), 0.0001)) == Answered('{"a": 1}', MODEL, USED)


async def test_a_cancelled_call_leaves_its_tokens_in_the_tally(asker: Asker) -> None:
    reply = trickled(streamed(Said(text="x" * 4000)), 0.001)
    asking = asyncio.create_task(asker.ask(reply))
    while not asker.server.messages:
        await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert asker.tally.usage.turns == 1
    assert asker.tally.usage.is_estimated


async def test_nobody_listening_is_unavailable_and_free(asker: Asker) -> None:
    asker.server.url = "http://127.0.0.1:9"
    assert await asker.ask(Said(), seconds=60) == Unavailable("connection")
    assert len(asker.pauses) == 4


async def test_a_pause_holds_no_permit(server: ProviderServer) -> None:
    paused, go_on = asyncio.Event(), asyncio.Event()

    async def pause(seconds: float) -> None:
        paused.set()
        await go_on.wait()

    server.script = [error(529, "overloaded_error"), Said(text='"second"'), Said(text='"first"')]
    options = AnthropicOptions(model=MODEL, base_url=server.url, calls_at_once=1)
    model = AnthropicModel(options, key=lambda: Key(KEY, "a test"), pause=pause)
    question = Question(
        instructions="", messages=(Message("user", "?"),), schema=SCHEMA, max_output_tokens=SHORT
    )
    deadline = time.monotonic() + 30
    waiting = asyncio.create_task(model.ask(question, deadline=deadline, tally=Tally()))
    await paused.wait()
    second = await model.ask(question, deadline=deadline, tally=Tally())
    go_on.set()
    first = await waiting
    await model.close()
    assert isinstance(second, Answered)
    assert isinstance(first, Answered)
    assert (second.text, first.text) == ('"second"', '"first"')
