"""What was taken back or rejected gains no support that counts, unless it comes back in the same transaction.

Such a support would lie there for a transition alone to revive the position, though only new support may. Whoever
grants one still holds its evidence first, so that nobody takes that away meanwhile; what the position rests on then
decides, whether the evidence counts or has gone.

Lock: none but on the rows of pg_proc.
"""

from alembic import op

revision = "0071"
down_revision = "0070"
branch_labels = None
depends_on = None

_ON_RECORD = """
    SELECT FROM public.verification_events AS v
    WHERE v.team_id = NEW.team_id AND v.citation_id = NEW.citation_id AND v.relationship_id = NEW.relationship_id
      AND v.verdict = 'entailed' AND v.schema_valid
"""
_AGAIN = """
      AND v.created_at > ALL (
          SELECT e.created_at FROM public.support_events AS e
          WHERE e.team_id = NEW.team_id AND e.relationship_id = NEW.relationship_id
            AND e.citation_id = NEW.citation_id AND e.event = 'revoked')
"""
_RULES = {"supports_come_with_a_verdict": "", "supports_return_with_a_verdict": _AGAIN}
_HELD = "public.hold_evidence(NEW.team_id, NEW.citation_id)"
_CARRIED = "public.is_carried(NEW.team_id, NEW.relationship_id)"


def upgrade() -> None:
    _replace(f"{_HELD} IS NOT NULL AND {_CARRIED}", "no verdict entails it, or what it supports has ended")


def downgrade() -> None:
    _replace(f"({_HELD} OR {_CARRIED})", "no verdict entails it")


def _replace(decides: str, because: str) -> None:
    for rule, again in _RULES.items():
        op.execute(f"""
            CREATE OR REPLACE FUNCTION {rule}() RETURNS trigger
            LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
            BEGIN
                IF NOT (EXISTS ({_ON_RECORD} {again}) AND {decides}) THEN
                    RAISE EXCEPTION 'a row of % is refused: {because}', TG_TABLE_NAME
                        USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME;
                END IF;
                RETURN NULL;
            END $$
        """)
