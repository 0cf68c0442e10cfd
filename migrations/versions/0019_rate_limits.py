"""Rate limits: the buckets that all processes take from, and a key's own limit.

Unlogged, for what is lost in a crash is worth one burst of requests.

Lock: ACCESS EXCLUSIVE on api_keys for the moment in which a nullable column is added and its trigger made anew.
"""

import sqlalchemy as sa
from alembic import op

from app.kernel.ddl import freeze, grant, role

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "rate_buckets",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("tokens", sa.DOUBLE_PRECISION(), nullable=False),
        sa.Column("granted", sa.Integer(), nullable=False),
        sa.Column("refilled_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_rate_buckets")),
        prefixes=["UNLOGGED"],
        postgresql_with={"fillfactor": 50},
    )
    grant("app", "rate_buckets", select="*", insert="*", update="tokens, granted, refilled_at")
    op.add_column("api_keys", sa.Column("requests_per_minute", sa.Integer(), nullable=True))
    op.create_check_constraint(
        op.f("api_keys_requests_per_minute_is_positive"), "api_keys", "requests_per_minute >= 1"
    )
    op.execute("DROP TRIGGER api_keys_identity ON api_keys")
    freeze("api_keys", but="revoked_at, requests_per_minute")
    grant("app", "api_keys", select="requests_per_minute", update="requests_per_minute")
    _make_authenticate(", requests_per_minute integer", ", k.requests_per_minute")


def downgrade() -> None:
    _make_authenticate("", "")
    op.execute("DROP TRIGGER api_keys_identity ON api_keys")
    freeze("api_keys", but="revoked_at")
    op.drop_column("api_keys", "requests_per_minute")
    op.drop_table("rate_buckets")


def _make_authenticate(more_types: str, more_columns: str) -> None:
    # A function's result cannot be widened in place; both statements are in one transaction, so nobody misses it.
    op.execute("DROP FUNCTION authenticate(text)")
    op.execute(f"""
        CREATE FUNCTION authenticate(presented_digest text)
        RETURNS TABLE (key_id text, team_id text, profile_id text, scopes text[], max_authority text{more_types})
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
            SELECT id, k.team_id, k.profile_id, k.scopes, k.max_authority{more_columns}
            FROM public.api_keys AS k
            WHERE key_digest = presented_digest
              AND revoked_at IS NULL
              AND (expires_at IS NULL OR expires_at > clock_timestamp())
        $$
    """)
    op.execute("REVOKE ALL ON FUNCTION authenticate(text) FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION authenticate(text) TO {role('app')}")
