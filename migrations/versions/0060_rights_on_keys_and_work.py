"""The application makes no admin key, and the dreamer takes no work but its own.

An admin key erases teams, so whoever could make one could delete, which nobody may. Only the owner makes one: the
command line on the database's machine. A key of a team is made in a transaction of that team.

Both tables are looked at before a team is known, so a role goes on reading all of their rows that are its business.

Lock: ACCESS EXCLUSIVE on api_keys and work_items for the moment in which row security is switched on.
"""

from alembic import op

from app.kernel.ddl import role

revision = "0060"
down_revision = "0045"
branch_labels = None
depends_on = None

_TABLES = ("api_keys", "work_items")


def upgrade() -> None:
    for table in _TABLES:
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY owner_all ON {table} TO {role('owner')} USING (true) WITH CHECK (true)")
    app, dreamer = role("app"), role("dreamer")
    op.execute(f"CREATE POLICY app_reads ON api_keys FOR SELECT TO {app} USING (true)")
    op.execute(f"CREATE POLICY app_updates ON api_keys FOR UPDATE TO {app} USING (true)")
    # An admin key has no team, so it is never the transaction's.
    op.execute(
        f"CREATE POLICY team_inserts ON api_keys FOR INSERT TO {app} "
        "WITH CHECK (team_id = nullif(current_setting('densemem.team_id', true), ''))"
    )
    op.execute(f"CREATE POLICY app_all ON work_items TO {app} USING (true) WITH CHECK (true)")
    op.execute(f"CREATE POLICY dreamers_kinds ON work_items TO {dreamer} USING (kind IN ('cycle', 'batch'))")


def downgrade() -> None:
    for policy in ("dreamers_kinds", "app_all", "owner_all"):
        op.execute(f"DROP POLICY {policy} ON work_items")
    for policy in ("team_inserts", "app_updates", "app_reads", "owner_all"):
        op.execute(f"DROP POLICY {policy} ON api_keys")
    for table in _TABLES:
        op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY")
