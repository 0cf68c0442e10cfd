"""What may go out and come in on a connection to the provider, whatever it answers. Imported with the SDK."""

from collections.abc import AsyncIterator
from typing import Final

import httpx2

# Many times the longest stream of an answer that a question allows.
MOST_BYTES: Final = 16 * 2**20
# Whatever is no answer is read as one document, and much of it by the SDK, which takes its time.
MOST_DOCUMENT_BYTES: Final = 2**20


class AnswerRefused(ValueError):
    """An answer that is too long, or packed so that its length cannot be known."""


async def bound_answer(response: httpx2.Response) -> None:
    """Leave the body readable up to `MOST_BYTES` where it is an answer, else up to `MOST_DOCUMENT_BYTES`.

    Raises:
        AnswerRefused: the body is compressed, which nobody asked for; or later, when it is read too far.
    """
    if response.headers.get("content-encoding", "identity") != "identity":
        raise AnswerRefused("a compressed answer")
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    is_answer = response.request.url.path.endswith("/messages") and response.is_success
    most = MOST_BYTES if is_answer else min(MOST_BYTES, MOST_DOCUMENT_BYTES)
    response.stream = _BoundedStream(response.stream, most)


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, most: int) -> None:
        self._inner = inner
        self._most = most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        length = 0
        async for chunk in self._inner:
            length += len(chunk)
            if length > self._most:
                raise AnswerRefused("too long an answer")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()
