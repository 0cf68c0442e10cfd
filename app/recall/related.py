"""Hypotheses near an answer: proposed and reinforced, all sources eligible and the target fit, now."""

from dataclasses import dataclass
from typing import Final, LiteralString

from app.kernel.database import Reading, Row
from app.recall.model import RelatedHypothesis

# How many of the best are looked at; those that should be stale but were not staled yet fall out.
MAX_CANDIDATES: Final = 100
# How many times the wanted number is asked for at once whether it stands.
AT_ONCE: Final = 2


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What Hypotheses may be near to: the results' Relationships and ends, and what the query names.

    `end_ids` are entities and values.
    """

    query: str
    relationship_ids: tuple[str, ...]
    end_ids: tuple[str, ...]
    named_entity_ids: tuple[str, ...]


async def find_related(
    reading: Reading, team_id: str, near: Surroundings, *, limit: int
) -> tuple[RelatedHypothesis, ...]:
    """Return at most `limit` Hypotheses, best first.

    Order: shared sources (equivalent ones count once) plus shared ends; then names in the query plus full
    text; then likelihood; then id. So it is total. Eligibility is asked for now, whatever was recorded.
    """
    rows = await reading.fetch_all(
        _CANDIDATES,
        {
            "team_id": team_id,
            "query": near.query,
            "relationship_ids": list(near.relationship_ids),
            "end_ids": list(near.end_ids),
            "near_ids": list({*near.end_ids, *near.named_entity_ids}),
            "named_ids": list(near.named_entity_ids),
            "limit": MAX_CANDIDATES,
        },
    )
    current: list[Row] = []
    # Few have lost their ground without being stale yet, so the first ones nearly always are enough.
    for begin in range(0, len(rows), AT_ONCE * limit):
        part = rows[begin : begin + AT_ONCE * limit]
        params = {"team_id": team_id, "hypothesis_ids": [row["id"] for row in part]}
        standing = {row["id"] for row in await reading.fetch_all(_STANDING, params)}
        current += [row for row in part if row["id"] in standing]
        if len(current) >= limit:
            break
    return tuple(_related(row) for row in current[:limit])


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


# OFFSET 0 keeps this a look-up by key for each that is near: there are few, but the planner takes them for so many
# that it would rather read all open Hypotheses of the team.
_CANDIDATES: LiteralString = """
    WITH by_source AS (
        SELECT s.hypothesis_id AS id, count(DISTINCT s.semantic_group_key) AS shared_sources
        FROM hypothesis_sources AS s
        WHERE s.team_id = %(team_id)s AND s.relationship_id = ANY (%(relationship_ids)s) AND s.is_current
        GROUP BY s.hypothesis_id
    ), by_text AS (
        SELECT hypothesis_id AS id, score FROM search_hypotheses(%(query)s, %(limit)s)
    ), near AS (
        SELECT id FROM by_source
        UNION SELECT id FROM by_text
        UNION SELECT h.id FROM hypotheses AS h
        WHERE h.team_id = %(team_id)s AND h.subject_entity_id = ANY (%(near_ids)s)
        UNION SELECT h.id FROM hypotheses AS h
        WHERE h.team_id = %(team_id)s AND h.object_entity_id = ANY (%(near_ids)s)
        UNION SELECT h.id FROM hypotheses AS h
        WHERE h.team_id = %(team_id)s AND h.object_value_id = ANY (%(end_ids)s)
    )
    SELECT h.id, h.statement, h.status, h.likelihood, h.confidence, ends.shared_ends, ends.named_ends,
           coalesce(by_source.shared_sources, 0) AS shared_sources, coalesce(by_text.score, 0) AS text_score
    FROM near
    CROSS JOIN LATERAL (
        SELECT * FROM hypotheses
        WHERE hypotheses.team_id = %(team_id)s AND hypotheses.id = near.id OFFSET 0
    ) AS h
    LEFT JOIN by_source ON by_source.id = h.id
    LEFT JOIN by_text ON by_text.id = h.id
    CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE node.id = ANY (%(end_ids)s)) AS shared_ends,
               count(*) FILTER (WHERE node.id = ANY (%(named_ids)s)) AS named_ends
        FROM (VALUES (h.subject_entity_id), (coalesce(h.object_entity_id, h.object_value_id))) AS node (id)
    ) AS ends
    WHERE h.status IN ('proposed', 'reinforced')
    ORDER BY coalesce(by_source.shared_sources, 0) + ends.shared_ends DESC,
             ends.named_ends DESC, coalesce(by_text.score, 0) DESC, h.likelihood DESC, h.id
    LIMIT %(limit)s
"""
# OFFSET 0 keeps this a look-up by key for each of them: for a team that is younger than the statistics the planner
# would compute the eligibility of all its Relationships.
_STANDING: LiteralString = """
    SELECT near.id
    FROM unnest(%(hypothesis_ids)s::text[]) AS near (id)
    CROSS JOIN LATERAL (
        SELECT target.fault FROM hypothesis_targets AS target
        WHERE target.team_id = %(team_id)s AND target.hypothesis_id = near.id OFFSET 0
    ) AS target
    CROSS JOIN LATERAL (
        SELECT bool_and(eligible.is_eligible IS TRUE) AS are_eligible
        FROM hypothesis_sources AS s
        LEFT JOIN LATERAL (
            SELECT true AS is_eligible FROM eligible_relationships AS e
            WHERE e.team_id = s.team_id AND e.relationship_id = s.relationship_id OFFSET 0
        ) AS eligible ON true
        WHERE s.team_id = %(team_id)s AND s.hypothesis_id = near.id AND s.is_current
    ) AS sources
    WHERE target.fault IS NULL AND sources.are_eligible
"""
