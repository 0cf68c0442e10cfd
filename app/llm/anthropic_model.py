"""The Anthropic adapter for questions that are answered at once; the SDK is imported when it is first needed.

Long answers are streamed, so that a call which is cut or cancelled still says what it has used. The SDK's own
retries are off: they would sleep while holding a permit and know no deadline.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from app.llm.connection import PROTOCOL_ERRORS, Connection, has_left, list_errors
from app.llm.events import read_events
from app.llm.faults import (
    Fault,
    is_error,
    read_connection_error,
    read_error,
    read_other_speaker,
    read_protocol_error,
    read_status_error,
)
from app.llm.key import Key, NoKey, find_key
from app.llm.model import Outcome, OverBudget, Question, TimedOut, Unavailable
from app.llm.prompts import count_least, estimate_tokens
from app.llm.reading import read_document, read_json
from app.llm.reported import read_count
from app.llm.request import build_count, build_message
from app.llm.retrying import Try, pause_before_next
from app.llm.transcript import Transcript
from app.llm.usage import Tally

if TYPE_CHECKING:
    import anthropic

# A longer answer may take minutes; a shorter one is whole before a stream would pay.
STREAM_ABOVE_TOKENS: Final = 2_000
CONNECT_SECONDS: Final = 10.0
# A stream sends a sign of life far more often.
IDLE_STREAM_SECONDS: Final = 90.0
COUNT_SECONDS: Final = 20.0
CALLS_AT_ONCE: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class AnthropicOptions:
    """How the provider is asked. `base_url` None is the provider's own address."""

    model: str
    base_url: str | None = None
    has_fallbacks: bool = True
    calls_at_once: int = CALLS_AT_ONCE


