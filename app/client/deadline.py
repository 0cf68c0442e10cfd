"""A network on which everything ends in time: each wait is cut to what is left."""

import ssl
from collections.abc import Callable, Iterable
from typing import Any, Final

import httpcore2
import httpx2

_WRITTEN_AT_ONCE: Final = 64 * 1024


def make_network(read_left: Callable[[], float]) -> httpx2.HTTPTransport:
    """Return the way over the network on which nothing is waited for once `read_left` says that no second is left.

    Timeouts by themselves are each read's: a server that sends one byte now and then is within them for ever.
    """
    # The environment's proxies are not asked: a key for this server must not travel elsewhere.
    network = httpx2.HTTPTransport(trust_env=False)
    # No option leads there.
    network._pool._network_backend = _Network(read_left)
    return network


class _Network(httpcore2.NetworkBackend):
    def __init__(self, read_left: Callable[[], float]) -> None:
        self._network = httpcore2.SyncBackend()
        self._read_left = read_left

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        seconds = _cut(timeout, self._read_left(), httpcore2.ConnectTimeout)
        stream = self._network.connect_tcp(host, port, seconds, local_address, socket_options)
        return _Stream(stream, self._read_left)


class _Stream(httpcore2.NetworkStream):
    def __init__(self, stream: httpcore2.NetworkStream, read_left: Callable[[], float]) -> None:
        self._stream = stream
        self._read_left = read_left

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _cut(timeout, self._read_left(), httpcore2.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), _WRITTEN_AT_ONCE):
            seconds = _cut(timeout, self._read_left(), httpcore2.WriteTimeout)
            self._stream.write(buffer[start : start + _WRITTEN_AT_ONCE], seconds)

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        seconds = _cut(timeout, self._read_left(), httpcore2.ConnectTimeout)
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, seconds), self._read_left)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _cut(timeout: float | None, left: float, over: type[httpcore2.TimeoutException]) -> float:
    if left <= 0:
        raise over("no time is left")
    return left if timeout is None else min(timeout, left)
