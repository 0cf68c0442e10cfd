"""Hypotheses near an answer: proposed and reinforced, all sources eligible and the target fit, now."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, LiteralString

from app.kernel.database import Params, Query, Row
from app.recall.model import RelatedHypothesis
from app.tenancy.configuration import SWITCHES, is_enabled

# How many of the best are looked at; those that should be stale but were not staled yet fall out.
MAX_CANDIDATES: Final = 100


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What Hypotheses may be near to: what the results say as of `valid_at`, and what the query names.

    Of the groups, best first, the first `result_limit` that have an undisputed position then are the results.
    """

    query: str
    valid_at: datetime
    group_keys: tuple[str, ...]
    result_limit: int
    named_entity_ids: tuple[str, ...]


def ask_related(team_id: str, near: Surroundings, *, limit: int) -> tuple[Query, Params]:
    """Return what asks for at most `limit` Hypotheses, best first, and for whether the team dreams.

    Order: shared sources (equivalent ones count once) plus shared ends; then names in the query plus full
    text; then likelihood; then id. So it is total. Eligibility is asked for now, whatever was recorded, of one
    after the other until there are enough; but for what no commit can leave undone.
    """
    return _RELATED, {
        "team_id": team_id,
        "query": near.query,
        "at": near.valid_at,
        "group_keys": list(near.group_keys),
        "results": near.result_limit,
        "named_ids": list(near.named_entity_ids),
        "most": MAX_CANDIDATES,
        "limit": limit,
    }


def read_related(rows: Sequence[Row]) -> tuple[RelatedHypothesis, ...]:
    """Return the Hypotheses of the rows that `ask_related` asked for: none where dreaming is off."""
    return tuple(map(_related, rows)) if rows and is_enabled(rows[0]["switches"]) else ()


def _related(row: Row) -> RelatedHypothesis:
    matched_by = {
        "source": row["shared_sources"] > 0,
        "endpoint": row["shared_ends"] > 0,
        "text": row["named_ends"] > 0 or row["text_score"] > 0,
    }
    return RelatedHypothesis(
        hypothesis_id=row["id"],
        statement=row["statement"],
        status=row["status"],
        likelihood=row["likelihood"],
        confidence=row["confidence"],
        matched_by=tuple(name for name, matched in matched_by.items() if matched),
    )


_OPEN: Final[LiteralString] = "h.status IN ('proposed', 'reinforced')"
# Ends are not made distinct: the first are what most Hypotheses share, and a comparison stops at the first.
_AROUND: Final[LiteralString] = """
    SELECT coalesce(array_agg(shown.relationship_id), '{}') AS relationship_ids,
           coalesce(array_agg(shown.subject_id) || array_agg(shown.object_id), '{}') AS end_ids
    FROM (
        SELECT held.relationship_id, held.subject_entity_id AS subject_id,
               coalesce(held.object_entity_id, held.object_value_id) AS object_id,
               dense_rank() OVER (
                   ORDER BY array_position(%(group_keys)s::text[], held.semantic_group_key)) AS place
        FROM held_relationships(%(team_id)s, %(at)s, NULL::timestamptz) AS held
        WHERE held.semantic_group_key = ANY (%(group_keys)s) AND NOT held.is_disputed
    ) AS shown
    WHERE shown.place <= %(results)s
"""


def _by_entity(end: LiteralString) -> LiteralString:
    return f"""
        SELECT 0, (h.{end} = ANY (around.end_ids))::int, (h.{end} = ANY (%(named_ids)s))::int,
               0::real, h.likelihood, h.id
        FROM hypotheses AS h
        WHERE h.team_id = %(team_id)s AND {_OPEN} AND h.{end} = ANY (around.end_ids || %(named_ids)s::text[])
    """


# Each way to be near, with what it counts for. A way by an end has read the row, so it knows that it is open and
# how likely; the others know the id only. All have the same types and no column more, or each would be projected.
_WAYS: Final[LiteralString] = f"""
    SELECT 1 AS shared_sources, 0 AS shared_ends, 0 AS named_ends, 0::real AS text_score,
           NULL::float AS likelihood, found.id
    FROM (
        SELECT DISTINCT s.hypothesis_id AS id, s.semantic_group_key FROM hypothesis_sources AS s
        WHERE s.team_id = %(team_id)s AND s.relationship_id = ANY (around.relationship_ids) AND s.is_current
    ) AS found
    UNION ALL
    SELECT 0, 0, 0, found.score, NULL::float, found.hypothesis_id
    FROM search_hypotheses(%(query)s, %(most)s) AS found
    UNION ALL {_by_entity("subject_entity_id")}
    UNION ALL {_by_entity("object_entity_id")}
    UNION ALL
    SELECT 0, 1, 0, 0::real, h.likelihood, h.id
    FROM hypotheses AS h
    WHERE h.team_id = %(team_id)s AND {_OPEN} AND h.object_value_id = ANY (around.end_ids)
"""
_NEAR: Final[LiteralString] = f"""
    SELECT sum(way.shared_sources) AS shared_sources, sum(way.shared_ends) AS shared_ends,
           sum(way.named_ends) AS named_ends, max(way.text_score) AS text_score,
           max(way.likelihood) AS likelihood, way.id
    FROM ({_AROUND}) AS around CROSS JOIN LATERAL ({_WAYS}) AS way
    GROUP BY way.id
"""
# How a Hypothesis is near, worst last, and what ties are broken by.
_ORDER: Final[LiteralString] = "shared DESC, named_ends DESC, text_score DESC, likelihood DESC, id"
# Each OFFSET 0 keeps the planner at looks by key. It takes few that are near for many, and would rather read all
# open Hypotheses of the team; and for a team younger than the statistics it would work out the eligibility of all
# its Relationships. The inner order is the outer one, so that whether one stands is asked of the best only.
_RELATED: LiteralString = f"""
    SELECT best.*, target.statement, target.status, target.confidence, {SWITCHES} AS switches
    FROM (
        SELECT near.shared_sources + near.shared_ends AS shared, near.shared_sources, near.shared_ends,
               near.named_ends, near.text_score, coalesce(near.likelihood, h.likelihood) AS likelihood, near.id
        FROM ({_NEAR}) AS near
        LEFT JOIN LATERAL (
            SELECT status, likelihood FROM hypotheses
            WHERE near.likelihood IS NULL AND hypotheses.team_id = %(team_id)s AND hypotheses.id = near.id OFFSET 0
        ) AS h ON true
        WHERE near.likelihood IS NOT NULL OR {_OPEN}
        ORDER BY {_ORDER} LIMIT %(most)s
    ) AS best
    CROSS JOIN LATERAL (
        SELECT statement, status, confidence FROM hypothesis_targets
        WHERE team_id = %(team_id)s AND hypothesis_id = best.id AND fault IS NULL OFFSET 0
    ) AS target
    WHERE (
        SELECT bool_and(EXISTS (
            SELECT FROM standing_relationships AS standing
            WHERE standing.team_id = %(team_id)s AND standing.relationship_id = s.relationship_id OFFSET 0))
        FROM hypothesis_sources AS s
        WHERE s.team_id = %(team_id)s AND s.hypothesis_id = best.id AND s.is_current
    )
    ORDER BY {_ORDER} LIMIT %(limit)s
"""
