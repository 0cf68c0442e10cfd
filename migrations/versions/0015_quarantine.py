"""Why an item of evidence is held: what was found in it, never its words.

Lock: ACCESS EXCLUSIVE on evidence for the moment in which the column is added (no rewrite).
"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("evidence", sa.Column("quarantine_reason", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("evidence", "quarantine_reason")
