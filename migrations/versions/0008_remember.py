"""The placement ledger: what was submitted and where each proposal landed.

Lock: creates new tables only, so nothing waits.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from app.kernel.ddl import freeze, grant, protect

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "ingests",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("profile_id", sa.Text(), nullable=False),
        sa.Column("max_authority", sa.Text(), nullable=False),
        sa.Column("proposal", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("correlation_id", sa.Text(), nullable=False),
        sa.Column("processing_state", sa.Text(), nullable=False),
        sa.Column(
            "errors", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'[]'"), nullable=False
        ),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "max_authority IN ('unknown', 'inferred', 'secondary', 'primary', 'authoritative')",
            name=op.f("ingests_max_authority_is_known"),
        ),
        sa.CheckConstraint(
            "processing_state IN ('queued', 'processing', 'awaiting_review', 'completed', 'failed')",
            name=op.f("ingests_processing_state_is_known"),
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "profile_id"], ["profiles.team_id", "profiles.id"], name="ingests_profile"
        ),
        sa.PrimaryKeyConstraint("team_id", "id", name=op.f("pk_ingests")),
    )
    op.create_index(
        "ingests_newest",
        "ingests",
        ["team_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "ingest_evidence",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("ingest_id", sa.Text(), nullable=False),
        sa.Column("evidence_index", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("evidence_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["team_id", "evidence_id"], ["evidence.team_id", "evidence.id"], name="ingest_evidence_evidence"
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "ingest_id"], ["ingests.team_id", "ingests.id"], name="ingest_evidence_ingest"
        ),
        sa.PrimaryKeyConstraint("team_id", "ingest_id", "evidence_index", name=op.f("pk_ingest_evidence")),
    )
    op.create_index(
        "ingest_evidence_by_evidence", "ingest_evidence", ["team_id", "evidence_id"], unique=False
    )
    op.create_table(
        "placement_outcomes",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("ingest_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("proposal_id", sa.Text(), nullable=False),
        sa.Column("relationship_id", sa.Text(), nullable=True),
        sa.Column("category", sa.Text(), nullable=True),
        sa.Column("tier", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=True),
        sa.Column("verdict", sa.Text(), nullable=True),
        sa.Column("confidence", sa.DOUBLE_PRECISION(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("review_id", sa.Text(), nullable=True),
        sa.Column(
            "predicate_options", postgresql.ARRAY(sa.Text()), server_default=sa.text("'{}'"), nullable=False
        ),
        sa.Column("placed_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "category IS NULL OR category IN ('relationship_fact', 'relationship_validated_claim', 'relationship_pending_evidence', 'relationship_needs_review', 'predicate_needs_review', 'identity_needs_review', 'relationship_rejected', 'evidence_quarantined', 'processing_failed')",
            name=op.f("placement_outcomes_category_is_known"),
        ),
        sa.CheckConstraint(
            "status IS NULL OR status IN ('pending_evidence', 'active', 'needs_review', 'quarantined', 'disputed', 'superseded', 'retracted', 'rejected')",
            name=op.f("placement_outcomes_status_is_known"),
        ),
        sa.CheckConstraint(
            "tier IS NULL OR tier IN ('candidate', 'validated_claim', 'fact')",
            name=op.f("placement_outcomes_tier_is_known"),
        ),
        sa.CheckConstraint(
            "verdict IS NULL OR verdict IN ('entailed', 'insufficient', 'contradicted')",
            name=op.f("placement_outcomes_verdict_is_known"),
        ),
        sa.CheckConstraint(
            "(category IS NULL) = (placed_at IS NULL)", name=op.f("placement_outcomes_placed_has_a_category")
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "ingest_id"], ["ingests.team_id", "ingests.id"], name="placement_outcomes_ingest"
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "relationship_id"],
            ["relationships.team_id", "relationships.id"],
            name="placement_outcomes_relationship",
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "review_id"],
            ["review_tasks.team_id", "review_tasks.id"],
            name="placement_outcomes_review",
        ),
        sa.PrimaryKeyConstraint("team_id", "ingest_id", "position", name=op.f("pk_placement_outcomes")),
        sa.UniqueConstraint(
            "team_id", "ingest_id", "proposal_id", name="placement_outcomes_proposal_is_unique"
        ),
    )
    op.create_index(
        "placement_outcomes_by_relationship",
        "placement_outcomes",
        ["team_id", "relationship_id"],
        unique=False,
    )

    op.create_foreign_key(
        "review_tasks_ingest", "review_tasks", "ingests", ["team_id", "ingest_id"], ["team_id", "id"]
    )
    for table in ("ingests", "ingest_evidence", "placement_outcomes"):
        protect(table)
        grant("app", table, select="*", insert="*")
    grant("app", "ingests", update="processing_state, errors, finished_at")
    grant(
        "app",
        "placement_outcomes",
        update="relationship_id, category, tier, status, verdict, confidence, reason, review_id,"
        " predicate_options, placed_at",
    )
    freeze("ingests", but="processing_state, errors, finished_at")
    freeze("ingest_evidence")


def downgrade() -> None:
    op.drop_constraint("review_tasks_ingest", "review_tasks")
    op.drop_table("placement_outcomes")
    op.drop_table("ingest_evidence")
    op.drop_table("ingests")
