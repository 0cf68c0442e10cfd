"""What was known of windows, evidence and cases at a past moment.

A Relationship's row has the end of its window as it is known today, and a superseded one that was ended looked like
one that was replaced for all of its time. So a transition says the window's end before and after, as it does for
tier and status, and retracted evidence says since when. A superseded state answers for the time before its end only
if that end came with the supersession.

What there is gets the ends that its history allows to tell: those of superseded positions are taken for unknown
before the supersession, unless they were merged; all others for known from the start.

Lock: ACCESS EXCLUSIVE on relationship_transitions and evidence while their rows are filled in.
"""

import sqlalchemy as sa
from alembic import op

from app.kernel.ddl import freeze, grant, role

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

_SIGNATURE = "held_relationships(team text, at timestamptz, known timestamptz)"
_COLUMNS = """
    relationship_id text, semantic_group_key text, subject_entity_id text, predicate_key text,
    predicate_version integer, object_entity_id text, object_value_id text, polarity text, scope text,
    valid_from timestamptz, valid_to timestamptz, tier text, is_disputed boolean, changed_at timestamptz
"""


def upgrade() -> None:
    op.add_column(
        "relationship_transitions", sa.Column("from_valid_to", sa.DateTime(timezone=True), nullable=True)
    )
    op.add_column(
        "relationship_transitions", sa.Column("to_valid_to", sa.DateTime(timezone=True), nullable=True)
    )
    op.add_column("evidence", sa.Column("retracted_at", sa.DateTime(timezone=True), nullable=True))
    op.execute("ALTER TABLE relationship_transitions DISABLE TRIGGER relationship_transitions_append_only")
    op.execute("""
        UPDATE relationship_transitions AS t SET from_valid_to = ends.before, to_valid_to = ends.after
        FROM (
            SELECT told.*, lag(told.after) OVER (
                       PARTITION BY told.team_id, told.relationship_id ORDER BY told.version) AS before
            FROM (
                SELECT each.team_id, each.relationship_id, each.version,
                       CASE WHEN r.status <> 'superseded' OR bool_or(each.to_status = 'superseded') OVER before_it
                                 OR bool_or(each.reason = 'entity_merged') OVER of_it
                            THEN r.valid_to END AS after
                FROM relationship_transitions AS each
                JOIN relationships AS r ON r.team_id = each.team_id AND r.id = each.relationship_id
                WHERE r.valid_to IS NOT NULL
                WINDOW of_it AS (PARTITION BY each.team_id, each.relationship_id),
                       before_it AS (PARTITION BY each.team_id, each.relationship_id ORDER BY each.version)
            ) AS told
        ) AS ends
        WHERE t.team_id = ends.team_id AND t.relationship_id = ends.relationship_id AND t.version = ends.version
    """)
    op.execute("ALTER TABLE relationship_transitions ENABLE TRIGGER relationship_transitions_append_only")
    op.execute("DROP TRIGGER evidence_identity ON evidence")
    freeze("evidence", but="state, retracted_at")
    grant("app", "evidence", update="retracted_at")
    # The planner takes this apart: a plain SQL function without settings is inlined like a view.
    op.execute(f"""
        CREATE OR REPLACE FUNCTION {_SIGNATURE} RETURNS TABLE ({_COLUMNS}) LANGUAGE sql STABLE AS $$
            SELECT r.id, r.semantic_group_key, r.subject_entity_id, r.predicate_key, r.predicate_version,
                   r.object_entity_id, r.object_value_id, r.polarity, r.scope, r.valid_from, seen.valid_to,
                   seen.tier, seen.status = 'disputed', r.changed_at
            FROM public.relationships AS r
            JOIN public.predicates AS p ON p.team_id = r.team_id
                 AND p.predicate_key = r.predicate_key AND p.version = r.predicate_version
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
                       THEN p.relationship_kind = 'event' OR seen.valid_to IS NULL OR at < seen.valid_to
                       WHEN seen.status = 'superseded'
                       THEN p.relationship_kind = 'state' AND at < seen.valid_to AND (
                           SELECT t.from_valid_to IS DISTINCT FROM t.to_valid_to
                           FROM public.relationship_transitions AS t
                           WHERE t.team_id = r.team_id AND t.relationship_id = r.id
                             AND t.to_status = 'superseded' AND t.from_status IS DISTINCT FROM 'superseded'
                             AND (known IS NULL OR t.created_at <= known)
                           ORDER BY t.version DESC LIMIT 1)
                       ELSE false END
        $$
    """)
    # "Effective" as of a moment: the latest decision until then grants, the evidence was there and not taken back,
    # its revision was the current one. A revision was current until the next was entered; one that came late, after
    # what is current today, never was. What the guard held or an operator discarded counts at no moment.
    op.execute("""
        CREATE FUNCTION supports_known(team text, relationship text, known timestamptz)
        RETURNS TABLE (citation_id text, is_granted boolean, is_effective boolean)
        LANGUAGE sql STABLE AS $$
            SELECT s.citation_id, decided.event <> 'revoked',
                   decided.event <> 'revoked' AND e.created_at <= known
                   AND e.state NOT IN ('quarantined', 'discarded')
                   AND (e.state <> 'retracted' OR e.retracted_at > known)
                   AND (revision.is_current IS NOT FALSE OR NOT EXISTS (
                       SELECT FROM public.source_revisions AS other
                       WHERE other.team_id = revision.team_id AND other.source_id = revision.source_id
                         AND (other.created_at > revision.created_at AND other.created_at <= known
                              OR other.created_at < revision.created_at AND other.is_current)))
            FROM public.supports AS s
            JOIN public.citations AS c ON c.team_id = s.team_id AND c.id = s.citation_id
            JOIN public.evidence AS e ON e.team_id = c.team_id AND e.id = c.evidence_id
            LEFT JOIN public.source_revisions AS revision
                   ON revision.team_id = e.team_id AND revision.source_id = e.source_id
                  AND revision.revision = e.source_revision
            CROSS JOIN LATERAL (
                SELECT event.event FROM public.support_events AS event
                WHERE event.team_id = s.team_id AND event.relationship_id = s.relationship_id
                  AND event.citation_id = s.citation_id AND event.created_at <= known
                ORDER BY event.id DESC LIMIT 1
            ) AS decided
            WHERE s.team_id = team AND s.relationship_id = relationship
        $$
    """)
    # A case says how it stands; how it stood, only its events do. Null is now.
    op.execute("""
        CREATE FUNCTION cases_known(team text, known timestamptz)
        RETURNS TABLE (case_id text, status text, preferred_position_id text, closed_at timestamptz,
                       closed_by_profile_id text, close_reason text)
        LANGUAGE sql STABLE AS $$
            SELECT c.id, seen.status,
                   CASE WHEN seen.status <> 'resolved' THEN NULL
                        WHEN told.event IS NULL THEN c.preferred_position_id ELSE told.preferred_position_id END,
                   CASE WHEN seen.status = 'open' THEN NULL WHEN told.event IS NULL THEN c.closed_at
                        ELSE told.created_at END,
                   CASE WHEN seen.status = 'open' THEN NULL WHEN told.event IS NULL THEN c.closed_by_profile_id
                        ELSE told.actor_profile_id END,
                   CASE WHEN seen.status = 'open' THEN NULL WHEN told.event IS NULL THEN c.close_reason
                        WHEN told.event = 'withdrawn' THEN 'position_withdrawn' ELSE told.reason END
            FROM public.conflict_cases AS c
            LEFT JOIN LATERAL (
                SELECT * FROM public.conflict_events AS e
                WHERE e.team_id = c.team_id AND e.case_id = c.id AND e.created_at <= known
                ORDER BY e.id DESC LIMIT 1
            ) AS told ON known IS NOT NULL
            CROSS JOIN LATERAL (
                SELECT CASE WHEN told.event = 'resolved' THEN 'resolved'
                            WHEN told.event IN ('dismissed', 'withdrawn') THEN 'dismissed'
                            WHEN told.event IS NOT NULL OR c.closed_at > known THEN 'open'
                            ELSE c.status END AS status
            ) AS seen
            WHERE c.team_id = team AND (known IS NULL OR c.opened_at <= known)
        $$
    """)


