"""What the client raises: a refusal as the server worded it, no answer, or a key or address that can't be one."""

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
    """No answer came: nothing listens, the connection broke, or what answers does not speak this API."""

    default_code = "unreachable"


class Unusable(DenseMemError):
    """The key or the address can't be one, so nothing was sent; `code` says which, and neither is repeated."""

    default_code = "unusable"


def explain_problem(problem: Mapping[str, Any], status: int) -> str:
    """Return a problem document as a sentence, with the wrong fields and the advice below it."""
    lines = [str(problem.get("detail") or problem.get("title") or f"HTTP {status}")]
    lines += [f"  {error['field']}: {error['message']}" for error in problem.get("errors") or []]
    if problem.get("next_action"):
        lines.append(str(problem["next_action"]))
    return "\n".join(lines)
