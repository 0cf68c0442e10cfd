"""What the client raises: a refusal as the server worded it, no answer, or what can't be sent at all."""

from collections.abc import Mapping
from typing import Any

from app.kernel.errors import DenseMemError


class Refused(DenseMemError):
    """The server answered with a problem.

    Attributes:
        status: the HTTP status.
        code: the problem's stable code.
        retryable: whether the same request may work later.
        problem: the whole `application/problem+json` document.
        retry_after_seconds: the server's `Retry-After`, or None.
    """

    def __init__(
        self, status: int, problem: Mapping[str, Any], *, retry_after_seconds: float | None = None
    ) -> None:
        super().__init__(explain_problem(problem, status), code=str(problem.get("code") or status))
        self.status = status
        self.problem = problem
        self.retryable = bool(problem.get("retryable"))
        self.retry_after_seconds = retry_after_seconds


class Unreachable(DenseMemError):
    """No answer came: nothing listens, the connection broke, time ran out, or this API is not spoken there."""

    default_code = "unreachable"


class Unusable(DenseMemError):
    """What was given can't be used, so nothing was sent.

    `code` says what: `address_unusable` and `key_unusable`, neither of which is repeated, `patience_unusable`,
    `id_unusable` or `request_unusable`.
    """

    default_code = "unusable"


def explain_problem(problem: Mapping[str, Any], status: int) -> str:
    """Return a problem document as a sentence, with the wrong fields and the advice below it."""
    lines = [str(problem.get("detail") or problem.get("title") or f"HTTP {status}")]
    match problem.get("errors"):
        case [*errors]:
            lines += [_explain_field(error) for error in errors]
    if problem.get("next_action"):
        lines.append(str(problem["next_action"]))
    return "\n".join(lines)


def _explain_field(error: object) -> str:
    match error:
        case {"field": field, "message": message}:
            return f"  {field}: {message}"
    return f"  {error}"
