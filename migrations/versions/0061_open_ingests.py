"""Open submissions are found by key, so that one without work that would place it is found as well.

Lock: SHARE on ingests while the index is built, so submissions wait for that long.
"""

import sqlalchemy as sa
from alembic import op

revision = "0061"
down_revision = "0060"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "ingests_open", "ingests", ["team_id", "id"], postgresql_where=sa.text("finished_at IS NULL")
    )


def downgrade() -> None:
    op.drop_index("ingests_open", "ingests")
