"""The search of Hypotheses is expected to find as many as recall asks it for.

It was expected to find twenty, so that the planner took what is near an answer for so little that sorting it by
Hypothesis costs no more than gathering it in a hash table; sorting ids took longer than reading them.

Lock: none; a function is altered.
"""

from alembic import op

revision = "0087"
down_revision = "0086"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER FUNCTION search_hypotheses(text, integer) ROWS 100")


def downgrade() -> None:
    op.execute("ALTER FUNCTION search_hypotheses(text, integer) ROWS 20")
