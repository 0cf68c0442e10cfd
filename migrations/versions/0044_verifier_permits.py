"""A permit before each verdict of a provider, so that a process that dies leaves what it asked for counted.

A permit counts at its bound until it is charged; it is charged once, together with the day's sums.

Lock: none that anybody waits for; the table is new.
"""

import sqlalchemy as sa
from alembic import op

from app.kernel.ddl import freeze, grant, protect, refuse

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "verifier_permits",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cost_usd", sa.NUMERIC(precision=12, scale=6), nullable=False),
        sa.Column("charged_usd", sa.NUMERIC(precision=12, scale=6), nullable=True),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "least(input_tokens, output_tokens, cost_usd, charged_usd) >= 0",
            name=op.f("verifier_permits_nothing_is_negative"),
        ),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name="verifier_permits_team"),
        sa.PrimaryKeyConstraint("team_id", "id", name=op.f("pk_verifier_permits")),
    )
    op.create_index(
        "verifier_permits_open",
        "verifier_permits",
        ["team_id", "day"],
        postgresql_where=sa.text("charged_usd IS NULL"),
    )
    protect("verifier_permits")
    freeze("verifier_permits", but="charged_usd")
    refuse(
        "verifier_permits",
        "verifier_permits_are_charged_once",
        when="OLD.charged_usd IS NOT NULL AND NEW.charged_usd IS DISTINCT FROM OLD.charged_usd",
        because="what a call did use is said once",
    )
    grant("app", "verifier_permits", select="*", insert="*", update="charged_usd")


def downgrade() -> None:
    op.drop_table("verifier_permits")
