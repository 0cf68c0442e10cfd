"""The ledger of guesses: inserted by the dreamer only, moved along the lifecycle by both, never deleted.

Lock: creates new tables only, so nothing waits.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from app.kernel.ddl import freeze, grant, protect, restrict

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "hypotheses",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("cycle_run_id", sa.Text(), nullable=False),
        sa.Column("subject_entity_id", sa.Text(), nullable=False),
        sa.Column("predicate_key", sa.Text(), nullable=False),
        sa.Column("predicate_version", sa.Integer(), nullable=False),
        sa.Column("object_entity_id", sa.Text(), nullable=True),
        sa.Column("object_value_id", sa.Text(), nullable=True),
        sa.Column("target_identity", sa.Text(), nullable=False),
        sa.Column("statement", sa.Text(), nullable=False),
        sa.Column("rationale", sa.Text(), nullable=False),
        sa.Column("likelihood", sa.DOUBLE_PRECISION(), nullable=False),
        sa.Column("confidence", sa.DOUBLE_PRECISION(), nullable=False),
        sa.Column("paths", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("generator_kind", sa.Text(), nullable=False),
        sa.Column("generator_version", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("submission_is_open", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("needs_reassessment", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("previous_hypothesis_id", sa.Text(), nullable=True),
        sa.Column("row_version", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column(
            "updated_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column(
            "reinforced_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "NOT submission_is_open OR status = 'submitted'", name=op.f("hypotheses_open_means_submitted")
        ),
        sa.CheckConstraint(
            "generator_kind IN ('rules', 'provider')", name=op.f("hypotheses_generator_kind_is_known")
        ),
        sa.CheckConstraint(
            "status IN ('proposed', 'reinforced', 'stale', 'submitted', 'rejected')",
            name=op.f("hypotheses_status_is_known"),
        ),
        sa.CheckConstraint("confidence BETWEEN 0 AND 1", name=op.f("hypotheses_confidence_is_a_share")),
        sa.CheckConstraint(
            "length(statement) BETWEEN 1 AND 1000", name=op.f("hypotheses_statement_has_length")
        ),
        sa.CheckConstraint("likelihood BETWEEN 0 AND 1", name=op.f("hypotheses_likelihood_is_a_share")),
        sa.CheckConstraint(
            "num_nonnulls(object_entity_id, object_value_id) = 1", name=op.f("hypotheses_has_one_object")
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "cycle_run_id"], ["cycle_runs.team_id", "cycle_runs.id"], name="hypotheses_cycle_run"
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "object_entity_id"],
            ["entities.team_id", "entities.id"],
            name="hypotheses_object_entity",
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "object_value_id"],
            ["typed_values.team_id", "typed_values.id"],
            name="hypotheses_object_value",
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "predicate_key", "predicate_version"],
            ["predicates.team_id", "predicates.predicate_key", "predicates.version"],
            name="hypotheses_predicate",
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "previous_hypothesis_id"],
            ["hypotheses.team_id", "hypotheses.id"],
            name="hypotheses_predecessor",
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "subject_entity_id"], ["entities.team_id", "entities.id"], name="hypotheses_subject"
        ),
        sa.PrimaryKeyConstraint("team_id", "id", name=op.f("pk_hypotheses")),
    )
    op.create_index(
        "hypotheses_by_object_entity", "hypotheses", ["team_id", "object_entity_id"], unique=False
    )
    op.create_index("hypotheses_by_run", "hypotheses", ["team_id", "cycle_run_id"], unique=False)
    op.create_index(
        "hypotheses_by_status",
        "hypotheses",
        ["team_id", "status", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index("hypotheses_by_subject", "hypotheses", ["team_id", "subject_entity_id"], unique=False)
    op.create_index("hypotheses_by_target", "hypotheses", ["team_id", "target_identity"], unique=False)
    op.create_index(
        "hypotheses_likeliest",
        "hypotheses",
        ["team_id", sa.literal_column("likelihood DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "hypotheses_newest",
        "hypotheses",
        ["team_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_index(
        "hypotheses_one_live",
        "hypotheses",
        ["team_id", "target_identity"],
        unique=True,
        postgresql_where=sa.text(
            "status IN ('proposed', 'reinforced', 'stale') OR (status = 'submitted' AND submission_is_open)"
        ),
    )
    op.create_table(
        "hypothesis_sources",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("hypothesis_id", sa.Text(), nullable=False),
        sa.Column("relationship_id", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("semantic_group_key", sa.Text(), nullable=False),
        sa.Column("owner_profile_id", sa.Text(), nullable=False),
        sa.Column("is_candidate", sa.Boolean(), nullable=False),
        sa.Column("is_current", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.ForeignKeyConstraint(
            ["team_id", "hypothesis_id"],
            ["hypotheses.team_id", "hypotheses.id"],
            name="hypothesis_sources_hypothesis",
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "owner_profile_id"],
            ["profiles.team_id", "profiles.id"],
            name="hypothesis_sources_owner",
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "relationship_id"],
            ["relationships.team_id", "relationships.id"],
            name="hypothesis_sources_relationship",
        ),
        sa.PrimaryKeyConstraint(
            "team_id", "hypothesis_id", "relationship_id", name=op.f("pk_hypothesis_sources")
        ),
    )
    op.create_index(
        "hypothesis_sources_by_relationship",
        "hypothesis_sources",
        ["team_id", "relationship_id"],
        unique=False,
    )
    op.create_table(
        "hypothesis_events",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("hypothesis_id", sa.Text(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("from_status", sa.Text(), nullable=True),
        sa.Column("to_status", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("actor_kind", sa.Text(), nullable=False),
        sa.Column("actor_profile_id", sa.Text(), nullable=True),
        sa.Column("cycle_run_id", sa.Text(), nullable=True),
        sa.Column("ingest_id", sa.Text(), nullable=True),
        sa.Column(
            "versions_seen",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'"),
            nullable=False,
        ),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "actor_kind IN ('client', 'cycle', 'ledger')", name=op.f("hypothesis_events_actor_kind_is_known")
        ),
        sa.CheckConstraint(
            "to_status IN ('proposed', 'reinforced', 'stale', 'submitted', 'rejected')",
            name=op.f("hypothesis_events_to_status_is_known"),
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "hypothesis_id"],
            ["hypotheses.team_id", "hypotheses.id"],
            name="hypothesis_events_hypothesis",
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "actor_profile_id"],
            ["profiles.team_id", "profiles.id"],
            name="hypothesis_events_actor",
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "cycle_run_id"], ["cycle_runs.team_id", "cycle_runs.id"], name="hypothesis_events_run"
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "ingest_id"], ["ingests.team_id", "ingests.id"], name="hypothesis_events_ingest"
        ),
        sa.PrimaryKeyConstraint("team_id", "id", name=op.f("pk_hypothesis_events")),
    )
    op.create_index(
        "hypothesis_events_by_actor",
        "hypothesis_events",
        ["team_id", "actor_profile_id", "hypothesis_id"],
        unique=False,
    )
    op.create_index(
        "hypothesis_events_by_hypothesis",
        "hypothesis_events",
        ["team_id", "hypothesis_id", "id"],
        unique=False,
    )
    op.create_table(
        "hypothesis_submissions",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("ingest_id", sa.Text(), nullable=False),
        sa.Column("hypothesis_id", sa.Text(), nullable=False),
        sa.Column("decision", sa.Text(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_active", sa.Boolean(), nullable=True),
        sa.CheckConstraint(
            "decision IN ('confirm_true', 'confirm_false')",
            name=op.f("hypothesis_submissions_decision_is_known"),
        ),
        sa.CheckConstraint(
            "(ended_at IS NULL) = (ended_active IS NULL)", name=op.f("hypothesis_submissions_end_says_how")
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "hypothesis_id"],
            ["hypotheses.team_id", "hypotheses.id"],
            name="hypothesis_submissions_hypothesis",
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "ingest_id"], ["ingests.team_id", "ingests.id"], name="hypothesis_submissions_ingest"
        ),
        sa.PrimaryKeyConstraint("team_id", "ingest_id", name=op.f("pk_hypothesis_submissions")),
    )
    op.create_index(
        "hypothesis_submissions_by_hypothesis",
        "hypothesis_submissions",
        ["team_id", "hypothesis_id", "created_at"],
        unique=False,
    )

    for table in ("hypotheses", "hypothesis_sources", "hypothesis_events", "hypothesis_submissions"):
        protect(table)
        grant("app", table, select="*")
        grant("dreamer", table, select="*")
    grant("dreamer", "hypotheses", insert="*")
    grant(
        "dreamer",
        "hypotheses",
        update="status, likelihood, confidence, rationale, paths, generator_version, needs_reassessment,"
        " row_version, updated_at, reinforced_at",
    )
    grant("app", "hypotheses", update="status, submission_is_open, row_version, updated_at, reinforced_at")
    # Only a client confirms or rejects.
    dreamable = "status IN ('proposed', 'reinforced', 'stale')"
    restrict("hypotheses", grantee="dreamer", action="INSERT", check="status = 'proposed'")
    restrict("hypotheses", grantee="dreamer", action="UPDATE", check=dreamable)
    grant("dreamer", "hypothesis_sources", insert="*", update="version, is_candidate, is_current")
    grant("app", "hypothesis_events", insert="*")
    grant("dreamer", "hypothesis_events", insert="*")
    # Nobody writes history in another's name; the ledger's own events are the owner's.
    restrict("hypothesis_events", grantee="app", action="INSERT", check="actor_kind = 'client'")
    restrict("hypothesis_events", grantee="dreamer", action="INSERT", check="actor_kind = 'cycle'")
    grant("app", "hypothesis_submissions", insert="*", update="ended_at, ended_active")
    freeze(
        "hypotheses",
        but="status, submission_is_open, likelihood, confidence, rationale, paths, generator_version,"
        " needs_reassessment, row_version, updated_at, reinforced_at",
    )
    freeze("hypothesis_sources", but="version, is_candidate, is_current")
    freeze("hypothesis_events")
    freeze("hypothesis_submissions", but="ended_at, ended_active")
    op.execute("""
        CREATE FUNCTION follow_hypothesis_lifecycle() RETURNS trigger LANGUAGE plpgsql
        SET search_path = pg_catalog, public AS $$
        BEGIN
            IF (OLD.status, NEW.status) NOT IN (
                ('proposed', 'reinforced'), ('proposed', 'stale'), ('proposed', 'rejected'),
                ('proposed', 'submitted'), ('reinforced', 'stale'), ('reinforced', 'rejected'),
                ('reinforced', 'submitted'), ('stale', 'reinforced'), ('stale', 'rejected'),
                ('stale', 'submitted')
            ) THEN
                RAISE EXCEPTION 'a hypothesis never goes from % to %', OLD.status, NEW.status
                    USING ERRCODE = 'restrict_violation';
            END IF;
            RETURN NEW;
        END $$
    """)
    op.execute("""
        CREATE TRIGGER hypotheses_follow_lifecycle BEFORE UPDATE OF status ON hypotheses
        FOR EACH ROW WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION follow_hypothesis_lifecycle()
    """)
    op.execute("""
        CREATE FUNCTION demand_submission() RETURNS trigger LANGUAGE plpgsql
        SET search_path = pg_catalog, public AS $$
        BEGIN
            IF NOT EXISTS (SELECT FROM public.hypothesis_submissions AS s
                           WHERE s.team_id = NEW.team_id AND s.hypothesis_id = NEW.id) THEN
                RAISE EXCEPTION 'hypothesis % is submitted with evidence only', NEW.id
                    USING ERRCODE = 'restrict_violation';
            END IF;
            RETURN NULL;
        END $$
    """)
    op.execute("""
        CREATE CONSTRAINT TRIGGER hypotheses_submitted_with_evidence AFTER UPDATE ON hypotheses
        DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW WHEN (NEW.status = 'submitted') EXECUTE FUNCTION demand_submission()
    """)


def downgrade() -> None:
    op.drop_table("hypothesis_submissions")
    op.drop_table("hypothesis_events")
    op.drop_table("hypothesis_sources")
    op.drop_table("hypotheses")
    op.execute("DROP FUNCTION follow_hypothesis_lifecycle()")
    op.execute("DROP FUNCTION demand_submission()")
