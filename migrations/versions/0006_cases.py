"""What needs a decision: conflicts between profiles, open ambiguities.

Lock: creates new tables only, so nothing waits.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from app.kernel.ddl import freeze, grant, protect

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "conflict_cases",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("subject_entity_id", sa.Text(), nullable=False),
        sa.Column("predicate_key", sa.Text(), nullable=False),
        sa.Column("preferred_position_id", sa.Text(), nullable=True),
        sa.Column(
            "opened_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("closed_by_profile_id", sa.Text(), nullable=True),
        sa.Column("close_reason", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "(status = 'resolved') = (preferred_position_id IS NOT NULL)",
            name=op.f("conflict_cases_resolved_prefers_one"),
        ),
        sa.CheckConstraint(
            "kind IN ('other_object', 'opposite_polarity')", name=op.f("conflict_cases_kind_is_known")
        ),
        sa.CheckConstraint(
            "status IN ('open', 'resolved', 'dismissed')", name=op.f("conflict_cases_status_is_known")
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "subject_entity_id"],
            ["entities.team_id", "entities.id"],
            name="conflict_cases_subject",
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "closed_by_profile_id"],
            ["profiles.team_id", "profiles.id"],
            name="conflict_cases_closed_by",
        ),
        sa.PrimaryKeyConstraint("team_id", "id", name=op.f("pk_conflict_cases")),
    )
    op.create_index(
        "conflict_cases_newest",
        "conflict_cases",
        ["team_id", sa.literal_column("opened_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "conflict_positions",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("case_id", sa.Text(), nullable=False),
        sa.Column("semantic_group_key", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["team_id", "case_id"],
            ["conflict_cases.team_id", "conflict_cases.id"],
            name="conflict_positions_case",
        ),
        sa.UniqueConstraint("team_id", "case_id", "id", name="conflict_positions_of_case"),
        sa.PrimaryKeyConstraint("team_id", "id", name=op.f("pk_conflict_positions")),
        sa.UniqueConstraint("team_id", "case_id", "semantic_group_key", name="conflict_positions_are_unique"),
    )
    op.create_index(
        "conflict_positions_by_group", "conflict_positions", ["team_id", "semantic_group_key"], unique=False
    )
    op.create_table(
        "review_tasks",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("relationship_id", sa.Text(), nullable=True),
        sa.Column("ingest_id", sa.Text(), nullable=True),
        sa.Column("proposal_id", sa.Text(), nullable=True),
        sa.Column("options", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column(
            "opened_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("closed_by_profile_id", sa.Text(), nullable=True),
        sa.Column("choice", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.CheckConstraint(
            "kind IN ('identity', 'predicate', 'scope', 'temporal', 'policy')",
            name=op.f("review_tasks_kind_is_known"),
        ),
        sa.CheckConstraint("status IN ('open', 'resolved')", name=op.f("review_tasks_status_is_known")),
        sa.ForeignKeyConstraint(
            ["team_id", "relationship_id"],
            ["relationships.team_id", "relationships.id"],
            name="review_tasks_relationship",
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "closed_by_profile_id"],
            ["profiles.team_id", "profiles.id"],
            name="review_tasks_closed_by",
        ),
        sa.PrimaryKeyConstraint("team_id", "id", name=op.f("pk_review_tasks")),
    )
    op.create_index(
        "review_tasks_newest",
        "review_tasks",
        ["team_id", sa.literal_column("opened_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "review_tasks_open_by_relationship",
        "review_tasks",
        ["team_id", "relationship_id"],
        unique=False,
        postgresql_where=sa.text("status = 'open'"),
    )

    # The two tables name each other: a case its preferred position, a position its case.
    op.create_foreign_key(
        "conflict_cases_preferred_position",
        "conflict_cases",
        "conflict_positions",
        ["team_id", "id", "preferred_position_id"],
        ["team_id", "case_id", "id"],
    )
    for table in ("conflict_cases", "conflict_positions", "review_tasks"):
        protect(table)
        grant("app", table, select="*", insert="*")
        grant("dreamer", table, select="*")
    grant(
        "app",
        "conflict_cases",
        update="status, preferred_position_id, closed_at, closed_by_profile_id, close_reason",
    )
    grant("app", "review_tasks", update="status, closed_at, closed_by_profile_id, choice")
    freeze("conflict_positions")


def downgrade() -> None:
    op.drop_constraint("conflict_cases_preferred_position", "conflict_cases")
    op.drop_table("review_tasks")
    op.drop_table("conflict_positions")
    op.drop_table("conflict_cases")