class AnthropicModel:
    """A StructuredModel behind the Messages API. Used in one event loop; `close` ends its connections."""

    def __init__(
        self,
        options: AnthropicOptions,
        *,
        key: Callable[[], Key | NoKey] = find_key,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._options = options
        self._connection = Connection(options.base_url, key=key)
        self._pause = pause
        self._jitter = jitter
        self._permits = asyncio.Semaphore(options.calls_at_once)

    @property
    def name(self) -> str:
        return self._options.model

    @property
    def has_fallbacks(self) -> bool:
        return self._options.has_fallbacks

    async def ask(self, question: Question, *, deadline: float, tally: Tally) -> Outcome:
        client = await self._connection.open()
        if isinstance(client, Unavailable):
            return client
        said = [message.text for message in question.messages]
        needed = estimate_tokens(question.instructions, *said)
        least = count_least(question.instructions, *said)
        if question.max_input_tokens is not None:
            counted = await self._count(client, question, _seconds_until(deadline))
            needed, least = counted or needed, max(counted or 0, least)
            if max(needed, least) > question.max_input_tokens:
                return OverBudget("max_input_tokens", max(needed, least))
        number = 0
        while True:
            number += 1
            transcript = Transcript(
                self.name,
                presumed_input=max(needed, least),
                most_output=question.max_output_tokens,
                least_input=least,
                # Nothing but the instructions is ever marked for the cache.
                least_fresh=count_least(*said),
            )
            try:
                ended = await self._try(client, question, transcript, deadline)
            finally:
                used = transcript.usage()
                tally.add(used)
            if not isinstance(ended, Fault):
                return ended
            pause = None
            if ended.is_passing and not used.turns:
                pause = pause_before_next(
                    Try(number, ended.retry_after_seconds),
                    seconds_left=_seconds_until(deadline),
                    jitter=self._jitter(),
                )
            if pause is None:
                return replace(ended.outcome, usage=used)
            await self._pause(pause)

    async def count_input(self, question: Question) -> int | None:
        client = await self._connection.open()
        if isinstance(client, Unavailable):
            return None
        return await self._count(client, question, COUNT_SECONDS)

    async def close(self) -> None:
        await self._connection.close()

    async def _try(
        self, client: "anthropic.AsyncAnthropic", question: Question, transcript: Transcript, deadline: float
    ) -> Outcome | Fault:
        """Make one call, within the deadline, holding a permit."""
        ended = await self._make_call(client, question, transcript, deadline)
        # What is whole is an answer that is paid for, however its connection ended.
        if transcript.is_whole or (ended is None and transcript.fault is not None):
            return transcript.conclude()
        return ended or read_connection_error()

    async def _make_call(
        self, client: "anthropic.AsyncAnthropic", question: Question, transcript: Transcript, deadline: float
    ) -> TimedOut | Fault | None:
        """Fill the transcript, and return what broke off."""
        import anthropic
        import httpx2

        try:
            async with asyncio.timeout(_seconds_until(deadline)), self._permits:
                return await self._call(client, question, transcript, _seconds_until(deadline))
        except TimeoutError:
            return TimedOut(transcript.usage())
        except anthropic.APIStatusError as error:
            if error.status_code != 200:
                transcript.is_sent = False  # The provider refused the call: nothing was used.
            return read_status_error(error, now=_now())
        except (anthropic.APIConnectionError, httpx2.HTTPError) as error:
            if isinstance(error.__cause__, PROTOCOL_ERRORS):
                return read_protocol_error()
            transcript.is_sent = has_left(error)
            return read_connection_error()
        except (anthropic.AnthropicError, *PROTOCOL_ERRORS):
            return read_protocol_error()

    async def _call(
        self, client: "anthropic.AsyncAnthropic", question: Question, transcript: Transcript, seconds: float
    ) -> Fault | None:
        """Fill the transcript from what came, as it came: the SDK's own types would mend some of it."""
        from httpx2 import Timeout

        message = build_message(question, self._options.model)
        headers, body = self._extras()
        transcript.is_sent = True
        if question.max_output_tokens <= STREAM_ABOVE_TOKENS:
            timeout = Timeout(seconds, connect=CONNECT_SECONDS)
            answer = await client.messages.with_raw_response.create(
                **message, extra_headers=headers, extra_body=body, timeout=timeout
            )
            if not _is_kind(answer.http_response.headers, "application/json"):
                transcript.is_sent = False
                return read_other_speaker()
            transcript.take_message(read_document(answer.http_response.content))
            return None
        timeout = Timeout(min(seconds, IDLE_STREAM_SECONDS), connect=CONNECT_SECONDS)
        stream = await client.messages.create(
            **message, stream=True, extra_headers=headers, extra_body=body, timeout=timeout
        )
        async with stream:
            if not _is_kind(stream.response.headers, "text/event-stream"):
                transcript.is_sent = False
                return read_other_speaker()
            async with aclosing(read_events(stream.response.aiter_bytes())) as events:
                async for sent in events:
                    if sent.name == "ping":
                        continue
                    event = read_json(sent.data)
                    if sent.name == "error" or is_error(event):
                        return read_error(event, status=200, headers=stream.response.headers, now=_now())
                    transcript.take_event(event)
                    if transcript.is_whole or transcript.fault is not None:
                        return None
        return None

    async def _count(
        self, client: "anthropic.AsyncAnthropic", question: Question, seconds: float
    ) -> int | None:
        """Return the provider's count of the input, or None: counting is free and may fail without harm."""
        params = build_count(question, self._options.model)
        try:
            async with asyncio.timeout(min(seconds, COUNT_SECONDS)):
                answer = await client.messages.with_raw_response.count_tokens(**params)
        except list_errors():
            return None
        counted = read_document(answer.http_response.content)
        return read_count(counted.get("input_tokens")) or None if isinstance(counted, Mapping) else None

    def _extras(self) -> tuple[dict[str, str], dict[str, object]]:
        """Return the header and field that ask for fallbacks; a model without any then answers alone."""
        if not self._options.has_fallbacks:
            return {}, {}
        return {"anthropic-beta": "server-side-fallback-2026-07-01"}, {"fallbacks": "default"}


def _is_kind(headers: Mapping[str, str], kind: str) -> bool:
    return headers.get("content-type", "").partition(";")[0].strip().lower() == kind


def _now() -> datetime:
    return datetime.now(UTC)


def _seconds_until(deadline: float) -> float:
    return max(0.0, deadline - time.monotonic())
