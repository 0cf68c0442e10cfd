"""The statements behind the factories."""

from typing import LiteralString

ENTITY: LiteralString = """
    INSERT INTO entities (team_id, id, kind, name, created_by_profile_id)
    VALUES (%(team_id)s, %(id)s, %(kind)s, %(name)s, %(profile_id)s)
"""
ENTITY_NAME: LiteralString = """
    INSERT INTO entity_names (team_id, entity_id, name, folded_name, is_alias)
    VALUES (%(team_id)s, %(id)s, %(name)s, %(folded)s, %(is_alias)s)
"""
VALUE: LiteralString = """
    INSERT INTO typed_values (team_id, id, value_type, canonical, unit)
    VALUES (%(team_id)s, %(id)s, %(value_type)s, %(canonical)s, %(unit)s)
"""
SOURCE: LiteralString = """
    INSERT INTO sources (team_id, id, profile_id, source_key)
    VALUES (%(team_id)s, %(source_id)s, %(profile_id)s, %(source_id)s)
"""
REVISION: LiteralString = """
    INSERT INTO source_revisions (team_id, source_id, revision, is_current)
    VALUES (%(team_id)s, %(source_id)s, %(source_revision)s, %(is_current)s)
"""
EVIDENCE: LiteralString = """
    INSERT INTO evidence
        (team_id, id, profile_id, content, content_digest, source_type, authority, source_group, source_id,
         source_revision, supersedes_evidence_ids, labels, metadata, state)
    VALUES
        (%(team_id)s, %(evidence_id)s, %(profile_id)s, %(content)s,
         %(content_digest)s, 'document', %(authority)s,
         %(source_group)s, %(source_id)s, %(source_revision)s, '{}', '{}', '{}', %(evidence_state)s)
"""
CITATION: LiteralString = """
    INSERT INTO citations (team_id, id, evidence_id, starts, ends, quote)
    VALUES (%(team_id)s, %(citation_id)s, %(evidence_id)s, '{0}', ARRAY[length(%(content)s::text)], %(content)s)
"""
RELATIONSHIP: LiteralString = """
    INSERT INTO relationships
        (team_id, id, owner_profile_id, subject_entity_id, predicate_key, predicate_version, object_entity_id,
         object_value_id, polarity, modality, scope, valid_from, valid_to, semantic_group_key,
         target_identity, tier, status, version, eligible_since)
    VALUES
        (%(team_id)s, %(id)s, %(profile_id)s, %(subject_id)s, %(predicate_key)s, %(predicate_version)s,
         %(object_entity_id)s, %(object_value_id)s, %(polarity)s, %(modality)s, %(scope)s, %(valid_from)s,
         %(valid_to)s, %(group_key)s, %(target_identity)s, %(tier)s, %(status)s, 1,
         CASE WHEN %(status)s IN ('active', 'pending_evidence') THEN clock_timestamp() END)
"""
VERDICT: LiteralString = """
    INSERT INTO verification_events
        (team_id, id, relationship_id, citation_id, verdict, confidence, schema_valid, verifier_kind,
         verifier_version, rationale)
    VALUES
        (%(team_id)s, %(verification_id)s, %(id)s, %(citation_id)s, %(verdict)s, 0.9, %(schema_valid)s,
         'lexical', 'test', 'As it is written.')
"""
SUPPORT: LiteralString = """
    INSERT INTO supports (team_id, relationship_id, citation_id, is_granted)
    VALUES (%(team_id)s, %(id)s, %(citation_id)s, true)
"""
SUPPORT_EVENT: LiteralString = """
    INSERT INTO support_events (team_id, relationship_id, citation_id, event, reason)
    VALUES (%(team_id)s, %(id)s, %(citation_id)s, 'granted', 'entailed')
"""
FIRST_TRANSITION: LiteralString = """
    INSERT INTO relationship_transitions
        (team_id, relationship_id, version, to_tier, to_status, to_valid_to, reason, effect)
    VALUES (%(team_id)s, %(id)s, 1, %(tier)s, %(status)s, %(valid_to)s, 'placed', %(effect)s)
"""
CHANGE: LiteralString = """
    WITH before AS (
        SELECT tier, status, valid_to FROM relationships WHERE team_id = %(team_id)s AND id = %(id)s FOR UPDATE
    ), changed AS (
        UPDATE relationships
        SET tier = coalesce(%(tier)s, tier), status = coalesce(%(status)s, status), version = version + 1,
            valid_to = coalesce(%(valid_to)s, valid_to),
            eligible_since = CASE WHEN coalesce(%(status)s, status) NOT IN ('active', 'pending_evidence')
                                  THEN NULL ELSE coalesce(eligible_since, clock_timestamp()) END,
            changed_at = clock_timestamp()
        WHERE team_id = %(team_id)s AND id = %(id)s
        RETURNING version, tier, status, valid_to
    )
    INSERT INTO relationship_transitions
        (team_id, relationship_id, version, from_tier, to_tier, from_status, to_status, from_valid_to,
         to_valid_to, reason, effect)
    SELECT %(team_id)s, %(id)s, changed.version, before.tier, changed.tier, before.status, changed.status,
           before.valid_to, changed.valid_to, 'changed',
           coalesce(%(effect)s, CASE WHEN changed.status = 'active' AND before.status <> 'active'
                                     THEN 'became_active' ELSE 'source_lost' END)
    FROM before, changed
"""
STANDING: LiteralString = "SELECT status FROM relationships WHERE team_id = %(team_id)s AND id = %(id)s"
REVOKE: LiteralString = """
    WITH revoked AS (
        UPDATE supports SET is_granted = false
        WHERE team_id = %(team_id)s AND relationship_id = %(id)s AND is_granted
        RETURNING citation_id
    )
    INSERT INTO support_events (team_id, relationship_id, citation_id, event, reason)
    SELECT %(team_id)s, %(id)s, citation_id, 'revoked', 'changed' FROM revoked
"""
CASE: LiteralString = """
    INSERT INTO conflict_cases
        (team_id, id, kind, status, subject_entity_id, predicate_key, due_at)
    VALUES (%(team_id)s, %(id)s, 'other_object', 'open', %(subject_id)s, 'licensed_under',
            clock_timestamp() + %(due_in)s)
"""
CASE_OPENED: LiteralString = """
    INSERT INTO conflict_events (team_id, case_id, event) VALUES (%(team_id)s, %(id)s, 'opened')
"""
CASE_CLOSED: LiteralString = """
    WITH changed AS (
        UPDATE conflict_cases
        SET status = %(status)s, preferred_position_id = %(preferred)s, closed_at = clock_timestamp()
        WHERE team_id = %(team_id)s AND id = %(id)s
    )
    INSERT INTO conflict_events (team_id, case_id, event, preferred_position_id)
    VALUES (%(team_id)s, %(id)s, %(status)s, %(preferred)s)
"""
CASE_POSITION: LiteralString = """
    INSERT INTO conflict_positions (team_id, id, case_id, semantic_group_key)
    VALUES (%(team_id)s, %(position_id)s, %(id)s, %(group_key)s)
"""
REVIEW: LiteralString = """
    INSERT INTO review_tasks (team_id, id, kind, status, reason, relationship_id, options)
    VALUES (%(team_id)s, %(id)s, %(kind)s, %(status)s, 'test', %(relationship_id)s, '[]')
"""
