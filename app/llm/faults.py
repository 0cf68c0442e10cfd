"""What an error of the SDK means: which outcome it is, and whether another try may help.

The messages of errors are never passed on: they may quote the request.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from app.llm.model import Malformed, Outcome, Overloaded, RateLimited, Unavailable
from app.llm.usage import Usage

if TYPE_CHECKING:
    import anthropic

_SPENT = ("enforced_spend_limit_reached", "contract_spend_limit_reached")


@dataclass(frozen=True, slots=True)
class Fault:
    """An outcome without its usage, and whether it is worth another try."""

    outcome: Outcome
    is_passing: bool
    retry_after_seconds: float | None = None


def read_status_error(error: "anthropic.APIStatusError", *, now: datetime) -> Fault:
    """Return what an answer with the status of an error means."""
    return read_error(error.body, status=error.status_code, headers=error.response.headers, now=now)


def read_error(document: object, *, status: int, headers: Mapping[str, str], now: datetime) -> Fault:
    """Return what an error means, also one inside a stream that began well."""
    none = Usage()
    fault = _get(document, "error")
    kind, code = _get(fault, "type"), _get(_get(fault, "details"), "error_code")
    wait = read_retry_after(headers.get("retry-after"), now=now)
    may_repeat = headers.get("x-should-retry") != "false"
    if code in _SPENT or kind == "billing_error" or status == 402:
        return Fault(Unavailable("no_credit", none), False)
    if kind == "authentication_error" or status == 401:
        return Fault(Unavailable("unauthenticated", none), False)
    if kind == "permission_error" or status == 403:
        return Fault(Unavailable("rejected", none), False)
    if kind == "rate_limit_error" or status == 429:
        return Fault(RateLimited(wait, none), may_repeat, wait)
    if kind == "overloaded_error" or status == 529:
        return Fault(Overloaded(none), may_repeat, wait)
    if status >= 500 or status in (200, 408, 409):
        return Fault(Unavailable("server_error", none), may_repeat, wait)
    return Fault(Unavailable("rejected", none), False)


def is_error(event: object) -> bool:
    """Say whether a stream's event is an error, whatever name it was sent under."""
    return _get(event, "type") == "error"


def _get(document: object, name: str) -> object:
    return document.get(name) if isinstance(document, Mapping) else None


def read_protocol_error() -> Fault:
    """Return what an answer that is not of the protocol means."""
    return Fault(Malformed("not_the_protocol", Usage()), False)


def read_other_speaker() -> Fault:
    """Return what an answer of another kind than the provider's means: an outage page, a portal."""
    return Fault(Unavailable("not_the_provider", Usage()), True)


def read_connection_error() -> Fault:
    """Return what a connection that failed or broke means."""
    return Fault(Unavailable("connection", Usage()), True)


def read_retry_after(header: str | None, *, now: datetime) -> float | None:
    """Return the seconds that a Retry-After asks for, given as seconds or as a date; None for nonsense.

    However long: whoever may not wait so long does not try again.
    """
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            moment = parsedate_to_datetime(header)
        except (ValueError, OverflowError, TypeError, IndexError):
            return None
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        seconds = (moment - now).total_seconds()
    return seconds if seconds >= 0 else None
