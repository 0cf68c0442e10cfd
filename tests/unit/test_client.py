import json
import math
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import httpx2
import pytest

from app.client import DenseMem, Patience, Refused, Unreachable, Unusable
from app.client.transport import Transport

Handler = Callable[[httpx2.Request], httpx2.Response]


def _problem(
    status: int, code: str, *, retryable: bool, headers: dict[str, str] | None = None
) -> httpx2.Response:
    body = {"detail": "It is so.", "code": code, "retryable": retryable, "errors": []}
    return httpx2.Response(status, json=body, headers=headers)


class Server:
    """Answers each request with the next of its answers and keeps what it was asked."""

    def __init__(self, *answers: httpx2.Response | httpx2.TransportError) -> None:
        self._answers: Iterator[httpx2.Response | httpx2.TransportError] = iter(answers)
        self.asked: list[httpx2.Request] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(request)
        match next(self._answers):
            case httpx2.Response() as response:
                return response
            case error:
                raise error


def _transport(server: Server, pauses: list[float]) -> Transport:
    return Transport(
        "http://memory",
        "dm_key",
        patience=Patience(),
        sleep=pauses.append,
        clock=lambda: sum(pauses),
        http=httpx2.MockTransport(server),
    )


def test_what_the_server_calls_retryable_is_asked_again_after_the_time_it_names() -> None:
    pauses: list[float] = []
    server = Server(
        _problem(429, "rate_limited", retryable=True, headers={"Retry-After": "7"}),
        httpx2.Response(200, json={"fine": True}),
    )
    assert _transport(server, pauses).send("GET", "/v1/dreams", is_repeatable=True) == {"fine": True}
    assert pauses == [7.0]


def test_pauses_grow_and_are_jittered_and_the_last_refusal_is_raised() -> None:
    pauses: list[float] = []
    server = Server(*[_problem(503, "database_busy", retryable=True) for _ in range(4)])
    with pytest.raises(Refused) as refusal:
        _transport(server, pauses).send("GET", "/v1/dreams", is_repeatable=True)
    assert (refusal.value.status, refusal.value.code) == (503, "database_busy")
    assert len(pauses) == 3
    assert all(0.2 * 2**n <= pause <= 0.4 * 2**n for n, pause in enumerate(pauses))


def test_a_wait_beyond_all_patience_is_not_begun() -> None:
    pauses: list[float] = []
    server = Server(_problem(429, "rate_limited", retryable=True, headers={"Retry-After": "3600"}))
    with pytest.raises(Refused):
        _transport(server, pauses).send("GET", "/v1/dreams", is_repeatable=True)
    assert pauses == []


def test_a_final_refusal_is_raised_at_once_with_its_fields_and_advice() -> None:
    problem = {
        "detail": "The request is not valid.",
        "code": "invalid_input",
        "retryable": False,
        "next_action": "Correct the request.",
        "errors": [{"field": "query", "code": "missing", "message": "Field required"}],
    }
    server = Server(httpx2.Response(422, json=problem))
    with pytest.raises(Refused) as refusal:
        _transport(server, []).send("POST", "/v1/recall", body={}, is_repeatable=True)
    assert str(refusal.value).splitlines() == [
        "The request is not valid.",
        "  query: Field required",
        "Correct the request.",
    ]


def test_a_broken_connection_is_tried_again_only_when_that_does_nothing_twice() -> None:
    answer = httpx2.Response(200, json={})
    server = Server(httpx2.ReadError("gone"), answer)
    _transport(server, []).send("POST", "/v1/recall", is_repeatable=True)
    assert len(server.asked) == 2
    server = Server(httpx2.ReadError("gone"), answer)
    with pytest.raises(Unreachable):
        _transport(server, []).send("POST", "/v1/teams", is_repeatable=False)
    assert len(server.asked) == 1


def test_a_request_that_never_arrived_is_always_tried_again() -> None:
    server = Server(httpx2.ConnectError("refused"), httpx2.Response(200, json={}))
    _transport(server, []).send("POST", "/v1/teams", is_repeatable=False)
    assert len(server.asked) == 2


def test_an_answer_of_something_else_is_not_tried_again() -> None:
    server = Server(httpx2.Response(200, text="<html>"))
    with pytest.raises(Unreachable) as error:
        _transport(server, []).send("GET", "/v1/dreams", is_repeatable=True)
    assert error.value.code == "not_ours"


