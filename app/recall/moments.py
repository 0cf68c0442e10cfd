"""Statements about what holds as of a moment: one for the present, one for a past moment of knowing.

A kept plan serves all values of a statement. If "now" were a value like others, the plan would go through the
history of every row for a question that has nothing to ask of it.
"""

from dataclasses import dataclass
from typing import LiteralString

from app.recall.model import Moment


@dataclass(frozen=True, slots=True)
class Timed:
    """The same question asked of the present, and of what was known at `%(known)s`."""

    now: LiteralString
    then: LiteralString

    def of(self, moment: Moment) -> LiteralString:
        """Return the statement for the moment."""
        return self.now if moment.known_at is None else self.then


def timed(sql: LiteralString) -> Timed:
    """Return both statements of one in which `%(known)s::timestamptz` is the moment of knowing, null for now."""
    return Timed(sql.replace("%(known)s::timestamptz", "NULL::timestamptz"), sql)
