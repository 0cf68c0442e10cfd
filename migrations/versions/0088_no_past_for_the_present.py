"""What holds now is asked of the rows alone; no join with a past stays behind where nothing asks for one.

Each statement about the present joined each row with a past that there could not be: the planner cannot leave out a
join that might bring two rows, and does not see that LIMIT 1 brings one. An aggregate it knows to be one row.

Lock: none; a function is replaced.
"""

from alembic import op

revision = "0088"
down_revision = "0087"
branch_labels = None
depends_on = None

_LAST = """
    SELECT t.to_tier, t.to_status, t.to_valid_to FROM public.relationship_transitions AS t
    WHERE t.team_id = r.team_id AND t.relationship_id = r.id AND t.created_at <= known
    ORDER BY t.version DESC LIMIT 1
"""


def upgrade() -> None:
    _make_held(f"""
        SELECT max(last.to_tier) AS to_tier, max(last.to_status) AS to_status, max(last.to_valid_to) AS to_valid_to
        FROM ({_LAST}) AS last
    """)


def downgrade() -> None:
    _make_held(_LAST)


def _make_held(past: str) -> None:
    # The planner takes this apart: a plain SQL function without settings is inlined like a view.
    op.execute(f"""
        CREATE OR REPLACE FUNCTION held_relationships(team text, at timestamptz, known timestamptz)
        RETURNS TABLE (
            relationship_id text, semantic_group_key text, subject_entity_id text, predicate_key text,
            predicate_version integer, object_entity_id text, object_value_id text, polarity text, scope text,
            valid_from timestamptz, valid_to timestamptz, tier text, is_disputed boolean, changed_at timestamptz
        ) LANGUAGE sql STABLE AS $$
            SELECT r.id, r.semantic_group_key, r.subject_entity_id, r.predicate_key, r.predicate_version,
                   r.object_entity_id, r.object_value_id, r.polarity, r.scope, r.valid_from, seen.valid_to,
                   seen.tier, seen.status = 'disputed', r.changed_at
            FROM public.relationships AS r
            LEFT JOIN LATERAL ({past}) AS past ON known IS NOT NULL
            CROSS JOIN LATERAL (
                SELECT CASE WHEN known IS NULL THEN r.tier ELSE past.to_tier END AS tier,
                       CASE WHEN known IS NULL THEN r.status ELSE past.to_status END AS status,
                       CASE WHEN known IS NULL THEN r.valid_to ELSE past.to_valid_to END AS valid_to
            ) AS seen
            WHERE r.team_id = team
              AND seen.tier IN ('validated_claim', 'fact')
              AND (r.valid_from IS NULL OR r.valid_from <= at)
              -- A state holds inside its window, an event stays true once it has begun. A superseded state
              -- answers for the time before its end, if that is what superseded it; otherwise it was replaced.
              AND CASE WHEN seen.status IN ('active', 'disputed')
                       THEN seen.valid_to IS NULL OR at < seen.valid_to
                            OR public.is_event(r.team_id, r.predicate_key, r.predicate_version)
                       WHEN seen.status = 'superseded'
                       THEN at < seen.valid_to AND public.is_state_ended_by_supersession(r.team_id, r.id, known)
                       ELSE false END
        $$
    """)
