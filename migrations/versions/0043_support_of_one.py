"""Whether a position is supported is asked about that position, not about all of its team.

For an alternative the planner may compute the whole list of what is supported, and did so for each row of a
transaction: placing took longer the more the team knew. An OFFSET keeps the question to the row.

Lock: none on tables; two functions are replaced.
"""

from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None

_RULES = ("relationships_come_with_support", "relationships_gain_by_support")


def upgrade() -> None:
    _replace("OFFSET 0")


def downgrade() -> None:
    _replace("")


def _replace(bound: str) -> None:
    for rule in _RULES:
        op.execute(f"""
            CREATE OR REPLACE FUNCTION {rule}() RETURNS trigger LANGUAGE plpgsql
            SET search_path = pg_catalog, public AS $$
            BEGIN
                IF NOT EXISTS (
                    SELECT FROM public.relationships AS r
                    WHERE r.team_id = NEW.team_id AND r.id = NEW.id AND (
                        r.status <> 'active' OR EXISTS (
                            SELECT FROM public.effective_supports AS s
                            WHERE s.team_id = r.team_id AND s.relationship_id = r.id {bound}))
                ) THEN
                    RAISE EXCEPTION 'a row of % is refused: nothing supports what is active', TG_TABLE_NAME
                        USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME;
                END IF;
                RETURN NULL;
            END $$
        """)
