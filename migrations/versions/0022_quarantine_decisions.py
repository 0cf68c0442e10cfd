"""What operators decide about held evidence: an event each, and a state for what is discarded.

The dreamer gets nothing of it: a reason is free text.

Lock: ACCESS EXCLUSIVE on evidence for the moment in which its check is exchanged (one scan of the table), SHARE
while the small partial index is built.
"""

import sqlalchemy as sa
from alembic import op

from app.kernel.ddl import freeze, grant, protect

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_constraint(op.f("evidence_state_is_known"), "evidence")
    op.create_check_constraint(
        op.f("evidence_state_is_known"),
        "evidence",
        "state IN ('active', 'quarantined', 'discarded', 'retracted')",
    )
    op.create_index(
        "evidence_ever_held",
        "evidence",
        ["team_id", sa.text("created_at DESC"), sa.text("id DESC")],
        unique=False,
        postgresql_where=sa.text("quarantine_reason IS NOT NULL"),
    )
    op.create_table(
        "evidence_decisions",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("evidence_id", sa.Text(), nullable=False),
        sa.Column("decision", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("actor_profile_id", sa.Text(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "decision IN ('released', 'discarded')", name=op.f("evidence_decisions_decision_is_known")
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "evidence_id"],
            ["evidence.team_id", "evidence.id"],
            name="evidence_decisions_evidence",
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "actor_profile_id"],
            ["profiles.team_id", "profiles.id"],
            name="evidence_decisions_actor",
        ),
        sa.PrimaryKeyConstraint("team_id", "evidence_id", name=op.f("pk_evidence_decisions")),
    )
    protect("evidence_decisions")
    grant("app", "evidence_decisions", select="*", insert="*")
    freeze("evidence_decisions")


def downgrade() -> None:
    op.drop_table("evidence_decisions")
    op.drop_index("evidence_ever_held", table_name="evidence")
    op.execute("UPDATE evidence SET state = 'retracted' WHERE state = 'discarded'")
    op.drop_constraint(op.f("evidence_state_is_known"), "evidence")
    op.create_check_constraint(
        op.f("evidence_state_is_known"), "evidence", "state IN ('active', 'quarantined', 'retracted')"
    )
