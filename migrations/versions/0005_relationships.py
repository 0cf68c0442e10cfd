"""Positions of profiles, verdicts, supports, transitions, search documents.

Lock: creates new tables only, so nothing waits.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from app.kernel.ddl import freeze, grant, protect, role

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "relationships",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("owner_profile_id", sa.Text(), nullable=False),
        sa.Column("subject_entity_id", sa.Text(), nullable=False),
        sa.Column("predicate_key", sa.Text(), nullable=False),
        sa.Column("predicate_version", sa.Integer(), nullable=False),
        sa.Column("object_entity_id", sa.Text(), nullable=True),
        sa.Column("object_value_id", sa.Text(), nullable=True),
        sa.Column("polarity", sa.Text(), nullable=False),
        sa.Column("modality", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=True),
        sa.Column("valid_from", sa.DateTime(timezone=True), nullable=True),
        sa.Column("valid_to", sa.DateTime(timezone=True), nullable=True),
        sa.Column("semantic_group_key", sa.Text(), nullable=False),
        sa.Column("target_identity", sa.Text(), nullable=False),
        sa.Column("tier", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("eligible_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("client_comment", sa.Text(), nullable=True),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column(
            "changed_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "modality IN ('statement', 'question', 'proposal', 'speculation', 'quoted')",
            name=op.f("relationships_modality_is_known"),
        ),
        sa.CheckConstraint("polarity IN ('+', '-')", name=op.f("relationships_polarity_is_known")),
        sa.CheckConstraint(
            "status <> 'active' OR tier <> 'candidate'", name=op.f("relationships_active_is_supported")
        ),
        sa.CheckConstraint(
            "status IN ('pending_evidence', 'active', 'needs_review', 'quarantined', 'disputed', 'superseded', 'retracted', 'rejected')",
            name=op.f("relationships_status_is_known"),
        ),
        sa.CheckConstraint(
            "tier IN ('candidate', 'validated_claim', 'fact')", name=op.f("relationships_tier_is_known")
        ),
        sa.CheckConstraint("length(scope) BETWEEN 1 AND 128", name=op.f("relationships_scope_has_length")),
        sa.CheckConstraint(
            "num_nonnulls(object_entity_id, object_value_id) = 1", name=op.f("relationships_has_one_object")
        ),
        sa.CheckConstraint("valid_from < valid_to", name=op.f("relationships_window_is_not_empty")),
        sa.CheckConstraint("version >= 1", name=op.f("relationships_version_counts_from_one")),
        sa.ForeignKeyConstraint(
            ["team_id", "object_entity_id"],
            ["entities.team_id", "entities.id"],
            name="relationships_object_entity",
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "object_value_id"],
            ["typed_values.team_id", "typed_values.id"],
            name="relationships_object_value",
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "owner_profile_id"], ["profiles.team_id", "profiles.id"], name="relationships_owner"
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "predicate_key", "predicate_version"],
            ["predicates.team_id", "predicates.predicate_key", "predicates.version"],
            name="relationships_predicate",
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "subject_entity_id"],
            ["entities.team_id", "entities.id"],
            name="relationships_subject",
        ),
        sa.PrimaryKeyConstraint("team_id", "id", name=op.f("pk_relationships")),
        sa.UniqueConstraint(
            "team_id",
            "owner_profile_id",
            "semantic_group_key",
            "valid_from",
            name="relationships_owner_identity",
            postgresql_nulls_not_distinct=True,
        ),
    )
    op.create_index(
        "relationships_by_group", "relationships", ["team_id", "semantic_group_key"], unique=False
    )
    op.create_index(
        "relationships_by_object_entity", "relationships", ["team_id", "object_entity_id"], unique=False
    )
    op.create_index(
        "relationships_by_object_value", "relationships", ["team_id", "object_value_id"], unique=False
    )
    op.create_index(
        "relationships_by_subject",
        "relationships",
        ["team_id", "subject_entity_id", "predicate_key"],
        unique=False,
    )
    op.create_index("relationships_by_target", "relationships", ["team_id", "target_identity"], unique=False)
    op.create_index(
        "relationships_newest",
        "relationships",
        ["team_id", sa.literal_column("changed_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "verification_events",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("relationship_id", sa.Text(), nullable=False),
        sa.Column("citation_id", sa.Text(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("confidence", sa.DOUBLE_PRECISION(), nullable=False),
        sa.Column("schema_valid", sa.Boolean(), nullable=False),
        sa.Column("verifier_kind", sa.Text(), nullable=False),
        sa.Column("verifier_version", sa.Text(), nullable=False),
        sa.Column("rationale", sa.Text(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "verdict IN ('entailed', 'insufficient', 'contradicted')",
            name=op.f("verification_events_verdict_is_known"),
        ),
        sa.CheckConstraint(
            "confidence BETWEEN 0 AND 1", name=op.f("verification_events_confidence_is_a_share")
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "citation_id"],
            ["citations.team_id", "citations.id"],
            name="verification_events_citation",
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "relationship_id"],
            ["relationships.team_id", "relationships.id"],
            name="verification_events_relationship",
        ),
        sa.PrimaryKeyConstraint("team_id", "id", name=op.f("pk_verification_events")),
    )
    op.create_index(
        "verification_events_latest",
        "verification_events",
        ["team_id", "relationship_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "supports",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("relationship_id", sa.Text(), nullable=False),
        sa.Column("citation_id", sa.Text(), nullable=False),
        sa.Column("is_granted", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["team_id", "citation_id"], ["citations.team_id", "citations.id"], name="supports_citation"
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "relationship_id"],
            ["relationships.team_id", "relationships.id"],
            name="supports_relationship",
        ),
        sa.PrimaryKeyConstraint("team_id", "relationship_id", "citation_id", name=op.f("pk_supports")),
    )
    op.create_index("supports_by_citation", "supports", ["team_id", "citation_id"], unique=False)
    op.create_table(
        "support_events",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("relationship_id", sa.Text(), nullable=False),
        sa.Column("citation_id", sa.Text(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("actor_profile_id", sa.Text(), nullable=True),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "event IN ('granted', 'revoked', 'reinstated')", name=op.f("support_events_event_is_known")
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "relationship_id", "citation_id"],
            ["supports.team_id", "supports.relationship_id", "supports.citation_id"],
            name="support_events_support",
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "actor_profile_id"], ["profiles.team_id", "profiles.id"], name="support_events_actor"
        ),
        sa.PrimaryKeyConstraint("team_id", "id", name=op.f("pk_support_events")),
    )
    op.create_index(
        "support_events_by_relationship", "support_events", ["team_id", "relationship_id", "id"], unique=False
    )
    # ### end Alembic commands ###
    op.create_table(
        "relationship_transitions",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("relationship_id", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("from_tier", sa.Text(), nullable=True),
        sa.Column("to_tier", sa.Text(), nullable=False),
        sa.Column("from_status", sa.Text(), nullable=True),
        sa.Column("to_status", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("effect", sa.Text(), nullable=False),
        sa.Column("actor_profile_id", sa.Text(), nullable=True),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "effect IN ('harmless', 'source_lost', 'became_active', 'reassess')",
            name=op.f("relationship_transitions_effect_is_known"),
        ),
        sa.CheckConstraint(
            "to_status IN ('pending_evidence', 'active', 'needs_review', 'quarantined', 'disputed', 'superseded', 'retracted', 'rejected')",
            name=op.f("relationship_transitions_to_status_is_known"),
        ),
        sa.CheckConstraint(
            "to_tier IN ('candidate', 'validated_claim', 'fact')",
            name=op.f("relationship_transitions_to_tier_is_known"),
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "relationship_id"],
            ["relationships.team_id", "relationships.id"],
            name="relationship_transitions_relationship",
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "actor_profile_id"],
            ["profiles.team_id", "profiles.id"],
            name="relationship_transitions_actor",
        ),
        sa.PrimaryKeyConstraint(
            "team_id", "relationship_id", "version", name=op.f("pk_relationship_transitions")
        ),
    )
    op.create_table(
        "relationship_documents",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("relationship_id", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column(
            "search",
            postgresql.TSVECTOR(),
            sa.Computed("to_tsvector('english', body)", persisted=True),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "relationship_id"],
            ["relationships.team_id", "relationships.id"],
            name="relationship_documents_relationship",
        ),
        sa.PrimaryKeyConstraint("team_id", "relationship_id", name=op.f("pk_relationship_documents")),
    )
    op.create_index(
        "relationship_documents_search",
        "relationship_documents",
        ["search"],
        unique=False,
        postgresql_using="gin",
    )

    for table in (
        "relationships",
        "verification_events",
        "supports",
        "support_events",
        "relationship_transitions",
        "relationship_documents",
    ):
        protect(table)
        grant("app", table, select="*", insert="*")
    grant(
        "app",
        "relationships",
        update="modality, tier, status, version, valid_to, eligible_since, client_comment, changed_at",
    )
    grant("app", "supports", update="is_granted")
    grant("app", "relationship_documents", update="body")
    freeze(
        "relationships",
        but="modality, tier, status, version, valid_to, eligible_since, client_comment, changed_at",
    )
    freeze("supports", but="is_granted")
    freeze("verification_events")
    freeze("support_events")
    freeze("relationship_transitions")
    freeze("relationship_documents", but="body, search")
    for table in ("relationships", "supports", "support_events", "relationship_transitions"):
        grant("dreamer", table, select="*")
    grant(
        "dreamer",
        "verification_events",
        select="team_id, id, relationship_id, citation_id, verdict, confidence, schema_valid, created_at",
    )
    # "Effective" has one home: the latest decision grants, the evidence is active, its revision is current.
    op.execute("""
        CREATE VIEW effective_supports WITH (security_invoker = true) AS
        SELECT supports.team_id, supports.relationship_id, supports.citation_id,
               evidence.id AS evidence_id, evidence.profile_id, evidence.authority, evidence.source_group
        FROM supports
        JOIN citations ON citations.team_id = supports.team_id AND citations.id = supports.citation_id
        JOIN evidence ON evidence.team_id = citations.team_id AND evidence.id = citations.evidence_id
        LEFT JOIN source_revisions AS revision
               ON revision.team_id = evidence.team_id
              AND revision.source_id = evidence.source_id
              AND revision.revision = evidence.source_revision
        WHERE supports.is_granted
          AND evidence.state = 'active'
          AND coalesce(revision.is_current, true)
    """)
    op.execute(f"GRANT SELECT ON effective_supports TO {role('app')}, {role('dreamer')}")


def downgrade() -> None:
    op.execute("DROP VIEW effective_supports")
    op.drop_table("relationship_documents")
    op.drop_table("relationship_transitions")
    op.drop_table("support_events")
    op.drop_table("supports")
    op.drop_table("verification_events")
    op.drop_table("relationships")
