"""Vectors of Relationships, for servers with and without pgvector.

Where the extension is there the vectors are halfvec, which takes half the room and is searched three times as fast.
Where it is not, they are arrays: the table is the same for all else, and works should the extension come later.

Lock: creates a new table only.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from app.kernel.ddl import freeze, grant, protect

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "relationship_embeddings",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("relationship_id", sa.Text(), nullable=False),
        sa.Column("model_name", sa.Text(), nullable=False),
        sa.Column("model_version", sa.Text(), nullable=False),
        sa.Column("text_digest", sa.Text(), nullable=False),
        sa.Column("vector", postgresql.ARRAY(sa.REAL()), nullable=False),
        sa.Column(
            "embedded_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "relationship_id"],
            ["relationships.team_id", "relationships.id"],
            name="relationship_embeddings_relationship",
        ),
        sa.PrimaryKeyConstraint("team_id", "relationship_id", name=op.f("pk_relationship_embeddings")),
    )
    op.execute("""
        DO $$ BEGIN
            IF to_regtype('halfvec') IS NOT NULL THEN
                ALTER TABLE relationship_embeddings ALTER COLUMN vector TYPE halfvec;
            END IF;
        END $$
    """)
    protect("relationship_embeddings")
    grant(
        "app",
        "relationship_embeddings",
        select="*",
        insert="*",
        update="model_name, model_version, text_digest, vector, embedded_at",
    )
    freeze("relationship_embeddings", but="model_name, model_version, text_digest, vector, embedded_at")


def downgrade() -> None:
    op.drop_table("relationship_embeddings")
