"""What was said between a run and its provider, for some days; off unless the installation asks for it.

Nobody may delete and no role may change a row: a function of the owner's takes the content out of what is over, in
every team, because a team that no longer dreams would keep it for ever otherwise.

Lock: none that anybody waits for; the table is new.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from app.kernel.ddl import freeze, grant, protect, role

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "provider_exchanges",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("cycle_run_id", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("prompt_version", sa.Text(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("fault", sa.Text(), nullable=True),
        sa.Column("ideas", sa.Integer(), nullable=False),
        sa.Column("malformed", sa.Integer(), nullable=False),
        sa.Column("request", sa.Text(), nullable=True),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("reference_table", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "length(request) <= 70000 AND length(answer) <= 70000", name=op.f("provider_exchanges_is_capped")
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "cycle_run_id"],
            ["cycle_runs.team_id", "cycle_runs.id"],
            name="provider_exchanges_run",
        ),
        sa.PrimaryKeyConstraint("team_id", "id", name=op.f("pk_provider_exchanges")),
    )
    op.create_index(
        "provider_exchanges_by_run", "provider_exchanges", ["team_id", "cycle_run_id"], unique=False
    )
    op.create_index(
        "provider_exchanges_kept",
        "provider_exchanges",
        ["expires_at"],
        unique=False,
        postgresql_where=sa.text("request IS NOT NULL"),
    )
    protect("provider_exchanges")
    freeze("provider_exchanges", but="request, answer, reference_table")
    grant("dreamer", "provider_exchanges", insert="*")
    grant("app", "provider_exchanges", select="*")
    op.execute("""
        CREATE FUNCTION purge_provider_exchanges() RETURNS bigint
        LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
            WITH purged AS (
                UPDATE provider_exchanges SET request = NULL, answer = NULL, reference_table = NULL
                WHERE request IS NOT NULL AND expires_at <= clock_timestamp()
                RETURNING 1
            )
            SELECT count(*) FROM purged
        $$
    """)
    op.execute("REVOKE ALL ON FUNCTION purge_provider_exchanges() FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION purge_provider_exchanges() TO {role('app')}")


def downgrade() -> None:
    op.execute("DROP FUNCTION purge_provider_exchanges()")
    op.drop_table("provider_exchanges")
