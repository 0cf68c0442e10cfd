"""Recall asks of what a guess rests on only what a commit could have left otherwise.

Whether an established Relationship still has its support was asked at each reading, by four looks at an index for each
source of each Hypothesis that is shown. But the database refuses a commit that leaves one without
(`relationships_come_with_support`, `relationships_gain_by_support`, `evidence_leaves_tiers_carried`,
`source_revisions_leave_tiers_carried`, `supports_leave_tiers_carried`), and a reader sees what was committed. A
candidate is no such Relationship, so of one all is asked as before, and so it is wherever something is written.

Lock: none on tables; a view is made.
"""

from alembic import op

from app.kernel.ddl import role

revision = "0091"
down_revision = "0088"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
        CREATE VIEW standing_relationships WITH (security_invoker = true) AS
        SELECT e.team_id, e.relationship_id
        FROM relationship_eligibility AS e
        WHERE (e.is_established OR e.is_assessed_candidate AND (
                  SELECT assessed.is_current FROM latest_assessment(e.team_id, e.relationship_id) AS assessed))
          AND e.endpoints_exist AND e.predicate_fits
          AND e.has_no_open_review AND e.has_no_open_conflict AND e.is_preferred_position
    """)
    op.execute(f"GRANT SELECT ON standing_relationships TO {role('app')}")


def downgrade() -> None:
    op.execute("DROP VIEW standing_relationships")
