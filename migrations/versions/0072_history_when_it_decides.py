"""What holds is told from the rows themselves; a predicate and a history are opened only by a row that they decide.

What holds as of a moment was joined with its predicate row by row, to tell states from events, though hardly any
window has an end. And every statement that asks for it, some several times, made ready what goes through history,
though hardly anything is asked of it. Both are functions now, which are called where they decide.

Lock: none on tables; one function is replaced, two are made.
"""

from alembic import op

revision = "0072"
down_revision = "0071"
branch_labels = None
depends_on = None

_PREDICATE = "p.team_id = r.team_id AND p.predicate_key = r.predicate_key AND p.version = r.predicate_version"
# The supersession moved the end, so the position answers for the time before it; otherwise it was replaced.
_ENDED = """
    SELECT t.from_valid_to IS DISTINCT FROM t.to_valid_to
    FROM public.relationship_transitions AS t
    WHERE t.team_id = r.team_id AND t.relationship_id = r.id
      AND t.to_status = 'superseded' AND t.from_status IS DISTINCT FROM 'superseded'
      AND (known IS NULL OR t.created_at <= known)
    ORDER BY t.version DESC LIMIT 1
"""


def upgrade() -> None:
    # Each reads from a table, so the planner leaves it a call.
    op.execute("""
        CREATE FUNCTION is_event(team text, predicate text, predicate_version integer) RETURNS boolean
        LANGUAGE sql STABLE AS $$
            SELECT p.relationship_kind = 'event' FROM public.predicates AS p
            WHERE p.team_id = team AND p.predicate_key = predicate AND p.version = predicate_version
        $$
    """)
    op.execute(f"""
        CREATE FUNCTION is_state_ended_by_supersession(team text, relationship text, known timestamptz)
        RETURNS boolean LANGUAGE sql STABLE AS $$
            SELECT p.relationship_kind = 'state' AND ({_ENDED})
            FROM public.relationships AS r JOIN public.predicates AS p ON {_PREDICATE}
            WHERE r.team_id = team AND r.id = relationship
        $$
    """)
    _make_held(
        joined="",
        is_event="public.is_event(r.team_id, r.predicate_key, r.predicate_version)",
        is_ended="public.is_state_ended_by_supersession(r.team_id, r.id, known)",
    )


def downgrade() -> None:
    _make_held(
        joined=f"JOIN public.predicates AS p ON {_PREDICATE}",
        is_event="p.relationship_kind = 'event'",
        is_ended=f"p.relationship_kind = 'state' AND ({_ENDED})",
    )
    op.execute("DROP FUNCTION is_state_ended_by_supersession(text, text, timestamptz)")
    op.execute("DROP FUNCTION is_event(text, text, integer)")


def _make_held(*, joined: str, is_event: str, is_ended: str) -> None:
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
            {joined}
            LEFT JOIN LATERAL (
                SELECT t.to_tier, t.to_status, t.to_valid_to FROM public.relationship_transitions AS t
                WHERE t.team_id = r.team_id AND t.relationship_id = r.id AND t.created_at <= known
                ORDER BY t.version DESC LIMIT 1
            ) AS past ON known IS NOT NULL
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
                       THEN seen.valid_to IS NULL OR at < seen.valid_to OR {is_event}
                       WHEN seen.status = 'superseded' THEN at < seen.valid_to AND {is_ended}
                       ELSE false END
        $$
    """)
