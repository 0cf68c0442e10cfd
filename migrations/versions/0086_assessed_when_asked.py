"""The latest verdict about a candidate is opened only by a candidate; a target brings its Hypothesis along.

Whether a Relationship is eligible is asked of each source of each Hypothesis that recall shows. Each time what goes
through the verdicts of a candidate, a fifth of the view, was made ready, though hardly any source is one. It is a
function now, which is called where it decides; reading a whole team takes 0.01 ms longer for each candidate. And the
Hypothesis itself was read twice, for what it says and for whether its target fits.

Lock: none on tables; two views are replaced, a function is made.
"""

from alembic import op

from app.kernel.ddl import role

revision = "0086"
down_revision = "0085"
branch_labels = None
depends_on = None

_LATEST = """
    SELECT event.verdict, evidence.state = 'active' AND coalesce(revision.is_current, true) AS is_current
    FROM public.verification_events AS event
    JOIN public.citations ON citations.team_id = event.team_id AND citations.id = event.citation_id
    JOIN public.evidence ON evidence.team_id = citations.team_id AND evidence.id = citations.evidence_id
    LEFT JOIN public.source_revisions AS revision
           ON revision.team_id = evidence.team_id
          AND revision.source_id = evidence.source_id
          AND revision.revision = evidence.source_revision
    WHERE event.team_id = {team} AND event.relationship_id = {relationship} AND event.schema_valid {where}
    ORDER BY event.created_at DESC, event.id DESC LIMIT 1
"""


def upgrade() -> None:
    op.execute(f"""
        CREATE FUNCTION latest_assessment(team text, relationship text)
        RETURNS TABLE (verdict text, is_current boolean)
        LANGUAGE plpgsql STABLE ROWS 1 SET search_path = pg_catalog, public, pg_temp AS $$
        #variable_conflict use_column
        BEGIN
            RETURN QUERY {_LATEST.format(team="team", relationship="relationship", where="")};
        END $$
    """)
    # OFFSET 0 keeps the condition before the call.
    _replace_eligibility("""
        SELECT assessed.verdict, assessed.is_current FROM latest_assessment(r.team_id, r.id) AS assessed
        WHERE r.tier = 'candidate' OFFSET 0
    """)
    _make_targets("CREATE OR REPLACE VIEW", ", h.statement, h.status, h.confidence")


def downgrade() -> None:
    op.execute("DROP VIEW hypothesis_targets")
    _make_targets("CREATE VIEW", "")
    op.execute(f"GRANT SELECT ON hypothesis_targets TO {role('app')}, {role('dreamer')}")
    _replace_eligibility(
        _LATEST.format(team="r.team_id", relationship="r.id", where="AND r.tier = 'candidate'")
    )
    op.execute("DROP FUNCTION latest_assessment(text, text)")


def _make_targets(made: str, more: str) -> None:
    op.execute(f"""
        {made} hypothesis_targets WITH (security_invoker = true) AS
        SELECT h.team_id, h.id AS hypothesis_id,
            CASE
                WHEN predicate.lifecycle_state = 'retired' THEN 'predicate_retired'
                -- The same question as relationship_eligibility asks of a Relationship.
                WHEN (
                    cardinality(predicate.allowed_subject_kinds || predicate.allowed_object_kinds
                                || predicate.allowed_value_types) = 0 AND object.id IS NOT NULL
                    OR subject.kind = ANY (predicate.allowed_subject_kinds) AND (
                        object.kind = ANY (predicate.allowed_object_kinds)
                        OR value.value_type = ANY (predicate.allowed_value_types))) IS NOT TRUE
                    THEN 'predicate_narrowed'
            END AS fault{more}
        FROM hypotheses AS h
        JOIN entities AS subject ON subject.team_id = h.team_id AND subject.id = h.subject_entity_id
        JOIN predicates AS predicate
          ON predicate.team_id = h.team_id AND predicate.predicate_key = h.predicate_key AND predicate.is_current
        LEFT JOIN entities AS object ON object.team_id = h.team_id AND object.id = h.object_entity_id
        LEFT JOIN typed_values AS value ON value.team_id = h.team_id AND value.id = h.object_value_id
    """)


def _replace_eligibility(latest: str) -> None:
    op.execute(f"""
        CREATE OR REPLACE VIEW relationship_eligibility WITH (security_invoker = true) AS
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
                -- What is effective, as effective_supports says it. Each OFFSET 0 keeps the planner at one look by key.
                SELECT FROM (
                    SELECT citation_id FROM supports
                    WHERE team_id = r.team_id AND relationship_id = r.id AND is_granted OFFSET 0
                ) AS support
                CROSS JOIN LATERAL (
                    SELECT evidence_id FROM citations WHERE team_id = r.team_id AND id = support.citation_id OFFSET 0
                ) AS citation
                CROSS JOIN LATERAL (
                    SELECT source_id, source_revision FROM evidence
                    WHERE team_id = r.team_id AND id = citation.evidence_id AND state = 'active' OFFSET 0
                ) AS active
                LEFT JOIN LATERAL (
                    SELECT is_current FROM source_revisions
                    WHERE team_id = r.team_id AND source_id = active.source_id AND revision = active.source_revision
                    OFFSET 0
                ) AS revised ON true
                WHERE coalesce(revised.is_current, true)
            ) END IS TRUE AS has_current_evidence
        FROM relationships AS r
        JOIN entities AS subject ON subject.team_id = r.team_id AND subject.id = r.subject_entity_id
        JOIN predicates AS predicate
          ON predicate.team_id = r.team_id AND predicate.predicate_key = r.predicate_key AND predicate.is_current
        LEFT JOIN entities AS object ON object.team_id = r.team_id AND object.id = r.object_entity_id
        LEFT JOIN typed_values AS value ON value.team_id = r.team_id AND value.id = r.object_value_id
        LEFT JOIN LATERAL ({latest}) AS latest ON true
    """)
