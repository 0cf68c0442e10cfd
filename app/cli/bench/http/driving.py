"""Who asks: so many clients at once in a process of their own, each on one connection, one request at a time.

Hand-made HTTP, for a client library would cost more than what is measured; answers are read as far as status and
length. How busy the process was is part of the result: near 1 it, not the server, would be the limit.
"""

import asyncio
import multiprocessing
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from multiprocessing.connection import Connection
from time import perf_counter, process_time
from typing import Final

# Answers that were still to come when the time was over are waited for so long.
PATIENCE_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True)
class Order:
    """What to send to which port of this machine: whole requests, in turn, by so many clients for so long."""

    port: int
    requests: Sequence[bytes]
    clients: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Driven:
    """Seconds of each answer, answers by status, and the share of a core that asking took."""

    elapsed_seconds: float
    latencies: Sequence[float]
    statuses: Mapping[int, int]
    busy_share: float

    @property
    def rate(self) -> float:
        """Answers a second."""
        return len(self.latencies) / self.elapsed_seconds


def join(driven: Sequence[Driven]) -> Driven:
    """Return what came of several orders as if it were of one."""
    seconds = sum(one.elapsed_seconds for one in driven)
    return Driven(
        seconds,
        [latency for one in driven for latency in one.latencies],
        sum((Counter(one.statuses) for one in driven), Counter[int]()),
        sum(one.busy_share * one.elapsed_seconds for one in driven) / seconds,
    )


Drive = Callable[[Order], Driven]


@contextmanager
def driving_process() -> Iterator[Drive]:
    """Give a function that carries out one order at a time in another process."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_carry_out_all, args=(theirs,))
    process.start()
    theirs.close()

    def drive(order: Order) -> Driven:
        ours.send(order)
        driven: Driven = ours.recv()
        return driven

    try:
        yield drive
    finally:
        ours.close()
        process.join()


def _carry_out_all(pipe: Connection) -> None:
    while True:
        try:
            order = pipe.recv()
        except EOFError:
            return
        pipe.send(asyncio.run(drive_clients(order)))


async def drive_clients(order: Order) -> Driven:
    """Carry out the order in this process."""
    loop = asyncio.get_running_loop()
    requests = cycle(order.requests)
    busy, began = process_time(), perf_counter()
    clients = [_Client(requests, until=began + order.seconds) for _ in range(order.clients)]
    for client in clients:
        await loop.create_connection(lambda client=client: client, "127.0.0.1", order.port)  # type: ignore[misc]  # mypy can't infer a lambda with a default.
    async with asyncio.timeout(order.seconds + PATIENCE_SECONDS):
        await asyncio.gather(*(client.done for client in clients))
    elapsed, busy = perf_counter() - began, process_time() - busy
    statuses = sum((client.statuses for client in clients), Counter[int]())
    latencies = [one for client in clients for one in client.latencies]
    return Driven(elapsed, latencies, statuses, busy / elapsed)


@dataclass(slots=True)
class _Client(asyncio.Protocol):
    """One connection, as asyncio wants a protocol to be: the next request goes out when an answer is whole."""

    requests: Iterator[bytes]
    until: float
    done: "asyncio.Future[None]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    statuses: Counter[int] = field(default_factory=Counter)
    latencies: list[float] = field(default_factory=list)
    transport: asyncio.Transport | None = None
    received: bytearray = field(default_factory=bytearray)
    sent_at: float = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._send()

    def data_received(self, data: bytes) -> None:
        self.received += data
        head = self.received.find(b"\r\n\r\n")
        if head < 0 or len(self.received) < head + 4 + _content_length(self.received, head):
            return
        now = perf_counter()
        self.latencies.append(now - self.sent_at)
        self.statuses[int(self.received[9:12])] += 1
        self.received.clear()
        if now < self.until:
            self._send()
        elif self.transport is not None:
            self.transport.close()
            self.done.set_result(None)

    def connection_lost(self, error: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(error or ConnectionError("the server hung up"))

    def _send(self) -> None:
        assert self.transport is not None
        self.sent_at = perf_counter()
        self.transport.write(next(self.requests))


def _content_length(received: bytearray, head: int) -> int:
    begin = received.find(b"content-length: ", 0, head) + len(b"content-length: ")
    return int(received[begin : received.find(b"\r", begin)])
