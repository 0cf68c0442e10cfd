"""What leaves this process for the provider, and how much of an answer comes in, whatever the provider does."""

import asyncio
import gzip
import logging
import time
import warnings
from dataclasses import replace

import pytest

from app.llm import bounds
from app.llm.anthropic_batches import AnthropicBatches
from app.llm.anthropic_model import AnthropicModel, AnthropicOptions
from app.llm.batches import NotMade, Pending
from app.llm.key import Key
from app.llm.model import Answered, Malformed, Message, OverBudget, Question, Unavailable
from app.llm.usage import Tally, Usage
from tests.integration.provider.asking import LONG, SHORT, Asker
from tests.provider_server.replies import (
    MODEL,
    Reply,
    Said,
    events_of,
    redirected,
    stream_of,
    streamed,
    whole,
)
from tests.provider_server.server import KEY, ProviderServer, provider

QUESTION = Question(
    instructions="Be brief.", messages=(Message("user", "Say something."),), schema={}, max_output_tokens=LONG
)


async def no_pause(seconds: float) -> None:
    """Try again at once."""


@pytest.mark.parametrize("most", [LONG, SHORT])
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_nobody_is_followed_to_another_address(asker: Asker, status: int, most: int) -> None:
    async with provider() as elsewhere:
        outcome = await asker.ask(redirected(status, elsewhere.url), most=most)
        assert outcome == Unavailable("rejected")
        assert elsewhere.requests == []
    assert asker.pauses == []


@pytest.mark.parametrize("most", [LONG, SHORT])
async def test_an_answer_without_end_is_given_up(
    asker: Asker, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "MOST_BYTES", 10_000)
    kind = "text/event-stream" if most == LONG else "application/json"
    outcome = await asker.ask(Reply(body=b"data: " + b"x" * 500_000, content_type=kind), most=most)
    assert isinstance(outcome, Malformed)
    assert (outcome.usage.turns, outcome.usage.is_estimated, asker.pauses) == (1, True, [])
    small = Said(text="x" * 100)
    assert isinstance(await asker.ask(small, most=most), Answered)


