"""One request over HTTP, sent again when that is safe and may help."""

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Self

import httpx2

from app.client.access import require_access
from app.client.errors import Refused, Unreachable

Json = dict[str, Any]  # The shape of each answer is the contract's; see `types`.
Method = Literal["GET", "POST", "PATCH"]
FIRST_PAUSE_SECONDS: Final = 0.2


@dataclass(frozen=True, slots=True)
class Patience:
    """How often a request is tried, how long it is waited for, and how long all tries together may take."""

    attempts: int = 4
    timeout_seconds: float = 60.0
    total_seconds: float = 90.0


class Transport:
    """Sends requests with one key to one server and turns each refusal into an error."""

    def __init__(
        self,
        url: str,
        key: str,
        *,
        patience: Patience,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        http: httpx2.BaseTransport | None = None,
    ) -> None:
        require_access(url, key)
        # The environment's proxies are not asked: a key for this server must not travel elsewhere.
        self._http = httpx2.Client(
            base_url=url,
            headers={"Authorization": f"Bearer {key}"},
            timeout=patience.timeout_seconds,
            trust_env=False,
            transport=http,
        )
        self._url = url
        self._patience = patience
        self._sleep = sleep
        self._clock = clock

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave no connection open."""
        self._http.close()

    def send(
        self,
        method: Method,
        path: str,
        *,
        params: Mapping[str, object] | None = None,
        body: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
        is_repeatable: bool,
    ) -> Json:
        """Return the answer.

        A refusal that the server calls retryable, and a connection that could not be made, are tried again
        after a growing, jittered pause, or after the server's `Retry-After`. A connection that broke later is
        tried again only when `is_repeatable`: the first request may have had its effect.

        Raises:
            Refused: the server's last word.
            Unreachable: no answer, or none of this API.
        """
        deadline = self._clock() + self._patience.total_seconds
        for attempt in range(1, self._patience.attempts + 1):
            pause = random.uniform(0.5, 1.0) * FIRST_PAUSE_SECONDS * 2**attempt
            try:
                return self._try(method, path, params=params, json=body, headers=headers)
            except Refused as refusal:
                pause = max(pause, refusal.retry_after_seconds or 0.0)
                if not refusal.retryable or self._is_over(attempt, pause, deadline):
                    raise
            except Unreachable as error:
                never_arrived = isinstance(error.__cause__, httpx2.ConnectError | httpx2.ConnectTimeout)
                broke = isinstance(error.__cause__, httpx2.TransportError) and is_repeatable
                if not (never_arrived or broke) or self._is_over(attempt, pause, deadline):
                    raise
            self._sleep(pause)
        raise AssertionError("unreachable")

    def _is_over(self, attempt: int, pause: float, deadline: float) -> bool:
        return attempt >= self._patience.attempts or self._clock() + pause > deadline

    def _try(self, method: Method, path: str, **options: Any) -> Json:  # httpx2 types the options itself.
        try:
            response = self._http.request(method, path, **options)
        except httpx2.TransportError as error:
            raise Unreachable(
                f"No server answers at {self._url}. Start one with `densemem serve`, or set DENSEMEM_URL."
            ) from error
        try:
            answer: Json = response.json()
        except ValueError as error:
            raise Unreachable(f"{self._url} does not speak this API.", code="not_ours") from error
        if response.is_success:
            return answer
        raise Refused(
            response.status_code,
            answer,
            retry_after_seconds=_read_seconds(response.headers.get("Retry-After")),
        )


def _read_seconds(header: str | None) -> float | None:
    return float(header) if header is not None and header.isdigit() else None
