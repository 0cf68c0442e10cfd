"""Requests by route and status, and how long they took until their answer began."""

from collections.abc import Awaitable
from functools import cache
from time import perf_counter
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_METHODS: Final = frozenset({"GET", "POST", "PATCH", "PUT", "DELETE", "HEAD", "OPTIONS"})
_BUCKETS: Final = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
OTHER: Final = "other"


class RequestCounts:
    """The counters of one process' door."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.answered = Counter(
            "densemem_http_requests",
            "Requests by the route that answered them.",
            ("method", "route", "status"),
            registry=registry,
        )
        self.seconds = Histogram(
            "densemem_http_request_seconds",
            "Time until an answer began; of a stream, until it was open.",
            ("method", "route"),
            buckets=_BUCKETS,
            registry=registry,
        )
        # For each request the library would make and check the labels anew.
        self._answered_as, self._seconds_of = cache(self.answered.labels), cache(self.seconds.labels)

    def count(self, scope: Scope, status: int, seconds: float) -> None:
        """Count one answer, under its route's template."""
        method = scope["method"] if scope["method"] in _METHODS else OTHER
        route = getattr(scope.get("route"), "path", OTHER)
        self._answered_as(method, route, str(status)).inc()
        self._seconds_of(method, route).observe(seconds)


class Measured:
    """ASGI middleware that counts each answer when it begins."""

    def __init__(self, app: ASGIApp, *, counts: RequestCounts) -> None:
        self._app = app
        self._counts = counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = perf_counter()

        def send_counted(message: Message) -> Awaitable[None]:
            if message["type"] == "http.response.start":
                self._counts.count(scope, message["status"], perf_counter() - began)
            return send(message)

        await self._app(scope, receive, send_counted)
