"""One Relationship's whole story, page by page, with the guesses that rest on it."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, LiteralString

from app.hypotheses.lifecycle import HypothesisStatus
from app.kernel.database import Reading
from app.kernel.errors import FieldError, InvalidInput
from app.kernel.pages import decode_cursor, encode_cursor, refuse_cursor
from app.ledger.trace import trace
from app.ledger.traced import MAX_TRACED, Trace, TraceView, cut

# The lists of a trace, in the order in which a cursor names their places.
_LISTS: Final = (
    *("supports", "verification_events", "transitions", "conflicts"),
    *("equivalent_relationship_ids", "hypotheses"),
)
_OPERATION: Final = "trace_memory"


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
class TraceQuery:
    """As of when, and which page: at most `limit` (1..100) rows of each list. None is now, and the first."""

    valid_at: datetime | None = None
    known_at: datetime | None = None
    limit: int = MAX_TRACED
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class MemoryTrace:
    """What the ledger knows about a Relationship, and beside it the Hypotheses that cite it, newest first.

    `next_cursor` leads to what each list has more, None when all have ended.
    """

    trace: Trace
    hypotheses: tuple[CitingHypothesis, ...]
    next_cursor: str | None


async def trace_memory(
    reading: Reading, team_id: str, relationship_id: str, query: TraceQuery, *, now: datetime
) -> MemoryTrace:
    """Return a page of the Relationship's story and of the Hypotheses that cite it.

    Every page has the Relationship; each list goes on where it stopped, and is empty once it has ended. With
    `known_at` there are no Hypotheses: the ledger of guesses has no past.

    Raises:
        NotFound: missing, malformed, another team's, or not known at `known_at`.
        InvalidInput: `known_at` lies in the future; `invalid_cursor`.
    """
    if query.known_at is not None and query.known_at > now:
        error = FieldError("known_at", "in_the_future", "Nobody knows the future.")
        raise InvalidInput("The trace cannot be read as asked.", errors=(error,))
    filters = {
        "team_id": team_id,
        "relationship_id": relationship_id,
        "valid_at": query.valid_at,
        "known_at": query.known_at,
    }
    view = TraceView(
        valid_at=query.valid_at or now,
        known_at=query.known_at,
        after={} if query.cursor is None else _read_places(decode_cursor(query.cursor, _OPERATION, filters)),
        limit=query.limit,
    )
    if query.known_at is not None:
        view = replace(view, after={**view.after, "hypotheses": None})
    found = await trace(reading, team_id, relationship_id, view, now=now)
    hypotheses, after_hypotheses = cut(
        await _read_citing(reading, team_id, relationship_id, view), view.limit, lambda one: one.hypothesis_id
    )
    reached = {**found.reached, "hypotheses": after_hypotheses}
    has_more = any(place is not None for place in reached.values())
    places = [reached[name] for name in _LISTS]
    return MemoryTrace(found, hypotheses, encode_cursor(_OPERATION, filters, places) if has_more else None)


def _read_places(places: list[str | int | float | None]) -> dict[str, str | int | None]:
    if len(places) != len(_LISTS):
        raise refuse_cursor()
    read: dict[str, str | int | None] = {}
    for name, place in zip(_LISTS, places, strict=True):
        # The checksum is no secret, so a forged cursor may hold anything.
        match place:
            case None:
                read[name] = None
            case int() if name == "transitions" and 0 <= place < 2**31:
                read[name] = place
            case str() if name != "transitions" and place.isascii() and place.isprintable():
                read[name] = place
            case _:
                raise refuse_cursor()
    return read


async def _read_citing(
    reading: Reading, team_id: str, relationship_id: str, view: TraceView
) -> list[CitingHypothesis]:
    start = view.start("hypotheses")
    if start is None:
        return []
    params = {
        "team_id": team_id,
        "relationship_id": relationship_id,
        "before": start,
        "limit": view.limit + 1,
    }
    return [
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
    ]


# The ids are in the order of their making.
_CITING: LiteralString = """
    SELECT h.id, h.statement, h.status, h.likelihood, h.confidence, s.version, s.is_candidate, s.is_current
    FROM hypothesis_sources AS s
    JOIN hypotheses AS h ON h.team_id = s.team_id AND h.id = s.hypothesis_id
    WHERE s.team_id = %(team_id)s AND s.relationship_id = %(relationship_id)s
      AND (%(before)s = '' OR h.id < %(before)s)
    ORDER BY h.id DESC LIMIT %(limit)s
"""
