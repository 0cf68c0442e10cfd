"""The body of every refusal (RFC 9457)."""

from pydantic import Field

from app.api.wire.shapes import Answer


class FieldProblem(Answer):
    """One wrong field: a dotted path, a stable code, a sentence."""

    field: str
    code: str
    message: str


class Problem(Answer):
    """What went wrong and what to do about it; `errors` is empty unless the status is 422."""

    type: str
    title: str
    status: int
    detail: str
    code: str = Field(description="Stable name of the refusal.")
    retryable: bool = Field(description="Whether the same request can succeed later.")
    next_action: str
    correlation_id: str
    errors: list[FieldProblem]
