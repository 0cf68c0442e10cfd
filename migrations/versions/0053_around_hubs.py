"""What is known around an entity is read newest first from an index, also of one that thousands are connected with.

All of such a hub's Relationships were read and sorted to find the newest 200. Two indexes tell them in that order, two
more for one predicate; these replace those that told ends alone.

Lock: SHARE on relationships while the indexes are built, then for a moment ACCESS EXCLUSIVE to drop the old ones.
"""

import sqlalchemy as sa
from alembic import op

revision = "0053"
down_revision = "0057"
branch_labels = None
depends_on = None

_NEWEST = ("changed_at DESC", "id")


def upgrade() -> None:
    for name in ("relationships_by_subject", "relationships_by_object_entity"):
        op.drop_index(name, table_name="relationships")
    _make("relationships_by_subject", "subject_entity_id", "predicate_key", *_NEWEST)
    _make("relationships_by_object_entity", "object_entity_id", "predicate_key", *_NEWEST)
    _make("relationships_newest_of_subject", "subject_entity_id", *_NEWEST)
    _make("relationships_newest_of_object", "object_entity_id", *_NEWEST)


def downgrade() -> None:
    for name in (
        *("relationships_newest_of_object", "relationships_newest_of_subject"),
        *("relationships_by_object_entity", "relationships_by_subject"),
    ):
        op.drop_index(name, table_name="relationships")
    _make("relationships_by_subject", "subject_entity_id", "predicate_key")
    _make("relationships_by_object_entity", "object_entity_id")


def _make(name: str, *columns: str) -> None:
    op.create_index(name, "relationships", ["team_id", *map(sa.text, columns)])
