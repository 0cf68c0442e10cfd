"""What was wrong with an answer goes with the answer when its days are over.

A fault could hold words of the answer. What was purged before is left with none either.

Lock: SHARE ROW EXCLUSIVE on provider_exchanges while its trigger is made anew; runs that keep a turn wait for that.
"""

from alembic import op

from app.kernel.ddl import freeze

revision = "0045"
down_revision = "0054"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("DROP TRIGGER provider_exchanges_identity ON provider_exchanges")
    freeze("provider_exchanges", but="fault, request, answer, reference_table")
    op.execute("UPDATE provider_exchanges SET fault = NULL WHERE request IS NULL AND fault IS NOT NULL")
    op.execute("""
        CREATE OR REPLACE FUNCTION purge_provider_exchanges() RETURNS bigint
        LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
            WITH purged AS (
                UPDATE provider_exchanges SET fault = NULL, request = NULL, answer = NULL, reference_table = NULL
                WHERE request IS NOT NULL AND expires_at <= clock_timestamp()
                RETURNING 1
            )
            SELECT count(*) FROM purged
        $$
    """)


def downgrade() -> None:
    op.execute("""
        CREATE OR REPLACE FUNCTION purge_provider_exchanges() RETURNS bigint
        LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
            WITH purged AS (
                UPDATE provider_exchanges SET request = NULL, answer = NULL, reference_table = NULL
                WHERE request IS NOT NULL AND expires_at <= clock_timestamp()
                RETURNING 1
            )
            SELECT count(*) FROM purged
        $$
    """)
    op.execute("DROP TRIGGER provider_exchanges_identity ON provider_exchanges")
    freeze("provider_exchanges", but="request, answer, reference_table")
