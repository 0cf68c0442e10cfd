"""How outcomes split the output budget of a run between predicates: recorded with the run.

Lock: ACCESS EXCLUSIVE on cycle_runs for the moment in which a column with a constant default is added (no rewrite).
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "cycle_runs",
        sa.Column(
            "output_split",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'[]'"),
            nullable=False,
        ),
    )


def downgrade() -> None:
    op.drop_column("cycle_runs", "output_split")
