"""Whether a support, or a verdict, came with something said of the position itself, or was handed on by a merge.

Undoing a merge takes what it handed on and leaves what was said since, even of the same citation. Supports that a
merge granted last are found by their event; verdicts of before are all taken for the position's own, since nothing
tells them apart: none of them is put in place of another when a merge is undone.

Lock: ACCESS EXCLUSIVE on supports and verification_events for the moment in which the columns are added, and on
supports while those of merges are marked.
"""

import sqlalchemy as sa
from alembic import op

from app.kernel.ddl import freeze, grant, lift, refuse, role

revision = "0074"
down_revision = "0072"
branch_labels = None
depends_on = None

_LAST_EVENT = """
    SELECT e.reason FROM support_events AS e
    WHERE e.team_id = s.team_id AND e.relationship_id = s.relationship_id AND e.citation_id = s.citation_id
      AND e.event <> 'revoked'
    ORDER BY e.id DESC LIMIT 1
"""


def upgrade() -> None:
    for table in ("supports", "verification_events"):
        op.add_column(table, sa.Column("is_own", sa.Boolean(), nullable=False, server_default=sa.true()))
    op.execute("DROP TRIGGER supports_identity ON supports")
    op.execute("ALTER TABLE supports DISABLE TRIGGER USER")
    op.execute(f"UPDATE supports AS s SET is_own = false WHERE ({_LAST_EVENT}) = 'entity_merged'")
    op.execute("ALTER TABLE supports ENABLE TRIGGER USER")
    freeze("supports", but="is_granted, is_own")
    grant("app", "supports", update="is_own")
    refuse(
        "supports",
        "supports_own_stay_own",
        when="OLD.is_granted AND NEW.is_granted AND OLD.is_own AND NOT NEW.is_own",
        because="what a position has of its own is not lent",
    )
    grant("app", "verification_events", insert="is_own")


def downgrade() -> None:
    lift("supports", "supports_own_stay_own")
    op.execute("DROP TRIGGER supports_identity ON supports")
    op.execute(f"REVOKE UPDATE (is_own) ON supports FROM {role('app')}")
    freeze("supports", but="is_granted")
    for table in ("verification_events", "supports"):
        op.drop_column(table, "is_own")
