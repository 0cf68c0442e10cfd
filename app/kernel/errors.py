"""The error tree.

    DenseMemError
    ├── InvalidInput          the caller sent something that can never work
    │   ├── IdempotencyConflict    same key, other body
    │   └── IndependenceRefused    evidence that restates the guess it should confirm
    ├── NotFound              missing, malformed or another team's: one answer for all three
    ├── Unauthenticated       no key, or one that is unknown, expired or revoked
    ├── RateLimited           a good key that has sent too many requests
    ├── Forbidden             a good key without the scope or the ownership
    ├── WrongState            the thing exists, but its state does not allow this
    │   └── InProgress        the same request is still running
    ├── VersionMismatch       the caller saw an older version
    ├── Busy                  a lock was taken; trying again soon is right
    ├── Unavailable           a part that we need does not answer
    ├── LeaseLost             another worker owns the item; nothing was written
    └── SetupError            the installation needs a hand; the message says which

A door maps these to its own language (`api/problems.py` for HTTP). Refusals of generated items are not
errors: they are values with a reason.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

# What is said of a field by its code, as whoever sent the request can use it.
FIELD_MESSAGES: Final[Mapping[str, str]] = {
    "extra_forbidden": "There is no such field here.",
    "missing": "This field is needed.",
}


@dataclass(frozen=True, slots=True)
class FieldError:
    """One wrong field: a dotted path such as `evidence.0.content`, a stable code, a sentence."""

    field: str
    code: str
    message: str


class DenseMemError(Exception):
    """Base of all expected faults; `code` is stable, `str(error)` is a sentence for people."""

    default_code = "error"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.code = code or self.default_code


class InvalidInput(DenseMemError):
    """Carries the wrong fields, in the order in which they were found."""

    default_code = "invalid_input"

    def __init__(self, message: str, *, code: str | None = None, errors: tuple[FieldError, ...] = ()) -> None:
        super().__init__(message, code=code)
        self.errors = errors


class IdempotencyConflict(InvalidInput):
    default_code = "idempotency_conflict"


class IndependenceRefused(InvalidInput):
    default_code = "evidence_not_independent"


class NotFound(DenseMemError):
    default_code = "not_found"


class Unauthenticated(DenseMemError):
    default_code = "unauthenticated"


class Forbidden(DenseMemError):
    default_code = "forbidden"


class RateLimited(DenseMemError):
    """Carries the seconds after which one more request is allowed."""

    default_code = "rate_limited"

    def __init__(self, message: str, *, retry_after_seconds: float) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds


class WrongState(DenseMemError):
    default_code = "wrong_state"


class InProgress(WrongState):
    default_code = "in_progress"


class VersionMismatch(DenseMemError):
    default_code = "version_mismatch"


class Busy(DenseMemError):
    default_code = "busy"


class Unavailable(DenseMemError):
    default_code = "unavailable"


class LeaseLost(DenseMemError):
    default_code = "lease_lost"


class SetupError(DenseMemError):
    default_code = "setup"