def test_a_repeated_effect_carries_one_idempotency_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.client.transport.FIRST_PAUSE_SECONDS", 0.0)
    accepted = httpx2.Response(202, json={"ingest_id": "ing_1"})
    server = Server(httpx2.ReadError("gone"), accepted, accepted)
    with DenseMem("http://memory", "dm_key", http=httpx2.MockTransport(server)) as memory:
        memory.remember([{"content": "A"}], {"relationships": []})
        memory.remember([{"content": "A"}], {"relationships": []})
    first, again, other = (httpx2.Response(200, content=request.content).json() for request in server.asked)
    assert first == again
    assert first["idempotency_key"] != other["idempotency_key"]


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("", "is empty"),
        (" ", "a space or a line end"),
        ("dm_abc\n", "a space or a line end"),
        ("dm_abc def", "a space or a line end"),
        ("dm_abc…", "a character that no key has"),
        ("dm_abc\u200b", "a character that no key has"),
        ("dm_abc\0", "a character that no key has"),
        ("dm_abc\udc80", "a character that no key has"),
    ],
)
def test_a_key_that_cannot_be_one_is_refused_before_anything_is_sent(key: str, told: str) -> None:
    with pytest.raises(Unusable, match=told) as refusal:
        DenseMem("http://memory", key, http=httpx2.MockTransport(Server()))
    assert refusal.value.code == "key_unusable"
    assert "abc" not in str(refusal.value)


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("", "does not begin with http"),
        ("foo", "does not begin with http"),
        ("localhost:8420", "does not begin with http"),
        ("http://", "names no host"),
        ("http://memory:0", "a port that is none"),
        ("http://memory\n", "white space"),
        ("http://999.1.1.1", "a host that is none"),
        ("http://fo…o", "a host that is none"),
    ],
)
def test_an_address_that_cannot_be_one_is_refused_before_anything_is_sent(url: str, told: str) -> None:
    with pytest.raises(Unusable, match=told) as refusal:
        DenseMem(url, "dm_key", http=httpx2.MockTransport(Server()))
    assert refusal.value.code == "address_unusable"


@pytest.mark.parametrize(
    "url", ["http://[::1]:8420", "HTTPS://memory/behind/", "http://a_b:80", "http://bücher"]
)
def test_an_address_of_any_good_shape_is_taken(url: str) -> None:
    DenseMem(url, "dm_key", http=httpx2.MockTransport(Server())).close()


def test_feedback_says_how_long_it_may_be_waited_for_if_at_all() -> None:
    answer = httpx2.Response(200, json={})
    server = Server(answer, answer)
    with DenseMem("http://memory", "dm_key", http=httpx2.MockTransport(server)) as memory:
        memory.resolve_dream_feedback("hyp_1", "ignore", idempotency_key="one")
        memory.resolve_dream_feedback("hyp_1", "confirm_true", wait_seconds=10, idempotency_key="two")
    assert [json.loads(request.content) for request in server.asked] == [
        {"decision": "ignore", "idempotency_key": "one"},
        {"decision": "confirm_true", "wait_seconds": 10, "idempotency_key": "two"},
    ]


def test_an_id_stays_one_segment_of_the_path() -> None:
    server = Server(httpx2.Response(200, json={}))
    DenseMem("http://memory", "dm_key", http=httpx2.MockTransport(server)).get_dream("../admin?x=1")
    assert server.asked[0].url.raw_path == b"/v1/dreams/..%2Fadmin%3Fx%3D1"


def test_dreams_are_walked_page_after_page() -> None:
    server = Server(
        httpx2.Response(200, json={"items": [{"statement": "first"}], "next_cursor": "more"}),
        httpx2.Response(200, json={"items": [{"statement": "last"}], "next_cursor": None}),
    )
    memory = DenseMem("http://memory", "dm_key", http=httpx2.MockTransport(server))
    assert [dream["statement"] for dream in memory.iterate_dreams(sort="likelihood")] == ["first", "last"]
    assert [str(request.url.query, "ascii") for request in server.asked] == [
        "sort=likelihood",
        "sort=likelihood&cursor=more",
    ]


