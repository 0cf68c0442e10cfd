"""Indexes for what refers to rows that are many in a large team: without them erasing it takes the square of its size.

Each deleted row is looked up in every table that refers to its own. References to profiles and predicates stay without
one: a team has few of either.

Lock: SHARE on each of the tables while its indexes are built; writers wait, readers do not.
"""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None

# Name, table and columns; a partial one leaves out the rows that refer to nothing.
_WHOLE = (
    ("verification_events_by_citation", "verification_events", "citation_id"),
    ("conflict_cases_by_subject", "conflict_cases", "subject_entity_id"),
    ("entity_merge_events_by_survivor", "entity_merge_events", "survivor_id"),
)
_PARTIAL = (
    ("review_tasks_by_relationship", "review_tasks", "relationship_id"),
    ("placement_outcomes_by_review", "placement_outcomes", "review_id"),
    ("hypotheses_by_predecessor", "hypotheses", "previous_hypothesis_id"),
    ("hypotheses_by_object_value", "hypotheses", "object_value_id"),
    ("hypothesis_events_by_run", "hypothesis_events", "cycle_run_id"),
    ("hypothesis_events_by_ingest", "hypothesis_events", "ingest_id"),
)


def upgrade() -> None:
    for name, table, column in _WHOLE:
        op.create_index(name, table, ["team_id", column])
    for name, table, column in _PARTIAL:
        op.create_index(name, table, ["team_id", column], postgresql_where=sa.text(f"{column} IS NOT NULL"))


def downgrade() -> None:
    for name, table, _ in (*_WHOLE, *_PARTIAL):
        op.drop_index(name, table_name=table)
