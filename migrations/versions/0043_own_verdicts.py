"""A support is granted by a verdict on its own Relationship, not by one on whatever else cites the same text.

A merge hands the verdicts on with the supports, so nothing needs another position's.

Lock: none on tables; the two functions are replaced.
"""

from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None

_RULES = ("supports_come_with_a_verdict", "supports_return_with_a_verdict")


def upgrade() -> None:
    _replace("AND v.relationship_id = NEW.relationship_id")


def downgrade() -> None:
    _replace("")


def _replace(own: str) -> None:
    for rule in _RULES:
        op.execute(f"""
            CREATE OR REPLACE FUNCTION {rule}() RETURNS trigger
            LANGUAGE plpgsql SET search_path = pg_catalog, public AS $$
            BEGIN
                IF NOT EXISTS (
                    SELECT FROM public.verification_events AS v
                    WHERE v.team_id = NEW.team_id AND v.citation_id = NEW.citation_id
                      AND v.verdict = 'entailed' AND v.schema_valid {own}
                ) THEN
                    RAISE EXCEPTION 'a row of % is refused: no verdict entails it', TG_TABLE_NAME
                        USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME;
                END IF;
                RETURN NULL;
            END $$
        """)
