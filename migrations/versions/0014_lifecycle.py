"""What lets positions change with a history: merges of entities, the story of a conflict, reviews with a choice.

Expand only: new tables and columns that are empty for what is there already.

Lock: ACCESS EXCLUSIVE on entities, source_revisions, relationship_transitions and review_tasks for the moment in which a nullable column is
added and checked, SHARE on them while the small partial indexes are built.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from app.kernel.ddl import freeze, grant, protect, role

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

_CASE_CHANGES = "status, preferred_position_id, due_at, closed_at, closed_by_profile_id, close_reason"
_REVIEW_CHANGES = "status, closed_at, closed_by_profile_id, choice, close_reason"


def upgrade() -> None:
    op.add_column("source_revisions", sa.Column("same_as", sa.Text(), nullable=True))
    op.create_foreign_key(
        "source_revisions_same_as",
        "source_revisions",
        "source_revisions",
        ["team_id", "source_id", "same_as"],
        ["team_id", "source_id", "revision"],
    )
    op.create_check_constraint(
        op.f("source_revisions_other_name_is_not_current"),
        "source_revisions",
        "same_as IS NULL OR NOT is_current",
    )
    op.add_column("relationship_transitions", sa.Column("note", sa.Text(), nullable=True))
    op.add_column("entities", sa.Column("merged_into_id", sa.Text(), nullable=True))
    op.create_foreign_key(
        "entities_merged_into", "entities", "entities", ["team_id", "merged_into_id"], ["team_id", "id"]
    )
    op.create_check_constraint(
        op.f("entities_survivor_is_another"),
        "entities",
        "merged_into_id IS NULL OR (is_merged AND merged_into_id <> id)",
    )
    op.create_index(
        "entities_by_survivor",
        "entities",
        ["team_id", "merged_into_id"],
        unique=False,
        postgresql_where=sa.text("merged_into_id IS NOT NULL"),
    )
    op.add_column("review_tasks", sa.Column("entity_ref", sa.Text(), nullable=True))
    op.add_column("review_tasks", sa.Column("close_reason", sa.Text(), nullable=True))
    op.create_index(
        "review_tasks_by_ingest",
        "review_tasks",
        ["team_id", "ingest_id"],
        unique=False,
        postgresql_where=sa.text("ingest_id IS NOT NULL"),
    )
    op.create_table(
        "entity_merge_events",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("entity_id", sa.Text(), nullable=False),
        sa.Column("survivor_id", sa.Text(), nullable=False),
        sa.Column("undoes_id", sa.Text(), nullable=True),
        sa.Column("before_image", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("actor_profile_id", sa.Text(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "event IN ('merged', 'unmerged')", name=op.f("entity_merge_events_event_is_known")
        ),
        sa.CheckConstraint(
            "(event = 'unmerged') = (undoes_id IS NOT NULL)",
            name=op.f("entity_merge_events_undoing_names_its_merge"),
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "entity_id"], ["entities.team_id", "entities.id"], name="entity_merge_events_entity"
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "survivor_id"],
            ["entities.team_id", "entities.id"],
            name="entity_merge_events_survivor",
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "actor_profile_id"],
            ["profiles.team_id", "profiles.id"],
            name="entity_merge_events_actor",
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "undoes_id"],
            ["entity_merge_events.team_id", "entity_merge_events.id"],
            name="entity_merge_events_undoes",
        ),
        sa.PrimaryKeyConstraint("team_id", "id", name=op.f("pk_entity_merge_events")),
        sa.UniqueConstraint("team_id", "undoes_id", name="entity_merge_events_undone_once"),
    )
    op.create_index(
        "entity_merge_events_by_entity", "entity_merge_events", ["team_id", "entity_id", "id"], unique=False
    )
    op.create_table(
        "conflict_events",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("case_id", sa.Text(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("preferred_position_id", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("actor_profile_id", sa.Text(), nullable=True),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "event IN ('opened', 'widened', 'resolved', 'dismissed', 'withdrawn', 'reopened')",
            name=op.f("conflict_events_event_is_known"),
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "case_id"],
            ["conflict_cases.team_id", "conflict_cases.id"],
            name="conflict_events_case",
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "case_id", "preferred_position_id"],
            ["conflict_positions.team_id", "conflict_positions.case_id", "conflict_positions.id"],
            name="conflict_events_preferred_position",
        ),
        sa.ForeignKeyConstraint(
            ["team_id", "actor_profile_id"],
            ["profiles.team_id", "profiles.id"],
            name="conflict_events_actor",
        ),
        sa.PrimaryKeyConstraint("team_id", "id", name=op.f("pk_conflict_events")),
    )
    op.create_index("conflict_events_by_case", "conflict_events", ["team_id", "case_id", "id"], unique=False)

    for table in ("entity_merge_events", "conflict_events"):
        protect(table)
        grant("app", table, select="*", insert="*")
        freeze(table)
    # What a merge may change, and no more; the old trigger knew nothing of the new column.
    op.execute("DROP TRIGGER entities_identity ON entities")
    grant("app", "entities", update="merged_into_id")
    freeze("entities", but="is_merged, merged_into_id")
    grant("app", "conflict_cases", update="due_at")
    freeze("conflict_cases", but=_CASE_CHANGES)
    grant("app", "review_tasks", update="close_reason")
    freeze("review_tasks", but=_REVIEW_CHANGES)


def downgrade() -> None:
    op.execute("DROP TRIGGER review_tasks_identity ON review_tasks")
    op.execute("DROP TRIGGER conflict_cases_identity ON conflict_cases")
    op.execute(f"REVOKE UPDATE (due_at) ON conflict_cases FROM {role('app')}")
    op.execute("DROP TRIGGER entities_identity ON entities")
    freeze("entities", but="is_merged")
    op.drop_table("conflict_events")
    op.drop_table("entity_merge_events")
    op.drop_index("review_tasks_by_ingest", table_name="review_tasks")
    op.drop_column("review_tasks", "close_reason")
    op.drop_column("review_tasks", "entity_ref")
    op.drop_index("entities_by_survivor", table_name="entities")
    op.drop_column("entities", "merged_into_id")
    op.drop_column("relationship_transitions", "note")
    op.drop_column("source_revisions", "same_as")
