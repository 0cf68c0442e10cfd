"""The Anthropic adapter for batches of one question. No server-side fallbacks: a batch knows none."""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, cast
from urllib.parse import quote

import structlog

from app.llm.batches import NO_RESULT, Ended, Gone, Made, NotMade, Pending
from app.llm.connection import PROTOCOL_ERRORS, Connection, has_left, list_errors
from app.llm.faults import read_connection_error, read_protocol_error, read_status_error
from app.llm.key import Key, NoKey, find_key
from app.llm.model import Question, TimedOut, Unavailable, name_outcome
from app.llm.reading import read_document
from app.llm.redaction import redact
from app.llm.request import build_message
from app.llm.transcript import Transcript
from app.llm.usage import Usage

if TYPE_CHECKING:
    import anthropic
    from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
    from anthropic.types.messages import MessageBatch

SECONDS: Final = 60.0
PAGE: Final = 100
_ID: Final = re.compile(r"[A-Za-z0-9._:-]{1,256}")
log = structlog.get_logger()


class AnthropicBatches:
    """StructuredBatches behind the Message Batches API. Used in one event loop; `close` ends its connections."""

    def __init__(
        self,
        *,
        model: str,
        base_url: str | None = None,
        key: Callable[[], Key | NoKey] = find_key,
        seconds: float = SECONDS,
    ) -> None:
        self._model = model
        self._key = key
        self._connection = Connection(base_url, key=key)
        self._seconds = seconds

    async def submit(self, question: Question, *, custom_id: str) -> Made | NotMade:
        client = await self._connection.open()
        if isinstance(client, Unavailable):
            return NotMade(client, is_certain=True)
        import anthropic
        import httpx2

        params = cast("MessageCreateParamsNonStreaming", build_message(question, self._model))
        try:
            async with asyncio.timeout(self._seconds):
                made = await client.messages.batches.create(
                    requests=[{"custom_id": custom_id, "params": params}]
                )
        except TimeoutError:
            return NotMade(TimedOut(Usage()), is_certain=False)
        except anthropic.APIStatusError as error:
            # A server that failed may have made the batch before it did.
            is_certain = 400 <= error.status_code < 500 and error.status_code not in (408, 409)
            return NotMade(read_status_error(error, now=datetime.now(UTC)).outcome, is_certain)
        except (anthropic.APIConnectionError, httpx2.HTTPError) as error:
            return NotMade(read_connection_error().outcome, is_certain=not has_left(error))
        except (anthropic.AnthropicError, *PROTOCOL_ERRORS):
            return NotMade(read_protocol_error().outcome, is_certain=False)
        batch_id: object = getattr(made, "id", None)
        if not isinstance(batch_id, str) or not self._may_keep(batch_id):
            return NotMade(read_protocol_error().outcome, is_certain=False)
        return Made(batch_id)

    async def look(self, batch_id: str, *, custom_id: str) -> Pending | Gone | Ended:
        client = await self._connection.open()
        if isinstance(client, Unavailable):
            return Pending()
        import anthropic

        try:
            async with asyncio.timeout(self._seconds):
                batch = await client.messages.batches.retrieve(batch_id)
                if batch.processing_status != "ended":
                    return Pending()
                result = await _find_result(client, batch_id, custom_id)
        except anthropic.NotFoundError:
            return Gone()
        except list_errors():
            return _look_again("look")
        return Ended(NO_RESULT) if result is None else _read_result(result, self._model)

    async def find(
        self, custom_id: str, *, since: datetime, until: datetime
    ) -> Made | Pending | Gone | Ended:
        client = await self._connection.open()
        if isinstance(client, Unavailable):
            return Pending()
        is_pending = False
        try:
            async with asyncio.timeout(self._seconds), aclosing(_list_since(client, since)) as batches:
                async for batch in batches:
                    found = await _examine(client, batch, custom_id, until)
                    if isinstance(found, Made):
                        # One that nobody can name is looked at no more.
                        return found if self._may_keep(found.batch_id) else Ended(NO_RESULT)
                    is_pending = is_pending or isinstance(found, Pending)
        except list_errors():
            return _look_again("find")
        return Pending() if is_pending else Gone()

    async def cancel(self, batch_id: str) -> None:
        client = await self._connection.open()
        if isinstance(client, Unavailable):
            return
        try:
            async with asyncio.timeout(self._seconds):
                await client.messages.batches.cancel(batch_id)
        except list_errors():
            _look_again("cancel")

    async def close(self) -> None:
        await self._connection.close()

    def _may_keep(self, batch_id: str) -> bool:
        """Say whether the batch can be named: by an id, which is shown, and so by nothing that holds the key."""
        found = self._key()
        secrets = (found.secret,) if isinstance(found, Key) else ()
        return _ID.fullmatch(batch_id) is not None and redact(batch_id, secrets) == batch_id


def _look_again(step: str) -> Pending:
    log.warning("the provider's batches can't be reached", action="batch", step=step)
    return Pending()


async def _list_since(client: "anthropic.AsyncAnthropic", since: datetime) -> "AsyncGenerator[MessageBatch]":
    """Yield the batches made since then, newest first, as the provider lists them; also what has no time."""
    async for batch in client.messages.batches.list(limit=PAGE):
        created_at: object = getattr(batch, "created_at", None)
        if isinstance(created_at, datetime) and created_at.tzinfo is not None and created_at < since:
            return
        yield batch


async def _examine(
    client: "anthropic.AsyncAnthropic", batch: "MessageBatch", custom_id: str, until: datetime
) -> Made | Pending | Gone:
    """Return whether it is the batch of the question; Pending while that cannot be read."""
    import anthropic

    try:
        counts = batch.request_counts
        size = counts.processing + counts.succeeded + counts.errored + counts.canceled + counts.expired
        if batch.created_at > until or size != 1:
            return Gone()
        if batch.processing_status != "ended":
            return Pending()
        if await _find_result(client, batch.id, custom_id) is None:
            return Gone()
    except (anthropic.APIStatusError, *PROTOCOL_ERRORS):
        # Whatever is wrong with one of them is no reason not to look at the next.
        return Pending()
    return Made(batch.id)


async def _find_result(
    client: "anthropic.AsyncAnthropic", batch_id: str, custom_id: str
) -> dict[str, object] | None:
    """Return the result of the question, read where the batch is: the address in it may lead anywhere.

    Raises:
        ValueError: it is not there, or in a line that cannot be read.
    """
    import httpx2

    path = f"/v1/messages/batches/{quote(batch_id, safe='')}/results"
    answer = await client.get(path, cast_to=httpx2.Response)
    is_whole = True
    for line in filter(bytes.strip, answer.content.split(b"\n")):
        document = read_document(line)
        if not isinstance(document, dict):
            is_whole = False
        elif document.get("custom_id") == custom_id:
            result = document.get("result")
            return result if isinstance(result, dict) else {}
    if not is_whole:
        raise ValueError("a line of the results cannot be read, and may be the question's")
    return None


def _read_result(result: dict[str, object], model: str) -> Ended:
    kind = result.get("type")
    if kind != "succeeded":
        return Ended(
            kind if isinstance(kind, str) and kind in ("errored", "expired", "canceled") else NO_RESULT
        )
    transcript = Transcript(model, presumed_input=0, is_sent=True)
    transcript.take_message(result.get("message"))
    outcome = transcript.conclude()
    # It came out of a batch, whatever tier the message names.
    outcome = replace(outcome, usage=replace(outcome.usage, is_batch=True))
    return Ended(name_outcome(outcome), outcome)
