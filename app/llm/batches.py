"""The port of batches: one question handed in, its answer fetched hours later, at half the price.

A provider names a batch by an id that only the answer to the hand-in tells. Whoever lost that answer can find the
batch by the `custom_id` of its question, which stands in its results and nowhere else: so not before it has ended.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

from app.llm.model import Outcome, Question

NO_RESULT: Final = "no_result"


@dataclass(frozen=True, slots=True)
class Made:
    """The batch was made, and will be paid for."""

    batch_id: str


@dataclass(frozen=True, slots=True)
class NotMade:
    """There is no answer that says so. `is_certain`: no batch was made; else there may be one all the same."""

    outcome: Outcome
    is_certain: bool


@dataclass(frozen=True, slots=True)
class Pending:
    """Not known yet, or the provider does not answer: look again."""


@dataclass(frozen=True, slots=True)
class Gone:
    """The provider has no such batch."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The batch is over. `outcome` is how the question ended, where it was answered or charged at all.

    `code` names the end: that of the outcome; or `errored`, `expired`, `canceled`, which are free; or NO_RESULT,
    where the results say nothing about the question, and nobody knows what it cost.
    """

    code: str
    outcome: Outcome | None = None


class StructuredBatches(Protocol):
    """Batches of one question each. What a provider does never raises."""

    async def submit(self, question: Question, *, custom_id: str) -> Made | NotMade:
        """Hand the question in; it is tried once, because a second try could be a second batch."""
        ...

    async def look(self, batch_id: str, *, custom_id: str) -> Pending | Gone | Ended:
        """Return how the batch stands; all usage in it is marked as a batch's."""
        ...

    async def find(
        self, custom_id: str, *, since: datetime, until: datetime
    ) -> Made | Pending | Gone | Ended:
        """Return the batch with that question, made between the two moments.

        Ended, with NO_RESULT, where it has ended under a name that cannot be kept.
        Pending while one of those that were made then has not ended; Gone when none of them holds the question.
        """
        ...

    async def cancel(self, batch_id: str) -> None:
        """Ask the provider to give the batch up; what has been answered by then is charged all the same."""
        ...

    async def close(self) -> None:
        """Leave no connection open."""
        ...
