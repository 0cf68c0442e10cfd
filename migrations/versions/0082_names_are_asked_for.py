"""Names as written are asked for like any rows: equality of texts gives nothing away, so row security leaves it its index.

The function that looked under the owner's rights was made with others that need them.

Lock: none; a function is dropped.
"""

from alembic import op

from app.kernel.ddl import role

revision = "0082"
down_revision = "0081"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Leave one function less under the owner's rights."""
    op.execute("DROP FUNCTION search_names(text[], integer)")


def downgrade() -> None:
    """Make it again."""
    op.execute("""
        CREATE FUNCTION search_names(exact text[], most integer)
        RETURNS TABLE (entity_id text, folded_name text)
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
            SELECT n.entity_id, n.folded_name FROM public.entity_names AS n
            WHERE n.team_id = current_setting('densemem.team_id', true) AND n.folded_name = ANY (exact)
            ORDER BY n.entity_id, n.folded_name LIMIT most
        $$
    """)
    op.execute("REVOKE ALL ON FUNCTION search_names(text[], integer) FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION search_names(text[], integer) TO {role('app')}")
