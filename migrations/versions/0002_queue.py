"""The lease row behind placements and cycles: ids and times only, so it needs no row security.

Lock: creates new tables only, so nothing waits.
"""

import sqlalchemy as sa
from alembic import op

from app.kernel.ddl import freeze, grant

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "work_items",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("item_id", sa.Text(), nullable=False),
        sa.Column("run_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("epoch", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("attempt", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("lease_expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("worker", sa.Text(), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "(lease_expires_at IS NULL) = (worker IS NULL)", name=op.f("work_items_lease_names_its_worker")
        ),
        sa.CheckConstraint(
            "finished_at IS NULL OR worker IS NULL", name=op.f("work_items_finished_holds_no_lease")
        ),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name="work_items_team"),
        sa.PrimaryKeyConstraint("team_id", "kind", "item_id", name=op.f("pk_work_items")),
        postgresql_with={"fillfactor": 80},
    )
    op.create_index(
        "work_items_due",
        "work_items",
        ["kind", "run_at"],
        unique=False,
        postgresql_where=sa.text("finished_at IS NULL"),
    )

    grant("app", "work_items", select="*", insert="*", update="*")
    grant("dreamer", "work_items", select="*", insert="*", update="*")
    freeze("work_items", but="run_at, epoch, attempt, lease_expires_at, worker, finished_at")


def downgrade() -> None:
    op.drop_table("work_items")
