"""Settings have versions; a run says in one sentence what came of it, and a gap in the schedule what it left out.

The index of due teams names the team too, for batches. `cycle_runs_done` finds a team's last run that did its work.

Lock: ACCESS EXCLUSIVE on cycle_runs, team_settings and instance_settings for the moment in which columns are added
(no rewrite), and SHARE on cycle_runs and dream_schedules while their indexes are made.
"""

import sqlalchemy as sa
from alembic import op

from app.kernel.ddl import grant

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("team_settings", "instance_settings"):
        op.add_column(
            table, sa.Column("row_version", sa.Integer(), server_default=sa.text("1"), nullable=False)
        )
        grant("app", table, update="row_version")
    op.add_column("cycle_runs", sa.Column("summary", sa.Text(), nullable=True))
    op.add_column("cycle_runs", sa.Column("missed_until", sa.DateTime(timezone=True), nullable=True))
    op.add_column("cycle_runs", sa.Column("missed_count", sa.Integer(), nullable=True))
    grant("app", "cycle_runs", update="summary")
    # Rows of before say so in their note only.
    op.create_check_constraint(
        op.f("cycle_runs_only_a_gap_counts_windows"),
        "cycle_runs",
        "(missed_count IS NULL) = (missed_until IS NULL) AND (missed_count IS NULL OR status = 'missed')",
    )
    op.create_index(
        "cycle_runs_done",
        "cycle_runs",
        ["team_id", "finished_at"],
        unique=False,
        postgresql_where=sa.text(
            "status IN ('succeeded', 'partially_rejected')"
            " OR status = 'skipped' AND reason IN ('no_eligible_inputs', 'inputs_unchanged')"
        ),
    )
    op.drop_index("dream_schedules_due", "dream_schedules")
    op.create_index("dream_schedules_due", "dream_schedules", ["next_due_at", "team_id"], unique=False)


def downgrade() -> None:
    op.drop_index("dream_schedules_due", "dream_schedules")
    op.create_index("dream_schedules_due", "dream_schedules", ["next_due_at"], unique=False)
    op.drop_index("cycle_runs_done", "cycle_runs")
    op.drop_constraint(op.f("cycle_runs_only_a_gap_counts_windows"), "cycle_runs")
    for column in ("missed_count", "missed_until", "summary"):
        op.drop_column("cycle_runs", column)
    for table in ("instance_settings", "team_settings"):
        op.drop_column(table, "row_version")
