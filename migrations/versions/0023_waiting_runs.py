"""What a run that waits for a provider needs to know at its next look: since when, and what it has used.

Lock: ACCESS EXCLUSIVE on cycle_runs for the moment in which the columns are added (no rewrite).
"""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("cycle_runs", sa.Column("waiting_since", sa.DateTime(timezone=True), nullable=True))
    op.add_column(
        "cycle_runs", sa.Column("seconds_used", sa.Double(), server_default=sa.text("0"), nullable=False)
    )


def downgrade() -> None:
    op.drop_column("cycle_runs", "seconds_used")
    op.drop_column("cycle_runs", "waiting_since")
