"""The port: one question with a closed schema, and every way in which asking it can end.

An outcome is a value with the usage of all its tries. `Answered` alone carries text to read; what it holds has not
been checked by anybody.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from app.llm.usage import Tally, Usage

Effort = Literal["low", "medium", "high", "xhigh", "max"]
Role = Literal["user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One side's turn of the conversation."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked. `instructions` are the stable prefix that may be cached; `messages` end with the user's.

    `max_output_tokens` includes what the model thinks and does not say. `max_input_tokens` is a limit that is
    enforced before the call; None asks without counting.
    """

    instructions: str
    messages: tuple[Message, ...]
    schema: Mapping[str, object]
    max_output_tokens: int
    max_input_tokens: int | None = None
    effort: Effort | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """The model came to its end. `text` should be JSON of the schema; `model` is the one that spoke last."""

    text: str
    model: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class Refused:
    """The model, and its fallbacks where it has any, declined. `category` is the provider's word, if any."""

    category: str | None
    usage: Usage


@dataclass(frozen=True, slots=True)
class Truncated:
    """The answer was cut: `limit` says whether by its own token limit or by the model's context."""

    limit: Literal["max_output_tokens", "context_window"]
    usage: Usage


@dataclass(frozen=True, slots=True)
class Malformed:
    """Something came back that is no answer of the protocol; `what` names it without quoting."""

    what: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class OverBudget:
    """Nothing was asked: the question would exceed `limit`. `needed` is what it counted."""

    limit: str
    needed: int
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class RateLimited:
    """The provider asks to wait, for longer than the deadline allows. `retry_after_seconds` as it said."""

    retry_after_seconds: float | None
    usage: Usage


@dataclass(frozen=True, slots=True)
class Overloaded:
    """The provider has no capacity, also said in the middle of an answer."""

    usage: Usage


@dataclass(frozen=True, slots=True)
class Unavailable:
    """The provider can't be used: `code` is `no_key`, `setup` (no client can be opened), `unauthenticated`,
    `no_credit`, `rejected`, `connection` or `server_error`. The last two may pass by themselves."""

    code: str
    usage: Usage = field(default_factory=Usage)

    @property
    def is_passing(self) -> bool:
        return self.code in ("connection", "server_error")


@dataclass(frozen=True, slots=True)
class TimedOut:
    """No whole answer came before the deadline."""

    usage: Usage


Outcome = (
    Answered
    | Refused
    | Truncated
    | Malformed
    | OverBudget
    | RateLimited
    | Overloaded
    | Unavailable
    | TimedOut
)


def name_outcome(outcome: Outcome) -> str:
    """Return the outcome's stable code, for records and metrics: `answered`, `refused`, `unavailable_no_key`, …"""
    match outcome:
        case Answered():
            return "answered"
        case Refused():
            return "refused"
        case Truncated():
            return "truncated"
        case Malformed():
            return "malformed"
        case OverBudget():
            return "over_budget"
        case RateLimited():
            return "rate_limited"
        case Overloaded():
            return "overloaded"
        case Unavailable(code=code):
            return f"unavailable_{code}"
        case TimedOut():
            return "timed_out"


class StructuredModel(Protocol):
    """A model that answers with JSON. Its faults are outcomes, never raised."""

    @property
    def name(self) -> str:
        """The model that is asked, as the provider calls it."""
        ...

    @property
    def has_fallbacks(self) -> bool:
        """Whether another model may answer, and be paid as well, where this one refuses."""
        ...

    async def ask(self, question: Question, *, deadline: float, tally: Tally) -> Outcome:
        """Return how asking ended, at `deadline` (by `time.monotonic`) at the latest.

        One try is paid at most: one that has cost something, or may have, is the last. `tally` has every token by
        then, also when this is cancelled.
        """
        ...

    async def count_input(self, question: Question) -> int | None:
        """Return how many tokens of input the question has, or None when that cannot be found out."""
        ...

    async def close(self) -> None:
        """Leave no connection open."""
        ...
