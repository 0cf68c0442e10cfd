"""Teams, profiles, keys, settings, stored answers; the first definer function and the immutability trigger.

Lock: creates new tables only, so nothing waits.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from app.kernel.ddl import freeze, grant, protect, role

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "teams",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint("length(name) BETWEEN 1 AND 256", name=op.f("teams_name_has_length")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_teams")),
        sa.UniqueConstraint("name", name="teams_name_is_unique"),
    )
    op.create_table(
        "profiles",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint("length(name) BETWEEN 1 AND 256", name=op.f("profiles_name_has_length")),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name="profiles_team"),
        sa.PrimaryKeyConstraint("team_id", "id", name=op.f("pk_profiles")),
        sa.UniqueConstraint("team_id", "name", name="profiles_name_is_unique"),
    )
    op.create_table(
        "api_keys",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("key_digest", sa.Text(), nullable=False),
        sa.Column("team_id", sa.Text(), nullable=True),
        sa.Column("profile_id", sa.Text(), nullable=True),
        sa.Column("scopes", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("max_authority", sa.Text(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "CASE WHEN 'admin' = ANY (scopes) THEN cardinality(scopes) = 1 AND team_id IS NULL AND profile_id IS NULL ELSE team_id IS NOT NULL AND profile_id IS NOT NULL END",
            name=op.f("api_keys_admin_stands_outside_teams"),
        ),
        sa.CheckConstraint(
            "max_authority IN ('unknown', 'inferred', 'secondary', 'primary', 'authoritative')",
            name=op.f("api_keys_max_authority_is_known"),
        ),
        sa.CheckConstraint(
            "scopes <@ ARRAY['read', 'write', 'operate', 'admin'] AND cardinality(scopes) > 0",
            name=op.f("api_keys_scopes_are_known"),
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "profile_id"], ["profiles.team_id", "profiles.id"], name="api_keys_profile"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_keys")),
        sa.UniqueConstraint("key_digest", name="api_keys_key_digest_is_unique"),
    )
    op.create_index("api_keys_by_team", "api_keys", ["team_id", "id"], unique=False)
    op.create_table(
        "instance_settings",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column(
            "updated_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_instance_settings")),
    )
    op.create_table(
        "team_settings",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column(
            "updated_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name="team_settings_team"),
        sa.PrimaryKeyConstraint("team_id", "name", name=op.f("pk_team_settings")),
    )
    op.create_table(
        "idempotency_records",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("profile_id", sa.Text(), nullable=False),
        sa.Column("operation", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("body_digest", sa.Text(), nullable=False),
        sa.Column("status", sa.SmallInteger(), nullable=False),
        sa.Column("answer", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint("length(key) BETWEEN 1 AND 128", name=op.f("idempotency_records_key_has_length")),
        sa.ForeignKeyConstraint(
            ["team_id", "profile_id"], ["profiles.team_id", "profiles.id"], name="idempotency_records_profile"
        ),
        sa.PrimaryKeyConstraint(
            "team_id", "profile_id", "operation", "key", name=op.f("pk_idempotency_records")
        ),
    )

    op.execute("""
        CREATE FUNCTION forbid_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public AS $$
        BEGIN
            IF TG_OP = 'DELETE' OR
                    (to_jsonb(OLD) - coalesce(TG_ARGV, '{}')) IS DISTINCT FROM
                    (to_jsonb(NEW) - coalesce(TG_ARGV, '{}')) THEN
                RAISE EXCEPTION 'rows of % keep their history: % is refused', TG_TABLE_NAME, TG_OP
                    USING ERRCODE = 'restrict_violation';
            END IF;
            RETURN NEW;
        END $$
    """)
    for table in ("profiles", "team_settings", "idempotency_records"):
        protect(table)
    for table in ("teams", "profiles", "team_settings", "instance_settings"):
        grant("app", table, select="*", insert="*")
        grant("dreamer", table, select="*")
    grant("app", "team_settings", update="value, updated_at")
    grant("app", "instance_settings", update="value, updated_at")
    grant("app", "idempotency_records", select="*", insert="*")
    # Nobody who can run a query as the service can read a digest: it only goes in.
    grant(
        "app",
        "api_keys",
        select="id, team_id, profile_id, scopes, max_authority, created_at, expires_at, revoked_at",
        insert="*",
        update="revoked_at",
    )
    freeze("api_keys", but="revoked_at")
    freeze("idempotency_records")
    op.execute("""
        CREATE FUNCTION authenticate(presented_digest text)
        RETURNS TABLE (key_id text, team_id text, profile_id text, scopes text[], max_authority text)
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
            SELECT id, k.team_id, k.profile_id, k.scopes, k.max_authority
            FROM public.api_keys AS k
            WHERE key_digest = presented_digest
              AND revoked_at IS NULL
              AND (expires_at IS NULL OR expires_at > clock_timestamp())
        $$
    """)
    # Readiness compares the schema with what the code needs.
    op.execute(f"GRANT SELECT ON alembic_version TO {role('app')}")
    op.execute("REVOKE ALL ON FUNCTION authenticate(text) FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION authenticate(text) TO {role('app')}")


def downgrade() -> None:
    op.execute("DROP FUNCTION authenticate(text)")
    op.drop_table("idempotency_records")
    op.drop_table("team_settings")
    op.drop_table("instance_settings")
    op.drop_table("api_keys")
    op.drop_table("profiles")
    op.drop_table("teams")
    op.execute("DROP FUNCTION forbid_change()")
