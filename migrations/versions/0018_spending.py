"""The durable ledger of what runs spend on a provider: a permit before each call, a charge after it.

The columns of cycle_runs that were meant for it go: a run that has ended cannot be changed, and what was charged
for it may be known only later. They never held anything but 0.

Lock: ACCESS EXCLUSIVE on cycle_runs for the moment in which the columns are dropped (no rewrite); the rest is new.
"""

import sqlalchemy as sa
from alembic import op

from app.kernel.ddl import freeze, grant, protect, role

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

COUNTS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "turns")


def upgrade() -> None:
    op.create_table(
        "spending_permits",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("cycle_run_id", sa.Text(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("input_tokens", sa.Integer(), nullable=False),
        sa.Column("output_tokens", sa.Integer(), nullable=False),
        sa.Column("turns", sa.Integer(), nullable=False),
        sa.Column("cost_usd", sa.NUMERIC(precision=12, scale=6), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "least(input_tokens, output_tokens, turns, cost_usd) >= 0",
            name=op.f("spending_permits_nothing_is_negative"),
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "cycle_run_id"], ["cycle_runs.team_id", "cycle_runs.id"], name="spending_permits_run"
        ),
        sa.PrimaryKeyConstraint("team_id", "id", name=op.f("pk_spending_permits")),
    )
    op.create_index("spending_permits_by_run", "spending_permits", ["team_id", "cycle_run_id"], unique=False)
    op.create_index("spending_permits_by_day", "spending_permits", ["team_id", "day"], unique=False)
    op.create_table(
        "spending_charges",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("permit_id", sa.Text(), nullable=False),
        sa.Column("input_tokens", sa.Integer(), nullable=False),
        sa.Column("output_tokens", sa.Integer(), nullable=False),
        sa.Column("cache_read_tokens", sa.Integer(), nullable=False),
        sa.Column("cache_write_tokens", sa.Integer(), nullable=False),
        sa.Column("turns", sa.Integer(), nullable=False),
        sa.Column("cost_usd", sa.NUMERIC(precision=12, scale=6), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "least(input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, turns, cost_usd) >= 0",
            name=op.f("spending_charges_nothing_is_negative"),
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "permit_id"],
            ["spending_permits.team_id", "spending_permits.id"],
            name="spending_charges_permit",
        ),
        sa.PrimaryKeyConstraint("team_id", "permit_id", name=op.f("pk_spending_charges")),
    )
    for table in ("spending_permits", "spending_charges"):
        protect(table)
        freeze(table)
        grant("dreamer", table, select="*", insert="*")
        grant("app", table, select="*")
    # A call whose end nobody knows counts at its estimate.
    op.execute("""
        CREATE VIEW spending WITH (security_invoker = true) AS
        SELECT permit.team_id, permit.id AS permit_id, permit.cycle_run_id, permit.day, permit.model,
               permit.created_at, charge.permit_id IS NOT NULL AS is_settled,
               coalesce(charge.input_tokens, permit.input_tokens) AS input_tokens,
               coalesce(charge.output_tokens, permit.output_tokens) AS output_tokens,
               coalesce(charge.cache_read_tokens, 0) AS cache_read_tokens,
               coalesce(charge.cache_write_tokens, 0) AS cache_write_tokens,
               coalesce(charge.turns, permit.turns) AS turns,
               coalesce(charge.cost_usd, permit.cost_usd) AS cost_usd
        FROM spending_permits AS permit
        LEFT JOIN spending_charges AS charge
               ON charge.team_id = permit.team_id AND charge.permit_id = permit.id
    """)
    op.execute(f"GRANT SELECT ON spending TO {role('app')}, {role('dreamer')}")
    for column in (*COUNTS, "cost_usd"):
        op.drop_column("cycle_runs", column)


def downgrade() -> None:
    for column in COUNTS:
        op.add_column(
            "cycle_runs", sa.Column(column, sa.Integer(), server_default=sa.text("0"), nullable=False)
        )
    op.add_column(
        "cycle_runs",
        sa.Column("cost_usd", sa.NUMERIC(precision=12, scale=6), server_default=sa.text("0"), nullable=False),
    )
    op.execute("DROP VIEW spending")
    op.drop_table("spending_charges")
    op.drop_table("spending_permits")
