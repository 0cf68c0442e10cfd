"""The cases of an answer are told by a function that is called only where there are some.

Recall asked for the cases that its groups are part of, then for those cases, then for what their sides say. As one
statement all of that would have to be made ready for each answer, though hardly any is part of a case.

Lock: none on tables; a function is made.
"""

from alembic import op

revision = "0090"
down_revision = "0079"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Each OFFSET 0 keeps the planner at looks by key. As of a moment, a side that nobody had taken yet was not there.
    op.execute("""
        CREATE FUNCTION told_cases(
            team text, group_keys text[], at timestamptz, known timestamptz, moment timestamptz, most integer)
        RETURNS TABLE (
            case_id text, kind text, status text, preferred_position_id text, position_id text,
            relationship_ids text[], predicate_key text, predicate_version integer, polarity text, label text,
            verb_phrase text, subject_name text, object_name text
        ) LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
        #variable_conflict use_column
        BEGIN
            RETURN QUERY
            SELECT told.id, told.kind,
                   CASE WHEN told.status = 'open' AND told.due_at < moment THEN 'overdue' ELSE told.status END,
                   told.preferred_position_id, side.id, coalesce(held.ids, '{}'), first.predicate_key,
                   first.predicate_version, first.polarity, first.label, first.verb_phrase, first.subject_name,
                   first.object_name
            FROM (
                SELECT each.id, each.kind, each.opened_at, each.due_at, seen.status, seen.preferred_position_id
                FROM (
                    SELECT DISTINCT p.case_id AS id FROM public.conflict_positions AS p
                    WHERE p.team_id = team AND p.semantic_group_key = ANY (group_keys)
                ) AS one
                CROSS JOIN LATERAL (
                    SELECT c.id, c.kind, c.opened_at, c.due_at FROM public.conflict_cases AS c
                    WHERE c.team_id = team AND c.id = one.id OFFSET 0
                ) AS each
                CROSS JOIN LATERAL (
                    SELECT k.status, k.preferred_position_id FROM public.cases_known(team, known) AS k
                    WHERE k.case_id = one.id OFFSET 0
                ) AS seen
                WHERE seen.status <> 'dismissed'
                ORDER BY each.opened_at DESC, each.id DESC LIMIT most
            ) AS told
            CROSS JOIN LATERAL (
                SELECT p.id, p.semantic_group_key FROM public.conflict_positions AS p
                WHERE p.team_id = team AND p.case_id = told.id OFFSET 0
            ) AS side
            CROSS JOIN LATERAL (
                SELECT array_agg(h.relationship_id ORDER BY h.relationship_id) AS ids
                FROM public.held_relationships(team, at, known) AS h
                WHERE h.semantic_group_key = side.semantic_group_key
            ) AS held
            LEFT JOIN LATERAL (
                SELECT r.predicate_key, r.predicate_version, r.polarity, predicate.label, predicate.verb_phrase,
                       subject.name AS subject_name,
                       coalesce(object.name, trim(value.canonical || ' ' || value.unit)) AS object_name
                FROM public.relationships AS r
                JOIN public.predicates AS predicate
                  ON predicate.team_id = team AND predicate.predicate_key = r.predicate_key
                 AND predicate.version = r.predicate_version
                JOIN public.entities AS subject ON subject.team_id = team AND subject.id = r.subject_entity_id
                LEFT JOIN public.entities AS object ON object.team_id = team AND object.id = r.object_entity_id
                LEFT JOIN public.typed_values AS value ON value.team_id = team AND value.id = r.object_value_id
                WHERE r.team_id = team AND r.id = held.ids[1] OFFSET 0
            ) AS first ON true
            WHERE known IS NULL OR EXISTS (
                SELECT FROM public.relationships AS r
                JOIN public.relationship_transitions AS entered
                  ON entered.team_id = r.team_id AND entered.relationship_id = r.id AND entered.version = 1
                WHERE r.team_id = team AND r.semantic_group_key = side.semantic_group_key
                  AND entered.created_at <= known)
            ORDER BY told.opened_at DESC, told.id DESC;
        END $$
    """)


def downgrade() -> None:
    op.execute("DROP FUNCTION told_cases(text, text[], timestamptz, timestamptz, timestamptz, integer)")