@pytest.mark.parametrize(
    ("begun", "then_trickled"),
    [
        (b"", b""),
        (b"HTTP/1.1 200 OK\r\nX-Slow: ", b"a"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", b" "),
    ],
    ids=["silent", "headers", "body"],
)
@pytest.mark.parametrize("attempts", [1, 4])
def test_no_answer_is_waited_for_longer_than_all_patience(
    begun: bytes, then_trickled: bytes, attempts: int
) -> None:
    patience = Patience(attempts=attempts, timeout_seconds=20, total_seconds=1)
    started = time.monotonic()
    with (
        _trickling(begun, then_trickled) as port,
        DenseMem(f"http://127.0.0.1:{port}", "dm_key", patience=patience) as memory,
        pytest.raises(Unreachable, match="no whole answer within 1 s") as error,
    ):
        memory.list_dreams()
    assert error.value.code == "unreachable"
    assert time.monotonic() - started < 15


def test_a_request_that_nobody_reads_is_not_sent_for_longer_than_all_patience() -> None:
    body = {"content": "a" * 50_000_000}
    patience = Patience(timeout_seconds=20, total_seconds=1)
    started = time.monotonic()
    with (
        _trickling(b"", b"") as port,
        DenseMem(f"http://127.0.0.1:{port}", "dm_key", patience=patience) as memory,
        pytest.raises(Unreachable, match="no whole answer within 1 s"),
    ):
        memory.post("/v1/recall", body)
    assert time.monotonic() - started < 15


def test_each_try_over_another_way_is_given_the_time_that_is_left() -> None:
    pauses: list[float] = []
    server = Server(
        _problem(429, "rate_limited", retryable=True, headers={"Retry-After": "70"}),
        httpx2.Response(200, json={}),
    )
    _transport(server, pauses).send("GET", "/v1/dreams", is_repeatable=True)
    assert [request.extensions["timeout"]["read"] for request in server.asked] == [60.0, 20.0]


@pytest.mark.parametrize(
    "answer",
    [
        httpx2.Response(200, json=[]),
        httpx2.Response(503, json=[]),
        httpx2.Response(503, json="x"),
        httpx2.Response(200, content=b"[" * 100_000),
        httpx2.Response(200, headers={"Content-Encoding": "gzip"}, content=iter([b"no gzip"])),
    ],
    ids=["list", "refusing list", "refusing text", "deep", "broken gzip"],
)
def test_an_answer_that_is_no_object_is_of_something_else(answer: httpx2.Response) -> None:
    with pytest.raises(Unreachable) as error:
        _transport(Server(answer), []).send("GET", "/v1/dreams", is_repeatable=True)
    assert error.value.code == "not_ours"


@pytest.mark.parametrize("answer", [{}, {"items": None}])
def test_a_page_without_dreams_is_of_something_else(answer: dict[str, None]) -> None:
    server = Server(httpx2.Response(200, json=answer))
    memory = DenseMem("http://memory", "dm_key", http=httpx2.MockTransport(server))
    with pytest.raises(Unreachable) as error:
        list(memory.iterate_dreams())
    assert error.value.code == "not_ours"


@pytest.mark.parametrize("header", ["²", "٣", "-1", "soon", ""])
def test_a_time_to_wait_that_is_no_number_is_not_followed(header: str) -> None:
    pauses: list[float] = []
    busy = httpx2.Response(429, headers=[(b"Retry-After", header.encode())], json={"retryable": True})
    server = Server(busy, httpx2.Response(200, json={}))
    assert _transport(server, pauses).send("GET", "/v1/dreams", is_repeatable=True) == {}
    assert len(pauses) == 1


@pytest.mark.parametrize("errors", [3, [3], [{"field": "query"}]])
def test_a_refusal_with_fields_of_another_shape_is_still_one(errors: object) -> None:
    server = Server(httpx2.Response(422, json={"detail": "It is so.", "errors": errors}))
    with pytest.raises(Refused, match=r"It is so\."):
        _transport(server, []).send("GET", "/v1/dreams", is_repeatable=True)


@pytest.mark.parametrize(
    "given",
    [
        {"attempts": 0},
        {"attempts": 1.5},
        {"timeout_seconds": 0},
        {"timeout_seconds": math.nan},
        {"timeout_seconds": math.inf},
        {"total_seconds": -1},
        {"total_seconds": math.nan},
        {"total_seconds": None},
    ],
    ids=str,
)
def test_patience_that_tries_never_or_for_no_time_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(Unusable, match=next(iter(given))) as refusal:
        Patience(**given)
    assert refusal.value.code == "patience_unusable"


@pytest.mark.parametrize("given", [None, 7, "", ".", "..", "rel_\udc80"], ids=ascii)
def test_an_id_that_cannot_be_one_is_refused_before_anything_is_sent(given: Any) -> None:
    server = Server()
    with pytest.raises(Unusable) as refusal:
        DenseMem("http://memory", "dm_key", http=httpx2.MockTransport(server)).trace_memory(given)
    assert refusal.value.code == "id_unusable"
    assert server.asked == []


@pytest.mark.parametrize("given", [math.nan, object(), "\udc80"], ids=["nan", "object", "surrogate"])
def test_a_request_that_cannot_be_written_is_refused_before_anything_is_sent(given: object) -> None:
    server = Server()
    with pytest.raises(Unusable) as refusal:
        _transport(server, []).send("POST", "/v1/recall", body={"query": given}, is_repeatable=True)
    assert refusal.value.code == "request_unusable"
    assert server.asked == []


@contextmanager
def _trickling(begun: bytes, then_trickled: bytes) -> Iterator[int]:
    """Listen on the port that is yielded, begin each answer so and go on byte after byte, for half a minute."""
    ended = threading.Event()

    def answer(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.sendall(begun)
            for _ in range(300):
                if ended.wait(0.1):
                    return
                connection.sendall(then_trickled)

    def listen() -> None:
        with suppress(OSError):
            while True:
                spoken = threading.Thread(target=answer, args=listener.accept()[:1])
                spoken.start()
                speaking.append(spoken)

    speaking: list[threading.Thread] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listening = threading.Thread(target=listen)
        listening.start()
        try:
            yield listener.getsockname()[1]
        finally:
            ended.set()
            listener.shutdown(socket.SHUT_RDWR)
            for thread in [listening, *speaking]:
                thread.join()


@pytest.mark.parametrize("path", ["http://127.0.0.1:9/v1/dreams", "//127.0.0.1:9/v1/dreams", "v1/dreams", ""])
def test_the_key_goes_to_its_server_only(path: str) -> None:
    server = Server()
    with pytest.raises(Unusable) as refusal:
        _transport(server, []).send("GET", path, is_repeatable=True)
    assert refusal.value.code == "request_unusable"
    assert server.asked == []