def downgrade() -> None:
    op.execute("DROP FUNCTION cases_known(text, timestamptz)")
    op.execute("DROP FUNCTION supports_known(text, text, timestamptz)")
    op.execute(f"""
        CREATE OR REPLACE FUNCTION {_SIGNATURE} RETURNS TABLE ({_COLUMNS}) LANGUAGE sql STABLE AS $$
            SELECT r.id, r.semantic_group_key, r.subject_entity_id, r.predicate_key, r.predicate_version,
                   r.object_entity_id, r.object_value_id, r.polarity, r.scope, r.valid_from, seen.valid_to,
                   seen.tier, seen.status = 'disputed', r.changed_at
            FROM public.relationships AS r
            JOIN public.predicates AS p ON p.team_id = r.team_id
                 AND p.predicate_key = r.predicate_key AND p.version = r.predicate_version
            LEFT JOIN LATERAL (
                SELECT t.to_tier, t.to_status FROM public.relationship_transitions AS t
                WHERE t.team_id = r.team_id AND t.relationship_id = r.id AND t.created_at <= known
                ORDER BY t.version DESC LIMIT 1
            ) AS past ON known IS NOT NULL
            CROSS JOIN LATERAL (
                SELECT CASE WHEN known IS NULL THEN r.tier ELSE past.to_tier END AS tier,
                       CASE WHEN known IS NULL THEN r.status ELSE past.to_status END AS status,
                       -- Nobody knew of the end that a later supersession set.
                       CASE WHEN r.status = 'superseded' AND past.to_status <> 'superseded' THEN NULL
                            ELSE r.valid_to END AS valid_to
            ) AS seen
            WHERE r.team_id = team
              AND seen.tier IN ('validated_claim', 'fact')
              AND (r.valid_from IS NULL OR r.valid_from <= at)
              -- A state holds inside its window, an event stays true once it has begun. A superseded state
              -- still answers for the time before its window was closed.
              AND CASE WHEN seen.status IN ('active', 'disputed')
                       THEN p.relationship_kind = 'event' OR seen.valid_to IS NULL OR at < seen.valid_to
                       WHEN seen.status = 'superseded'
                       THEN p.relationship_kind = 'state' AND seen.valid_to IS NOT NULL AND at < seen.valid_to
                       ELSE false END
        $$
    """)
    op.execute("DROP TRIGGER evidence_identity ON evidence")
    op.execute(f"REVOKE UPDATE (retracted_at) ON evidence FROM {role('app')}")
    freeze("evidence", but="state")
    op.drop_column("evidence", "retracted_at")
    op.drop_column("relationship_transitions", "to_valid_to")
    op.drop_column("relationship_transitions", "from_valid_to")
