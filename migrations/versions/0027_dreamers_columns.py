"""The dreamer reads no text that a client wrote for people: comments, notes, reasons, choices, names of profiles.

What it dreams about stays readable: names of entities, values, predicates, scopes. Column privileges in place of
whole tables; a column of tomorrow has to be granted by name.

Lock: none on the tables; privileges are rows of the catalogue.
"""

import sqlalchemy as sa
from alembic import op

from app.kernel.ddl import grant, role

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

UNREADABLE = {
    "conflict_cases": ("close_reason",),
    "cycle_runs": ("note",),
    "hypothesis_events": ("reason",),
    "profiles": ("name",),
    "relationship_transitions": ("note",),
    "relationships": ("client_comment",),
    "review_tasks": ("choice", "close_reason", "entity_ref", "options", "proposal_id"),
    "teams": ("name",),
}


def upgrade() -> None:
    for table, texts in UNREADABLE.items():
        columns = op.get_bind().execute(_COLUMNS, {"table": table}).scalars()
        op.execute(f"REVOKE SELECT ON {table} FROM {role('dreamer')}")
        grant("dreamer", table, select=", ".join(column for column in columns if column not in texts))


def downgrade() -> None:
    for table in UNREADABLE:
        grant("dreamer", table, select="*")


_COLUMNS = sa.text("""
    SELECT quote_ident(attname) FROM pg_attribute
    WHERE attrelid = cast(:table AS regclass) AND attnum > 0 AND NOT attisdropped ORDER BY attnum
""")
