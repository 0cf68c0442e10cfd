"""No function of ours finds a caller's temporary table or type where it means a built-in or one of ours.

PostgreSQL searches a session's temporary schema first wherever a search path does not name it. A function under the
owner's rights ran the check of a temporary domain called `text`, and with it whatever its caller wanted, as the owner;
a temporary `pg_class` told `is_rewriting` that the owner was at work. Last in the path, that schema hides nothing.

Lock: none on tables; the functions' settings are replaced.
"""

from typing import LiteralString

from alembic import op

revision = "0057"
down_revision = "0049"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Name the temporary schema last in the path of every function that has a path or could use one."""
    _set_path("pg_catalog, public, pg_temp")


def downgrade() -> None:
    """Return to paths without it, which is what older migrations expect to find."""
    _set_path("pg_catalog, public")


def _set_path(path: LiteralString) -> None:
    # Plain SQL functions without a path keep none, so that the planner can go on writing them into the statement that
    # calls them: they run under the path of their caller, which is one of these functions wherever rights are lent.
    op.execute(f"""
        DO $$
        DECLARE
            one regprocedure;
        BEGIN
            FOR one IN
                SELECT p.oid FROM pg_proc AS p JOIN pg_language AS l ON l.oid = p.prolang
                WHERE p.pronamespace = 'public'::regnamespace
                    AND (l.lanname = 'plpgsql' OR p.prosecdef OR p.proconfig IS NOT NULL)
                    AND NOT EXISTS (
                        SELECT FROM pg_depend AS d
                        WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
                    )
            LOOP
                EXECUTE format('ALTER FUNCTION %s SET search_path = {path}', one);
            END LOOP;
        END $$
    """)
