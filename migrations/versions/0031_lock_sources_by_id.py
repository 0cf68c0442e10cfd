"""Eligibility of locked sources source by source: joined to the view, a large team's whole eligibility was computed for them.

With 20 000 Relationships 1 500 sources took 0.6 s, 4.4 s without statistics; now 0.1 s either way. What is returned
is the same.

Lock: none on tables; the function is replaced.
"""

from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

_BY_ID = """
    LEFT JOIN LATERAL (
        SELECT e.relationship_id FROM public.eligible_relationships AS e
        WHERE e.team_id = r.team_id AND e.relationship_id = r.id OFFSET 0
    ) AS e ON true
"""
_JOINED = """
    LEFT JOIN public.eligible_relationships AS e ON e.team_id = r.team_id AND e.relationship_id = r.id
"""


def upgrade() -> None:
    _replace(_BY_ID)


def downgrade() -> None:
    _replace(_JOINED)


def _replace(join: str) -> None:
    op.execute(f"""
        CREATE OR REPLACE FUNCTION lock_sources(relationship_ids text[])
        RETURNS TABLE (relationship_id text, version integer, eligible boolean)
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
        BEGIN
            PERFORM FROM public.relationships AS r
            WHERE r.team_id = current_setting('densemem.team_id', true) AND r.id = ANY (relationship_ids)
            ORDER BY r.id FOR SHARE;
            -- A second statement sees what was committed while the first one waited.
            RETURN QUERY
            SELECT r.id, r.version, e.relationship_id IS NOT NULL
            FROM public.relationships AS r
            {join}
            WHERE r.team_id = current_setting('densemem.team_id', true) AND r.id = ANY (relationship_ids);
        END $$
    """)
