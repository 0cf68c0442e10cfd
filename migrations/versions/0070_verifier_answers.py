"""What a provider has answered about an ingest, so that a retry asks for what failed and for nothing else.

A row is one answer: a verdict, or that it could not be read. No row changes.

Lock: SHARE ROW EXCLUSIVE on ingests for the moment in which the reference to it is made; the table is new.
"""

import sqlalchemy as sa
from alembic import op

from app.kernel.ddl import freeze, grant, protect

revision = "0070"
down_revision = "0063"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "verifier_answers",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("ingest_id", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("verdict", sa.Text(), nullable=True),
        sa.Column("confidence", sa.DOUBLE_PRECISION(), nullable=True),
        sa.Column("rationale", sa.Text(), nullable=True),
        sa.Column("code", sa.Text(), nullable=True),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "verdict IN ('entailed', 'insufficient', 'contradicted')",
            name=op.f("verifier_answers_verdict_is_known"),
        ),
        sa.CheckConstraint(
            "num_nulls(verdict, confidence, rationale, code) IN (0, 4)",
            name=op.f("verifier_answers_verdict_is_whole"),
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "ingest_id"], ["ingests.team_id", "ingests.id"], name="verifier_answers_ingest"
        ),
        sa.PrimaryKeyConstraint("team_id", "ingest_id", "digest", "number", name=op.f("pk_verifier_answers")),
    )
    protect("verifier_answers")
    freeze("verifier_answers")
    # When it came is the database's to say.
    said = "team_id, ingest_id, digest, number, verdict, confidence, rationale, code"
    grant("app", "verifier_answers", select="*", insert=said)


def downgrade() -> None:
    op.drop_table("verifier_answers")
