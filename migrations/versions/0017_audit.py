"""What admins, operators and the host's commands did, append-only.

An instance table, since some acts belong to no team, with row security of its own: a transaction of a team sees and
writes that team's events; one without a team sees what admins and the host did, and writes the instance's.

Lock: creates a new table only; SHARE ROW EXCLUSIVE on teams for the moment in which the foreign key is added.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from app.kernel.ddl import freeze, grant, role

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_TEAM = "nullif(current_setting('densemem.team_id', true), '')"


def upgrade() -> None:
    op.create_table(
        "audit_events",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("team_id", sa.Text(), nullable=True),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("actor_kind", sa.Text(), nullable=False),
        sa.Column("actor_key_id", sa.Text(), nullable=True),
        sa.Column("actor_profile_id", sa.Text(), nullable=True),
        sa.Column("target_id", sa.Text(), nullable=True),
        sa.Column("details", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "actor_kind IN ('profile', 'admin', 'host')", name=op.f("audit_events_actor_kind_is_known")
        ),
        sa.CheckConstraint("action ~ '^[a-z_]{1,64}$'", name=op.f("audit_events_action_is_a_word")),
        sa.CheckConstraint("length(target_id) <= 128", name=op.f("audit_events_target_is_an_id")),
        sa.CheckConstraint(
            "jsonb_typeof(details) = 'object' AND octet_length(details::text) <= 4096",
            name=op.f("audit_events_details_are_few"),
        ),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name="audit_events_team"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_events")),
    )
    op.create_index("audit_events_by_team", "audit_events", ["team_id", "created_at", "id"], unique=False)
    op.create_index(
        "audit_events_of_the_instance",
        "audit_events",
        ["created_at", "id"],
        unique=False,
        postgresql_where=sa.text("actor_kind <> 'profile'"),
    )
    op.execute("ALTER TABLE audit_events ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE audit_events FORCE ROW LEVEL SECURITY")
    app = role("app")
    op.execute(f"CREATE POLICY team_reads ON audit_events FOR SELECT TO {app} USING (team_id = {_TEAM})")
    op.execute(
        f"CREATE POLICY instance_reads ON audit_events FOR SELECT TO {app} "
        f"USING ({_TEAM} IS NULL AND actor_kind <> 'profile')"
    )
    op.execute(
        f"CREATE POLICY writes ON audit_events FOR INSERT TO {app} "
        f"WITH CHECK (team_id IS NOT DISTINCT FROM {_TEAM})"
    )
    op.execute(f"CREATE POLICY owner_all ON audit_events TO {role('owner')} USING (true) WITH CHECK (true)")
    grant("app", "audit_events", select="*", insert="*")
    freeze("audit_events")


def downgrade() -> None:
    op.drop_table("audit_events")
