"""Leasing costs a few index probes whatever the backlog: the index goes from team to team.

The statistics and the dead entries of a table that changes all the time are tidied more often than the default.

Lock: SHARE on work_items while the index of its unfinished rows is built, so enqueueing and leasing wait for that
moment; ACCESS EXCLUSIVE for the change of the index' name and the storage options, without a rewrite.
"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_index("work_items_due", "work_items")
    op.create_index(
        "work_items_due",
        "work_items",
        ["kind", "team_id", "run_at"],
        postgresql_where=sa.text("finished_at IS NULL"),
    )
    op.execute(
        "ALTER TABLE work_items"
        " SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)"
    )


def downgrade() -> None:
    op.execute(
        "ALTER TABLE work_items RESET (autovacuum_vacuum_scale_factor, autovacuum_analyze_scale_factor)"
    )
    op.drop_index("work_items_due", "work_items")
    op.create_index(
        "work_items_due", "work_items", ["kind", "run_at"], postgresql_where=sa.text("finished_at IS NULL")
    )