async def test_an_error_without_end_is_given_up(asker: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MOST_BYTES", 10_000)
    outcome = await asker.ask(Reply(status=400, body=b"x" * 500_000))
    assert not isinstance(outcome, Answered)


async def test_what_is_no_answer_is_given_up_sooner(asker: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MOST_DOCUMENT_BYTES", 10_000)
    counted = b'{"input_tokens": 700, "x": "%b"}'
    for length, is_counted in ((9_000, True), (11_000, False)):
        asker.server.tokens = Reply(body=counted % (b"x" * length))
        outcome = await asker.ask(Said(text="x" * 20_000), most=SHORT, most_input=500)
        assert isinstance(outcome, OverBudget) is is_counted
    asker.server.tokens = 100
    assert isinstance(await asker.ask(Said(text="x" * 20_000), most=SHORT), Answered)


@pytest.mark.parametrize("most", [LONG, SHORT])
async def test_a_compressed_answer_is_not_unpacked(asker: Asker, most: int) -> None:
    plain = streamed(Said()) if most == LONG else whole(Said())
    packed = replace(plain, body=gzip.compress(plain.body), headers={"content-encoding": "gzip"})
    assert isinstance(await asker.ask(packed, most=most), Malformed)
    assert asker.server.requests[-1].headers["accept-encoding"] == "identity"


@pytest.mark.parametrize("most", [LONG, SHORT])
async def test_an_answer_nested_without_end_is_malformed(asker: Asker, most: int) -> None:
    deep = b"[" * 100_000
    kind, body = ("text/event-stream", b"event: message_start\ndata: " + deep + b"\n\n")
    reply = Reply(body=body, content_type=kind) if most == LONG else Reply(body=deep)
    assert isinstance(await asker.ask(reply, most=most), Malformed)
    asker.server.tokens = Reply(body=deep)
    assert isinstance(await asker.ask(Said(), most=most, most_input=500), Answered)


async def test_what_was_asked_and_the_key_are_in_no_log_however_much_is_logged(
    asker: Asker, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("anthropic", "httpx2", "httpcore2"):
        logging.getLogger(name).setLevel(logging.DEBUG)
    with caplog.at_level(logging.DEBUG):
        assert isinstance(await asker.ask(Said(text="an answer")), Answered)
        assert isinstance(await asker.ask(Reply(status=400, body=b"an answer")), Unavailable)
    for secret in ("Say something.", "Be brief.", "an answer", KEY):
        assert secret not in caplog.text


@pytest.mark.parametrize("most", [LONG, SHORT])
async def test_a_field_of_another_type_is_quoted_by_no_warning(asker: Asker, most: int) -> None:
    usage = {"input_tokens": "Say something.", "output_tokens": ["Be brief."]}
    start, stop = events_of(Said(text="", usage=usage))[0], events_of(Said())[-1]
    delta = {"type": "content_block_delta", "index": KEY, "delta": {"type": "text_delta", "text": [KEY]}}
    reply = (
        stream_of([start, ("content_block_delta", delta), stop]) if most == LONG else whole(Said(usage=usage))
    )
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        await asker.ask(reply, most=most)
    assert told == []


async def test_only_the_address_of_the_settings_is_asked(server: ProviderServer, asker: Asker) -> None:
    async with provider() as configured:
        asker.server = configured
        assert isinstance(await asker.ask(Said(), most_input=500), Answered)
        assert len(configured.requests) == 2
    assert server.requests == []


@pytest.mark.parametrize(
    "address",
    [
        "http://gateway:PORT",
        "http://[::1",
        "http://localhost:99999",
        "ftp://x",
        "notaurl",
        "",
        "http://a b",
        "http://a\0",
    ],
)
async def test_an_address_that_is_none_is_an_outcome_that_costs_nothing(address: str) -> None:
    model = AnthropicModel(AnthropicOptions(model=MODEL, base_url=address), key=lambda: Key(KEY, "a test"))
    tally = Tally()
    assert await model.ask(QUESTION, deadline=time.monotonic() + 5, tally=tally) == Unavailable("setup")
    assert await model.count_input(QUESTION) is None
    assert tally.usage == Usage()
    batches = AnthropicBatches(model=MODEL, base_url=address, key=lambda: Key(KEY, "a test"))
    assert await batches.submit(QUESTION, custom_id="run_1-1") == NotMade(
        Unavailable("setup"), is_certain=True
    )
    assert await batches.look("batch_1", custom_id="run_1-1") == Pending()


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("HTTPS_PROXY", "nothing://proxy"),
        ("HTTPS_PROXY", "http://proxy:PORT"),
        ("SSL_CERT_FILE", "/nowhere/certificates"),
    ],
)
async def test_a_setup_that_allows_no_connection_is_an_outcome(
    variable: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    model = AnthropicModel(AnthropicOptions(model=MODEL), key=lambda: Key(KEY, "a test"))
    tally = Tally()
    assert await model.ask(QUESTION, deadline=time.monotonic() + 5, tally=tally) == Unavailable("setup")
    assert tally.usage == Usage()


async def test_a_proxy_that_refuses_is_an_outcome_that_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 407 No\r\ncontent-length: 0\r\n\r\n")
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as proxy:
        port = proxy.sockets[0].getsockname()[1]
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{port}")
        options = AnthropicOptions(model=MODEL, base_url="https://gateway.invalid")
        model = AnthropicModel(options, key=lambda: Key(KEY, "a test"), pause=no_pause)
        tally = Tally()
        outcome = await model.ask(QUESTION, deadline=time.monotonic() + 5, tally=tally)
        await model.close()
    assert (outcome, tally.usage) == (Unavailable("connection"), Usage())
