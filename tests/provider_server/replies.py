"""What the provider may send: whole messages, streams, errors, and what a broken network makes of them."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

MODEL = "claude-opus-5-5"
Event = tuple[str, Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer on the wire.

    `cut_after` closes the connection after so many bytes of the body; `trickle_seconds` sends it byte by byte with
    that pause; `hangs` sends nothing until the client goes away, `waits_for` nothing until it is set. `is_chunked`
    sends the body as one chunk and leaves out the last one, and `stalls` then waits until the client goes away.
    """

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    cut_after: int | None = None
    trickle_seconds: float = 0.0
    hangs: bool = False
    waits_for: asyncio.Event | None = None
    is_chunked: bool = False
    stalls: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What the model says and what it costs; it becomes a stream where one is asked for."""

    text: str = "{}"
    stop_reason: str | None = "end_turn"
    stop_details: Mapping[str, object] | None = None
    model: str = MODEL
    usage: Mapping[str, object] = field(
        default_factory=lambda: {
            "input_tokens": 120,
            "output_tokens": 40,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
        }
    )


def whole(said: Said) -> Reply:
    """Return the answer as one message."""
    return Reply(body=json.dumps(message_of(said)).encode())


def message_of(said: Said) -> dict[str, object]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": said.model,
        "content": [
            {"type": "thinking", "thinking": "", "signature": "c2ln"},
            {"type": "text", "text": said.text},
        ],
        "stop_reason": said.stop_reason,
        "stop_sequence": None,
        "stop_details": said.stop_details,
        "usage": said.usage,
    }


def streamed(said: Said) -> Reply:
    """Return the answer as a stream, the text in pieces of seven characters."""
    return stream_of(events_of(said))


def events_of(said: Said) -> list[Event]:
    start = {
        **message_of(said),
        "content": [],
        "stop_reason": None,
        "usage": {**said.usage, "output_tokens": 1},
    }
    start["usage"] = {name: value for name, value in _mapping(start["usage"]).items() if name != "iterations"}
    pieces = [said.text[place : place + 7] for place in range(0, len(said.text), 7)]
    return [
        ("message_start", {"type": "message_start", "message": start}),
        (
            "content_block_start",
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        ),
        ("ping", {"type": "ping"}),
        *(
            (
                "content_block_delta",
                {
                    "type": "content_block_delta",
                    "index": 0,
                    "delta": {"type": "text_delta", "text": piece},
                },
            )
            for piece in pieces
        ),
        ("content_block_stop", {"type": "content_block_stop", "index": 0}),
        (
            "message_delta",
            {
                "type": "message_delta",
                "delta": {
                    "stop_reason": said.stop_reason,
                    "stop_sequence": None,
                    "stop_details": said.stop_details,
                },
                "usage": said.usage,
            },
        ),
        ("message_stop", {"type": "message_stop"}),
    ]


def stream_of(events: Sequence[Event]) -> Reply:
    body = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events)
    return Reply(body=body.encode(), content_type="text/event-stream")


def error(status: int, kind: str, *, headers: Mapping[str, str] | None = None) -> Reply:
    """Return an error as the provider words it; its message quotes the request, as a careless one might."""
    body = {"type": "error", "error": {"type": kind, "message": "You sent: the secret instructions"}}
    return Reply(status=status, body=json.dumps(body).encode(), headers=headers or {})


def error_in_stream(said: Said, kind: str) -> Reply:
    """Return a stream that begins well and then says that it failed."""
    events = events_of(said)[:5]
    fault = {"type": "error", "error": {"type": kind, "message": "You sent: the secret instructions"}}
    return stream_of([*events, ("error", fault)])


def cut(reply: Reply, after: int) -> Reply:
    return replace(reply, cut_after=after)


def trickled(reply: Reply, seconds: float) -> Reply:
    return replace(reply, trickle_seconds=seconds)


def redirected(status: int, url: str) -> Reply:
    """Return the answer that sends whoever asked elsewhere."""
    return Reply(status=status, headers={"location": f"{url}/v1/messages"})


HANGS = Reply(hangs=True)


def _mapping(value: object) -> Mapping[str, object]:
    assert isinstance(value, Mapping)
    return value
