"""The adapter, through the real SDK: what is asked, what is answered, what it counts."""

import json
import time

import pytest

from app.llm.anthropic_model import AnthropicModel, AnthropicOptions
from app.llm.key import Key, NoKey
from app.llm.model import (
    Answered,
    Malformed,
    Message,
    Outcome,
    OverBudget,
    Question,
    Refused,
    Truncated,
    Unavailable,
)
from app.llm.usage import Tally, Tokens
from tests.integration.provider.asking import LONG, SCHEMA, SHORT, USED, Asker
from tests.provider_server.replies import (
    MODEL,
    Said,
    error,
    error_in_stream,
)
from tests.provider_server.server import KEY, ProviderServer


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
