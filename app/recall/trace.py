"""One Relationship's whole story, with the guesses that rest on it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, LiteralString

from app.hypotheses.lifecycle import HypothesisStatus
from app.kernel.database import Reading
from app.ledger.trace import Trace, trace

MAX_CITING: Final = 100


@dataclass(frozen=True, slots=True)
class CitingHypothesis:
    """A Hypothesis with the Relationship among its sources.

    `version` is the Relationship's when the dream saw it; `is_current_source` is false where a later
    generation rests on other sources.
    """

    hypothesis_id: str
    statement: str
    status: HypothesisStatus
    likelihood: float
    confidence: float
    version: int
    is_candidate: bool
    is_current_source: bool


@dataclass(frozen=True, slots=True)
class MemoryTrace:
    """What the ledger knows about a Relationship, and beside it the Hypotheses that cite it."""

    trace: Trace
    hypotheses: tuple[CitingHypothesis, ...]


async def trace_memory(reading: Reading, team_id: str, relationship_id: str, *, now: datetime) -> MemoryTrace:
    """Return the Relationship's story and the newest 100 Hypotheses that cite it.

    Raises:
        NotFound: missing, malformed or another team's.
    """
    found = await trace(reading, team_id, relationship_id, now=now)
    return MemoryTrace(found, await hypotheses_citing(reading, team_id, relationship_id))


async def hypotheses_citing(
    reading: Reading, team_id: str, relationship_id: str
) -> tuple[CitingHypothesis, ...]:
    """Return the newest 100 Hypotheses that rest or rested on the Relationship, newest first."""
    params = {"team_id": team_id, "relationship_id": relationship_id, "limit": MAX_CITING}
    return tuple(
        CitingHypothesis(
            hypothesis_id=row["id"],
            statement=row["statement"],
            status=row["status"],
            likelihood=row["likelihood"],
            confidence=row["confidence"],
            version=row["version"],
            is_candidate=row["is_candidate"],
            is_current_source=row["is_current"],
        )
        for row in await reading.fetch_all(_CITING, params)
    )


_CITING: LiteralString = """
    SELECT h.id, h.statement, h.status, h.likelihood, h.confidence, s.version, s.is_candidate, s.is_current
    FROM hypothesis_sources AS s
    JOIN hypotheses AS h ON h.team_id = s.team_id AND h.id = s.hypothesis_id
    WHERE s.team_id = %(team_id)s AND s.relationship_id = %(relationship_id)s
    ORDER BY h.created_at DESC, h.id DESC LIMIT %(limit)s
"""
