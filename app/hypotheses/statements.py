"""The SQL that reads Hypotheses. Names are looked up after the page has been cut, so they cost its size."""

from typing import Final, LiteralString

from app.hypotheses.record import HypothesisFilter, Sort

# What a summary shows; whole rows would be several times as much to read, send and take apart.
_OWN: Final[LiteralString] = """
    h.id, h.team_id, h.subject_entity_id, h.predicate_key, h.object_entity_id, h.object_value_id, h.statement,
    h.status, h.likelihood, h.confidence, h.generator_kind, h.generator_version, h.cycle_run_id, h.created_at,
    h.updated_at
"""
_SUMMARY: Final[LiteralString] = f"""
    SELECT {_OWN}, subject.name AS subject_name,
           coalesce(object.name, trim(value.canonical || ' ' || value.unit)) AS object_name,
           sources.source_ids, sources.candidate_ids
"""
_NAMES: Final[LiteralString] = """
    JOIN entities AS subject ON subject.team_id = h.team_id AND subject.id = h.subject_entity_id
    LEFT JOIN entities AS object ON object.team_id = h.team_id AND object.id = h.object_entity_id
    LEFT JOIN typed_values AS value ON value.team_id = h.team_id AND value.id = h.object_value_id
    CROSS JOIN LATERAL (
        SELECT coalesce(array_agg(s.relationship_id ORDER BY s.relationship_id)
                        FILTER (WHERE NOT s.is_candidate), '{}') AS source_ids,
               coalesce(array_agg(s.relationship_id ORDER BY s.relationship_id)
                        FILTER (WHERE s.is_candidate), '{}') AS candidate_ids,
               coalesce(array_agg(DISTINCT s.owner_profile_id), '{}') AS owner_ids
        FROM hypothesis_sources AS s
        WHERE s.team_id = h.team_id AND s.hypothesis_id = h.id AND s.is_current
    ) AS sources
"""
HYPOTHESIS: Final[LiteralString] = (
    _SUMMARY
    + """, sources.owner_ids, predicate.label AS predicate_label, target.fault AS target_fault, h.rationale,
           h.previous_hypothesis_id, h.needs_reassessment, h.row_version, h.reinforced_at, h.paths
    FROM hypotheses AS h"""
    + _NAMES
    + """
    JOIN predicates AS predicate ON predicate.team_id = h.team_id
         AND predicate.predicate_key = h.predicate_key AND predicate.version = h.predicate_version
    JOIN hypothesis_targets AS target ON target.team_id = h.team_id AND target.hypothesis_id = h.id
    WHERE h.team_id = %(team_id)s AND h.id = %(hypothesis_id)s"""
)

# The view is asked for these sources only; its conditions come along so that a reader learns which one fails.
PREMISES: Final[LiteralString] = """
    SELECT s.relationship_id, s.semantic_group_key, s.version, s.is_candidate,
           r.version AS current_version, r.polarity, r.predicate_key,
           predicate.verb_phrase, subject.name AS subject_name,
           coalesce(object.name, trim(value.canonical || ' ' || value.unit)) AS object_name,
           e.is_established OR e.is_assessed_candidate AS is_established_or_assessed,
           e.endpoints_exist, e.predicate_fits, e.has_no_open_review, e.has_no_open_conflict,
           e.is_preferred_position, e.has_current_evidence
    FROM hypothesis_sources AS s
    JOIN relationships AS r ON r.team_id = s.team_id AND r.id = s.relationship_id
    JOIN predicates AS predicate ON predicate.team_id = r.team_id
         AND predicate.predicate_key = r.predicate_key AND predicate.version = r.predicate_version
    JOIN entities AS subject ON subject.team_id = r.team_id AND subject.id = r.subject_entity_id
    LEFT JOIN entities AS object ON object.team_id = r.team_id AND object.id = r.object_entity_id
    LEFT JOIN typed_values AS value ON value.team_id = r.team_id AND value.id = r.object_value_id
    LEFT JOIN LATERAL (
        SELECT * FROM relationship_eligibility AS eligibility
        WHERE eligibility.team_id = r.team_id AND eligibility.relationship_id = r.id
        OFFSET 0
    ) AS e ON true
    WHERE s.team_id = %(team_id)s AND s.hypothesis_id = %(hypothesis_id)s AND s.is_current
    ORDER BY s.relationship_id
"""

