"""Which Relationships a dream may read: one named column per condition, and the lock that persists take.

Source: the specification, section "Eligible Inputs". This is the only place that decides it.

Lock: creates views and a function only, so nothing waits.
"""

from alembic import op

from app.kernel.ddl import role

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
        CREATE VIEW relationship_eligibility WITH (security_invoker = true) AS
        SELECT r.team_id, r.id AS relationship_id, r.version,
            -- Compact active validated claims and facts.
            r.status = 'active' AND r.tier IN ('validated_claim', 'fact') AS is_established,
            -- A pending candidate whose final schema-valid verdict is insufficient.
            r.status = 'pending_evidence' AND r.tier = 'candidate'
                AND coalesce(latest.verdict = 'insufficient', false) AS is_assessed_candidate,
            -- Existing resolved endpoints: a merged entity is no endpoint any more.
            NOT subject.is_merged AND NOT coalesce(object.is_merged, false) AS endpoints_exist,
            -- Registered, and valid for both endpoint kinds today.
            predicate.lifecycle_state <> 'retired' AND (
                cardinality(predicate.allowed_subject_kinds || predicate.allowed_object_kinds
                            || predicate.allowed_value_types) = 0 AND object.id IS NOT NULL
                OR subject.kind = ANY (predicate.allowed_subject_kinds) AND (
                    object.kind = ANY (predicate.allowed_object_kinds)
                    OR value.value_type = ANY (predicate.allowed_value_types))) IS TRUE AS predicate_fits,
            NOT EXISTS (
                SELECT FROM review_tasks AS task
                WHERE task.team_id = r.team_id AND task.relationship_id = r.id AND task.status = 'open'
            ) AS has_no_open_review,
            NOT EXISTS (
                SELECT FROM conflict_positions AS position
                JOIN conflict_cases AS c ON c.team_id = position.team_id AND c.id = position.case_id
                WHERE position.team_id = r.team_id AND position.semantic_group_key = r.semantic_group_key
                  AND c.status = 'open'
            ) AS has_no_open_conflict,
            -- Only the preferred position of a resolved case; a dismissed case is none.
            NOT EXISTS (
                SELECT FROM conflict_positions AS position
                JOIN conflict_cases AS c ON c.team_id = position.team_id AND c.id = position.case_id
                WHERE position.team_id = r.team_id AND position.semantic_group_key = r.semantic_group_key
                  AND c.status = 'resolved' AND c.preferred_position_id <> position.id
            ) AS is_preferred_position,
            -- Support in a current source revision; for a candidate, the evidence that was found insufficient.
            CASE WHEN r.tier = 'candidate' THEN latest.is_current ELSE EXISTS (
                SELECT FROM effective_supports AS support
                WHERE support.team_id = r.team_id AND support.relationship_id = r.id
            ) END IS TRUE AS has_current_evidence
        FROM relationships AS r
        JOIN entities AS subject ON subject.team_id = r.team_id AND subject.id = r.subject_entity_id
        JOIN predicates AS predicate
          ON predicate.team_id = r.team_id AND predicate.predicate_key = r.predicate_key AND predicate.is_current
        LEFT JOIN entities AS object ON object.team_id = r.team_id AND object.id = r.object_entity_id
        LEFT JOIN typed_values AS value ON value.team_id = r.team_id AND value.id = r.object_value_id
        LEFT JOIN LATERAL (
            SELECT event.verdict,
                   evidence.state = 'active' AND coalesce(revision.is_current, true) AS is_current
            FROM verification_events AS event
            JOIN citations ON citations.team_id = event.team_id AND citations.id = event.citation_id
            JOIN evidence ON evidence.team_id = citations.team_id AND evidence.id = citations.evidence_id
            LEFT JOIN source_revisions AS revision
                   ON revision.team_id = evidence.team_id
                  AND revision.source_id = evidence.source_id
                  AND revision.revision = evidence.source_revision
            WHERE event.team_id = r.team_id AND event.relationship_id = r.id AND event.schema_valid
              AND r.tier = 'candidate'
            ORDER BY event.created_at DESC, event.id DESC
            LIMIT 1
        ) AS latest ON true
    """)
    op.execute("""
        CREATE VIEW eligible_relationships WITH (security_invoker = true) AS
        SELECT team_id, relationship_id, version
        FROM relationship_eligibility
        WHERE (is_established OR is_assessed_candidate)
          AND endpoints_exist AND predicate_fits
          AND has_no_open_review AND has_no_open_conflict AND is_preferred_position
          AND has_current_evidence
    """)
    op.execute(
        f"GRANT SELECT ON relationship_eligibility, eligible_relationships TO {role('app')}, {role('dreamer')}"
    )
    # A role that may only read gets no row lock, so the dreamer borrows the owner's for this one purpose.
    op.execute("""
        CREATE FUNCTION lock_sources(relationship_ids text[])
        RETURNS TABLE (relationship_id text, version integer, eligible boolean)
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
        BEGIN
            PERFORM FROM public.relationships AS r
            WHERE r.team_id = current_setting('densemem.team_id', true) AND r.id = ANY (relationship_ids)
            ORDER BY r.id FOR SHARE;
            -- A second statement sees what was committed while the first one waited.
            RETURN QUERY
            SELECT r.id, r.version, e.relationship_id IS NOT NULL
            FROM public.relationships AS r
            LEFT JOIN public.eligible_relationships AS e ON e.team_id = r.team_id AND e.relationship_id = r.id
            WHERE r.team_id = current_setting('densemem.team_id', true) AND r.id = ANY (relationship_ids);
        END $$
    """)
    op.execute("REVOKE ALL ON FUNCTION lock_sources(text[]) FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION lock_sources(text[]) TO {role('dreamer')}")


def downgrade() -> None:
    op.execute("DROP FUNCTION lock_sources(text[])")
    op.execute("DROP VIEW eligible_relationships")
    op.execute("DROP VIEW relationship_eligibility")
