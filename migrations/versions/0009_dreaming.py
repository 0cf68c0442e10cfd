"""Cycle runs and the schedule: a run is recorded before anything is generated.

`premise_assessments`: where a team knows more than one cycle may read, the least assessed premises come first.
A team gets its schedule with its first row, due at once: the first tick finds no window there and plans it.

Lock: SHARE ROW EXCLUSIVE on teams while a trigger is made; the rest is new.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from app.kernel.ddl import grant, protect, restrict

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "cycle_runs",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("window_key", sa.Text(), nullable=False),
        sa.Column("trigger", sa.Text(), nullable=False),
        sa.Column("dry_run", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("started_by_profile_id", sa.Text(), nullable=True),
        sa.Column("epoch", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("attempt", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("worker", sa.Text(), nullable=True),
        sa.Column("scheduled_for", sa.DateTime(timezone=True), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("heartbeat_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("snapshot_digest", sa.Text(), nullable=True),
        sa.Column("is_assessed", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("generator_kind", sa.Text(), nullable=True),
        sa.Column("generator_version", sa.Text(), nullable=True),
        sa.Column("prompt_version", sa.Text(), nullable=True),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("eligible", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("premises", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("premise_sources", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("over_input_budget", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("groups", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("generated", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("rejected", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("deduplicated", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("reinforced", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("persisted", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column(
            "rejections",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'[]'"),
            nullable=False,
        ),
        sa.Column("would_persist", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column(
            "requested_budgets",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'"),
            nullable=False,
        ),
        sa.Column(
            "budgets", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'[]'"), nullable=False
        ),
        sa.Column("stopped_by", sa.Text(), nullable=True),
        sa.Column("input_tokens", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("output_tokens", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("cache_read_tokens", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("cache_write_tokens", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("turns", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("cost_usd", sa.NUMERIC(precision=12, scale=6), server_default=sa.text("0"), nullable=False),
        sa.Column("error_code", sa.Text(), nullable=True),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "(finished_at IS NULL) = (status IN ('queued', 'running', 'waiting'))",
            name=op.f("cycle_runs_end_has_a_time"),
        ),
        sa.CheckConstraint(
            "status IN ('queued', 'running', 'waiting', 'succeeded', 'partially_rejected', 'failed', 'cancelled', 'skipped', 'missed')",
            name=op.f("cycle_runs_status_is_known"),
        ),
        sa.CheckConstraint(
            "trigger IN ('scheduled', 'manual', 'catch_up')", name=op.f("cycle_runs_trigger_is_known")
        ),
        sa.CheckConstraint(
            "CASE WHEN dry_run THEN persisted = 0 AND NOT is_assessed ELSE would_persist IS NULL END",
            name=op.f("cycle_runs_dry_run_leaves_nothing"),
        ),
        sa.CheckConstraint(
            "eligible = premise_sources + over_input_budget", name=op.f("cycle_runs_inputs_add_up")
        ),
        sa.CheckConstraint(
            "generated = rejected + deduplicated + reinforced + persisted + coalesce(jsonb_array_length(would_persist), 0)",
            name=op.f("cycle_runs_funnel_adds_up"),
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "started_by_profile_id"],
            ["profiles.team_id", "profiles.id"],
            name="cycle_runs_started_by",
        ),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name="cycle_runs_team"),
        sa.PrimaryKeyConstraint("team_id", "id", name=op.f("pk_cycle_runs")),
        sa.UniqueConstraint("team_id", "window_key", name="cycle_runs_one_per_window"),
    )
    op.create_index(
        "cycle_runs_assessed",
        "cycle_runs",
        ["team_id", "finished_at"],
        unique=False,
        postgresql_where=sa.text("is_assessed"),
    )
    op.create_index(
        "cycle_runs_newest",
        "cycle_runs",
        ["team_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "cycle_runs_one_live",
        "cycle_runs",
        ["team_id"],
        unique=True,
        postgresql_where=sa.text("status IN ('queued', 'running', 'waiting')"),
    )
    op.create_table(
        "dream_schedules",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("next_due_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "updated_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name="dream_schedules_team"),
        sa.PrimaryKeyConstraint("team_id", name=op.f("pk_dream_schedules")),
    )
    op.create_index("dream_schedules_due", "dream_schedules", ["next_due_at"], unique=False)
    op.create_table(
        "premise_assessments",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("semantic_group_key", sa.Text(), nullable=False),
        sa.Column("cycles", sa.Integer(), nullable=False),
        sa.Column("last_assessed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name="premise_assessments_team"),
        sa.PrimaryKeyConstraint("team_id", "semantic_group_key", name=op.f("pk_premise_assessments")),
    )

    protect("cycle_runs")
    grant("dreamer", "cycle_runs", select="*", insert="*", update="*")
    grant("app", "cycle_runs", select="*", insert="*", update="status, reason, finished_at, epoch, worker")
    # The application asks for a run or gives one up; only the dreamer works on it.
    restrict("cycle_runs", grantee="app", action="INSERT", check="status = 'queued'")
    restrict("cycle_runs", grantee="app", action="UPDATE", check="status = 'cancelled'")
    op.execute("""
        CREATE FUNCTION keep_finished_run() RETURNS trigger LANGUAGE plpgsql
        SET search_path = pg_catalog, public AS $$
        BEGIN
            RAISE EXCEPTION 'cycle run % has ended as %: it stays as it is', OLD.id, OLD.status
                USING ERRCODE = 'restrict_violation';
        END $$
    """)
    # Which run it is, for which window, and how it was asked for never changes.
    op.execute("""
        CREATE TRIGGER cycle_runs_identity
        BEFORE UPDATE OF team_id, id, window_key, trigger, dry_run, scheduled_for, started_by_profile_id, created_at
        ON cycle_runs FOR EACH ROW EXECUTE FUNCTION forbid_change()
    """)
    op.execute("""
        CREATE TRIGGER cycle_runs_finished_is_final BEFORE UPDATE OR DELETE ON cycle_runs
        FOR EACH ROW WHEN (OLD.finished_at IS NOT NULL) EXECUTE FUNCTION keep_finished_run()
    """)
    grant("app", "dream_schedules", select="*", insert="*", update="*")
    grant("dreamer", "dream_schedules", select="*", insert="*", update="*")
    protect("premise_assessments")
    grant("dreamer", "premise_assessments", select="*", insert="*", update="cycles, last_assessed_at")
    op.execute("""
        CREATE FUNCTION plan_new_team() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
        SET search_path = pg_catalog, public AS $$
        BEGIN
            INSERT INTO public.dream_schedules (team_id, next_due_at) VALUES (NEW.id, clock_timestamp())
            ON CONFLICT (team_id) DO NOTHING;
            RETURN NULL;
        END $$
    """)
    op.execute(
        "CREATE TRIGGER teams_are_planned AFTER INSERT ON teams FOR EACH ROW EXECUTE FUNCTION plan_new_team()"
    )


def downgrade() -> None:
    op.execute("DROP TRIGGER teams_are_planned ON teams")
    op.execute("DROP FUNCTION plan_new_team()")
    op.drop_table("premise_assessments")
    op.drop_table("dream_schedules")
    op.drop_table("cycle_runs")
    op.execute("DROP FUNCTION keep_finished_run()")
