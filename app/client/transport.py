"""One request over HTTP, sent again when that is safe and may help."""

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Self

import httpx2

from app.client.access import require_access
from app.client.deadline import make_network
from app.client.errors import Refused, Unreachable, Unusable

Json = dict[str, Any]  # The shape of each answer is the contract's; see `types`.
Method = Literal["GET", "POST", "PATCH"]
FIRST_PAUSE_SECONDS: Final = 0.2
LONGEST_SECONDS: Final = 86_400  # Sockets take no time without end.
NEVER_ARRIVED: Final = (httpx2.ConnectError, httpx2.ConnectTimeout)


@dataclass(frozen=True, slots=True)
class Patience:
    """How often a request is tried, how long it is waited for, and how long all tries together may take.

    Any byte of an answer may take `timeout_seconds`; an answer not whole after `total_seconds` is given up.

    Raises:
        Unusable: `patience_unusable`, for no try or for times that are none.
    """

    attempts: int = 4
    timeout_seconds: float = 60.0
    total_seconds: float = 90.0

    def __post_init__(self) -> None:
        if not isinstance(self.attempts, int) or self.attempts < 1:
            raise Unusable("attempts is a whole number from 1 up.", code="patience_unusable")
        for name in ("timeout_seconds", "total_seconds"):
            seconds = getattr(self, name)
            if not isinstance(seconds, int | float) or not 0 < seconds <= LONGEST_SECONDS:
                raise Unusable(f"{name} is above 0, and a day (86400) at most.", code="patience_unusable")


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
        self._http = httpx2.Client(
            base_url=url,
            headers={"Authorization": f"Bearer {key}"},
            trust_env=False,
            transport=http or make_network(self._read_left),
        )
        self._url = url
        self._patience = patience
        self._sleep = sleep
        self._clock = clock
        self._deadline = clock()

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
            Unreachable: no answer, none in time, or none of this API.
            Unusable: `request_unusable`, for what no request can hold, or a path that leads elsewhere.
        """
        if not path.startswith("/") or path.startswith("//"):
            # An address in its place would be sent the key.
            raise Unusable(
                "A path begins with one slash and leads to this server only.", code="request_unusable"
            )
        self._deadline = self._clock() + self._patience.total_seconds
        for attempt in range(1, self._patience.attempts + 1):
            pause = random.uniform(0.5, 1.0) * FIRST_PAUSE_SECONDS * 2**attempt
            try:
                return self._try(method, path, params=params, json=body, headers=headers)
            except Refused as refusal:
                pause = max(pause, refusal.retry_after_seconds or 0.0)
                if not refusal.retryable or self._is_over(attempt, pause):
                    raise
            except Unreachable as error:
                never_arrived = isinstance(error.__cause__, NEVER_ARRIVED)
                broke = isinstance(error.__cause__, httpx2.TransportError) and is_repeatable
                if not (never_arrived or broke) or self._is_over(attempt, pause):
                    raise
            self._sleep(pause)
        raise AssertionError("unreachable")

    def _is_over(self, attempt: int, pause: float) -> bool:
        return attempt >= self._patience.attempts or pause > self._read_left()

    def _read_left(self) -> float:
        return self._deadline - self._clock()

    def _try(self, method: Method, path: str, **options: Any) -> Json:  # httpx2 types the options itself.
        timeout = min(self._patience.timeout_seconds, max(0.0, self._read_left()))
        try:
            request = self._http.build_request(method, path, timeout=timeout, **options)
        except (TypeError, ValueError, RecursionError, httpx2.InvalidURL) as error:
            raise Unusable(
                f"What was given can't be sent, so nothing was: {error}.", code="request_unusable"
            ) from error
        try:
            response = self._http.send(request)
            answer = response.json()
        except httpx2.TransportError as error:
            raise Unreachable(self._explain(error)) from error
        except (ValueError, RecursionError, httpx2.DecodingError) as error:
            raise self._not_ours() from error
        if not isinstance(answer, dict):
            raise self._not_ours()
        if response.is_success:
            return answer
        raise Refused(
            response.status_code,
            answer,
            retry_after_seconds=_read_seconds(response.headers.get("Retry-After")),
        )

    def _explain(self, error: httpx2.TransportError) -> str:
        if self._read_left() <= 0 and not isinstance(error, NEVER_ARRIVED):
            total = f"{self._patience.total_seconds:g} s"
            return f"{self._url} gave no whole answer within {total}; the request may have had its effect."
        return f"No server answers at {self._url}. Start one with `densemem serve`, or set DENSEMEM_URL."

    def _not_ours(self) -> Unreachable:
        return Unreachable(f"{self._url} does not speak this API.", code="not_ours")


def _read_seconds(header: str | None) -> float | None:
    return float(header) if header is not None and header.isascii() and header.isdecimal() else None
