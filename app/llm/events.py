"""Server-sent events out of a body: in time by its length, whatever lines it is made of. Pure.

The SDK's own reader takes the square of what stands between two blank lines, which is for the provider to choose.
"""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sent:
    """One event as it was sent; `name` None where it has none."""

    name: str | None
    data: str


async def read_events(chunks: AsyncIterator[bytes]) -> AsyncGenerator[Sent]:
    """Give every event that has data, as soon as its blank line has come; one without an end is none.

    Raises:
        ValueError: the body is not UTF-8.
    """
    name: str | None = None
    data: list[str] = []
    async with aclosing(_read_lines(chunks)) as lines:
        async for line in lines:
            if not line:
                if data:
                    yield Sent(name, "\n".join(data))
                name, data = None, []
                continue
            field, _, value = line.partition(":")
            if field == "event":
                name = value.removeprefix(" ")
            elif field == "data":
                data.append(value.removeprefix(" "))


async def _read_lines(chunks: AsyncIterator[bytes]) -> AsyncGenerator[str]:
    begun: list[bytes] = []
    is_first, ended_by_return = True, False
    async for chunk in chunks:
        # A return and a line feed are one end, also where they come apart.
        rest = chunk[1:] if ended_by_return and chunk.startswith(b"\n") else chunk
        ended_by_return = chunk.endswith(b"\r")
        for piece in rest.splitlines(keepends=True):
            begun.append(piece)
            if piece.endswith((b"\r", b"\n")):
                line = b"".join(begun).rstrip(b"\r\n").decode()
                begun.clear()
                yield line.removeprefix("\ufeff") if is_first else line
                is_first = False
