"""Opinions on answers of recall, append-only. Expand only: one new table; no lock on what is there."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from app.kernel.ddl import freeze, grant, protect

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "recall_feedback",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("recall_id", sa.Text(), nullable=False),
        sa.Column("profile_id", sa.Text(), nullable=False),
        sa.Column("rating", sa.Text(), nullable=False),
        sa.Column("useful_ids", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("wrong_ids", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("comment", sa.Text(), nullable=True),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "rating IN ('helpful', 'partly', 'unhelpful')", name=op.f("recall_feedback_rating_is_known")
        ),
        sa.CheckConstraint(
            "cardinality(useful_ids) <= 70 AND cardinality(wrong_ids) <= 70",
            name=op.f("recall_feedback_names_no_more_than_shown"),
        ),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name="recall_feedback_team"),
        sa.ForeignKeyConstraint(
            ["team_id", "profile_id"],
            ["profiles.team_id", "profiles.id"],
            name="recall_feedback_profile",
        ),
        sa.PrimaryKeyConstraint("team_id", "id", name=op.f("pk_recall_feedback")),
    )
    protect("recall_feedback")
    grant("app", "recall_feedback", select="*", insert="*")
    freeze("recall_feedback")


def downgrade() -> None:
    op.drop_table("recall_feedback")
