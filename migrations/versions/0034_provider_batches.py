"""Batches of a provider: a row before one is made, so that it is found and paid for once whatever dies meanwhile.

A run that was started by hand says how it wants to be answered; a scheduled one follows the settings of its team.

Lock: ACCESS EXCLUSIVE on cycle_runs for the moment in which the column and its check are added (no rewrite; the
check is scanned for); the table is new.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from app.kernel.ddl import freeze, grant, protect

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("cycle_runs", sa.Column("provider_mode", sa.Text(), nullable=True))
    op.create_check_constraint(
        op.f("cycle_runs_provider_mode_is_known"),
        "cycle_runs",
        "provider_mode IS NULL OR provider_mode IN ('direct', 'batch')",
    )
    grant("dreamer", "cycle_runs", select="provider_mode")
    op.create_table(
        "provider_batches",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("cycle_run_id", sa.Text(), nullable=False),
        sa.Column("permit_id", sa.Text(), nullable=False),
        sa.Column("custom_id", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("prompt_version", sa.Text(), nullable=False),
        sa.Column("reference_map", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("batch_id", sa.Text(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["team_id", "cycle_run_id"], ["cycle_runs.team_id", "cycle_runs.id"], name="provider_batches_run"
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "permit_id"],
            ["spending_permits.team_id", "spending_permits.id"],
            name="provider_batches_permit",
        ),
        sa.PrimaryKeyConstraint("team_id", "id", name=op.f("pk_provider_batches")),
    )
    op.create_index(
        "provider_batches_one_a_run",
        "provider_batches",
        ["team_id", "cycle_run_id"],
        unique=True,
        postgresql_where=sa.text("outcome IS DISTINCT FROM 'not_made'"),
    )
    op.create_index("provider_batches_by_run", "provider_batches", ["team_id", "cycle_run_id"])
    op.create_index("provider_batches_by_permit", "provider_batches", ["team_id", "permit_id"])
    protect("provider_batches")
    freeze("provider_batches", but="batch_id, outcome")
    grant("dreamer", "provider_batches", select="*", insert="*", update="batch_id, outcome")
    grant("app", "provider_batches", select="*")


def downgrade() -> None:
    op.drop_table("provider_batches")
    op.drop_constraint(op.f("cycle_runs_provider_mode_is_known"), "cycle_runs")
    op.drop_column("cycle_runs", "provider_mode")
