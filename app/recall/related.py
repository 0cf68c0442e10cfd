"""Hypotheses near an answer: proposed and reinforced, all sources eligible and the target fit, now."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, LiteralString

from app.kernel.database import Params, Query, Row
from app.recall.model import RelatedHypothesis

# How many of the best are looked at; those that should be stale but were not staled yet fall out.
MAX_CANDIDATES: Final = 100


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What Hypotheses may be near to: the results' Relationships and ends, and what the query names.

    `end_ids` are entities and values.
    """

    query: str
    relationship_ids: tuple[str, ...]
    end_ids: tuple[str, ...]
    named_entity_ids: tuple[str, ...]


def ask_related(team_id: str, near: Surroundings, *, limit: int) -> tuple[Query, Params]:
    """Return what asks for at most `limit` Hypotheses, best first.

    Order: shared sources (equivalent ones count once) plus shared ends; then names in the query plus full
    text; then likelihood; then id. So it is total. Eligibility is asked for now, whatever was recorded, of one
    after the other until there are enough.
    """
    return _RELATED, {
        "team_id": team_id,
        "query": near.query,
        "relationship_ids": list(near.relationship_ids),
        "end_ids": list(near.end_ids),
        "named_ids": list(near.named_entity_ids),
        "most": MAX_CANDIDATES,
        "limit": limit,
    }


def read_related(rows: Sequence[Row]) -> tuple[RelatedHypothesis, ...]:
    """Return the Hypotheses of the rows that `ask_related` asked for."""
    return tuple(map(_related, rows))


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


_ENDS: Final[LiteralString] = (
    "h.id, h.subject_entity_id, coalesce(h.object_entity_id, h.object_value_id), h.likelihood"
)
_OPEN: Final[LiteralString] = "h.status IN ('proposed', 'reinforced')"
_BY_KEY: Final[LiteralString] = """
    CROSS JOIN LATERAL (
        SELECT * FROM hypotheses WHERE hypotheses.team_id = %(team_id)s AND hypotheses.id = found.id OFFSET 0
    ) AS h
"""
_NEAR: Final[LiteralString] = f"""
    SELECT each.id, max(each.subject_id) AS subject_id, max(each.object_id) AS object_id,
           max(each.likelihood) AS likelihood, count(DISTINCT each.semantic_group_key) AS shared_sources,
           coalesce(max(each.score), 0) AS text_score
    FROM (
        SELECT {_ENDS}, found.semantic_group_key, NULL::real
        FROM (
            SELECT s.hypothesis_id AS id, s.semantic_group_key FROM hypothesis_sources AS s
            WHERE s.team_id = %(team_id)s AND s.relationship_id = ANY (%(relationship_ids)s) AND s.is_current
        ) AS found {_BY_KEY} WHERE {_OPEN}
        UNION ALL
        SELECT {_ENDS}, NULL, found.score
        FROM (
            SELECT hypothesis_id AS id, score FROM search_hypotheses(%(query)s, %(most)s)
        ) AS found {_BY_KEY} WHERE {_OPEN}
        UNION ALL
        SELECT {_ENDS}, NULL, NULL FROM hypotheses AS h
        WHERE h.team_id = %(team_id)s AND {_OPEN}
          AND h.subject_entity_id = ANY (%(end_ids)s::text[] || %(named_ids)s::text[])
        UNION ALL
        SELECT {_ENDS}, NULL, NULL FROM hypotheses AS h
        WHERE h.team_id = %(team_id)s AND {_OPEN}
          AND h.object_entity_id = ANY (%(end_ids)s::text[] || %(named_ids)s::text[])
        UNION ALL
        SELECT {_ENDS}, NULL, NULL FROM hypotheses AS h
        WHERE h.team_id = %(team_id)s AND h.object_value_id = ANY (%(end_ids)s) AND {_OPEN}
    ) AS each (id, subject_id, object_id, likelihood, semantic_group_key, score)
    GROUP BY each.id
"""
# How a Hypothesis is near, worst last, and what ties are broken by.
_ORDER: Final[LiteralString] = "shared DESC, named_ends DESC, text_score DESC, likelihood DESC, id"
# Each OFFSET 0 keeps the planner at looks by key. It takes few that are near for many, and would rather read all
# open Hypotheses of the team; and for a team younger than the statistics it would work out the eligibility of all
# its Relationships. The inner order is the outer one, so that whether one stands is asked of the best only.
_RELATED: LiteralString = f"""
    SELECT best.*, h.statement, h.status, h.confidence
    FROM (
        SELECT told.*, told.shared_sources + told.shared_ends AS shared
        FROM (
            SELECT near.id, near.likelihood, near.shared_sources, near.text_score,
                   (near.subject_id = ANY (%(end_ids)s))::int + (near.object_id = ANY (%(end_ids)s))::int
                       AS shared_ends,
                   (near.subject_id = ANY (%(named_ids)s))::int + (near.object_id = ANY (%(named_ids)s))::int
                       AS named_ends
            FROM ({_NEAR}) AS near
        ) AS told
        ORDER BY {_ORDER} LIMIT %(most)s
    ) AS best
    CROSS JOIN LATERAL (
        SELECT statement, status, confidence FROM hypotheses
        WHERE hypotheses.team_id = %(team_id)s AND hypotheses.id = best.id OFFSET 0
    ) AS h
    CROSS JOIN LATERAL (
        SELECT target.fault FROM hypothesis_targets AS target
        WHERE target.team_id = %(team_id)s AND target.hypothesis_id = best.id OFFSET 0
    ) AS target
    CROSS JOIN LATERAL (
        SELECT bool_and(eligible.is_eligible IS TRUE) AS are_eligible
        FROM hypothesis_sources AS s
        LEFT JOIN LATERAL (
            SELECT true AS is_eligible FROM eligible_relationships AS e
            WHERE e.team_id = s.team_id AND e.relationship_id = s.relationship_id OFFSET 0
        ) AS eligible ON true
        WHERE s.team_id = %(team_id)s AND s.hypothesis_id = best.id AND s.is_current
    ) AS sources
    WHERE target.fault IS NULL AND sources.are_eligible
    ORDER BY {_ORDER} LIMIT %(limit)s
"""
