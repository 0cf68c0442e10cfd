"""Server-sent events: the same wherever the body is cut, and in time by its length."""

from collections.abc import AsyncIterator
from time import process_time

import pytest

from app.llm.events import Sent, read_events

BODY = (
    "\ufeffevent: first\ndata: {\n:a comment\ndata:1}\nid: 7\n\n"
    "event:second\r\ndata: zwölf 🦄\r\n\r\n\r\n"
    "data: third\r\revent: empty\r\rretry: 5\rdata:  two spaces\r\rdata: without an end"
).encode()
EVENTS = [Sent("first", "{\n1}"), Sent("second", "zwölf 🦄"), Sent(None, "third"), Sent(None, " two spaces")]


async def cut(body: bytes, *places: int) -> AsyncIterator[bytes]:
    for start, end in zip((0, *places), (*places, len(body)), strict=True):
        yield body[start:end]


async def read(body: bytes, *places: int) -> list[Sent]:
    return [sent async for sent in read_events(cut(body, *places))]


async def test_events_are_the_same_wherever_the_body_is_cut() -> None:
    assert await read(BODY) == EVENTS
    assert await read(BODY, *range(1, len(BODY))) == EVENTS
    for place in range(len(BODY)):
        assert await read(BODY, place) == EVENTS


async def test_what_is_not_utf_8_is_no_event() -> None:
    with pytest.raises(ValueError, match="utf-8"):
        await read(b"data: \xff\n\n")


@pytest.mark.parametrize("line", [b"a\n", b"\n", b"data: x\n", b"a\r", b"aaaa"], ids=repr)
async def test_time_goes_by_the_length_whatever_lines_there_are(line: bytes) -> None:
    body = line * (1_500_000 // len(line))
    began = process_time()
    await read(body, *range(4_096, len(body), 4_096))
    assert process_time() - began < 5, "the square of the length would take minutes"
