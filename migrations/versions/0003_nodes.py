"""What can be related: predicates with their versions and names, entities, typed values.

Lock: creates new tables only, so nothing waits.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from app.kernel.ddl import freeze, grant, protect

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "predicates",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("predicate_key", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("is_current", sa.Boolean(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("aliases", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("allowed_subject_kinds", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("allowed_object_kinds", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("allowed_value_types", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("relationship_kind", sa.Text(), nullable=False),
        sa.Column("current_cardinality", sa.Text(), nullable=False),
        sa.Column("is_symmetric", sa.Boolean(), nullable=False),
        sa.Column("inverse_key", sa.Text(), nullable=True),
        sa.Column("verb_phrase", sa.Text(), nullable=False),
        sa.Column("lifecycle_state", sa.Text(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "current_cardinality IN ('one', 'many')", name=op.f("predicates_current_cardinality_is_known")
        ),
        sa.CheckConstraint(
            "lifecycle_state IN ('active', 'deprecated', 'retired')",
            name=op.f("predicates_lifecycle_state_is_known"),
        ),
        sa.CheckConstraint("predicate_key ~ '^[a-z][a-z0-9_]{0,63}$'", name=op.f("predicates_key_is_a_word")),
        sa.CheckConstraint(
            "relationship_kind IN ('state', 'event')", name=op.f("predicates_relationship_kind_is_known")
        ),
        sa.CheckConstraint(
            "NOT (is_symmetric AND inverse_key IS NOT NULL)", name=op.f("predicates_symmetric_has_no_inverse")
        ),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name="predicates_team"),
        sa.PrimaryKeyConstraint("team_id", "predicate_key", "version", name=op.f("pk_predicates")),
    )
    op.create_index(
        "predicates_one_current",
        "predicates",
        ["team_id", "predicate_key"],
        unique=True,
        postgresql_where=sa.text("is_current"),
    )
    op.create_table(
        "predicate_names",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("folded_name", sa.Text(), nullable=False),
        sa.Column("predicate_key", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name="predicate_names_team"),
        sa.PrimaryKeyConstraint("team_id", "folded_name", name=op.f("pk_predicate_names")),
    )
    op.create_table(
        "entities",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("is_merged", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("created_by_profile_id", sa.Text(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "kind IN ('person', 'organization', 'project', 'product', 'place', 'document', 'event', 'concept', 'other')",
            name=op.f("entities_kind_is_known"),
        ),
        sa.CheckConstraint("length(name) BETWEEN 1 AND 256", name=op.f("entities_name_has_length")),
        sa.ForeignKeyConstraint(
            ["team_id", "created_by_profile_id"],
            ["profiles.team_id", "profiles.id"],
            name="entities_created_by",
        ),
        sa.PrimaryKeyConstraint("team_id", "id", name=op.f("pk_entities")),
    )
    op.create_index(
        "entities_newest",
        "entities",
        ["team_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "entity_names",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("entity_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("folded_name", sa.Text(), nullable=False),
        sa.Column("is_alias", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["team_id", "entity_id"], ["entities.team_id", "entities.id"], name="entity_names_entity"
        ),
        sa.PrimaryKeyConstraint("team_id", "entity_id", "name", name=op.f("pk_entity_names")),
    )
    op.create_index("entity_names_folded", "entity_names", ["team_id", "folded_name"], unique=False)
    op.create_index(
        "entity_names_trigram",
        "entity_names",
        ["folded_name"],
        unique=False,
        postgresql_using="gin",
        postgresql_ops={"folded_name": "gin_trgm_ops"},
    )
    op.create_table(
        "typed_values",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("value_type", sa.Text(), nullable=False),
        sa.Column("canonical", sa.Text(), nullable=False),
        sa.Column("unit", sa.Text(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "value_type IN ('string', 'number', 'boolean', 'date', 'date_time')",
            name=op.f("typed_values_value_type_is_known"),
        ),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name="typed_values_team"),
        sa.PrimaryKeyConstraint("team_id", "id", name=op.f("pk_typed_values")),
        sa.UniqueConstraint("team_id", "value_type", "canonical", "unit", name="typed_values_are_unique"),
    )

    for table in ("predicates", "predicate_names", "entities", "entity_names", "typed_values"):
        protect(table)
        grant("app", table, select="*", insert="*")
        grant("dreamer", table, select="*")
    grant("app", "predicates", update="is_current")
    grant("app", "entities", update="is_merged")
    freeze("predicates", but="is_current")
    freeze("predicate_names")
    freeze("entities", but="is_merged")
    freeze("entity_names")
    freeze("typed_values")


def downgrade() -> None:
    op.drop_table("typed_values")
    op.drop_table("entity_names")
    op.drop_table("entities")
    op.drop_table("predicate_names")
    op.drop_table("predicates")
