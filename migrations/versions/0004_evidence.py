"""What was submitted: sources, revisions, evidence, citations. The dreamer cannot read a word of it.

Lock: creates new tables only, so nothing waits.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from app.kernel.ddl import freeze, grant, protect

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "sources",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("profile_id", sa.Text(), nullable=False),
        sa.Column("source_key", sa.Text(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "profile_id"], ["profiles.team_id", "profiles.id"], name="sources_profile"
        ),
        sa.PrimaryKeyConstraint("team_id", "id", name=op.f("pk_sources")),
        sa.UniqueConstraint("team_id", "profile_id", "source_key", name="sources_key_is_unique"),
    )
    op.create_table(
        "source_revisions",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("source_id", sa.Text(), nullable=False),
        sa.Column("revision", sa.Text(), nullable=False),
        sa.Column("is_current", sa.Boolean(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "source_id"], ["sources.team_id", "sources.id"], name="source_revisions_source"
        ),
        sa.PrimaryKeyConstraint("team_id", "source_id", "revision", name=op.f("pk_source_revisions")),
    )
    op.create_index(
        "source_revisions_one_current",
        "source_revisions",
        ["team_id", "source_id"],
        unique=True,
        postgresql_where=sa.text("is_current"),
    )
    op.create_table(
        "evidence",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("profile_id", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("content_digest", sa.Text(), nullable=False),
        sa.Column("source_type", sa.Text(), nullable=False),
        sa.Column("authority", sa.Text(), nullable=False),
        sa.Column("source_group", sa.Text(), nullable=False),
        sa.Column("source_id", sa.Text(), nullable=True),
        sa.Column("source_revision", sa.Text(), nullable=True),
        sa.Column("supersedes_evidence_ids", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("labels", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("metadata", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "authority IN ('unknown', 'inferred', 'secondary', 'primary', 'authoritative')",
            name=op.f("evidence_authority_is_known"),
        ),
        sa.CheckConstraint(
            "source_type IN ('conversation', 'document', 'observation', 'manual')",
            name=op.f("evidence_source_type_is_known"),
        ),
        sa.CheckConstraint(
            "state IN ('active', 'quarantined', 'retracted')", name=op.f("evidence_state_is_known")
        ),
        sa.CheckConstraint(
            "(source_id IS NULL) = (source_revision IS NULL)", name=op.f("evidence_revision_names_its_source")
        ),
        sa.CheckConstraint("length(content) BETWEEN 1 AND 4000", name=op.f("evidence_content_has_length")),
        sa.ForeignKeyConstraint(
            ["team_id", "profile_id"], ["profiles.team_id", "profiles.id"], name="evidence_profile"
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "source_id", "source_revision"],
            ["source_revisions.team_id", "source_revisions.source_id", "source_revisions.revision"],
            name="evidence_source_revision",
        ),
        sa.PrimaryKeyConstraint("team_id", "id", name=op.f("pk_evidence")),
    )
    op.create_index("evidence_by_digest", "evidence", ["team_id", "content_digest"], unique=False)
    op.create_index(
        "evidence_by_source", "evidence", ["team_id", "source_id", "source_revision"], unique=False
    )
    op.create_table(
        "citations",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("evidence_id", sa.Text(), nullable=False),
        sa.Column("starts", postgresql.ARRAY(sa.Integer()), nullable=False),
        sa.Column("ends", postgresql.ARRAY(sa.Integer()), nullable=False),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "cardinality(starts) BETWEEN 1 AND 4 AND cardinality(ends) = cardinality(starts)",
            name=op.f("citations_has_one_to_four_spans"),
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "evidence_id"], ["evidence.team_id", "evidence.id"], name="citations_evidence"
        ),
        sa.PrimaryKeyConstraint("team_id", "id", name=op.f("pk_citations")),
        sa.UniqueConstraint("team_id", "evidence_id", "starts", "ends", name="citations_are_unique"),
    )

    for table in ("sources", "source_revisions", "evidence", "citations"):
        protect(table)
        grant("app", table, select="*", insert="*")
    grant("app", "source_revisions", update="is_current")
    grant("app", "evidence", update="state")
    freeze("sources")
    freeze("source_revisions", but="is_current")
    freeze("evidence", but="state")
    freeze("citations")
    grant("dreamer", "source_revisions", select="*")
    grant(
        "dreamer",
        "evidence",
        select="team_id, id, profile_id, authority, source_group, source_id, source_revision, state",
    )
    grant("dreamer", "citations", select="team_id, id, evidence_id")


def downgrade() -> None:
    op.drop_table("citations")
    op.drop_table("evidence")
    op.drop_table("source_revisions")
    op.drop_table("sources")
