"""What verifying with a provider costs each team, a day and a model.

Lock: none that anybody waits for; the table is new.
"""

import sqlalchemy as sa
from alembic import op

from app.kernel.ddl import freeze, grant, protect

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

COUNTS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")


def upgrade() -> None:
    op.create_table(
        "verifier_usage",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in COUNTS),
        sa.Column("cost_usd", sa.NUMERIC(precision=12, scale=6), nullable=False),
        sa.CheckConstraint(
            "least(input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_usd) >= 0",
            name=op.f("verifier_usage_nothing_is_negative"),
        ),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name="verifier_usage_team"),
        sa.PrimaryKeyConstraint("team_id", "day", "model", name=op.f("pk_verifier_usage")),
    )
    protect("verifier_usage")
    freeze("verifier_usage", but=f"{', '.join(COUNTS)}, cost_usd")
    grant("app", "verifier_usage", select="*", insert="*", update=f"{', '.join(COUNTS)}, cost_usd")


def downgrade() -> None:
    op.drop_table("verifier_usage")
