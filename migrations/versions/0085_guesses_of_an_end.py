"""The open Hypotheses of an entity, and how likely they are, are told by the indexes of the ends alone.

Recall weighs all that are near an answer, dozens as a rule, and shows five. Each was read from the table for two of
its columns, a page for each, mostly; now only those that are shown are. An index entry takes five times the room.

Lock: SHARE on hypotheses while the two indexes are built; writers wait, readers do not, but for the moment in which
the former ones are dropped.
"""

from alembic import op

revision = "0085"
down_revision = "0082"
branch_labels = None
depends_on = None

_INDEXES = (
    ("hypotheses_by_subject", "subject_entity_id"),
    ("hypotheses_by_object_entity", "object_entity_id"),
)


def upgrade() -> None:
    _replace(["id", "status", "likelihood"])


def downgrade() -> None:
    _replace([])


def _replace(told: list[str]) -> None:
    for name, column in _INDEXES:
        op.execute(f"ALTER INDEX {name} RENAME TO {name}_before")
        op.create_index(name, "hypotheses", ["team_id", column], postgresql_include=told)
        op.execute(f"DROP INDEX {name}_before")
