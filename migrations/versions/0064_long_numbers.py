"""Events of supports, Hypotheses and conflict cases are numbered as those of the feed are: the numbers do not run out.

Lock: ACCESS EXCLUSIVE on the three tables while they are rewritten; a minute for some millions of events.
"""

import sqlalchemy as sa
from alembic import op

revision = "0064"
down_revision = "0061"
branch_labels = None
depends_on = None

_TABLES = ("support_events", "hypothesis_events", "conflict_events")


def upgrade() -> None:
    """Widen the numbers."""
    for table in _TABLES:
        op.alter_column(table, "id", type_=sa.BigInteger(), existing_nullable=False)


def downgrade() -> None:
    """Narrow them; refused by the database where one has got too long."""
    for table in _TABLES:
        op.alter_column(table, "id", type_=sa.Integer(), existing_nullable=False)
