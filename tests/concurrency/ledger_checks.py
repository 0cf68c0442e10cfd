"""What must be true of a team's ledger whenever nobody is writing: each check names the rows that break it."""

from typing import Final, LiteralString

from app.kernel.database import Database, Row, Scope

CHECKS: Final[dict[str, LiteralString]] = {
    "every change is one version and one transition": """
        SELECT r.id FROM relationships AS r WHERE r.team_id = %(team_id)s
          AND (SELECT array_agg(t.version ORDER BY t.version) FROM relationship_transitions AS t
               WHERE t.team_id = r.team_id AND t.relationship_id = r.id)
              IS DISTINCT FROM ARRAY(SELECT generate_series(1, r.version))
    """,
    "a Relationship stands where its last transition left it": """
        SELECT r.id FROM relationships AS r
        JOIN relationship_transitions AS t
          ON t.team_id = r.team_id AND t.relationship_id = r.id AND t.version = r.version
        WHERE r.team_id = %(team_id)s AND (r.tier, r.status) <> (t.to_tier, t.to_status)
    """,
    "each transition starts where the one before it ended": """
        SELECT t.relationship_id, t.version FROM relationship_transitions AS t
        JOIN relationship_transitions AS b
          ON b.team_id = t.team_id AND b.relationship_id = t.relationship_id AND b.version = t.version - 1
        WHERE t.team_id = %(team_id)s AND (t.from_tier, t.from_status) <> (b.to_tier, b.to_status)
    """,
    "an active position has the tier of its effective supports": """
        SELECT r.id, r.tier, weighed.voices,
               ARRAY(SELECT t.reason || ' ' || t.to_tier FROM relationship_transitions AS t
                     WHERE t.team_id = r.team_id AND t.relationship_id = r.id ORDER BY t.version) AS story
        FROM relationships AS r
        CROSS JOIN LATERAL (
            SELECT coalesce(sum(own.voices), 0) AS voices, bool_or(own.is_authoritative) AS is_authoritative
            FROM (
                SELECT least(
                           count(DISTINCT CASE
                               WHEN e.source_id IS NULL AND e.source_type IN ('manual', 'conversation')
                               THEN e.profile_id ELSE s.source_group END),
                           count(DISTINCT e.content_digest)) AS voices,
                       bool_or(s.authority = 'authoritative') AS is_authoritative
                FROM effective_supports AS s
                JOIN evidence AS e ON e.team_id = s.team_id AND e.id = s.evidence_id
                WHERE s.team_id = r.team_id AND s.relationship_id = r.id GROUP BY s.profile_id
            ) AS own
        ) AS weighed
        WHERE r.team_id = %(team_id)s AND r.status = 'active'
          AND r.tier <> CASE WHEN voices >= 2 OR is_authoritative THEN 'fact'
                             WHEN voices = 1 THEN 'validated_claim' ELSE 'candidate' END
    """,
    "recall takes for standing what is eligible": """
        SELECT relationship_id FROM (SELECT relationship_id FROM eligible_relationships
                                     WHERE team_id = %(team_id)s) AS eligible
        FULL JOIN (SELECT relationship_id FROM standing_relationships
                   WHERE team_id = %(team_id)s) AS standing USING (relationship_id)
        WHERE eligible.relationship_id IS NULL OR standing.relationship_id IS NULL
    """,
    "a support is as its last event left it": """
        SELECT s.relationship_id, s.citation_id FROM supports AS s WHERE s.team_id = %(team_id)s
          AND s.is_granted IS DISTINCT FROM (
              SELECT e.event <> 'revoked' FROM support_events AS e
              WHERE e.team_id = s.team_id AND e.relationship_id = s.relationship_id
                AND e.citation_id = s.citation_id ORDER BY e.id DESC LIMIT 1)
    """,
    "a source has one current revision": """
        SELECT s.id FROM sources AS s WHERE s.team_id = %(team_id)s
          AND (SELECT count(*) FROM source_revisions AS r
               WHERE r.team_id = s.team_id AND r.source_id = s.id AND r.is_current) <> 1
    """,
    "one owner holds one object at a time where only one can hold": """
        SELECT one.id, other.id AS other_id FROM relationships AS one
        JOIN relationships AS other
          ON other.team_id = one.team_id AND other.owner_profile_id = one.owner_profile_id
         AND other.subject_entity_id = one.subject_entity_id AND other.predicate_key = one.predicate_key
         AND other.id > one.id AND other.scope IS NOT DISTINCT FROM one.scope
        JOIN predicates AS p ON p.team_id = one.team_id AND p.predicate_key = one.predicate_key AND p.is_current
        WHERE one.team_id = %(team_id)s
          AND (p.relationship_kind, p.current_cardinality) = ('state', 'one')
          AND (one.status, other.status, one.polarity, other.polarity) = ('active', 'active', '+', '+')
          AND one.object_entity_id <> other.object_entity_id
          AND coalesce(one.valid_from < other.valid_to, true)
          AND coalesce(other.valid_from < one.valid_to, true)
    """,
    "one owner does not both say and deny": """
        SELECT one.id FROM relationships AS one
        JOIN relationships AS other
          ON other.team_id = one.team_id AND other.owner_profile_id = one.owner_profile_id
         AND other.target_identity = one.target_identity AND other.scope IS NOT DISTINCT FROM one.scope
        WHERE one.team_id = %(team_id)s AND one.status = 'active' AND other.status = 'active'
          AND one.polarity = '+' AND other.polarity = '-'
          AND coalesce(one.valid_from < other.valid_to, true)
          AND coalesce(other.valid_from < one.valid_to, true)
    """,
    "positions of other owners that cannot both hold stand in a case": """
        SELECT one.id, other.id AS other_id FROM relationships AS one
        JOIN relationships AS other
          ON other.team_id = one.team_id AND other.owner_profile_id <> one.owner_profile_id
         AND other.subject_entity_id = one.subject_entity_id AND other.id > one.id
         AND other.scope IS NOT DISTINCT FROM one.scope
        JOIN predicates AS p ON p.team_id = one.team_id AND p.predicate_key = one.predicate_key AND p.is_current
        WHERE one.team_id = %(team_id)s
          AND one.status IN ('active', 'disputed') AND other.status IN ('active', 'disputed')
          AND coalesce(one.valid_from < other.valid_to, true)
          AND coalesce(other.valid_from < one.valid_to, true)
          AND (one.target_identity = other.target_identity AND one.polarity <> other.polarity
               OR (p.relationship_kind, p.current_cardinality) = ('state', 'one')
                  AND one.predicate_key = other.predicate_key
                  AND one.polarity = '+' AND other.polarity = '+'
                  AND one.object_entity_id <> other.object_entity_id)
          AND NOT EXISTS (
              SELECT FROM conflict_cases AS c
              JOIN conflict_positions AS a ON a.team_id = c.team_id AND a.case_id = c.id
              JOIN conflict_positions AS b ON b.team_id = c.team_id AND b.case_id = c.id
              WHERE c.team_id = one.team_id AND a.semantic_group_key = one.semantic_group_key
                AND b.semantic_group_key = other.semantic_group_key
                AND (c.status <> 'dismissed' OR c.close_reason IS DISTINCT FROM 'position_withdrawn'))
    """,
    "an undecided case has two sides that hold": """
        SELECT c.id FROM conflict_cases AS c
        WHERE c.team_id = %(team_id)s AND c.status IN ('open', 'resolved') AND 2 > (
            SELECT count(DISTINCT r.semantic_group_key) FROM conflict_positions AS p
            JOIN relationships AS r ON r.team_id = p.team_id AND r.semantic_group_key = p.semantic_group_key
            WHERE p.team_id = c.team_id AND p.case_id = c.id AND r.status IN ('active', 'disputed'))
    """,
    "an undecided case about objects is of something that has one": """
        SELECT c.id FROM conflict_cases AS c
        JOIN predicates AS p ON p.team_id = c.team_id AND p.predicate_key = c.predicate_key AND p.is_current
        LEFT JOIN predicates AS i ON i.team_id = p.team_id AND i.predicate_key = p.inverse_key AND i.is_current
        WHERE c.team_id = %(team_id)s AND c.kind = 'other_object' AND c.status IN ('open', 'resolved')
          AND (p.relationship_kind, p.current_cardinality) <> ('state', 'one')
          AND coalesce((i.relationship_kind, i.current_cardinality) <> ('state', 'one'), true)
    """,
    "nobody is asked about a position that has ended, but whether it holds again": """
        SELECT t.id FROM review_tasks AS t
        JOIN relationships AS r ON r.team_id = t.team_id AND r.id = t.relationship_id
        WHERE t.team_id = %(team_id)s AND t.status = 'open' AND (
            r.status IN ('retracted', 'rejected') OR r.status = 'superseded' AND t.reason <> 'superseded_already')
    """,
    "a case stands where its last event left it": """
        SELECT c.id, c.status FROM conflict_cases AS c WHERE c.team_id = %(team_id)s
          AND c.status <> (
              SELECT CASE WHEN e.event IN ('opened', 'widened', 'reopened') THEN 'open'
                          WHEN e.event = 'withdrawn' THEN 'dismissed' ELSE e.event END
              FROM conflict_events AS e
              WHERE e.team_id = c.team_id AND e.case_id = c.id ORDER BY e.id DESC LIMIT 1)
    """,
    "nothing living stands on a merged entity": """
        SELECT r.id FROM relationships AS r
        JOIN entities AS e ON e.team_id = r.team_id AND e.id IN (r.subject_entity_id, r.object_entity_id)
        WHERE r.team_id = %(team_id)s AND e.is_merged
          AND r.status NOT IN ('superseded', 'retracted', 'rejected')
    """,
    "one name of one kind is one entity": """
        SELECT n.folded_name FROM entity_names AS n
        JOIN entities AS e ON e.team_id = n.team_id AND e.id = n.entity_id
        WHERE n.team_id = %(team_id)s GROUP BY n.folded_name, e.kind HAVING count(*) > 1
    """,
    "a disputed position has its opposite beside it": """
        SELECT r.id FROM relationships AS r WHERE r.team_id = %(team_id)s AND r.status = 'disputed'
          AND NOT EXISTS (SELECT FROM relationships AS o
                          WHERE o.team_id = r.team_id AND o.owner_profile_id = r.owner_profile_id
                            AND o.target_identity = r.target_identity AND o.polarity <> r.polarity
                            AND o.status = 'disputed')
    """,
    "a position that waits for a review has an open one": """
        SELECT r.id FROM relationships AS r WHERE r.team_id = %(team_id)s AND r.status = 'needs_review'
          AND NOT EXISTS (SELECT FROM review_tasks AS t WHERE t.team_id = r.team_id
                            AND t.relationship_id = r.id AND t.status = 'open')
    """,
    "everything submitted is placed with a category, and has ended or waits for an open review": """
        SELECT i.id, i.processing_state FROM ingests AS i WHERE i.team_id = %(team_id)s
          AND (i.processing_state NOT IN ('completed', 'awaiting_review')
               OR EXISTS (SELECT FROM placement_outcomes AS o
                          WHERE o.team_id = i.team_id AND o.ingest_id = i.id AND o.category IS NULL)
               OR i.processing_state = 'awaiting_review' AND NOT EXISTS (
                   SELECT FROM placement_outcomes AS o
                   JOIN review_tasks AS t ON t.team_id = o.team_id AND t.id = o.review_id
                   WHERE o.team_id = i.team_id AND o.ingest_id = i.id AND t.status = 'open'))
    """,
}


async def find_broken(database: Database, team_id: str) -> dict[str, list[Row]]:
    """Return the first rows that break each check; empty for a ledger in order."""
    broken: dict[str, list[Row]] = {}
    async with database.snapshot(Scope("app", team_id)) as reading:
        for name, statement in CHECKS.items():
            rows = await reading.fetch_all(statement, {"team_id": team_id})
            if rows:
                broken[name] = rows[:5]
    return broken
