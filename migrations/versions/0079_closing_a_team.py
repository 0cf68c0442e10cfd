"""A team is closed before it is erased: nobody works in it any more while its rows go.

Who closes it is who may erase it: the owner, or the application for a live admin key. What the keys of a closed team
open is over for good, and its work is taken from whoever has it and leased to nobody.

Lock: ACCESS EXCLUSIVE on teams for the moment in which a nullable column is added.
"""

import sqlalchemy as sa
from alembic import op

from app.kernel.ddl import grant, role

revision = "0079"
down_revision = "0078"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("teams", sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True))
    grant("dreamer", "teams", select="closed_at")
    # Again, it ends what has come since. Batches are counted last: whoever still had the work of one when this
    # began has put it on record by then.
    op.execute("""
        CREATE FUNCTION close_team_rows(team text) RETURNS TABLE (was_open boolean, keys bigint, batches bigint)
        LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
        BEGIN
            UPDATE public.work_items AS w SET epoch = w.epoch + 1, worker = NULL, lease_expires_at = NULL
            WHERE w.team_id = team AND w.finished_at IS NULL AND w.worker IS NOT NULL;
            UPDATE public.teams AS t SET closed_at = clock_timestamp() WHERE t.id = team AND t.closed_at IS NULL;
            was_open := FOUND;
            UPDATE public.api_keys AS k SET revoked_at = clock_timestamp()
            WHERE k.team_id = team AND k.revoked_at IS NULL;
            GET DIAGNOSTICS keys = ROW_COUNT;
            UPDATE public.dream_schedules AS s SET next_due_at = NULL
            WHERE s.team_id = team AND s.next_due_at IS NOT NULL;
            SELECT count(*) INTO batches FROM public.provider_batches AS b
            WHERE b.team_id = team AND b.outcome IS NULL;
            RETURN NEXT;
        END $$
    """)
    op.execute("""
        CREATE FUNCTION close_team(team text, admin_digest text)
        RETURNS TABLE (was_open boolean, keys bigint, batches bigint)
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
        BEGIN
            IF NOT EXISTS (SELECT FROM public.authenticate(admin_digest) AS a WHERE a.scopes = '{admin}') THEN
                RAISE EXCEPTION 'only an admin closes a team' USING ERRCODE = 'insufficient_privilege';
            END IF;
            RETURN QUERY SELECT * FROM public.close_team_rows(team);
        END $$
    """)
    op.execute("REVOKE ALL ON FUNCTION close_team_rows(text), close_team(text, text) FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION close_team(text, text) TO {role('app')}")


def downgrade() -> None:
    op.execute("DROP FUNCTION close_team(text, text)")
    op.execute("DROP FUNCTION close_team_rows(text)")
    op.drop_column("teams", "closed_at")
