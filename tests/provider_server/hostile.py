"""Answers that nobody can use, whichever question they are to: the service says so, and pays for them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from tests.provider_server.replies import Reply, Said, events_of, stream_of, streamed

SAID: Final = Said(text='{"a": 1}')
COUNT: Final = b'"input_tokens": 120'
_START, *_REST = events_of(SAID)
*_BEFORE, _END, _STOP = events_of(SAID)


def change(reply: Reply, old: bytes, new: bytes) -> Reply:
    """Return the reply with something in another's place."""
    assert old in reply.body
    return replace(reply, body=reply.body.replace(old, new))


HOSTILE: Final[Mapping[str, Reply | Said]] = {
    "a repeated key": change(streamed(SAID), COUNT, COUNT + b', "input_tokens": 1'),
    "a count as text": change(streamed(SAID), b": 120", b': "120"'),
    "two beginnings": stream_of([_START, _START, *_REST]),
    "a stop before the end": stream_of([*_BEFORE, _STOP, _END]),
    "a block out of range": change(streamed(SAID), b'"index": 0', b'"index": 7'),
    "nested without end": change(streamed(SAID), COUNT, COUNT + b', "x": ' + b"[" * 50_000),
    "a byte order mark": change(streamed(SAID), b"data: ", b"data: \xef\xbb\xbf"),
    "an answer with half a pair": Said(text='{"request": "\ud800", "ideas": []}'),
    "an answer nested without end": Said(text="[" * 100_000),
    "an answer of NaN": Said(text='{"request": NaN, "ideas": Infinity, "confidence": -Infinity}'),
    "an answer with a mark": Said(text='\ufeff{"ideas": []}'),
    "an answer that repeats a key": Said(text='{"ideas": [], "ideas": []}'),
}
