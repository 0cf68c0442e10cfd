"""One recall: knowledge, then guesses that may fail by themselves, of one and the same moment."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Final

import psycopg
import structlog

from app.kernel.database import Asks, Database, Row, Scope
from app.kernel.errors import DenseMemError, FieldError, InvalidInput
from app.kernel.ids import new_id
from app.recall.conflicts import ask_conflicts, read_conflicts
from app.recall.embedder import Embedder
from app.recall.embeddings import search_embeddings
from app.recall.graph import MAX_MATCHES
from app.recall.model import (
    MAX_EXPANSIONS,
    MAX_QUERY_LENGTH,
    MAX_RELATED,
    MAX_RESULTS,
    Degradation,
    Moment,
    RecallAnswer,
    RecallQuery,
    RelatedHypothesis,
)
from app.recall.primary import find_matches
from app.recall.ranking import Fused
from app.recall.related import Surroundings, ask_related, read_related
from app.recall.results import ask_results, read_results
from app.tenancy.callers import Caller

# How many groups more than the wanted number are looked at: few are only disputed.
SPARE: Final = 2
# More than all that is ever found.
EVERYTHING: Final = 10 * MAX_MATCHES
# The guesses may take no longer than this; knowledge is not kept waiting for them.
RELATED_TIMEOUT_SECONDS: Final = 1.5
MEANT_TIMEOUT_SECONDS: Final = 1.0

_log = structlog.get_logger()


async def recall(
    database: Database,
    caller: Caller,
    query: RecallQuery,
    *,
    now: datetime,
    embedder: Embedder | None = None,
) -> RecallAnswer:
    """Return what the team knows that matches, then its conflicts, then Hypotheses nearby.

    Without an embedder nothing is searched by meaning, and nothing is missing.

    Raises:
        InvalidInput: a bound is exceeded, the query is blank, or `known_at` lies in the future.
        NotFound: an entity to expand from is not one of the team's.
    """
    _check(query, now)
    team_id = caller.team_id
    moment = Moment(valid_at=query.valid_at or now, known_at=query.known_at)
    meant, missing = await find_meant(database, embedder, team_id, query.query, moment)
    for most in (query.limit + SPARE, EVERYTHING):
        async with database.snapshot(caller.scope, plans="kept") as reading:
            matches = await find_matches(
                reading,
                team_id,
                query.query,
                moment,
                expand_from=query.expand_from_entity_ids,
                meant=meant,
                enough=most,
            )
            groups = matches.groups[:most]
            seen = [group.key for group in matches.groups[: 2 * query.limit]]
            [rows, cases], guessed = await reading.end_reading(
                [
                    ask_results(team_id, groups, moment, limit=query.limit),
                    ask_conflicts(team_id, seen, moment, now=now),
                ],
                _ask_guesses(team_id, query, moment, groups, matches.named_entity_ids),
                timeout_seconds=RELATED_TIMEOUT_SECONDS,
            )
        # Hardly ever are so many only disputed that what is wanted lies further behind.
        if len(rows) == query.limit or len(groups) < most:
            break
    related, lacking = _read_guesses(team_id, query, guessed)
    return RecallAnswer(
        new_id("rec"), read_results(rows, groups), read_conflicts(cases), related, missing + lacking
    )


async def find_meant(
    database: Database, embedder: Embedder | None, team_id: str, query: str, moment: Moment
) -> tuple[tuple[str, ...], tuple[Degradation, ...]]:
    """Return the groups nearest in meaning, in a transaction and time of their own; or what is missing of them."""
    if embedder is None:
        return (), ()
    try:
        # No connection is held meanwhile. What comes too late is computed for nothing.
        async with asyncio.timeout(MEANT_TIMEOUT_SECONDS):
            [vector] = await asyncio.to_thread(embedder.embed, [query])
        scope = Scope("app", team_id)
        async with database.reading(scope, timeout_seconds=MEANT_TIMEOUT_SECONDS) as reading:
            return await search_embeddings(reading, team_id, embedder, vector, moment), ()
    except (psycopg.Error, DenseMemError, TimeoutError) as error:
        _log.warning("embeddings are missing", action="recall", team_id=team_id, error=type(error).__name__)
        message = "Nothing was searched by meaning."
        return (), (Degradation("embeddings", "embeddings_unavailable", message),)


def _ask_guesses(
    team_id: str, query: RecallQuery, moment: Moment, groups: Sequence[Fused], named: tuple[str, ...]
) -> Asks:
    if query.hypothesis_limit == 0 or query.known_at is not None:
        return []
    near = Surroundings(
        query=query.query,
        valid_at=moment.valid_at,
        group_keys=tuple(group.key for group in groups),
        result_limit=query.limit,
        named_entity_ids=named,
    )
    return [ask_related(team_id, near, limit=query.hypothesis_limit)]


def _read_guesses(
    team_id: str, query: RecallQuery, guessed: list[list[Row]] | psycopg.Error
) -> tuple[tuple[RelatedHypothesis, ...], tuple[Degradation, ...]]:
    if query.hypothesis_limit == 0:
        return (), ()
    if query.known_at is not None:
        message = "Hypotheses are not kept as of a past moment."
        return (), (Degradation("related_hypotheses", "hypotheses_not_temporal", message),)
    if isinstance(guessed, psycopg.Error):
        _log.warning(
            "related hypotheses are missing", action="recall", team_id=team_id, error=type(guessed).__name__
        )
        message = "Related Hypotheses could not be read in time."
        return (), (Degradation("related_hypotheses", "hypotheses_unavailable", message),)
    [rows] = guessed
    return read_related(rows), ()


def _check(query: RecallQuery, now: datetime) -> None:
    bounds = {
        "query": (len(query.query), 1, MAX_QUERY_LENGTH),
        "limit": (query.limit, 1, MAX_RESULTS),
        "hypothesis_limit": (query.hypothesis_limit, 0, MAX_RELATED),
        "expand_from_entity_ids": (len(query.expand_from_entity_ids), 0, MAX_EXPANSIONS),
    }
    errors = [
        FieldError(field, "out_of_range", f"This must be between {least} and {most}.")
        for field, (number, least, most) in bounds.items()
        if not least <= number <= most
    ]
    if query.query and not query.query.strip():
        errors.append(FieldError("query", "blank", "The query is blank."))
    if query.known_at is not None and query.known_at > now:
        errors.append(FieldError("known_at", "in_the_future", "Nobody knows the future."))
    if errors:
        raise InvalidInput("The recall cannot be answered as asked.", errors=tuple(errors))
