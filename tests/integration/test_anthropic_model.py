"""The adapter, through the real SDK, against a server that speaks the provider's protocol."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

import pytest

from app.llm.anthropic_model import AnthropicModel, AnthropicOptions
from app.llm.key import Key, NoKey
from app.llm.model import (
    Answered,
    Malformed,
    Message,
    Outcome,
    OverBudget,
    Overloaded,
    Question,
    RateLimited,
    Refused,
    TimedOut,
    Truncated,
    Unavailable,
)
from app.llm.usage import Tally, Tokens, Usage
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
from tests.provider_server.server import KEY, Answer, ProviderServer, provider

LONG, SHORT = 4_000, 500
SCHEMA = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
USED = Usage({MODEL: Tokens(input=120, output=40)}, turns=1)


@pytest.fixture
async def server() -> AsyncIterator[ProviderServer]:
    async with provider() as served:
        yield served


@dataclass(slots=True)
class Asker:
    """A model on the server, whose pauses between tries are kept and not waited for."""

    server: ProviderServer
    pauses: list[float] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    key: Key | NoKey = field(default_factory=lambda: Key(KEY, "a test"))
    has_fallbacks: bool = True

    async def ask(
        self, *script: Answer, most: int = LONG, seconds: float = 60.0, most_input: int | None = None
    ) -> Outcome:
        self.server.script = list(script)
        options = AnthropicOptions(model=MODEL, base_url=self.server.url, has_fallbacks=self.has_fallbacks)
        model = AnthropicModel(options, key=lambda: self.key, pause=self._pause, jitter=lambda: 0.0)
        question = Question(
            instructions="Be brief.",
            messages=(Message("user", "Say something."),),
            schema=SCHEMA,
            max_output_tokens=most,
            max_input_tokens=most_input,
            effort="low",
        )
        try:
            return await model.ask(question, deadline=time.monotonic() + seconds, tally=self.tally)
        finally:
            await model.close()

    async def _pause(self, seconds: float) -> None:
        self.pauses.append(seconds)


@pytest.fixture
def asker(server: ProviderServer) -> Asker:
    return Asker(server)


@pytest.mark.parametrize("most", [LONG, SHORT])
async def test_an_answer_comes_whole_with_its_usage(asker: Asker, most: int) -> None:
    outcome = await asker.ask(Said(text='{"words": "wörds"}'), most=most)
    assert outcome == Answered('{"words": "wörds"}', MODEL, USED)
    assert asker.tally.usage == USED
    body = asker.server.messages[0]
    assert body.get("stream", False) is (most == LONG)
    assert body["output_config"] == {"format": {"type": "json_schema", "schema": SCHEMA}, "effort": "low"}
    assert body["system"][0]["cache_control"] == {"type": "ephemeral"}
    assert body["fallbacks"] == "default"


async def test_fallbacks_can_be_switched_off(asker: Asker) -> None:
    asker.has_fallbacks = False
    await asker.ask(Said())
    assert "fallbacks" not in asker.server.messages[0]
    assert "anthropic-beta" not in asker.server.requests[-1].headers


@pytest.mark.parametrize("most", [LONG, SHORT])
async def test_a_fallback_models_tokens_are_kept_under_its_own_name(asker: Asker, most: int) -> None:
    hops = [
        {"type": "message", "model": MODEL, "input_tokens": 100, "output_tokens": 3},
        {"type": "fallback_message", "model": "claude-opus-4-8", "input_tokens": 90, "output_tokens": 30},
    ]
    usage = {"input_tokens": 90, "output_tokens": 30, "iterations": hops}
    outcome = await asker.ask(Said(usage=usage, model="claude-opus-4-8"), most=most)
    assert isinstance(outcome, Answered)
    assert outcome.usage.by_model == {
        MODEL: Tokens(input=100, output=3),
        "claude-opus-4-8": Tokens(input=90, output=30),
    }


async def test_the_four_kinds_of_tokens_are_told_apart(asker: Asker) -> None:
    usage = {
        "input_tokens": 7,
        "output_tokens": 5,
        "cache_read_input_tokens": 1000,
        "cache_creation_input_tokens": 300,
    }
    outcome = await asker.ask(Said(usage=usage))
    assert outcome.usage.tokens == Tokens(input=7, output=5, cache_read=1000, cache_write=300)


@pytest.mark.parametrize("most", [LONG, SHORT])
@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            Said(stop_reason="refusal", stop_details={"type": "refusal", "category": "bio"}),
            Refused("bio", USED),
        ),
        (Said(stop_reason="refusal"), Refused(None, USED)),
        (Said(stop_reason="max_tokens", text='{"cut": '), Truncated("max_output_tokens", USED)),
        (Said(stop_reason="model_context_window_exceeded"), Truncated("context_window", USED)),
        (Said(text=""), Malformed("empty", USED)),
        (Said(stop_reason="tool_use"), Malformed("stop_reason", USED)),
        (Said(stop_reason=None), Malformed("stop_reason", USED)),
    ],
)
async def test_what_the_model_did_instead_of_answering_is_named(
    asker: Asker, said: Said, expected: Outcome, most: int
) -> None:
    assert await asker.ask(said, most=most) == expected
    assert asker.pauses == []


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (error(401, "authentication_error"), Unavailable("unauthenticated")),
        (error(402, "billing_error"), Unavailable("no_credit")),
        (error(403, "permission_error"), Unavailable("rejected")),
        (error(400, "invalid_request_error"), Unavailable("rejected")),
        (error(404, "not_found_error"), Unavailable("rejected")),
        (Reply(body=b"<html>busy</html>", content_type="text/html"), Malformed("not_a_message", Usage())),
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


async def test_a_stream_that_is_none_is_malformed(asker: Asker) -> None:
    outcome = await asker.ask(Reply(body=b"<html>busy</html>", content_type="text/html"))
    assert isinstance(outcome, Malformed)
    assert asker.pauses == []


@pytest.mark.parametrize("most", [LONG, SHORT])
@pytest.mark.parametrize(
    ("reply", "kind", "pauses"),
    [
        (error(429, "rate_limit_error", headers={"retry-after": "7"}), RateLimited, [7, 7, 7, 8]),
        (error(429, "rate_limit_error"), RateLimited, [1, 2, 4, 8]),
        (error(529, "overloaded_error"), Overloaded, [1, 2, 4, 8]),
        (error(500, "api_error"), Unavailable, [1, 2, 4, 8]),
        (error(503, "api_error"), Unavailable, [1, 2, 4, 8]),
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


async def test_a_question_that_is_too_large_is_not_asked(asker: Asker) -> None:
    asker.server.tokens = 501
    assert await asker.ask(Said(), most_input=500) == OverBudget("max_input_tokens", 501)
    assert asker.server.messages == []
    asker.server.tokens = 500
    assert isinstance(await asker.ask(Said(), most_input=500), Answered)


async def test_where_counting_fails_an_estimate_decides(asker: Asker) -> None:
    asker.server.tokens = error(500, "api_error")
    assert isinstance(await asker.ask(Said(), most_input=500), Answered)
    assert isinstance(await asker.ask(Said(), most_input=3), OverBudget)


async def test_without_a_key_nothing_is_sent(asker: Asker) -> None:
    asker.key = NoKey()
    assert await asker.ask(Said()) == Unavailable("no_key")
    assert asker.server.requests == []


async def test_another_key_counts_from_the_next_call_on(server: ProviderServer) -> None:
    server.script = [Said()]
    keys = [Key("sk-wrong-0123456789", "a test"), Key(KEY, "a test")]
    options = AnthropicOptions(model=MODEL, base_url=server.url)
    model = AnthropicModel(options, key=lambda: keys.pop(0))
    question = Question(
        instructions="", messages=(Message("user", "?"),), schema=SCHEMA, max_output_tokens=SHORT
    )
    deadline = time.monotonic() + 30
    assert await model.ask(question, deadline=deadline, tally=Tally()) == Unavailable("unauthenticated")
    assert isinstance(await model.ask(question, deadline=deadline, tally=Tally()), Answered)
    await model.close()


async def test_nothing_of_the_request_or_the_key_is_in_an_outcome(asker: Asker) -> None:
    for reply in (error(400, "invalid_request_error"), error_in_stream(Said(), "invalid_request_error")):
        outcome = await asker.ask(reply)
        assert "secret" not in repr(outcome)
        assert KEY not in repr(outcome)
    assert KEY not in repr(asker.key)
    assert KEY not in json.dumps(asker.server.messages)
