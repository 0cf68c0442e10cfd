"""Two that take support from one position wait for each other.

Each left the position with what the other took, and neither saw that: whoever takes away holds the position, but both
could hold it at once. So two statements at the same moment could leave an active position that nothing supports. No
path of the service was open to it, for all of them lock the position before; now no other is.

Lock: none on tables; a function is replaced.
"""

from alembic import op

revision = "0092"
down_revision = "0091"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _hold_positions("FOR NO KEY UPDATE")


def downgrade() -> None:
    _hold_positions("FOR SHARE")


def _hold_positions(lock: str) -> None:
    op.execute(f"""
        CREATE OR REPLACE FUNCTION leaves_carried(team text, relationship_ids text[]) RETURNS boolean
        LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
        BEGIN
            PERFORM public.refuse_old_snapshot();
            PERFORM FROM public.relationships AS r
            WHERE r.team_id = team AND r.id = ANY (relationship_ids) ORDER BY r.id {lock};
            -- A second statement sees what was committed while the first one waited.
            RETURN NOT EXISTS (
                SELECT FROM unnest(relationship_ids) AS one (id) WHERE NOT public.is_carried(team, one.id));
        END $$
    """)