EVENTS: Final[LiteralString] = """
    SELECT id, event, from_status, to_status, reason, actor_kind, actor_profile_id, cycle_run_id, ingest_id,
           versions_seen, created_at
    FROM hypothesis_events
    WHERE team_id = %(team_id)s AND hypothesis_id = %(hypothesis_id)s
    ORDER BY id DESC LIMIT %(limit)s
"""

_SOURCE_COUNT: Final[LiteralString] = """(
    SELECT count(*) FROM hypothesis_sources AS s
    WHERE s.team_id = h.team_id AND s.hypothesis_id = h.id AND s.is_current
)"""
_ORDERS: Final[dict[Sort, LiteralString]] = {
    "newest": "created_at DESC, id DESC",
    "likelihood": "likelihood DESC, id DESC",
    "review": "source_count DESC, created_at DESC, id DESC",
}
_POSITIONS: Final[dict[Sort, LiteralString]] = {
    "newest": "(h.created_at, h.id) < (%(at)s, %(last_id)s)",
    "likelihood": "(h.likelihood, h.id) < (%(number)s::float8, %(last_id)s)",
    "review": f"({_SOURCE_COUNT}, h.created_at, h.id) < (%(number)s::bigint, %(at)s, %(last_id)s)",
}
_IN_MY_QUEUE: Final[LiteralString] = """
    h.status IN ('proposed', 'reinforced', 'stale') AND NOT EXISTS (
        SELECT FROM hypothesis_events AS e
        WHERE e.team_id = h.team_id AND e.hypothesis_id = h.id AND e.actor_profile_id = %(profile_id)s
          AND e.actor_kind = 'client'
    )
"""


def page_query(wanted: HypothesisFilter, sort: Sort, *, after: object | None) -> LiteralString:
    """Return the query of one page; `after` is the position to go on from, or None for the first page.

    Conditions are added only where they restrict, so that each combination is planned for itself.
    """
    conditions: list[LiteralString] = ["h.team_id = %(team_id)s"]
    if wanted.statuses:
        conditions.append("h.status = ANY (%(statuses)s)")
    if wanted.predicate_key is not None:
        conditions.append("h.predicate_key = %(predicate_key)s")
    if wanted.entity_id is not None:
        conditions.append("(h.subject_entity_id = %(entity_id)s OR h.object_entity_id = %(entity_id)s)")
    if wanted.run_id is not None:
        conditions.append("h.cycle_run_id = %(run_id)s")
    if wanted.generator_kind is not None:
        conditions.append("h.generator_kind = %(generator_kind)s")
    if wanted.min_likelihood is not None:
        conditions.append("h.likelihood >= %(min_likelihood)s")
    if wanted.created_after is not None:
        conditions.append("h.created_at > %(created_after)s")
    if wanted.created_before is not None:
        conditions.append("h.created_at < %(created_before)s")
    if sort == "review":
        conditions.append(_IN_MY_QUEUE)
    if after is not None:
        conditions.append(_POSITIONS[sort])
    is_counted = sort == "review"
    counted: LiteralString = f", {_SOURCE_COUNT} AS source_count" if is_counted else ""
    count: LiteralString = ", h.source_count" if is_counted else ""
    order = _ORDERS[sort]
    page: LiteralString = (
        f"SELECT {_OWN}{counted} FROM hypotheses AS h WHERE {' AND '.join(conditions)}"
        f" ORDER BY {order} LIMIT %(limit)s"
    )
    return f"{_SUMMARY}{count} FROM ({page}) AS h {_NAMES} ORDER BY {order}"
